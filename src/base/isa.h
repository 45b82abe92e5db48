// Instruction sets: kernel files (*_kernel.c) are compiled once for each, with names that end in the set's name.
#ifndef SNAG_BASE_ISA_H
#define SNAG_BASE_ISA_H

#include "snag/question.h"

#define SNAG__JOIN_(a, b) a##_##b
#define SNAG__JOIN(a, b) SNAG__JOIN_(a, b)

// In a kernel file the build defines SNAG_KERNEL_ISA as scalar, v2, v3, v4 or neon: SNAG__KERNEL(f) is f_scalar etc.
#ifdef SNAG_KERNEL_ISA
#define SNAG__KERNEL(name) SNAG__JOIN(name, SNAG_KERNEL_ISA)
#endif

// Whether this build and this machine have the set. SNAG_ISA_BEST is never "available": resolve it first.
bool snag__isa_available(snag_isa isa);
// The widest available set.
snag_isa snag__isa_best(void);

// Picks the table of kernels `table` that was compiled for `isa`, such as SNAG__KERNELS_FOR(snag__geom_kernels, isa).
#ifdef SNAG_HAS_V2
#define SNAG__CASE_V2(table)                                                                                                       \
    case SNAG_ISA_X86_64_V2:                                                                                                       \
        return &table##_v2;
#else
#define SNAG__CASE_V2(table)
#endif
#ifdef SNAG_HAS_V3
#define SNAG__CASE_V3(table)                                                                                                       \
    case SNAG_ISA_X86_64_V3:                                                                                                       \
        return &table##_v3;
#else
#define SNAG__CASE_V3(table)
#endif
#ifdef SNAG_HAS_V4
#define SNAG__CASE_V4(table)                                                                                                       \
    case SNAG_ISA_X86_64_V4:                                                                                                       \
        return &table##_v4;
#else
#define SNAG__CASE_V4(table)
#endif
#ifdef SNAG_HAS_NEON
#define SNAG__CASE_NEON(table)                                                                                                     \
    case SNAG_ISA_NEON:                                                                                                            \
        return &table##_neon;
#else
#define SNAG__CASE_NEON(table)
#endif
#define SNAG__RETURN_KERNELS(table, isa)                                                                                           \
    switch (isa) {                                                                                                                 \
        SNAG__CASE_V2(table)                                                                                                       \
        SNAG__CASE_V3(table)                                                                                                       \
        SNAG__CASE_V4(table)                                                                                                       \
        SNAG__CASE_NEON(table)                                                                                                     \
    default: return &table##_scalar;                                                                                               \
    }

// Declares the tables that SNAG__RETURN_KERNELS picks from.
#define SNAG__DECLARE_KERNELS(type, table) extern const type table##_scalar, table##_v2, table##_v3, table##_v4, table##_neon

#endif

// Instruction sets: kernel files (*_kernel.c) are compiled once for each, and their tables are named after it.
#ifndef SNAG_BASE_ISA_H
#define SNAG_BASE_ISA_H

#include "snag/question.h"

#define SNAG__JOIN_(a, b) a##_##b
#define SNAG__JOIN(a, b) SNAG__JOIN_(a, b)

// In a kernel file the build defines SNAG_KERNEL_ISA as scalar, v2, v3, v4, neon or simd128: SNAG__KERNEL(f) is f_scalar etc.
#ifdef SNAG_KERNEL_ISA
#define SNAG__KERNEL(name) SNAG__JOIN(name, SNAG_KERNEL_ISA)
#endif

// Whether this build and this machine support it. SNAG_ISA_BEST is never "available": resolve it first.
bool snag__isa_available(snag_isa isa);
// The widest available set.
snag_isa snag__isa_best(void);

// The body of a function that returns the kernel table compiled for `isa`: SNAG__RETURN_KERNELS(snag__box_kernels, isa). The scalar
// table if that set is not available.
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
// A WebAssembly module with vectors is refused as a whole where they are missing, so it carries no scalar kernels beside them.
#ifdef SNAG_ONLY_SIMD128
#define SNAG__BASE_KERNELS(table) table##_simd128
#else
#define SNAG__BASE_KERNELS(table) table##_scalar
#endif
#define SNAG__RETURN_KERNELS(table, isa)                                                                                           \
    switch (isa) {                                                                                                                 \
        SNAG__CASE_V2(table)                                                                                                       \
        SNAG__CASE_V3(table)                                                                                                       \
        SNAG__CASE_V4(table)                                                                                                       \
        SNAG__CASE_NEON(table)                                                                                                     \
    default: return &SNAG__BASE_KERNELS(table);                                                                                    \
    }

// Declares the tables that SNAG__RETURN_KERNELS picks from.
#define SNAG__DECLARE_KERNELS(type, table)                                                                                         \
    extern const type table##_scalar, table##_v2, table##_v3, table##_v4, table##_neon, table##_simd128

#endif

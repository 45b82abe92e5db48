#include "base/isa.h"

bool snag__isa_available(snag_isa isa)
{
    switch (isa) {
#ifndef SNAG_ONLY_SIMD128
    case SNAG_ISA_SCALAR: return true;
#endif
#ifdef SNAG_HAS_V2
    case SNAG_ISA_X86_64_V2: return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
#endif
#ifdef SNAG_HAS_V3
    case SNAG_ISA_X86_64_V3:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#endif
#ifdef SNAG_HAS_V4
    case SNAG_ISA_X86_64_V4:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
#endif
#ifdef SNAG_HAS_NEON
    case SNAG_ISA_NEON: return true;
#endif
#ifdef SNAG_ONLY_SIMD128
    case SNAG_ISA_SIMD128: return true;
#endif
    default: return false;
    }
}

snag_isa snag__isa_best(void)
{
    static const snag_isa widest_first[] = {SNAG_ISA_X86_64_V4, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V2, SNAG_ISA_NEON,
                                            SNAG_ISA_SIMD128};
    for (size_t i = 0; i < sizeof widest_first / sizeof *widest_first; i++)
        if (snag__isa_available(widest_first[i]))
            return widest_first[i];
    return SNAG_ISA_SCALAR;
}

const char *snag_isa_name(snag_isa isa)
{
    switch (isa) {
    case SNAG_ISA_BEST: return "best";
    case SNAG_ISA_SCALAR: return "scalar";
    case SNAG_ISA_X86_64_V2: return "x86-64-v2";
    case SNAG_ISA_X86_64_V3: return "x86-64-v3";
    case SNAG_ISA_X86_64_V4: return "x86-64-v4";
    case SNAG_ISA_NEON: return "neon";
    case SNAG_ISA_SIMD128: return "simd128";
    }
    return "unknown";
}

#include "base/float_env.h"

#include <stdbool.h>

// These functions are not inline, so that the compiler moves no arithmetic across them.
#if defined(__SSE2__)

#include <xmmintrin.h>

// MXCSR's control bits: denormals-are-zero, the masks of the six exceptions, rounding (two bits), flush-to-zero. The rest are sticky
// exception flags.
#define MXCSR_CONTROL 0xffc0u
#define MXCSR_DEFAULT 0x1f80u

#if defined(_WIN32) && !defined(_MSC_VER)

// The mathematical functions of mingw-w64 compute in the x87 unit, whose control word is in the upper half here: masks of exceptions,
// precision, rounding.
#define CONTROL ((uint64_t)0x0f3f << 32 | MXCSR_CONTROL)
#define DEFAULT ((uint64_t)0x037f << 32 | MXCSR_DEFAULT)

snag__float_env snag__float_env_now(void)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | _mm_getcsr();
}

static void write_env(snag__float_env env)
{
    uint16_t x87 = (uint16_t)(env >> 32);
    // A flag that is still up would trap as soon as its mask is taken off.
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87));
    _mm_setcsr((uint32_t)env);
}

#else

#define CONTROL MXCSR_CONTROL
#define DEFAULT MXCSR_DEFAULT

snag__float_env snag__float_env_now(void)
{
    return _mm_getcsr();
}

static void write_env(snag__float_env env)
{
    _mm_setcsr((unsigned)env);
}

#endif

static bool differs(snag__float_env a, snag__float_env b)
{
    return ((a ^ b) & CONTROL) != 0;
}

#elif defined(__aarch64__)

// FPCR: rounding, flush-to-zero, default NaNs, traps. It holds no flags.
#define DEFAULT 0u

snag__float_env snag__float_env_now(void)
{
    uint64_t env;
    __asm__ volatile("mrs %0, fpcr" : "=r"(env));
    return env;
}

static void write_env(snag__float_env env)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(env) : "memory");
}

static bool differs(snag__float_env a, snag__float_env b)
{
    return a != b;
}

#else

#include <fenv.h>

// Standard C knows only the rounding mode.
#define DEFAULT ((uint64_t)FE_TONEAREST)

snag__float_env snag__float_env_now(void)
{
    return (uint64_t)fegetround();
}

static void write_env(snag__float_env env)
{
    fesetround((int)env);
}

static bool differs(snag__float_env a, snag__float_env b)
{
    return a != b;
}

#endif

void snag__float_env_set(snag__float_env env)
{
    if (differs(snag__float_env_now(), env))
        write_env(env);
}

snag__float_env snag__float_env_begin(void)
{
    snag__float_env callers = snag__float_env_now();
    if (differs(callers, DEFAULT))
        write_env(DEFAULT);
    return callers;
}

void snag__float_env_end(snag__float_env callers)
{
    if (differs(callers, DEFAULT))
        write_env(callers);
}

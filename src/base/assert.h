// Two tiers of assertions. Both are on in debug and sanitizer builds (SNAG_ASSERTS) and cost nothing elsewhere.
//
// SNAG__ASSERT checks what a function relies on, at the border of its module: a line each, cheap.
// SNAG__VALIDATE checks a whole structure (a tree, a mesh) with a function of its own, which may cost as much as the structure.
#ifndef SNAG_BASE_ASSERT_H
#define SNAG_BASE_ASSERT_H

#if defined(SNAG_ASSERTS) && SNAG_ASSERTS
#undef NDEBUG
#include <assert.h>
#define SNAG__ASSERT(condition) assert(condition)
#define SNAG__VALIDATE(call) assert(call)
#else
// Not evaluated, but compiled: what is only asserted still counts as used.
#define SNAG__ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#define SNAG__VALIDATE(call) ((void)sizeof((call) ? 1 : 0))
#endif

#endif

// The floating-point environment of a thread: rounding, and what becomes of denormal numbers. Error bounds and the promise of the
// same bytes everywhere hold for the default one, and callers may have set another: flush-to-zero, denormals-are-zero, a directed
// rounding, exceptions that trap. So every call that computes begins with the default environment and ends with the caller's.
#ifndef SNAG_BASE_FLOAT_ENV_H
#define SNAG_BASE_FLOAT_ENV_H

#include <stdint.h>

// What the processor keeps; only good to be handed back.
typedef uint64_t snag__float_env;

snag__float_env snag__float_env_now(void);
// Sets an environment. One read, and a write only where it differs from the present one.
void snag__float_env_set(snag__float_env env);

// Sets the default environment and returns the present one, for the end of the same call.
snag__float_env snag__float_env_begin(void);
// Gives the caller's environment back; if that was the default one nothing is written.
void snag__float_env_end(snag__float_env callers);

#endif

// The floating-point environment of a thread: rounding mode, denormals, trapping exceptions. Error bounds, and the same bytes on
// every machine, hold for the default environment only. Callers may have set another, so every call that computes switches to the
// default and restores the caller's at its end.
#ifndef SNAG_BASE_FLOAT_ENV_H
#define SNAG_BASE_FLOAT_ENV_H

#include <stdint.h>

// The processor's control word.
typedef uint64_t snag__float_env;

snag__float_env snag__float_env_now(void);
// Sets an environment. Writes only if it differs from the current one: writing is slow.
void snag__float_env_set(snag__float_env env);

// Sets the default environment and returns the caller's, for snag__float_env_end.
snag__float_env snag__float_env_begin(void);
void snag__float_env_end(snag__float_env callers);

#endif

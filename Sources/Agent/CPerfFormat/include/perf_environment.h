/// The environment of a program that may run with more rights than its caller.
#ifndef PERF_ENVIRONMENT_H
#define PERF_ENVIRONMENT_H

#include <stdlib.h>
#include <sys/auxv.h>

// Nullability qualifiers are an extension of clang.
#if !defined(__clang__)
#define _Nonnull
#define _Nullable
#endif

/// Returns a variable of the environment, as getenv(3).
///
/// Returns NULL in a program that is set-user-id or has file capabilities: its caller, who chose the environment, must
/// not decide about its files and sockets.
static inline const char *_Nullable perf_environment(const char *_Nonnull name) {
  return getauxval(AT_SECURE) ? NULL : getenv(name);
}

#endif

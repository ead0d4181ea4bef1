/// Functions of ours that come before other libraries' of the same names.
#ifndef PERF_AGENT_INTERPOSE_H
#define PERF_AGENT_INTERPOSE_H

#include <dlfcn.h>

/// Before a function that the program is to find in place of another library's.
#define INTERPOSED __attribute__((visibility("default")))

/// Makes the member `name` of a struct the function that comes behind ours, NULL when there is none.
/// Needs _GNU_SOURCE; not async-signal-safe.
///
/// ISO C has no conversion from an object's pointer to a function's.
#define FIND_NEXT(functions, name) \
  (*(void **)&(functions).name = dlsym(RTLD_NEXT, #name))

/// Returns -1 and ENOSYS from where this stands when a function behind ours cannot be found. Most are found by
/// `prepare` when the agent begins; a library's constructor may come before that. Needs <errno.h>.
#define REQUIRE_NEXT(functions, name, prepare)  \
  do {                                          \
    if (!(functions).name) prepare;             \
    if (!(functions).name) {                    \
      errno = ENOSYS;                           \
      return -1;                                \
    }                                           \
  } while (0)

#endif

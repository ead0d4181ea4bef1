/// Definitions for functions that replace functions of the C library.
#ifndef PERF_AGENT_INTERPOSE_H
#define PERF_AGENT_INTERPOSE_H

#include <dlfcn.h>
#include <errno.h>

/// Exports a function, which the program then calls in place of another library's.
#define INTERPOSED __attribute__((visibility("default")))

/// Sets the member `name` of a struct to the next function of that name, NULL if there is none.
/// Needs _GNU_SOURCE; not async-signal-safe.
///
/// ISO C has no conversion from an object's pointer to a function's.
#define FIND_NEXT(functions, name) (*(void **)&(functions).name = dlsym(RTLD_NEXT, #name))

/// Returns -1 with ENOSYS from the calling function if the next function does not exist. `prepare`
/// finds it if a library's constructor calls the function before the agent's constructor has run.
#define REQUIRE_NEXT(functions, name, prepare)                                                     \
  do {                                                                                             \
    if (!(functions).name) {                                                                       \
      prepare;                                                                                     \
    }                                                                                              \
    if (!(functions).name) {                                                                       \
      errno = ENOSYS;                                                                              \
      return -1;                                                                                   \
    }                                                                                              \
  } while (0)

#endif

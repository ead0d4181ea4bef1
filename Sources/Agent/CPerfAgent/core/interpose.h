/// Definitions for functions that replace functions of the C library.
#ifndef PERF_AGENT_INTERPOSE_H
#define PERF_AGENT_INTERPOSE_H

/// Exports a function, which the program then calls in place of another library's.
#define INTERPOSED __attribute__((visibility("default")))

/// A pointer to the next function of a name.
struct perf_agent_next {
  const char *name;
  void **function;
};

/// Declares `next_NAME`, the next function of that name: the C library's, or another library's. The
/// linker gathers the entries of all files.
#define DECLARE_NEXT(type, name, parameters)                                                       \
  static type(*next_##name) parameters;                                                            \
  __attribute__((used, section("perf_agent_next"))) static struct perf_agent_next entry_##name = { \
      #name, (void **)&next_##name}

/// The next function. It is found here if a library's constructor calls the function before the
/// agent's constructor has run.
#define NEXT(name) (next_##name ? (void)0 : perf_agent_find_next(), next_##name)

/// Finds all next functions. Called before signal handlers and forks; not async-signal-safe.
void perf_agent_find_next(void);

#endif

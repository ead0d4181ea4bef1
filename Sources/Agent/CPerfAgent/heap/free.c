/// The interposed `free`: records the end of a sampled allocation and calls the next `free`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "core/interpose.h"
#include "heap.h"

// The C library's function, by the name under which it exports it for interposers.
extern void __libc_free(void *);

static void first_free(void *memory);

/// The C library's function, or that of the program's allocator.
static void (*next_free)(void *) = first_free;

/// Finds the function. The first `free` calls it, before there is a second thread: starting one
/// frees memory.
static void first_free(void *memory) {
  // Used in the meantime, as dlsym may call `free`.
  next_free = __libc_free;
  void *symbol = dlsym(RTLD_NEXT, "free");
  // ISO C has no conversion from an object's pointer to a function's.
  if (symbol) {
    *(void **)&next_free = symbol;
  }
  next_free(memory);
}

/// Not inlined: the common case needs no stack frame, and the next function returns to the program.
__attribute__((noinline)) static void free_slowly(void *memory) {
  // First: after `free` its address may be another allocation's.
  uint64_t number = perf_agent_allocation_take(memory);
  if (number != 0) {
    perf_agent_allocation_end(number);
  }
  next_free(memory);
}

INTERPOSED void free(void *memory) {
  if (__builtin_expect(perf_agent_may_be_sampled(memory), 0)) {
    free_slowly(memory);
  } else {
    next_free(memory);
  }
}

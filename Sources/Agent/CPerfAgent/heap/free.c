/// What gives memory back, interposed: it does what the next one of its name does, and tells before. Who
/// only counts what is asked for does without.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "allocations.h"
#include "interpose.h"

// The C library's own, by the name under which it exports it for those who interpose.
extern void __libc_free(void *);

static void first_free(void *memory);

/// What would be called without us.
static void (*next_free)(void *) = first_free;

/// Looks it up, before there is a second thread: to make one gives memory back.
static void first_free(void *memory) {
  // It serves meanwhile, since dlsym may free.
  next_free = __libc_free;
  void *symbol = dlsym(RTLD_NEXT, "free");
  // ISO C has no conversion from an object's pointer to a function's.
  if (symbol) *(void **)&next_free = symbol;
  next_free(memory);
}

/// Not inlined: what most calls take needs no stack frame, and the next function returns to our caller.
__attribute__((noinline)) static void free_slowly(void *memory) {
  // Before: from then on its address may be another allocation's.
  uint64_t number = perf_agent_allocation_take(memory);
  if (number != 0) perf_agent_allocation_end(number);
  next_free(memory);
}

INTERPOSED void free(void *memory) {
  if (__builtin_expect(perf_agent_may_be_sampled(memory), 0))
    free_slowly(memory);
  else
    next_free(memory);
}

/// The interposed functions that allocate: each calls the next function of its name and counts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "core/interpose.h"
#include "heap.h"

/// The functions of the family: type, name, parameters, arguments, and the C library's function, by
/// the name under which it exports it for interposers.
#define FAMILY(FUNCTION)                                                                           \
  FUNCTION(void *, malloc, (size_t bytes), (bytes), __libc_malloc)                                 \
  FUNCTION(void *, calloc, (size_t count, size_t bytes), (count, bytes), __libc_calloc)            \
  FUNCTION(void *, realloc, (void *memory, size_t bytes), (memory, bytes), __libc_realloc)         \
  FUNCTION(void *, memalign, (size_t alignment, size_t bytes), (alignment, bytes),                 \
           __libc_memalign)                                                                        \
  FUNCTION(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes),            \
           __libc_memalign)                                                                        \
  FUNCTION(int, posix_memalign, (void **memory, size_t alignment, size_t bytes),                   \
           (memory, alignment, bytes), libc_posix_memalign)                                        \
  FUNCTION(void *, valloc, (size_t bytes), (bytes), __libc_valloc)                                 \
  FUNCTION(void *, pvalloc, (size_t bytes), (bytes), __libc_pvalloc)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void *__libc_valloc(size_t);
extern void *__libc_pvalloc(size_t);

static int libc_posix_memalign(void **memory, size_t alignment, size_t bytes) {
  void *result = __libc_memalign(alignment, bytes);
  if (!result) {
    return ENOMEM;
  }
  *memory = result;
  return 0;
}

/// The allocator: the C library, or a shared library of the program.
struct heap {
#define MEMBER(type, name, parameters, arguments, libc) type(*name) parameters;
  FAMILY(MEMBER)
};

static struct heap next;

// MARK: - The first call

/// Finds all functions. The first allocation calls it, before there is a second thread: starting
/// one allocates.
__attribute__((noinline, cold)) static void find_next(void) {
  // Used in the meantime, as dlsym may allocate.
#define LIBC(type, name, parameters, arguments, libc) .name = libc,
  next = (struct heap){FAMILY(LIBC)};
  struct heap found = next;
  // ISO C has no conversion from an object's pointer to a function's.
#define FIND(type, name, parameters, arguments, libc)                                              \
  void *name##_symbol = dlsym(RTLD_NEXT, #name);                                                   \
  if (name##_symbol) {                                                                             \
    *(void **)&found.name = name##_symbol;                                                         \
  }
  FAMILY(FIND)
  next = found;
}

#define DEFINE_FIRST(type, name, parameters, arguments, libc)                                      \
  static type first_##name parameters {                                                            \
    find_next();                                                                                   \
    return next.name arguments;                                                                    \
  }
FAMILY(DEFINE_FIRST)

#define FIRST(type, name, parameters, arguments, libc) .name = first_##name,
static struct heap next = {FAMILY(FIRST)};

// MARK: - The functions

// The common case needs no stack frame: the next function returns to the program.
#define SLOWLY __attribute__((noinline)) static
static void *allocated(void *memory, size_t bytes) {
  if (memory) {
    perf_agent_allocated(memory, bytes);
  }
  return memory;
}

SLOWLY void *malloc_slowly(size_t bytes) {
  return allocated(next.malloc(bytes), bytes);
}

INTERPOSED void *malloc(size_t bytes) {
  return perf_agent_allocates(bytes) ? next.malloc(bytes) : malloc_slowly(bytes);
}

SLOWLY void *calloc_slowly(size_t count, size_t bytes) {
  // A product that overflows gives no memory.
  return allocated(next.calloc(count, bytes), count * bytes);
}

INTERPOSED void *calloc(size_t count, size_t bytes) {
  size_t product;
  bool is_simple = !__builtin_mul_overflow(count, bytes, &product) && perf_agent_allocates(product);
  return is_simple ? next.calloc(count, bytes) : calloc_slowly(count, bytes);
}

INTERPOSED void *realloc(void *memory, size_t bytes) {
  uint64_t number = perf_agent_may_be_sampled(memory) ? perf_agent_allocation_take(memory) : 0;
  void *result = next.realloc(memory, bytes);
  if (number != 0) {
    // After a failure the old memory is still allocated, unless `bytes` is 0.
    if (!result && bytes != 0) {
      perf_agent_allocation_keep(memory, number);
    } else {
      perf_agent_allocation_end(number);
    }
  }
  return allocated(result, bytes);
}

INTERPOSED void *memalign(size_t alignment, size_t bytes) {
  return allocated(next.memalign(alignment, bytes), bytes);
}

INTERPOSED void *aligned_alloc(size_t alignment, size_t bytes) {
  return allocated(next.aligned_alloc(alignment, bytes), bytes);
}

INTERPOSED int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  int code = next.posix_memalign(memory, alignment, bytes);
  if (code == 0) {
    allocated(*memory, bytes);
  }
  return code;
}

INTERPOSED void *valloc(size_t bytes) {
  return allocated(next.valloc(bytes), bytes);
}

INTERPOSED void *pvalloc(size_t bytes) {
  return allocated(next.pvalloc(bytes), bytes);
}

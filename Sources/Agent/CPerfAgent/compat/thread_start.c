#define _GNU_SOURCE
#include <pthread.h>
#include <threads.h>

#include "compat.h"
#include "core/interpose.h"

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*c11_create_function)(thrd_t *, thrd_start_t, void *);

static _Atomic(create_function) real_create;
static _Atomic(c11_create_function) real_c11_create;

void perf_agent_thread_start_prepare(void) {
  create_function create;
  c11_create_function c11_create;
  // ISO C has no conversion from an object's pointer to a function's.
  *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
  *(void **)&c11_create = dlsym(RTLD_NEXT, "thrd_create");
  atomic_store_explicit(&real_c11_create, c11_create, memory_order_relaxed);
  atomic_store_explicit(&real_create, create, memory_order_relaxed);
}

/// ThreadSanitizer knows a thread from the start of its own wrapper, which would have to run before
/// this one. Threads are found by scans then.
#if defined(__SANITIZE_THREAD__)
#define TRACKS_FROM_START false
#elif defined(__has_feature)
#define TRACKS_FROM_START !__has_feature(thread_sanitizer)
#else
#define TRACKS_FROM_START true
#endif

/// Claims a slot for a thread that the caller is about to start; NULL if the thread stays unknown.
static struct perf_agent_thread *claim(void *argument) {
  // Under a filter the agent makes no system calls in threads that begin.
  if (!TRACKS_FROM_START || perf_agent_local.is_untracked || atomic_load(&perf_agent.is_filtered) ||
      !perf_agent_own_segment()) {
    return NULL;
  }
  struct perf_agent_thread *thread = perf_agent_thread_claim();
  if (thread) {
    thread->argument = argument;
  }
  return thread;
}

static void begin(struct perf_agent_thread *thread) {
  // A child after a fork within pthread_create has no segment.
  if (!perf_agent.segment) {
    return;
  }
  perf_agent_thread_begin(thread);
  perf_agent_mask_begin();
  perf_agent.hooks.thread_began();
}

static void *run_thread(void *argument) {
  struct perf_agent_thread *thread = argument;
  void *(*start)(void *) = thread->start;
  void *start_argument = thread->argument;
  begin(thread);
  return start(start_argument);
}

static int run_c11_thread(void *argument) {
  struct perf_agent_thread *thread = argument;
  thrd_start_t start = thread->c11_start;
  void *start_argument = thread->argument;
  begin(thread);
  return start(start_argument);
}

INTERPOSED int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                              void *(*start)(void *), void *restrict argument) {
  if (!atomic_load_explicit(&real_create, memory_order_relaxed)) {
    perf_agent_thread_start_prepare();
  }
  create_function create = atomic_load_explicit(&real_create, memory_order_relaxed);
  if (!create) {
    return ENOSYS;
  }
  struct perf_agent_thread *thread = claim(argument);
  if (thread) {
    thread->start = start;
  }
  bool was_closed = perf_agent_mask_close();
  int code =
      thread ? create(id, attributes, run_thread, thread) : create(id, attributes, start, argument);
  perf_agent_mask_open(was_closed);
  if (thread && code != 0) {
    perf_agent_thread_free(thread);
  }
  return code;
}

/// Interposed, as glibc's does not call pthread_create.
INTERPOSED int thrd_create(thrd_t *id, thrd_start_t start, void *argument) {
  if (!atomic_load_explicit(&real_c11_create, memory_order_relaxed)) {
    perf_agent_thread_start_prepare();
  }
  c11_create_function create = atomic_load_explicit(&real_c11_create, memory_order_relaxed);
  if (!create) {
    return thrd_error;
  }
  struct perf_agent_thread *thread = claim(argument);
  if (thread) {
    thread->c11_start = start;
  }
  bool was_closed = perf_agent_mask_close();
  int code = thread ? create(id, run_c11_thread, thread) : create(id, start, argument);
  perf_agent_mask_open(was_closed);
  if (thread && code != thrd_success) {
    perf_agent_thread_free(thread);
  }
  return code;
}

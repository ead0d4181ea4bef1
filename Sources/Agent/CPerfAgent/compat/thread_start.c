#define _GNU_SOURCE
#include <pthread.h>

#include "compat.h"
#include "core/interpose.h"

DECLARE_NEXT(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));

/// Claims a slot for a thread that the caller is about to start; NULL if the thread stays unknown.
static struct perf_agent_thread *claim(void *(*start)(void *), void *argument) {
  // Under a filter the agent makes no system calls in threads that begin. ThreadSanitizer knows a
  // thread from the start of its own wrapper, which would have to run before this one.
  if (PERF_AGENT_IS_TSAN || perf_agent_local.is_untracked || atomic_load(&perf_agent.is_filtered) ||
      !perf_agent_own_segment()) {
    return NULL;
  }
  struct perf_agent_thread *thread = perf_agent_thread_claim();
  if (thread) {
    thread->start = start;
    thread->argument = argument;
  }
  return thread;
}

static void *run_thread(void *argument) {
  struct perf_agent_thread *thread = argument;
  void *(*start)(void *) = thread->start;
  void *start_argument = thread->argument;
  // A child after a fork within pthread_create has no segment.
  if (perf_agent.segment) {
    perf_agent_thread_begin(thread);
    perf_agent_mask_begin();
    perf_agent.hooks.thread_began();
  }
  return start(start_argument);
}

INTERPOSED int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                              void *(*start)(void *), void *restrict argument) {
  struct perf_agent_thread *thread = claim(start, argument);
  bool was_closed = perf_agent_mask_close();
  int code = thread ? NEXT(pthread_create)(id, attributes, run_thread, thread)
                    : NEXT(pthread_create)(id, attributes, start, argument);
  perf_agent_mask_open(was_closed);
  if (thread && code != 0) {
    perf_agent_thread_move(thread, PERF_AGENT_FREE);
  }
  return code;
}

/// The begin and the end of the agent in a process.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "compat/compat.h"
#include "core/core.h"
#include "core/interpose.h"
#include "core/rings.h"
#include "heap/heap.h"

/// Maps the segment with which the process was started; returns NULL if there is none for it.
static struct perfkit_segment *map_inherited(void) {
  const char *number = perf_environment(PERFKIT_ENV_SEGMENT_FD);
  return number ? perf_agent_segment_map(atoi(number), true) : NULL;
}

static void prepare(void) {
  perf_agent.hooks = (struct perf_agent_hooks){
      .thread_began = perf_agent_allocations_begin,
      .thread_ends = perf_agent_allocations_end,
      .defer_signal = perf_agent_mask_defer,
      .settle = perf_agent_fork_settle,
  };
  perf_agent_find_next();
  perf_agent_find_clock();
  perf_agent_follow_prepare();
}

/// Takes over the state that the process's previous program has left in the segment (exec).
static void inherit(struct perfkit_segment *segment) {
  perf_agent_rings_close_all();
  atomic_store_explicit(&segment->audit.left, 0, memory_order_relaxed);
  // A filter stays in force. Other reasons end with the program.
  bool is_filtered = atomic_load(&segment->audit.stopped) == PERFKIT_STOP_FILTER;
  if (is_filtered) {
    atomic_store(&perf_agent.is_filtered, true);
  } else {
    atomic_store_explicit(&segment->audit.stopped, PERFKIT_STOP_NONE, memory_order_relaxed);
  }
}

static void begin_sampling(const struct perfkit_segment *segment) {
  if (segment->interval_ns == 0 || atomic_load(&perf_agent.is_filtered)) {
    return;
  }
  // Letting the signal through needs a handler from the first moment.
  bool lets_through = perf_agent_handler_install();
  perf_agent_ticker_begin();
  perf_agent.lets_through = lets_through;
  perf_agent_mask_begin();
  perf_agent_crash_install();
}

__attribute__((constructor)) static void attach(void) {
  prepare();
  struct perfkit_segment *segment = map_inherited();
  if (!segment) {
    segment = perf_agent_map_followed();
  }
  // Children may be followed though this process is not.
  if (!segment && !perf_agent_may_follow()) {
    return;
  }
  perf_agent.process = getpid();
  if (perf_agent_threads_prepare() != 0 || perf_agent_fork_register() != 0 || !segment) {
    return;
  }
  atomic_store(perf_agent_is_own, true);
  perf_agent.segment = segment;
  inherit(segment);
  perf_agent_thread_begin(perf_agent_thread_claim());
  perf_agent_allocations_forget();
  begin_sampling(segment);
  perf_agent_allocations_begin();
  // Release: pairs with the harness's acquire, after which the agent is ready.
  atomic_store_explicit(&segment->agent_version, PERFKIT_FORMAT_VERSION, memory_order_release);
}

/// Lets the ticker write the ends of the threads before the process is gone.
__attribute__((destructor)) static void detach(void) {
  struct perfkit_segment *segment = perf_agent.segment;
  // In a child that the agent has not noticed, the ticker is its parent's.
  if (!segment || !perf_agent_has_own_ticker()) {
    return;
  }
  atomic_store_explicit(&perf_agent.is_stopping, 1, memory_order_release);
  perf_agent_futex_wake(&segment->sampling);
  // A ticker that gets no CPU must not delay the end of the process for long.
  uint64_t deadline = perf_agent_clock(CLOCK_MONOTONIC) + 50000000;
  while (!atomic_load_explicit(&perf_agent.is_ticker_idle, memory_order_acquire) &&
         perf_agent_clock(CLOCK_MONOTONIC) < deadline) {
    perf_agent_futex_wait(&perf_agent.is_ticker_idle, 0, deadline);
  }
}

#define _GNU_SOURCE
#include <string.h>

#include "ticker.h"

/// The most threads without a slot that one scan remembers. A thread gets a slot when the next scan
/// finds it again without one, since a thread that was just created claims its slot itself.
#define UNKNOWN_MAX 64u

static struct {
  uint32_t unknown[UNKNOWN_MAX], new_unknown[UNKNOWN_MAX];
  uint32_t unknown_count, new_unknown_count;
} scan;

/// Counts the slots in a state.
static uint32_t count_slots(enum perf_agent_thread_state wanted) {
  uint32_t count = 0;
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    perf_agent_thread_at(index, &state);
    if (state == (int)wanted) {
      count++;
    }
  }
  return count;
}

static bool is_known(uint32_t tid) {
  if (tid == atomic_load(&perf_agent.ticker_tid)) {
    return true;
  }
  // The first thread stays in /proc after its end, until the last thread ends.
  if (tid == perf_agent.segment->agent_pid && atomic_load(&perf_agent.has_initial_ended)) {
    return true;
  }
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    const struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if ((state == PERF_AGENT_LIVE || state == PERF_AGENT_ENDED) && thread->tid == tid) {
      return true;
    }
  }
  return false;
}

static void look_at(uint32_t tid) {
  // Read first: a thread that fills in its claimed slot in between is known by then.
  bool may_have_claimed = count_slots(PERF_AGENT_CLAIMED) > 0;
  if (is_known(tid)) {
    return;
  }
  for (uint32_t index = 0; index < scan.unknown_count; index++) {
    if (scan.unknown[index] != tid || may_have_claimed) {
      continue;
    }
    struct perf_agent_thread *thread = perf_agent_thread_claim();
    if (!thread) {
      return;
    }
    perf_agent_thread_identify(thread, tid);
    thread->is_foreign = true;
    perf_agent_thread_move(thread, PERF_AGENT_LIVE);
    return;
  }
  if (scan.new_unknown_count < UNKNOWN_MAX) {
    scan.new_unknown[scan.new_unknown_count++] = tid;
  }
}

void perf_agent_scan(void) {
  // The ticker and each thread with a slot, including threads that have just begun or are ending.
  uint32_t known = 1 + perf_agent_thread_count() - count_slots(PERF_AGENT_FREE);
  bool is_full = known > PERF_AGENT_THREAD_MAX;
  if (perf_agent_task_count() <= known || is_full) {
    // pthread_create counts the threads that get no slot. If it has counted none, the first is
    // counted here.
    _Atomic uint64_t *refused = &perf_agent.segment->audit.thread_slots_full;
    if (is_full && perf_agent_task_count() > known &&
        atomic_load_explicit(refused, memory_order_relaxed) == 0) {
      perf_agent_count(refused);
    }
    scan.unknown_count = 0;
    return;
  }
  scan.new_unknown_count = 0;
  perf_agent_for_each_task(look_at);
  memcpy(scan.unknown, scan.new_unknown, sizeof scan.unknown);
  scan.unknown_count = scan.new_unknown_count;
}

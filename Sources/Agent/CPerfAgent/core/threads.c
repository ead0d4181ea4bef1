#define _GNU_SOURCE
#include "threads.h"

#include <string.h>

#include "core.h"

_Thread_local struct perf_agent_local perf_agent_local;

// The states are apart from the slots so that a pass over all of them touches few cache lines.
static _Atomic uint8_t states[PERF_AGENT_THREAD_MAX];
static struct perf_agent_thread threads[PERF_AGENT_THREAD_MAX];
static _Atomic uint32_t used;

struct perf_agent_thread *perf_agent_thread_claim(void) {
  for (uint32_t index = 0; index < PERF_AGENT_THREAD_MAX; index++) {
    uint8_t expected = PERF_AGENT_FREE;
    if (!atomic_compare_exchange_strong_explicit(&states[index], &expected, PERF_AGENT_CLAIMED,
                                                 memory_order_acquire, memory_order_relaxed)) {
      continue;
    }
    uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);
    while (count <= index &&
           !atomic_compare_exchange_weak_explicit(&used, &count, index + 1, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    struct perf_agent_thread *thread = &threads[index];
    *thread = (struct perf_agent_thread){.cpu = -1, .syscall_file = -1};
    return thread;
  }
  perf_agent_count(&perf_agent.segment->audit.thread_slots_full);
  return NULL;
}

void perf_agent_thread_identify(struct perf_agent_thread *thread, uint32_t tid) {
  thread->tid = tid;
  thread->serial =
      atomic_fetch_add_explicit(&perf_agent.segment->threads_started, 1, memory_order_relaxed) + 1;
  // Linux's encoding of another thread's CPU clock (CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED).
  thread->clock = (clockid_t)(~tid << 3 | 6u);
}

void perf_agent_thread_move(struct perf_agent_thread *thread, enum perf_agent_thread_state state) {
  atomic_store_explicit(&states[thread - threads], (uint8_t)state, memory_order_release);
}

void perf_agent_threads_forget(void) {
  memset((void *)states, PERF_AGENT_FREE, sizeof states);
  atomic_store_explicit(&used, 0, memory_order_relaxed);
}

uint32_t perf_agent_thread_count(void) {
  return atomic_load_explicit(&used, memory_order_acquire);
}

struct perf_agent_thread *perf_agent_thread_at(uint32_t index, int *state) {
  *state = atomic_load_explicit(&states[index], memory_order_acquire);
  return &threads[index];
}

uint32_t perf_agent_thread_index(const struct perf_agent_thread *thread) {
  return (uint32_t)(thread - threads);
}

bool perf_agent_is_thread(const void *address) {
  uintptr_t offset = (uintptr_t)address - (uintptr_t)threads;
  return offset < sizeof threads && offset % sizeof threads[0] == 0;
}

struct perf_agent_thread *perf_agent_thread_of_caller(void) {
  struct perf_agent_thread *own = perf_agent_local.thread;
  uint32_t tid = own ? 0 : perf_agent_tid();
  for (uint32_t index = 0; !own && index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_LIVE && thread->is_foreign && thread->tid == tid) {
      own = thread;
    }
  }
  return own;
}

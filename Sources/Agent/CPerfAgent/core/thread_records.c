#define _GNU_SOURCE
#include <string.h>

#include "rings.h"
#include "ticker.h"

/// How long the slot of an ended thread is kept for the thread to be gone.
#define GONE_NS 1000000000u

static void write_thread(uint16_t kind, const struct perf_agent_thread *thread, uint64_t time_ns,
                         uint64_t cpu_ns, const char name[16]) {
  struct perf_agent_slot slot =
      perf_agent_reserve_mark(perf_agent_ticker_ring(), sizeof(struct perfkit_thread));
  struct perfkit_thread *record = slot.record;
  if (!record) {
    return;
  }
  record->record = (struct perfkit_record){sizeof *record, kind, 0, time_ns};
  record->tid = thread->tid;
  record->serial = thread->serial;
  record->cpu_ns = cpu_ns;
  record->stack_low = thread->stack_low;
  record->stack_high = thread->stack_high;
  memcpy(record->name, name, sizeof record->name);
  perf_agent_publish(slot, sizeof *record);
}

static void free_slot(struct perf_agent_thread *thread) {
  perf_agent_procfs_close(thread);
  perf_agent_thread_move(thread, PERF_AGENT_FREE);
}

void perf_agent_thread_announce(struct perf_agent_thread *thread, uint64_t now, uint64_t cpu_ns) {
  char name[16] = {0};
  if (thread->end_name[0]) {
    memcpy(name, thread->end_name, sizeof name);
  } else {
    perf_agent_thread_name(thread->tid, name);
  }
  write_thread(PERFKIT_RECORD_THREAD_START, thread, now, cpu_ns, name);
  thread->is_announced = true;
  thread->is_met = false;
  thread->last_cpu_ns = cpu_ns;
  thread->last_ran_ns = thread->rests_until_ns = 0;
}

void perf_agent_thread_dismiss(struct perf_agent_thread *thread, uint64_t now) {
  if (!thread->is_announced) {
    return;
  }
  uint64_t cpu_ns = perf_agent_cpu_clock(thread);
  char name[16];
  perf_agent_thread_name(thread->tid, name);
  write_thread(PERFKIT_RECORD_THREAD_END, thread, now, cpu_ns ? cpu_ns : thread->last_cpu_ns, name);
  thread->is_announced = false;
}

void perf_agent_thread_release(struct perf_agent_thread *thread, uint64_t now) {
  thread->is_end_written = true;
  // While the thread is on its way out, a scan would take it for a new one without a slot.
  bool is_gone = perf_agent_cpu_clock(thread) == 0;
  if (is_gone || now > thread->end_ns + GONE_NS) {
    free_slot(thread);
  }
}

void perf_agent_thread_retire(struct perf_agent_thread *thread, uint64_t now) {
  if (!thread->is_end_written) {
    // A thread that began and ended between two ticks has used CPU time as well.
    if (!thread->is_announced) {
      perf_agent_thread_announce(thread, thread->end_ns, 0);
    }
    write_thread(PERFKIT_RECORD_THREAD_END, thread, thread->end_ns, thread->end_cpu_ns,
                 thread->end_name);
  }
  perf_agent_thread_release(thread, now);
}

void perf_agent_thread_retire_vanished(struct perf_agent_thread *thread, uint64_t now) {
  // The clock alone does not prove that the thread is gone.
  if (PERF_AGENT_CALL(SYS_tgkill, perf_agent.segment->agent_pid, thread->tid, 0) != -ESRCH) {
    return;
  }
  // Read after that: a thread that reaches ENDED does so before it is gone, and is retired for
  // that.
  int state;
  perf_agent_thread_at(perf_agent_thread_index(thread), &state);
  if (state != PERF_AGENT_LIVE) {
    return;
  }
  struct perfkit_ring *ring = atomic_load_explicit(&thread->ring, memory_order_acquire);
  if (ring) {
    perf_agent_ring_close(ring);
  }
  // Its records need an owner.
  if (ring && !thread->is_announced) {
    perf_agent_thread_announce(thread, now, 0);
  }
  if (thread->is_announced) {
    const char name[16] = {0};
    write_thread(PERFKIT_RECORD_THREAD_END, thread, now, thread->last_cpu_ns, name);
  }
  free_slot(thread);
}

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "rings.h"

/// Threads of one scan that were not known; they are taken on when the next scan still finds them,
/// since one that was just created announces itself.
#define STRANGER_MAX 64u
/// How long a thread that has said good-bye may take to be gone.
#define FAREWELL_NS 1000000000u

/// The ticker's own, as everything here.
static struct {
  uint32_t tid;
  uint32_t strangers[STRANGER_MAX], new_strangers[STRANGER_MAX];
  uint32_t stranger_count, new_stranger_count;
} roster;

void perf_agent_roster_prepare(void) {
  roster.tid = perf_agent_tid();
  roster.stranger_count = 0;
}

static void write_thread(uint16_t kind, const struct perf_agent_thread *thread, uint64_t time_ns,
                         uint64_t cpu_ns, const char name[16]) {
  struct perf_agent_slot slot =
      perf_agent_reserve_mark(perf_agent_ticker_ring(), sizeof(struct perfkit_thread));
  struct perfkit_thread *record = slot.record;
  if (!record) return;
  record->record = (struct perfkit_record){sizeof *record, kind, 0, time_ns};
  record->tid = thread->tid;
  record->serial = thread->serial;
  record->cpu_ns = cpu_ns;
  record->stack_low = thread->stack_low;
  record->stack_high = thread->stack_high;
  memcpy(record->name, name, sizeof record->name);
  perf_agent_publish(slot, sizeof *record);
}

static void release(struct perf_agent_thread *thread) {
  perf_agent_procfs_close(thread);
  perf_agent_thread_free(thread);
}

void perf_agent_farewell(struct perf_agent_thread *thread, uint64_t now) {
  thread->is_buried = true;
  // While it is still on its way out, a scan would take it for a stranger.
  bool is_gone = perf_agent_cpu_clock(thread) == 0;
  if (is_gone || now > thread->end_ns + FAREWELL_NS) release(thread);
}

void perf_agent_announce(struct perf_agent_thread *thread, uint64_t now, uint64_t cpu_ns) {
  char name[16] = {0};
  if (thread->end_name[0])
    memcpy(name, thread->end_name, sizeof name);
  else
    perf_agent_thread_name(thread->tid, name);
  write_thread(PERFKIT_RECORD_THREAD_START, thread, now, cpu_ns, name);
  thread->is_announced = true;
  thread->is_met = false;
  thread->last_cpu_ns = cpu_ns;
  thread->last_ran_ns = thread->rests_until_ns = 0;
}

void perf_agent_bury(struct perf_agent_thread *thread, uint64_t now) {
  if (!thread->is_buried) {
    // One that came and went between two ticks has spent its CPU time all the same.
    if (!thread->is_announced) perf_agent_announce(thread, thread->end_ns, 0);
    write_thread(PERFKIT_RECORD_THREAD_END, thread, thread->end_ns, thread->end_cpu_ns,
                 thread->end_name);
  }
  perf_agent_farewell(thread, now);
}

/// Whether there is no such thread any more, which its clock alone does not tell for sure.
static bool has_vanished(const struct perf_agent_thread *thread) {
  return syscall(SYS_tgkill, (pid_t)perf_agent.segment->agent_pid, thread->tid, 0) != 0 &&
         errno == ESRCH;
}

void perf_agent_bury_vanished(struct perf_agent_thread *thread, uint64_t now) {
  if (!has_vanished(thread)) return;
  // In this order: who says good-bye has done so by the time that it is gone, and is buried for that.
  int state;
  perf_agent_thread_at(perf_agent_thread_index(thread), &state);
  if (state != PERF_AGENT_LIVE) return;
  struct perfkit_ring *ring = atomic_load_explicit(&thread->ring, memory_order_acquire);
  if (ring) perf_agent_ring_close(ring);
  // What it has written is somebody's.
  if (ring && !thread->is_announced) perf_agent_announce(thread, now, 0);
  if (thread->is_announced) {
    const char name[16] = {0};
    write_thread(PERFKIT_RECORD_THREAD_END, thread, now, thread->last_cpu_ns, name);
  }
  release(thread);
}

void perf_agent_dismiss(struct perf_agent_thread *thread, uint64_t now) {
  if (!thread->is_announced) return;
  uint64_t cpu_ns = perf_agent_cpu_clock(thread);
  char name[16];
  perf_agent_thread_name(thread->tid, name);
  write_thread(PERFKIT_RECORD_THREAD_END, thread, now, cpu_ns ? cpu_ns : thread->last_cpu_ns, name);
  thread->is_announced = false;
}

// MARK: - Threads that nobody has announced

static bool is_known(uint32_t tid) {
  if (tid == roster.tid) return true;
  // It stays there, dead, until the last one ends.
  if (tid == perf_agent.segment->agent_pid && atomic_load(&perf_agent.has_initial_ended))
    return true;
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    const struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if ((state == PERF_AGENT_LIVE || state == PERF_AGENT_ENDED) && thread->tid == tid) return true;
  }
  return false;
}

/// Whether a thread is being made that has not said so itself yet.
static bool is_any_to_come(void) {
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_CLAIMED) return true;
  }
  return false;
}

static void meet(uint32_t tid) {
  // In this order: one that announces itself in between is known by then.
  bool may_be_awaited = is_any_to_come();
  if (is_known(tid)) return;
  for (uint32_t index = 0; index < roster.stranger_count; index++) {
    if (roster.strangers[index] != tid || may_be_awaited) continue;
    struct perf_agent_thread *thread = perf_agent_thread_claim();
    if (!thread) return;
    perf_agent_thread_identify(thread, tid);
    thread->is_foreign = true;
    perf_agent_thread_publish(thread);
    return;
  }
  if (roster.new_stranger_count < STRANGER_MAX)
    roster.new_strangers[roster.new_stranger_count++] = tid;
}

void perf_agent_scan(void) {
  // The ticker, and all that have a slot: those that are about to announce themselves and those on
  // their way out as well.
  uint32_t known = 1;
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    perf_agent_thread_at(index, &state);
    if (state != PERF_AGENT_FREE) known++;
  }
  bool is_full = known > PERF_AGENT_THREAD_MAX;
  if (perf_agent_task_count() <= known || is_full) {
    // Those without a slot are counted where they are made; the first is found, if need be.
    _Atomic uint64_t *refused = &perf_agent.segment->audit.thread_slots_full;
    if (is_full && perf_agent_task_count() > known &&
        atomic_load_explicit(refused, memory_order_relaxed) == 0)
      perf_agent_count(refused);
    roster.stranger_count = 0;
    return;
  }
  roster.new_stranger_count = 0;
  perf_agent_for_each_task(meet);
  memcpy(roster.strangers, roster.new_strangers, sizeof roster.strangers);
  roster.stranger_count = roster.new_stranger_count;
}

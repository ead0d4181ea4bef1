#define _GNU_SOURCE
#include <string.h>

#include "ticker.h"

/// After this many ticks without an answer the ticker finds out why a thread does not answer,
#define PENDING_TICKS 8u
/// and again each time that so many more have passed.
#define BLOCKED_TICKS 1024u

// MARK: - The ticker's side

/// Finds out why a thread does not answer its last signal.
static void examine(struct perf_agent_thread *thread) {
  bool blocks = false, has_pending = true;
  int signal = perf_agent.segment->signal;
  if (!perf_agent_signal_masks(thread->tid, signal, &blocks, &has_pending)) {
    return;
  }
  // Blocked, but not pending: the thread is in the handler now.
  bool is_blocking = blocks && has_pending;
  if (atomic_exchange(&thread->is_blocking, is_blocking) < is_blocking) {
    perf_agent_count(&perf_agent_audit()->threads_blocking);
  }
  // The program has taken the signal out of the queue (signalfd): it will never be answered.
  if (!blocks && !has_pending) {
    uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
    atomic_store_explicit(&thread->handled, sent, memory_order_relaxed);
  }
}

bool perf_agent_is_pending(struct perf_agent_thread *thread) {
  if (atomic_load_explicit(&thread->is_exempt, memory_order_relaxed)) {
    return true;
  }
  uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
  // Acquire: pairs with the handler's release; it has read the values that are about to be
  // overwritten.
  uint32_t handled = atomic_load_explicit(&thread->handled, memory_order_acquire);
  if (sent == handled) {
    thread->ticks_pending = 0;
    return false;
  }
  if (thread->ticks_pending++ == 0) {
    perf_agent_count(&perf_agent_audit()->signals_blocked);
  }
  if (thread->ticks_pending == PENDING_TICKS || thread->ticks_pending % BLOCKED_TICKS == 0) {
    examine(thread);
  }
  return true;
}

/// Returns the whole intervals from one time to another.
static uint64_t intervals(uint64_t from, uint64_t to) {
  return to > from ? (to - from) / perf_agent.segment->interval_ns : 0;
}

uint32_t perf_agent_make_up(const struct perf_agent_thread *thread, uint64_t now, uint64_t cpu_ns) {
  struct perf_agent_ticker_state *ticker = &perf_agent_ticker_state;
  uint64_t from = atomic_load_explicit(&thread->forking_ns, memory_order_acquire);
  if (from == 0) {
    return 0;
  }
  from = from > ticker->tick_end_ns ? from : ticker->tick_end_ns;
  // The interval that has not ended yet has its own tick.
  uint32_t ticks = (uint32_t)intervals(from, now);
  ticker->ticks_delayed = ticks > ticker->ticks_delayed ? ticks : ticker->ticks_delayed;
  uint64_t before = atomic_load_explicit(&thread->forking_cpu_ns, memory_order_relaxed);
  uint64_t most = intervals(before, cpu_ns);
  return ticks < most ? ticks : (uint32_t)most;
}

void perf_agent_send_signal(struct perf_agent_thread *thread, uint64_t cpu_ns, bool is_on_cpu) {
  // Release: pairs with the handler's acquire.
  uint32_t number = 1 + atomic_fetch_add_explicit(&thread->sent, 1, memory_order_release);
  // Release: a handler that reads these for an earlier signal then sees the new number.
  uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
  atomic_store_explicit(&thread->tick_ns, now, memory_order_release);
  atomic_store_explicit(&thread->tick_cpu_ns, cpu_ns, memory_order_release);
  atomic_store_explicit(&thread->is_off_cpu, !is_on_cpu, memory_order_release);
  atomic_store_explicit(&thread->merged_cpu_ns, cpu_ns, memory_order_release);
  atomic_store_explicit(&thread->ticks_merged, perf_agent_make_up(thread, now, cpu_ns),
                        memory_order_release);
  siginfo_t information = {0};
  information.si_signo = perf_agent.segment->signal;
  information.si_code = SI_QUEUE;
  // Unused for signals, and passed on unchanged by the kernel.
  information.si_errno = (int)number;
  information.si_pid = (pid_t)perf_agent.segment->agent_pid;
  information.si_uid = perf_agent_ticker_state.user;
  // The handler compares it with its own thread: a thread's id may belong to another thread by now.
  information.si_value.sival_ptr = thread;
  long result = PERF_AGENT_CALL(SYS_rt_tgsigqueueinfo, information.si_pid, thread->tid,
                                information.si_signo, &information);
  if (result == 0) {
    perf_agent_count(&perf_agent_audit()->signals_sent);
    return;
  }
  // A thread that has ended meanwhile is not a failure.
  if (result != -ESRCH) {
    perf_agent_count(&perf_agent_audit()->signals_failed);
  }
  atomic_fetch_sub_explicit(&thread->sent, 1, memory_order_relaxed);
}

// MARK: - The thread's side

struct perf_agent_request perf_agent_signal_request(const siginfo_t *information) {
  if (information->si_code == SI_QUEUE && perf_agent_is_thread(information->si_value.sival_ptr)) {
    return (struct perf_agent_request){information->si_value.sival_ptr,
                                       (uint32_t)information->si_errno};
  }
  const struct perf_agent_request none = {0};
  // If a user has reached the limit of pending signals (ulimit -i), the kernel drops the origin of
  // the next signal (Linux, kernel/signal.c, __send_signal_locked). Such a signal is the ticker's
  // if the thread has an unanswered signal of the ticker.
  if (information->si_code != SI_USER || information->si_pid != 0 || information->si_uid != 0) {
    return none;
  }
  struct perf_agent_thread *own = perf_agent_thread_of_caller();
  if (!own) {
    return none;
  }
  uint32_t sent = atomic_load_explicit(&own->sent, memory_order_acquire);
  bool is_awaited = sent != atomic_load_explicit(&own->handled, memory_order_relaxed);
  return is_awaited ? (struct perf_agent_request){own, sent} : none;
}

void perf_agent_signal_discard(void) {
  uint64_t set = perf_agent_signal_bit(perf_agent.segment->signal);
  siginfo_t information;
  const struct timespec at_once = {0, 0};
  if (PERF_AGENT_CALL(SYS_rt_sigtimedwait, &set, &information, &at_once, sizeof set) < 0) {
    return;
  }
  struct perf_agent_thread *thread = perf_agent_signal_request(&information).thread;
  if (!thread) {
    perf_agent_signal_requeue(&information);
  } else if (thread == perf_agent_thread_of_caller()) {
    uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
    atomic_store_explicit(&thread->handled, sent, memory_order_release);
  }
}

void perf_agent_signal_requeue(const siginfo_t *information) {
  int number = information->si_signo;
  siginfo_t again = *information;
  if (again.si_code == SI_TKILL) {
    PERF_AGENT_CALL(SYS_rt_tgsigqueueinfo, getpid(), perf_agent_tid(), number, &again);
  } else if (PERF_AGENT_CALL(SYS_rt_sigqueueinfo, getpid(), number, &again) != 0) {
    // Only the initial thread may repeat a signal from kill; its sender is lost.
    PERF_AGENT_CALL(SYS_kill, getpid(), number);
  }
}

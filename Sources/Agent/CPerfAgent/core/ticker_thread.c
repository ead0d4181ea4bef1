#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "ticker.h"

struct perf_agent perf_agent;

/// Used where no page can be emptied in children.
static _Atomic bool is_own_by_default;
_Atomic bool *perf_agent_is_own = &is_own_by_default;

bool perf_agent_has_own_ticker(void) {
  return perf_agent.has_ticker && getpid() == perf_agent.process;
}

// MARK: - Begin

/// The mask of the thread that has started the ticker.
static uint64_t program_mask;

void perf_agent_ticker_leave(void) {
  perf_agent_change_mask(SIG_SETMASK, program_mask);
}

void perf_agent_ticker_begin(void) {
  atomic_store(&perf_agent.is_stopping, 0);
  // The last thread runs the program's exit handlers, which need the program's files. The ticker may
  // become that thread only after the first thread has ended.
  atomic_store(&perf_agent.is_ticker_apart, atomic_load(&perf_agent.has_initial_ended) == 0);
  int code = perf_agent_start_untracked(perf_agent_ticker, &program_mask);
  perf_agent.has_ticker = code == 0;
  atomic_store_explicit(&perf_agent.segment->audit.ticker_failed, (uint64_t)-code,
                        memory_order_relaxed);
}

bool perf_agent_ticker_leave_files(void) {
#if defined(SYS_close_range)
  const unsigned unshare = 2;  // CLOSE_RANGE_UNSHARE; glibc has it in <linux/close_range.h>.
  return PERF_AGENT_CALL(SYS_close_range, 0, ~0u, unshare) == 0;
#else
  return false;
#endif
}

/// The kernel's struct sched_attr in its first version; glibc 2.36 does not have it.
struct scheduling {
  uint32_t bytes;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

void perf_agent_ticker_hurry(void) {
  // A real-time program would let no other thread run while it does: the ticker gets a priority
  // above.
  int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  struct sched_param inherited = {0};
  if ((policy == SCHED_FIFO || policy == SCHED_RR) && sched_getparam(0, &inherited) == 0) {
    inherited.sched_priority++;
    // If that is not permitted, the ticker keeps the priority that it has inherited.
    sched_setscheduler(0, SCHED_FIFO, &inherited);
    return;
  }
  // Otherwise a short slice, which means an early deadline (Linux 6.12; older kernels ignore it).
  // Not real-time priority, by which fewer ticks would be late: the kernel wakes such a thread on
  // the CPU where it ran last, even if the measured thread runs there and another CPU is idle.
  struct scheduling scheduling = {
      .bytes = sizeof scheduling, .policy = SCHED_OTHER, .runtime = 100000};
  if (PERF_AGENT_CALL(SYS_sched_setattr, 0, &scheduling, 0) == 0) {
    return;
  }
  // The user of a nice program may not make the ticker less nice.
  scheduling.nice = getpriority(PRIO_PROCESS, 0);
  PERF_AGENT_CALL(SYS_sched_setattr, 0, &scheduling, 0);
}

// MARK: - End

/// Set while a thread ends the ticker.
static atomic_flag is_ending = ATOMIC_FLAG_INIT;

/// Waits until no other thread ends the ticker.
static void begin_ending(void) {
  while (atomic_flag_test_and_set(&is_ending)) {
    perf_agent_rest();
  }
}

/// Ends the ticker and returns when its thread has made its last system call.
static void end_ticker(void) {
  atomic_store_explicit(&perf_agent.is_stopping, 1, memory_order_release);
  uint32_t tid;
  do {
    // Repeatedly: the ticker may have been on its way to sleep.
    perf_agent_futex_wake(&perf_agent.segment->sampling);
    perf_agent_rest();
    tid = atomic_load_explicit(&perf_agent.ticker_tid, memory_order_acquire);
  } while (tid == 0 || perf_agent_thread_exists(tid));
  // Only now: until then the slots of threads that end are freed by the ticker.
  perf_agent.has_ticker = false;
  atomic_store(&perf_agent.ticker_tid, 0);
}

void perf_agent_ticker_restart(void) {
  begin_ending();
  if (perf_agent.has_ticker) {
    end_ticker();
    perf_agent_ticker_begin();
  }
  atomic_flag_clear(&is_ending);
}

void perf_agent_stop(enum perfkit_stop reason) {
  // In a child by vfork the state is the parent's. It is 0 before attach.
  bool is_own = perf_agent.process == 0 || getpid() == perf_agent.process;
  if (!is_own || perf_agent_tid() == atomic_load(&perf_agent.ticker_tid)) {
    return;
  }
  if (reason == PERFKIT_STOP_FILTER) {
    atomic_store(&perf_agent.is_filtered, true);
  }
  begin_ending();
  if (perf_agent.has_ticker) {
    perf_agent.hooks.settle();
  }
  if (perf_agent.segment && perf_agent.has_ticker) {
    end_ticker();
    atomic_store_explicit(&perf_agent.segment->audit.stopped, reason, memory_order_relaxed);
    if (atomic_load(&perf_agent.has_signal)) {
      perf_agent_signal_discard();
    }
  }
  atomic_flag_clear(&is_ending);
}

void perf_agent_ticker_forget(void) {
  // The thread that has set it is the parent's.
  atomic_flag_clear(&is_ending);
  perf_agent.has_ticker = false;
  atomic_store(&perf_agent.is_ticker_apart, false);
  atomic_store(&perf_agent.ticker_tid, 0);
  atomic_store(&perf_agent.due_ns, 0);
  atomic_store(&perf_agent.is_stopping, 0);
  atomic_store(&perf_agent.is_ticker_idle, 0);
  atomic_store(&perf_agent.has_modules, 0);
  atomic_store(&perf_agent.has_initial_ended, 0);
  // The parent's ticker may have been in a pass.
  atomic_store(&perf_agent.holders, 0);
  atomic_store(&perf_agent.is_passing, 0);
}

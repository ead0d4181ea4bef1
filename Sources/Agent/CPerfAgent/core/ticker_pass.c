#define _GNU_SOURCE
#include <sched.h>

#include "ticker.h"

/// An idle thread is looked at again after a part of the time for which it has been idle, but after
/// REST_NS at the latest. Each look at a CPU clock is a system call, and programs have hundreds of
/// idle threads.
#define REST_PART 16u
#define REST_NS 8000000u
/// How long a thread waits for the end of a pass before it checks whether the ticker still exists.
#define PASS_NS 100000000u
/// The least time between two changes of the ticker's CPU.
#define STEP_NS 10000000u

// MARK: - One thread

/// Returns whether the signal's handler is still the agent's, as far as is known. ThreadSanitizer
/// defers signals until its runtime can be interrupted. The agent's handler, installed without its
/// knowledge, would interrupt it while it holds locks.
static bool may_signal(void) {
  return !PERF_AGENT_IS_TSAN && perf_agent_ticker_state.may_signal &&
         atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire) != 0;
}

/// Skips an idle thread for a while.
static void let_rest(struct perf_agent_thread *thread, uint64_t now) {
  uint64_t rest = (now - thread->last_ran_ns) / REST_PART;
  if (rest > REST_NS) {
    rest = REST_NS;
  }
  // At random: threads that fell asleep together must not be looked at in the same tick.
  thread->rests_until_ns = now + rest / 2 + perf_agent_random_below(rest / 2);
}

static void note_running(const struct perf_agent_thread *thread) {
  struct perf_agent_ticker_state *ticker = &perf_agent_ticker_state;
  ticker->running++;
  if (atomic_load_explicit(&thread->cpu, memory_order_relaxed) == ticker->cpu) {
    ticker->is_in_the_way = true;
  }
}

/// Looks at a live thread.
static void visit(struct perf_agent_thread *thread, uint64_t now) {
  uint64_t cpu_ns = perf_agent_cpu_clock(thread);
  if (cpu_ns == 0) {
    perf_agent_thread_retire_vanished(thread, now);
    return;
  }
  // A thread that began while sampling was on has spent all of its CPU time since.
  if (!thread->is_announced) {
    perf_agent_thread_announce(thread, now, 0);
    thread->last_ran_ns = now;
  }
  // A thread that has not run is where it was: its stack is recorded once per wait, and once when
  // sampling begins.
  bool has_run = cpu_ns != thread->last_cpu_ns;
  if (!has_run && thread->is_met) {
    let_rest(thread, now);
    return;
  }
  if (thread->is_met) {
    thread->last_ran_ns = now;
  }
  thread->last_cpu_ns = cpu_ns;
  thread->is_met = true;
  bool may_send = may_signal() && !perf_agent_is_pending(thread);
  // The signal itself moves the clock of an idle thread, so the state decides whether one is sent.
  // A second reading of the clock shows that a thread is on a CPU for a tenth of the cost of
  // reading a file.
  struct perf_agent_place place;
  bool is_on_cpu = has_run && perf_agent_cpu_clock(thread) > cpu_ns;
  enum perf_agent_run_state state =
      is_on_cpu ? PERF_AGENT_RUNNING : perf_agent_run_state(thread, &place);
  if (state == PERF_AGENT_RUNNING && has_run) {
    note_running(thread);
    if (may_send) {
      perf_agent_send_signal(thread, cpu_ns, is_on_cpu);
    } else if (is_on_cpu) {
      // A thread takes its signal at the end of a system call. The sample stands for this tick too.
      uint32_t delayed = perf_agent_make_up(thread, perf_agent_clock(CLOCK_MONOTONIC), cpu_ns);
      atomic_store_explicit(&thread->merged_cpu_ns, cpu_ns, memory_order_relaxed);
      // Release: pairs with the handler's acquire.
      atomic_fetch_add_explicit(&thread->ticks_merged, 1 + delayed, memory_order_release);
    }
  }
  if (state == PERF_AGENT_WAITING) {
    perf_agent_write_waiting(thread, &place, now, cpu_ns);
  }
  // The program may need the descriptors of a thousand idle threads.
  if (!has_run) {
    perf_agent_procfs_close(thread);
  }
}

// MARK: - A pass

void perf_agent_hold_ticker(void) {
  // Sequentially consistent, as is the ticker's side: either the ticker sees the holder before it
  // begins a pass, or the holder sees the pass.
  atomic_fetch_add(&perf_agent.holders, 1);
  while (atomic_load(&perf_agent.is_passing)) {
    perf_agent_futex_wait(&perf_agent.is_passing, 1, perf_agent_clock(CLOCK_MONOTONIC) + PASS_NS);
    // A filter of system calls may have killed the ticker in its pass.
    uint32_t tid = atomic_load_explicit(&perf_agent.ticker_tid, memory_order_acquire);
    if (tid != 0 && !perf_agent_thread_exists(tid)) {
      atomic_store(&perf_agent.is_passing, 0);
    }
  }
}

void perf_agent_release_ticker(void) {
  atomic_fetch_sub(&perf_agent.holders, 1);
}

/// Begins a pass in which signals may be sent; returns false while a thread holds the ticker back.
static bool pass_begin(void) {
  atomic_store(&perf_agent.is_passing, 1);
  return atomic_load(&perf_agent.holders) == 0;
}

static void pass_end(void) {
  atomic_store(&perf_agent.is_passing, 0);
  if (atomic_load(&perf_agent.holders) != 0) {
    perf_agent_futex_wake(&perf_agent.is_passing);
  }
}

/// Moves the ticker to another CPU if a thread of the program runs on this one and another CPU is
/// free.
///
/// The kernel of a virtual machine treats an idle CPU as taken by its host, and wakes the ticker on
/// the CPU where it slept, even if a thread is busy there by now. Every tick would then take that
/// thread off its CPU until the load is balanced: for a whole launch of 50 ms, at a cost of 2 % of
/// its wall time.
static void step_aside(uint64_t now) {
  struct perf_agent_ticker_state *ticker = &perf_agent_ticker_state;
  if (!ticker->is_in_the_way || now < ticker->next_step_ns) {
    return;
  }
  ticker->next_step_ns = now + STEP_NS;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
      ticker->running >= (uint32_t)CPU_COUNT(&allowed)) {
    return;
  }
  cpu_set_t others = allowed;
  CPU_CLR(ticker->cpu, &others);
  if (sched_setaffinity(0, sizeof others, &others) == 0) {
    // It has moved; from here on the kernel may place it anywhere.
    sched_setaffinity(0, sizeof allowed, &allowed);
  }
}

void perf_agent_visit_all(uint64_t now) {
  perf_agent_ticker_state.cpu = sched_getcpu();
  perf_agent_ticker_state.running = 0;
  perf_agent_ticker_state.is_in_the_way = false;
  bool may_visit = pass_begin();
  for (uint32_t index = 0; may_visit && index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_LIVE && now >= thread->rests_until_ns) {
      visit(thread, now);
    }
    if (state == PERF_AGENT_ENDED) {
      perf_agent_thread_retire(thread, now);
    }
  }
  pass_end();
  step_aside(now);
}

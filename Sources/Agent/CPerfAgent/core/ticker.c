#define _GNU_SOURCE
#include "ticker.h"

#include <string.h>
#include <sys/prctl.h>

/// How often the ticker looks for threads without a slot.
#define SCAN_NS 10000000u
/// How often it looks whether libraries were loaded or unloaded, and whether its handler is
/// installed: a program that replaces the handler unnoticed gets the agent's signals until then.
#define LOOK_NS 1000000u
/// How often it looks between two runs of sampling whether it is the last thread.
#define IDLE_NS 1000000000u

struct perf_agent_ticker_state perf_agent_ticker_state;

static bool is_sampling(void) {
  return !perf_agent_ticker_state.is_alone &&
         atomic_load_explicit(&perf_agent.segment->sampling, memory_order_acquire) != 0 &&
         atomic_load_explicit(&perf_agent.is_stopping, memory_order_acquire) == 0;
}

uint64_t perf_agent_random_below(uint64_t limit) {
  return ((perf_agent_random(&perf_agent_ticker_state.random) >> 32) * limit) >> 32;
}

// MARK: - Looks at rare changes

static void publish_cpu_time(void) {
  uint64_t own = perf_agent_clock(CLOCK_THREAD_CPUTIME_ID);
  atomic_store_explicit(&perf_agent_audit()->ticker_cpu_ns,
                        perf_agent_ticker_state.earlier_cpu_ns + own, memory_order_relaxed);
}

/// Detects that the program's threads have all ended, the first thread among them: then the process
/// must end, as it would without the ticker.
static void look_for_others(void) {
  perf_agent_ticker_state.is_alone = perf_agent_task_count() == 2 && perf_agent_is_initial_gone();
}

/// Stops sending signals if the program has replaced the handler: its own handler must not get
/// them.
static void look_at_handler(void) {
  if (!perf_agent_ticker_state.may_signal || perf_agent_handler_is_installed()) {
    return;
  }
  perf_agent_ticker_state.may_signal = false;
  atomic_store_explicit(&perf_agent.has_signal, 0, memory_order_release);
  atomic_store_explicit(&perf_agent_audit()->foreign_handler, 1, memory_order_relaxed);
}

static void look_around(uint64_t now) {
  struct perf_agent_ticker_state *ticker = &perf_agent_ticker_state;
  if (now >= ticker->next_scan_ns) {
    ticker->next_scan_ns = now + SCAN_NS;
    perf_agent_scan();
    look_for_others();
  }
  if (now >= ticker->next_look_ns) {
    ticker->next_look_ns = now + LOOK_NS;
    perf_agent_modules_update(false);
    look_at_handler();
  }
}

// MARK: - Sampling

static void begin_sampling(uint64_t now) {
  struct perf_agent_ticker_state *ticker = &perf_agent_ticker_state;
  struct perfkit_audit *audit = perf_agent_audit();
  ticker->is_installed = ticker->is_installed || perf_agent_handler_install();
  ticker->may_signal = atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire) != 0;
  if (!ticker->may_signal) {
    atomic_store_explicit(&audit->foreign_handler, 1, memory_order_relaxed);
  }
  perf_agent_modules_forget();
  ticker->next_scan_ns = ticker->next_look_ns = now;
  atomic_store_explicit(&audit->sampling_ended_ns, 0, memory_order_relaxed);
  uint64_t never = 0;
  atomic_compare_exchange_strong(&audit->sampling_began_ns, &never, now);
  look_around(now);
  // A thread that the second scan still finds without a slot was there before the first.
  perf_agent_scan();
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_LIVE) {
      perf_agent_thread_announce(thread, now, perf_agent_cpu_clock(thread));
    }
  }
  // The harness of a worker waits for it before the measured phase.
  publish_cpu_time();
}

static void end_sampling(uint64_t now) {
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_ENDED) {
      perf_agent_thread_retire(thread, now);
    }
    if (state == PERF_AGENT_LIVE) {
      perf_agent_thread_dismiss(thread, now);
    }
  }
  perf_agent_modules_update(true);
  perf_agent_ticker_state.may_signal = false;
  // Release: pairs with the harness's acquire; ring 0 is complete.
  atomic_store_explicit(&perf_agent_audit()->sampling_ended_ns, now, memory_order_release);
}

/// Returns whether a thread is in fork and waits for the tick that it has delayed.
static bool is_any_forking(void) {
  bool is_forking = false;
  for (uint32_t index = 0; !is_forking && index < perf_agent_thread_count(); index++) {
    int state;
    const struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    is_forking = state == PERF_AGENT_LIVE &&
                 atomic_load_explicit(&thread->forking_ns, memory_order_acquire) != 0;
  }
  return is_forking;
}

/// Ticks until the harness, or the end of the process, stops sampling.
///
/// Tick k is at a random place in the k-th interval of an absolute grid: a fixed beat would meet
/// the same place of every frame of a frame loop.
static void sample(void) {
  struct perfkit_segment *segment = perf_agent.segment;
  uint64_t interval = segment->interval_ns;
  uint64_t start = perf_agent_clock(CLOCK_MONOTONIC);
  begin_sampling(start);
  for (uint64_t k = 0; is_sampling(); k++) {
    uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
    // A thread in fork waits for the ticks that it has delayed.
    uint64_t ended = (now - start) / interval;
    if (ended > k && !is_any_forking()) {
      atomic_fetch_add_explicit(&perf_agent_audit()->ticks_missed, ended - k, memory_order_relaxed);
      k = ended;
    }
    uint64_t due = start + k * interval + perf_agent_random_below(interval);
    perf_agent_ticker_state.tick_end_ns = start + (k + 1) * interval;
    perf_agent_ticker_state.ticks_delayed = 0;
    atomic_store_explicit(&perf_agent.due_ns, due, memory_order_release);
    while ((now = perf_agent_clock(CLOCK_MONOTONIC)) < due && is_sampling()) {
      perf_agent_futex_wait(&segment->sampling, 1, due);
    }
    if (now < due) {
      break;
    }
    perf_agent_count(&perf_agent_audit()->ticks);
    if (now - due > interval / 2) {
      perf_agent_count(&perf_agent_audit()->ticks_late);
    }
    perf_agent_visit_all(now);
    look_around(now);
    publish_cpu_time();
    atomic_fetch_add_explicit(&perf_agent_audit()->ticks_missed,
                              perf_agent_ticker_state.ticks_delayed, memory_order_relaxed);
    k += perf_agent_ticker_state.ticks_delayed;
  }
  atomic_store_explicit(&perf_agent.due_ns, 0, memory_order_release);
  end_sampling(perf_agent_clock(CLOCK_MONOTONIC));
  publish_cpu_time();
}

// MARK: - The thread

/// Frees the slots of threads that have ended while sampling was off.
static void clean_up(void) {
  uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_ENDED) {
      perf_agent_thread_release(thread, now);
    }
  }
}

/// Sleeps until sampling is switched on, a thread has ended, or it is time to look at the threads.
static void idle(void) {
  // The last thread to end cannot know when its end is complete.
  bool may_be_last = atomic_load(&perf_agent.has_initial_ended) != 0;
  uint64_t pause = may_be_last ? SCAN_NS : IDLE_NS;
  perf_agent_futex_wait(&perf_agent.segment->sampling, 0,
                        perf_agent_clock(CLOCK_MONOTONIC) + pause);
  look_for_others();
  // Not before the first sampling: a program that is sampled from its start has all its threads.
  clean_up();
}

void *perf_agent_ticker(void *unused) {
  (void)unused;
  struct perfkit_segment *segment = perf_agent.segment;
  struct perf_agent_ticker_state *ticker = &perf_agent_ticker_state;
  atomic_store_explicit(&perf_agent.ticker_tid, perf_agent_tid(), memory_order_release);
  // In a child after fork the state is the parent's.
  memset(ticker, 0, sizeof *ticker);
  ticker->random = segment->seed;
  ticker->user = getuid();
  if (atomic_load(&perf_agent.is_ticker_apart)) {
    // The program expects certain numbers for its files, and that the other ends of its pipes notice
    // when it closes them.
    atomic_store(&perf_agent.is_ticker_apart, perf_agent_ticker_leave_files());
  }
  ticker->earlier_cpu_ns =
      atomic_load_explicit(&segment->audit.ticker_cpu_ns, memory_order_relaxed);
  PERF_AGENT_CALL(SYS_prctl, PR_SET_NAME, "perfkit-ticker");
  // The default slack of 50 us would make every tick late.
  PERF_AGENT_CALL(SYS_prctl, PR_SET_TIMERSLACK, 1);
  perf_agent_ticker_hurry();
  while (!ticker->is_alone &&
         !atomic_load_explicit(&perf_agent.is_stopping, memory_order_acquire)) {
    if (is_sampling()) {
      atomic_store_explicit(&perf_agent.is_ticker_idle, 0, memory_order_relaxed);
      sample();
    }
    atomic_store_explicit(&perf_agent.is_ticker_idle, 1, memory_order_release);
    if (!is_sampling()) {
      idle();
    }
  }
  // A program may end before the first tick, and its allocations need its modules.
  if (atomic_load_explicit(&segment->sampling, memory_order_acquire) != 0) {
    perf_agent_modules_update(true);
  }
  atomic_store_explicit(&perf_agent.is_ticker_idle, 1, memory_order_release);
  perf_agent_futex_wake(&perf_agent.is_ticker_idle);
  perf_agent_procfs_forget();
  // The exit handlers that this thread runs now are the program's.
  if (ticker->is_alone) {
    perf_agent_ticker_leave();
  }
  return NULL;
}

#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "compat.h"
#include "core/interpose.h"

// A child after fork forgets its parent's segment. If children are followed, a child that runs
// another program asks for its segment when that program begins. A child that continues with the
// same program asks by a thread of the agent, a moment after the fork: most children call exec at
// once, and should not ask twice.

/// The nanoseconds that a child has to call exec. A child that has not called it by then is followed.
#define FORK_NS 1000000

/// How long the thread of the agent may take to end in a child that is not followed.
#define END_NS 1000000000u

// MARK: - The child forgets

/// The stack of the thread that called fork: in the child it is the initial thread's.
static struct {
  uint64_t stack_low, stack_high;
} forked;

/// Returns the process's signals, masks and files to the state that the program knows.
static void restore_process(struct perfkit_segment *segment) {
  // First, before the process can be killed by the signal.
  perf_agent_mask_close();
  perf_agent_signals_forget();
  perf_agent_handler_remove(segment->signal);
  perf_agent_procfs_forget();
}

/// Forgets the parent's segment and everything that belongs to it. Async-signal-safe.
static void forget_segment(void) {
  perf_agent_ticker_forget();
  struct perfkit_segment *segment = perf_agent.segment;
  if (!segment) {
    return;
  }
  const struct perf_agent_thread *thread = perf_agent_local.thread;
  forked.stack_low = thread ? thread->stack_low : 0;
  forked.stack_high = thread ? thread->stack_high : 0;
  // A filter may forbid these system calls. Without them the child keeps a handler that does
  // nothing.
  bool is_filtered = atomic_load(&perf_agent.is_filtered);
  if (!is_filtered) {
    restore_process(segment);
    perf_agent.process = getpid();
  }
  perf_agent.segment = NULL;
  perf_agent.lets_through = false;
  atomic_store(&perf_agent.has_signal, 0);
  perf_agent_local = (struct perf_agent_local){0};
  perf_agent_threads_forget();
  if (!is_filtered) {
    munmap(segment, segment->segment_bytes);
  }
}

static void after_fork_in_child(void) {
  perf_agent_modules_reset();
  forget_segment();
}

int perf_agent_fork_register(void) {
  // The page that children find empty; their own children as well.
  void *page = mmap(NULL, sizeof *perf_agent_is_own, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    if (madvise(page, sizeof *perf_agent_is_own, MADV_WIPEONFORK) == 0) {
      perf_agent_is_own = page;
    } else {
      munmap(page, sizeof *perf_agent_is_own);
    }
  }
  return pthread_atfork(perf_agent_modules_lock, perf_agent_modules_unlock, after_fork_in_child);
}

// MARK: - The child is followed

/// The thread of the agent in a child.
static struct {
  _Atomic uint32_t tid;
  _Atomic bool is_undecided;  ///< It does not know yet whether the child is followed.
  uint64_t decided_ns;        ///< When it knew. Written before `is_undecided`.
} follower;

/// Becomes the ticker of a child. Returns false if the child is not followed.
static bool take_over(void) {
  struct perfkit_segment *segment =
      perf_agent_ticker_leave_files() ? perf_agent_map_followed() : NULL;
  if (!segment) {
    return false;
  }
  atomic_store(perf_agent_is_own, true);
  atomic_store(&perf_agent.ticker_tid, atomic_load(&follower.tid));
  atomic_store(&perf_agent.is_ticker_apart, true);
  // Release: the program's threads may read the segment at any time.
  __atomic_store_n(&perf_agent.segment, segment, __ATOMIC_RELEASE);
  struct perf_agent_thread *initial = perf_agent_thread_claim();
  perf_agent_thread_identify(initial, (uint32_t)getpid());
  initial->stack_low = forked.stack_low;
  initial->stack_high = forked.stack_high;
  // It learns its slot by its first signal.
  initial->is_foreign = true;
  perf_agent_thread_move(initial, PERF_AGENT_LIVE);
  atomic_store_explicit(&segment->agent_version, PERFKIT_FORMAT_VERSION, memory_order_release);
  return true;
}

static void *follow(void *unused) {
  atomic_store(&follower.tid, perf_agent_tid());
  const struct timespec moment = {0, FORK_NS};
  PERF_AGENT_CALL(SYS_nanosleep, &moment, NULL);
  bool is_followed = take_over();
  follower.decided_ns = perf_agent_clock(CLOCK_MONOTONIC);
  atomic_store_explicit(&follower.is_undecided, false, memory_order_release);
  return is_followed ? perf_agent_ticker(unused) : NULL;
}

/// Returns whether the thread exists, or has yet to begin.
static bool has_follower(void) {
  uint32_t tid = atomic_load(&follower.tid);
  return tid == 0 || perf_agent_thread_exists(tid);
}

void perf_agent_fork_settle(void) {
  if (!perf_agent_has_own_ticker()) {
    return;
  }
  // A filter that the parent installed unnoticed may have killed the thread.
  while (atomic_load_explicit(&follower.is_undecided, memory_order_acquire) && has_follower()) {
    perf_agent_rest();
  }
  if (perf_agent.segment) {
    return;
  }
  // The thread ends by system calls of the C library. Its id may be another thread's after that.
  const uint64_t until = follower.decided_ns + END_NS;
  while (perf_agent_clock(CLOCK_MONOTONIC) < until && has_follower()) {
    perf_agent_rest();
  }
  perf_agent.has_ticker = false;
}

/// Starts the thread that follows a child, in the child.
///
/// Called after all handlers of pthread_atfork: starting a thread allocates, and a handler may hold
/// a lock of the heap.
static void begin_to_follow(void) {
  if (!perf_agent_may_follow()) {
    return;
  }
  perf_agent.has_ticker = true;
  perf_agent.process = getpid();
  atomic_store(&follower.tid, 0);
  atomic_store(&follower.is_undecided, true);
  follower.decided_ns = 0;
  perf_agent_thread_watch_end();
  uint64_t mask;
  if (perf_agent_start_untracked(follow, &mask) != 0) {
    perf_agent.has_ticker = false;
  }
}

// MARK: - Time in fork

/// How long a thread that returns from fork waits for a tick.
#define TICK_NS 3000000u
/// How often it looks for the tick between two looks at the clock.
#define LOOKS 1000

/// Returns when the tick was due that the ticker has not made yet; 0 if there is none.
static uint64_t late_tick(uint64_t now) {
  uint64_t due = atomic_load_explicit(&perf_agent.due_ns, memory_order_acquire);
  return due <= now ? due : 0;
}

DECLARE_NEXT(pid_t, fork, (void));

INTERPOSED pid_t fork(void) {
  // The clocks need system calls.
  bool may_wait = perf_agent_own_segment() && !atomic_load(&perf_agent.is_filtered);
  struct perf_agent_thread *thread = may_wait ? perf_agent_local.thread : NULL;
  if (thread) {
    atomic_store_explicit(&thread->forking_cpu_ns, perf_agent_clock(CLOCK_THREAD_CPUTIME_ID),
                          memory_order_relaxed);
    atomic_store_explicit(&thread->forking_ns, perf_agent_clock(CLOCK_MONOTONIC),
                          memory_order_release);
  }
  pid_t child = NEXT(fork)();
  if (thread) {
    // The ticker's stack is write-protected while the kernel copies the page tables, and its next
    // write waits for the end of that. The late tick must find the thread in this function. The
    // thread spins, because the ticker sends no signal to a thread that sleeps.
    uint64_t begin = perf_agent_clock(CLOCK_MONOTONIC), now = begin, due;
    while (child != 0 && (due = late_tick(now)) != 0 && now - begin < TICK_NS) {
      for (int look = 0; look < LOOKS; look++) {
        if (atomic_load_explicit(&perf_agent.due_ns, memory_order_relaxed) != due) {
          break;
        }
      }
      now = perf_agent_clock(CLOCK_MONOTONIC);
    }
    atomic_store_explicit(&thread->forking_ns, 0, memory_order_release);
  }
  if (child == 0) {
    begin_to_follow();
  }
  return child;
}

DECLARE_NEXT(pid_t, _Fork, (void));

/// Calls no handlers of pthread_atfork. Async-signal-safe.
INTERPOSED pid_t _Fork(void) {
  pid_t child = NEXT(_Fork)();
  if (child == 0) {
    forget_segment();
  }
  return child;
}

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clinux.h"

#define WANTED 50u
/// The smallest number of signals for a meaningful result.
#define NEEDED 15u
/// The number of kept readings without a signal.
#define STEPS 256u
/// A pause in which caches and the branch predictor forget, as between ticks.
#define PAUSE_NS 300000
/// After LONG_NS the measurement ends with NEEDED signals, after LONGEST_NS in any case.
#define LONG_NS 40000000u
#define LONGEST_NS 200000000u

/// The state of a thread that reads its CPU clock while another thread sends signals.
static struct {
  _Atomic unsigned handled;
  _Atomic unsigned answered;
  _Atomic unsigned kept;
  _Atomic int tid;
  _Atomic bool is_over;
  unsigned long costs[WANTED];
  unsigned long steps[STEPS];
} probe;

static unsigned long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (unsigned long)time.tv_sec * 1000000000u + (unsigned long)time.tv_nsec;
}

static void count(int signal) {
  (void)signal;
  atomic_fetch_add_explicit(&probe.handled, 1, memory_order_relaxed);
}

/// Works for about a microsecond and returns the thread's CPU time. Most signals should arrive
/// outside of the kernel, as in a program that computes.
static unsigned long step(void) {
  volatile uint64_t result = 88172645463325252u;
  uint64_t x = result;
  for (unsigned i = 0; i < 500; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  result = x;
  return now(CLOCK_THREAD_CPUTIME_ID);
}

/// Repeats steps; a jump of the clock is a signal.
///
/// It reads the thread's CPU clock: on a busy machine other threads run on this CPU in between, and
/// the wall clock would count their time.
static void *work(void *signal) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, *(int *)signal);
  pthread_sigmask(SIG_UNBLOCK, &own, NULL);
  unsigned seen = atomic_load(&probe.handled), stepped = 0;
  unsigned long before = step();
  atomic_store(&probe.tid, (int)syscall(SYS_gettid));
  while (!atomic_load_explicit(&probe.is_over, memory_order_relaxed)) {
    unsigned long after = step();
    unsigned handled = atomic_load_explicit(&probe.handled, memory_order_relaxed);
    if (handled == seen) {
      probe.steps[stepped++ % STEPS] = after - before;
    } else {
      // Repeat the step: the signal may have come between the clock and the counter.
      after = step();
      unsigned kept = atomic_load_explicit(&probe.kept, memory_order_relaxed);
      if (handled == seen + 1 && kept < WANTED && stepped > 0) {
        probe.costs[kept] = after - before;
        atomic_store_explicit(&probe.kept, kept + 1, memory_order_release);
      }
      seen = handled;
      atomic_store_explicit(&probe.answered, handled, memory_order_release);
      after = step();
    }
    before = after;
  }
  for (unsigned index = stepped; index < STEPS; index++) {
    probe.steps[index] = ULONG_MAX;
  }
  return NULL;
}

static int compare(const void *first, const void *second) {
  unsigned long a = *(const unsigned long *)first, b = *(const unsigned long *)second;
  return a < b ? -1 : a > b;
}

/// Returns the median step; the steps end at the first missing one.
static unsigned long usual_step(void) {
  qsort(probe.steps, STEPS, sizeof probe.steps[0], compare);
  unsigned count = STEPS;
  while (count > 0 && probe.steps[count - 1] == ULONG_MAX) {
    count--;
  }
  return count > 0 ? probe.steps[count / 2] : 0;
}

static int measure(int signal, struct clinux_signal_cost *cost) {
  atomic_store(&probe.handled, 0);
  atomic_store(&probe.answered, 0);
  atomic_store(&probe.kept, 0);
  atomic_store(&probe.tid, 0);
  atomic_store(&probe.is_over, false);
  pthread_t worker;
  if (pthread_create(&worker, NULL, work, &signal) != 0) {
    return -EAGAIN;
  }
  unsigned long began = now(CLOCK_MONOTONIC);
  while (atomic_load(&probe.tid) == 0) {
    sched_yield();
  }
  unsigned sent = 0, kept;
  while ((kept = atomic_load_explicit(&probe.kept, memory_order_acquire)) < WANTED) {
    unsigned long taken = now(CLOCK_MONOTONIC) - began;
    if (taken > LONGEST_NS || (taken > LONG_NS && kept >= NEEDED)) {
      break;
    }
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    nanosleep(&pause, NULL);
    // Send one signal at a time: two that arrive together cost less.
    if (atomic_load_explicit(&probe.answered, memory_order_acquire) != sent) {
      continue;
    }
    if (syscall(SYS_tgkill, getpid(), atomic_load(&probe.tid), signal) != 0) {
      break;
    }
    sent++;
  }
  atomic_store(&probe.is_over, true);
  pthread_join(worker, NULL);
  kept = atomic_load_explicit(&probe.kept, memory_order_acquire);
  if (kept < NEEDED) {
    return -ETIME;
  }
  unsigned long usual = 2 * usual_step();
  for (unsigned index = 0; index < kept; index++) {
    probe.costs[index] -= probe.costs[index] < usual ? probe.costs[index] : usual;
  }
  qsort(probe.costs, kept, sizeof probe.costs[0], compare);
  cost->median = probe.costs[kept / 2];
  cost->low = probe.costs[kept / 4];
  cost->high = probe.costs[(kept - 1) - kept / 4];
  // If steps vary by more than the cost of a signal, they hide it.
  return cost->median > 0 ? 0 : -ETIME;
}

int clinux_signal_cost(struct clinux_signal_cost *cost) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  int signal = SIGRTMAX, result = -EBUSY;
  const struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
  struct sigaction before;
  // Do not touch a signal that this process uses.
  if (sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL &&
      sigaction(signal, &action, NULL) == 0) {
    result = measure(signal, cost);
    sigaction(signal, &before, NULL);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

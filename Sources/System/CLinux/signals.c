#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clinux.h"

#define WANTED 50u
/// Fewer say nothing.
#define NEEDED 15u
/// Caches and the branch predictor forget in between, as they do from tick to tick.
#define PAUSE_NS 300000
#define LONGEST_NS 40000000u

/// One thread counts the time away that signals of another take from it.
static struct {
  _Atomic unsigned handled;
  _Atomic unsigned answered;
  _Atomic unsigned kept;
  _Atomic int tid;
  _Atomic bool is_over;
  unsigned long costs[WANTED];
} probe;

static unsigned long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (unsigned long)time.tv_sec * 1000000000u + (unsigned long)time.tv_nsec;
}

static void count(int signal) {
  (void)signal;
  atomic_fetch_add_explicit(&probe.handled, 1, memory_order_relaxed);
}

static long switches(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return -1;
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

/// Reads the clock over and over; where it jumps there was a signal.
static void *work(void *signal) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, *(int *)signal);
  pthread_sigmask(SIG_UNBLOCK, &own, NULL);
  unsigned seen = atomic_load(&probe.handled);
  long switched = switches();
  unsigned long before = now();
  atomic_store(&probe.tid, (int)syscall(SYS_gettid));
  while (!atomic_load_explicit(&probe.is_over, memory_order_relaxed)) {
    unsigned long after = now();
    unsigned handled = atomic_load_explicit(&probe.handled, memory_order_relaxed);
    if (handled != seen) {
      // Once more: it may have come between the clock and the counter.
      after = now();
      long switched_by_now = switches();
      unsigned kept = atomic_load_explicit(&probe.kept, memory_order_relaxed);
      // Somebody else had the CPU: that is not the signal's time.
      if (switched_by_now == switched && handled == seen + 1 && kept < WANTED) {
        probe.costs[kept] = after - before;
        atomic_store_explicit(&probe.kept, kept + 1, memory_order_release);
      }
      switched = switched_by_now;
      seen = handled;
      atomic_store_explicit(&probe.answered, handled, memory_order_release);
      after = now();
    }
    before = after;
  }
  return NULL;
}

static int compare(const void *first, const void *second) {
  unsigned long a = *(const unsigned long *)first, b = *(const unsigned long *)second;
  return a < b ? -1 : a > b;
}

static unsigned long measure(int signal) {
  atomic_store(&probe.handled, 0);
  atomic_store(&probe.answered, 0);
  atomic_store(&probe.kept, 0);
  atomic_store(&probe.tid, 0);
  atomic_store(&probe.is_over, false);
  pthread_t worker;
  if (pthread_create(&worker, NULL, work, &signal) != 0) return 0;
  unsigned long deadline = now() + LONGEST_NS;
  while (atomic_load(&probe.tid) == 0) sched_yield();
  unsigned sent = 0;
  while (now() < deadline && atomic_load(&probe.kept) < WANTED) {
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    nanosleep(&pause, NULL);
    // One at a time: two that come together cost less.
    if (atomic_load_explicit(&probe.answered, memory_order_acquire) != sent) continue;
    if (syscall(SYS_tgkill, getpid(), atomic_load(&probe.tid), signal) != 0) break;
    sent++;
  }
  atomic_store(&probe.is_over, true);
  pthread_join(worker, NULL);
  unsigned kept = atomic_load_explicit(&probe.kept, memory_order_acquire);
  if (kept < NEEDED) return 0;
  qsort(probe.costs, kept, sizeof probe.costs[0], compare);
  return probe.costs[kept / 2];
}

unsigned long clinux_signal_cost(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  unsigned long cost = 0;
  int signal = SIGRTMAX;
  const struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
  struct sigaction before;
  // A signal that somebody in this process uses is left alone.
  if (sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL &&
      sigaction(signal, &action, NULL) == 0) {
    cost = measure(signal);
    sigaction(signal, &before, NULL);
  }
  pthread_mutex_unlock(&lock);
  return cost;
}

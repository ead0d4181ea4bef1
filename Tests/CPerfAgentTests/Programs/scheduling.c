/// Threads that share CPUs, move between them, or wait.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

static int wake_pipe[2];
static pthread_barrier_t barrier;

/// The kernel's figures about the calling thread: CPU time and time of waiting for a CPU in
/// nanoseconds, and the number of times that it got a CPU.
struct turns {
  unsigned long long cpu, delay, count;
};

static struct turns own_turns(void) {
  char text[80] = {0};
  struct turns turns = {0};
  int file = open("/proc/thread-self/schedstat", O_RDONLY);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0 ||
      sscanf(text, "%llu %llu %llu", &turns.cpu, &turns.delay, &turns.count) != 3) {
    abort();
  }
  close(file);
  return turns;
}

/// The CPU that both busy threads share.
static int shared_cpu;

static void *share(void *argument) {
  const char *name = argument;
  pthread_setname_np(pthread_self(), name);
  uint64_t began = target_now();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(shared_cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) {
    abort();
  }
  pthread_barrier_wait(&barrier);
  uint64_t waited = target_now() - began;
  struct turns before = own_turns(), after;
  do {
    target_burn(1);
    after = own_turns();
  } while (after.cpu - before.cpu < 600000000);
  char text[32];
  snprintf(text, sizeof text, "%s.cpu", name);
  target_say(text, (double)(after.cpu - before.cpu));
  snprintf(text, sizeof text, "%s.delay", name);
  target_say(text, (double)(after.delay - before.delay));
  snprintf(text, sizeof text, "%s.waited", name);
  target_say(text, (double)waited);
  snprintf(text, sizeof text, "%s.turns", name);
  target_say(text, (double)(after.count - before.count));
  return NULL;
}

static void *be_blocked(void *argument) {
  pthread_setname_np(pthread_self(), "blocked");
  pthread_barrier_wait(&barrier);
  char byte;
  if (read(wake_pipe[0], &byte, 1) != 1) {
    abort();
  }
  return argument;
}

/// Runs two busy threads on one CPU, and a third that is blocked.
int run_shared_cpu(void) {
  static const char *const names[] = {"left", "right"};
  cpu_set_t all;
  if (pipe(wake_pipe) != 0 || sched_getaffinity(0, sizeof all, &all) != 0) {
    return 1;
  }
  for (shared_cpu = 0; !CPU_ISSET(shared_cpu, &all);) {
    shared_cpu++;
  }
  pthread_barrier_init(&barrier, NULL, 4);
  pthread_t threads[2], blocked;
  target_start_sampling();
  pthread_create(&blocked, NULL, be_blocked, NULL);
  for (int index = 0; index < 2; index++) {
    pthread_create(&threads[index], NULL, share, (void *)names[index]);
  }
  pthread_barrier_wait(&barrier);
  uint64_t began = target_now();
  for (int index = 0; index < 2; index++) {
    pthread_join(threads[index], NULL);
  }
  target_say("blocked.wall", (double)(target_now() - began));
  if (write(wake_pipe[1], "x", 1) != 1) {
    return 1;
  }
  pthread_join(blocked, NULL);
  target_stop_sampling();
  return 0;
}

/// Returns the CPU where the ticker is, or was last.
static int ticker_cpu(uint32_t ticker) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%u/stat", ticker);
  int file = open(path, O_RDONLY);
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = 0;
  // After the name, the state is field 3 and the CPU field 39 (proc(5)).
  char *field = strrchr(text, ')');
  for (int number = 2; field && number < 39; number++) {
    field = strchr(field + 1, ' ');
  }
  return field ? atoi(field + 1) : -1;
}

/// Moves the ticker 20 times onto the CPU of the only busy thread, and reports how often it went
/// away within some 30 ms.
int run_met_ticker(void) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) {
    return 1;
  }
  target_say("cpus", CPU_COUNT(&all));
  target_start_sampling();
  uint32_t ticker = target_find_ticker();
  int here = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  if (ticker == 0 || sched_setaffinity(0, sizeof one, &one) != 0) {
    return 1;
  }
  unsigned gone = 0;
  for (unsigned turn = 0; turn < 20; turn++) {
    if (sched_setaffinity((pid_t)ticker, sizeof one, &one) != 0) {
      return 1;
    }
    target_burn(2);
    if (sched_setaffinity((pid_t)ticker, sizeof all, &all) != 0) {
      return 1;
    }
    unsigned left = 30;
    do {
      target_burn(1);
    } while (--left > 0 && ticker_cpu(ticker) == here);
    if (left > 0) {
      gone++;
    }
  }
  target_say("gone", gone);
  target_stop_sampling();
  return 0;
}

static _Atomic bool is_over;

/// Works until the other threads are done.
static void *burn_on(void *argument) {
  while (!is_over) {
    target_burn(1);
  }
  return argument;
}

__attribute__((noinline)) static void rest(int milliseconds) {
  struct pollfd request = {-1, POLLIN, 0};
  while (poll(&request, 1, milliseconds) < 0 && errno == EINTR) {
  }
}

__attribute__((noinline)) static void rest_between(int milliseconds) {
  volatile char room[100];
  rest(milliseconds);
  // Prevents a tail call, which would remove this function from the stack.
  room[milliseconds % 100] = 1;
  (void)room[0];
}

static pthread_barrier_t turn;

/// Returns the end of this thread's samples in its ring; 0 if it has none.
static uint64_t own_samples(void) {
  struct perfkit_segment *segment = target_segment();
  uint32_t tid = (uint32_t)syscall(SYS_gettid);
  for (uint32_t index = 1; index < segment->ring_count; index++) {
    struct perfkit_ring *ring =
        (void *)((char *)segment + segment->rings_offset + index * segment->ring_bytes);
    if (atomic_load(&ring->tid) == tid) {
      return atomic_load(&ring->samples.head);
    }
  }
  return 0;
}

/// Works for some 20 ms, or longer until it is sampled: a virtual machine may not tick in this
/// time.
__attribute__((noinline)) static void burn_seldom(void) {
  uint64_t before = own_samples(), began = target_now();
  target_burn(20);
  while (own_samples() == before && target_lacks_signals(UINT64_MAX, began)) {
    target_burn(1);
  }
  __asm__ volatile("");
}

static void *seldom(void *unused) {
  for (unsigned round = 0; round < 8; round++) {
    pthread_barrier_wait(&turn);
    struct timespec began, ended;
    target_say("begin", round);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    burn_seldom();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    target_say("burst", (double)(ended.tv_sec - began.tv_sec) * 1e9 +
                            (double)(ended.tv_nsec - began.tv_nsec));
  }
  return unused;
}

/// Runs a thread that waits for more than a third of a second, works for some 20 ms, and waits
/// again.
int run_seldom(void) {
  pthread_t thread;
  pthread_barrier_init(&turn, NULL, 2);
  pthread_create(&thread, NULL, seldom, NULL);
  target_start_sampling();
  for (unsigned round = 0; round < 8; round++) {
    uint64_t until = target_now() + 350000000;
    while (target_now() < until) {
      target_burn(1);
    }
    pthread_barrier_wait(&turn);
  }
  pthread_join(thread, NULL);
  target_stop_sampling();
  return 0;
}

/// Waits thirty times for 10 ms in a phase, with a little work in between, beside a busy thread.
int run_rests(void) {
  uint32_t name = perf_mark_name("resting", 7);
  pthread_t busy;
  target_start_sampling();
  pthread_create(&busy, NULL, burn_on, NULL);
  uint64_t rested = 0;
  unsigned looked_at = 0;
  _Atomic uint64_t *ticks = &target_segment()->audit.ticks;
  for (unsigned round = 0; round < 30; round++) {
    uint64_t began = target_now(), ticks_before = atomic_load(ticks);
    uint32_t previous = perf_mark_phase_enter(name);
    rest_between(10);
    perf_mark_phase_exit(name, previous, began, target_now());
    rested += target_now() - began;
    looked_at += atomic_load(ticks) - ticks_before >= 5;
    target_burn(3);
  }
  target_say("rested", (double)rested);
  target_say("looked.at", looked_at);
  is_over = true;
  pthread_join(busy, NULL);
  target_stop_sampling();
  return 0;
}

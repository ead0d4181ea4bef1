/// Threads of all kinds.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target.h"

/// arm64 has no system call poll.
#if defined(SYS_poll)
static const long poll_number = SYS_poll;
#else
static const long poll_number = SYS_ppoll;
#endif

static _Atomic unsigned interruptions;
static int wake_pipe[2];
static pthread_barrier_t barrier;

static uint32_t idle_tids[16];

static void *idle(void *argument) {
  *(uint32_t *)argument = (uint32_t)syscall(SYS_gettid);
  pthread_barrier_wait(&barrier);
  struct pollfd request = {wake_pipe[0], POLLIN, 0};
  // poll is never restarted: a signal would show as EINTR.
  while (poll(&request, 1, -1) < 0) {
    if (errno == EINTR) {
      atomic_fetch_add(&interruptions, 1);
    }
  }
  return NULL;
}

/// Waits until a thread waits in poll.
static void await_poll(uint32_t tid) {
  char path[64], text[16];
  snprintf(path, sizeof path, "/proc/self/task/%u/syscall", tid);
  for (long number = -1; number != SYS_ppoll && number != poll_number; sched_yield()) {
    int file = open(path, O_RDONLY);
    ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    // "running", or the number of the system call.
    number = bytes > 0 && text[0] != 'r' ? strtol(text, NULL, 10) : -1;
  }
}

/// Runs one busy thread among 16 that wait.
int run_idle(void) {
  pthread_t threads[16];
  if (pipe(wake_pipe) != 0) {
    return 1;
  }
  pthread_barrier_init(&barrier, NULL, 17);
  for (unsigned index = 0; index < 16; index++) {
    pthread_create(&threads[index], NULL, idle, &idle_tids[index]);
  }
  pthread_barrier_wait(&barrier);
  // A thread on its way into poll still runs, and may be signalled.
  for (unsigned index = 0; index < 16; index++) {
    await_poll(idle_tids[index]);
  }
  target_start_sampling();
  target_burn_sampled(300);
  target_stop_sampling();
  target_say("interruptions", atomic_load(&interruptions));
  if (write(wake_pipe[1], "x", 1) != 1) {
    return 1;
  }
  for (unsigned index = 0; index < 16; index++) {
    pthread_join(threads[index], NULL);
  }
  return 0;
}

static void *short_lived(void *argument) {
  target_say("alive", (double)(uintptr_t)argument);
  target_burn(1);
  return argument;
}

/// Runs a thousand threads, four at a time, and drains their rings.
int run_churn(void) {
  target_start_sampling();
  for (uintptr_t round = 0; round < 250; round++) {
    pthread_t threads[4];
    for (unsigned index = 0; index < 4; index++) {
      pthread_create(&threads[index], NULL, short_lived, (void *)round);
    }
    for (unsigned index = 0; index < 4; index++) {
      void *result;
      pthread_join(threads[index], &result);
      if (result != (void *)round) {
        return 1;
      }
    }
    target_drain();
  }
  target_stop_sampling();
  target_drain();
  return 0;
}

static void *say_tid(void *argument) {
  target_say("tid", (double)syscall(SYS_gettid));
  return argument;
}

/// Runs two thousand threads that write one mark each; the test drains them.
int run_tids(void) {
  target_start_sampling();
  // Ring 0, with the records of threads.
  struct perfkit_segment *segment = target_segment();
  struct perfkit_ring *common = (void *)((char *)segment + segment->rings_offset);
  for (unsigned round = 0; round < 500; round++) {
    pthread_t threads[4];
    for (unsigned index = 0; index < 4; index++) {
      pthread_create(&threads[index], NULL, say_tid, NULL);
    }
    for (unsigned index = 0; index < 4; index++) {
      pthread_join(threads[index], NULL);
    }
    // The test may drain more slowly than threads are started.
    while (atomic_load(&common->marks.head) - atomic_load(&common->marks.tail) > 16384) {
      sched_yield();
    }
  }
  target_stop_sampling();
  return 0;
}

static void *vanish(void *argument) {
  target_say("vanishing", (double)syscall(SYS_gettid));
  syscall(SYS_exit, 0);
  return argument;
}

/// Runs threads that end by a system call, without any destructor.
int run_vanished(void) {
  target_start_sampling();
  for (unsigned index = 0; index < 3; index++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, vanish, NULL) != 0) {
      return 1;
    }
    pthread_join(thread, NULL);
  }
  // The first of these passes of the ticker may still find the last thread on its way out.
  struct perfkit_audit *audit = &target_segment()->audit;
  uint64_t before = atomic_load(&audit->ticks);
  while (atomic_load(&audit->ticks) < before + 20) {
    sched_yield();
  }
  target_stop_sampling();
  return 0;
}

/// Runs more waiting threads than the agent has slots.
int run_multitude(void) {
  enum { COUNT = 1100 };
  static pthread_t threads[COUNT];
  static uint32_t tids[COUNT];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  if (pipe(wake_pipe) != 0) {
    return 1;
  }
  pthread_barrier_init(&barrier, NULL, COUNT + 1);
  for (unsigned index = 0; index < COUNT; index++) {
    if (pthread_create(&threads[index], &attributes, idle, &tids[index]) != 0) {
      return 1;
    }
  }
  pthread_barrier_wait(&barrier);
  for (unsigned index = 0; index < COUNT; index++) {
    await_poll(tids[index]);
  }
  target_start_sampling();
  // Some hundred scans of the ticker.
  _Atomic uint64_t *ticks = &target_segment()->audit.ticks;
  for (uint64_t enough = atomic_load(ticks) + 500; atomic_load(ticks) < enough;) {
    target_burn(1);
  }
  // Threads that run at their end would need rings, and a thread without a ring is counted as well.
  target_stop_sampling();
  if (write(wake_pipe[1], "x", 1) != 1) {
    return 1;
  }
  for (unsigned index = 0; index < COUNT; index++) {
    pthread_join(threads[index], NULL);
  }
  return 0;
}

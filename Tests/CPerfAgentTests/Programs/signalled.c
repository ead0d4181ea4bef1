/// Threads that block signals, that clone has started, or that are many.
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

/// Burns with a mask that blocks all signals, until it was signalled often or is found to block.
static void burn_blocked(void) {
  target_say("blocking.tid", (double)syscall(SYS_gettid));
  // It gets one signal if it blocks the sampling signal, and many if the signal is let through.
  struct perfkit_audit *audit = &target_segment()->audit;
  uint64_t enough = atomic_load(&audit->signals_sent) + 100, began = target_now();
  while (target_lacks_signals(enough, began) && !atomic_load(&audit->threads_blocking)) {
    target_burn(1);
  }
}

static void *block(void *argument) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  burn_blocked();
  return argument;
}

static void *block_raw(void *argument) {
  uint64_t all = ~UINT64_C(0);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
  burn_blocked();
  return argument;
}

static int run_blocking(void *(*body)(void *)) {
  target_start_sampling();
  pthread_t thread;
  pthread_create(&thread, NULL, body, NULL);
  pthread_join(thread, NULL);
  target_stop_sampling();
  return 0;
}

/// Blocks all signals by the C library.
int run_blocked(void) {
  return run_blocking(block);
}

/// Blocks all signals by a system call, which the agent does not see.
int run_blocked_raw(void) {
  return run_blocking(block_raw);
}

/// Does the same as a user in a thousand groups, which precede the masks in /proc and take 6 KB
/// there.
int run_blocked_grouped(void) {
  enum { COUNT = 1000 };
  static gid_t groups[COUNT];
  for (unsigned index = 0; index < COUNT; index++) {
    groups[index] = 20000 + index;
  }
  return setgroups(COUNT, groups) != 0 ? 1 : run_blocking(block_raw);
}

static int stranger(void *argument) {
  (void)argument;
  // The thread that waits for it gets some of the signals.
  target_burn_sampled(300);
  return 0;
}

/// Runs a thread that was started by clone.
int run_strangers(void) {
  size_t bytes = 256 * 1024;
  char *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // The thread needs its own thread-local storage.
  char *storage = calloc(1, 64 * 1024);
  if (stack == MAP_FAILED || !storage) {
    return 1;
  }
  char *block = storage + 32 * 1024;
  *(void **)block = block;
  pid_t tid = 0;
  target_start_sampling();
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
              CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  if (clone(stranger, stack + bytes, flags, NULL, &tid, block, &tid) < 0) {
    return 1;
  }
  target_say("stranger.tid", tid);
  while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE) != 0) {
    sched_yield();
  }
  target_stop_sampling();
  return 0;
}

static _Atomic int crowd_left;

static void *crowded(void *argument) {
  target_say("crowd", 1);
  // By the thread's clock: with a hundred others it waits most of the time.
  struct timespec time;
  do {
    target_burn(1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  } while (time.tv_sec == 0 && time.tv_nsec < 8000000);
  atomic_fetch_sub(&crowd_left, 1);
  // No thread ends, and releases its ring, before all have been busy.
  while (atomic_load(&crowd_left) > 0) {
    target_rest();
  }
  return argument;
}

/// Runs a hundred busy threads at once.
int run_crowd(void) {
  enum { THREADS = 100 };
  pthread_t threads[THREADS];
  crowd_left = THREADS;
  target_start_sampling();
  for (int index = 0; index < THREADS; index++) {
    if (pthread_create(&threads[index], NULL, crowded, NULL) != 0) {
      return 1;
    }
  }
  for (int index = 0; index < THREADS; index++) {
    pthread_join(threads[index], NULL);
  }
  target_stop_sampling();
  return 0;
}

/// Programs that wait for signals.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

static volatile sig_atomic_t handled;

static _Atomic int stage;

/// Waits for any signal, as programs do that have a thread for signals, and must get only the
/// program's.
static bool await_signals(int *found) {
  sigset_t all;
  sigfillset(&all);
  for (unsigned round = 0; round < 3; round++) {
    stage = (int)round;
    // The agent may signal the thread until it waits.
    target_burn(5);
    const struct timespec moment = {0, 2000000};
    siginfo_t information;
    if (round == 0 && sigtimedwait(&all, &information, &moment) >= 0) {
      return false;
    }
    if (round == 1 && sigwaitinfo(&all, &information) != SIGUSR1) {
      return false;
    }
    if (round == 2 && (sigwait(&all, found) != 0 || *found != SIGUSR2)) {
      return false;
    }
  }
  return true;
}

static void *run_signal_thread(void *argument) {
  void *result = await_signals(argument) ? argument : NULL;
  stage = 2;
  return result;
}

int run_awaited(void) {
  static int found;
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGALRM);  // Ends a program that hangs.
  pthread_t thread;
  void *result = NULL;
  target_start_sampling();
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_create(&thread, NULL, run_signal_thread, &found);
  while (stage < 1) {
    usleep(1000);
  }
  pthread_kill(thread, SIGUSR1);
  while (stage < 2) {
    usleep(1000);
  }
  pthread_kill(thread, SIGUSR2);
  pthread_join(thread, &result);
  target_stop_sampling();
  return result == &found ? 0 : 1;
}

/// Reads the pending signals and waits for them.
int run_pending(void) {
  sigset_t all = target_all_but_alarm(), pending;
  target_start_sampling();
  sigprocmask(SIG_SETMASK, &all, NULL);
  for (unsigned round = 0; round < 20; round++) {
    target_burn(2);
    errno = ENOTUNIQ;
    if (sigpending(&pending) != 0 || sigismember(&pending, SIGPROF)) {
      return 1;
    }
    if (errno != ENOTUNIQ) {
      return 2;
    }
  }
  int found = 0;
  raise(SIGUSR1);
  if (sigpending(&pending) != 0 || sigismember(&pending, SIGUSR1) != 1) {
    return 3;
  }
  if (sigwait(&pending, &found) != 0 || found != SIGUSR1) {
    return 4;
  }
  target_stop_sampling();
  return 0;
}

static void count_own(int signal) {
  (void)signal;
  handled++;
}

static sigjmp_buf place;
static void jump(int signal) {
  siglongjmp(place, signal);
}

/// Blocks all signals while it works and unblocks them while it waits.
int run_opened(void) {
  sigset_t all = target_all_but_alarm(), before;
  signal(SIGUSR1, count_own);
  target_start_sampling();
  sigprocmask(SIG_SETMASK, &all, &before);
  for (unsigned round = 0; round < 40; round++) {
    target_burn(1);
    const struct timespec moment = {0, 1000000};
    // As with any handler, a signal may interrupt the wait.
    if (ppoll(NULL, 0, &moment, &before) != 0 && errno != EINTR) {
      return 1;
    }
  }
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  const struct itimerspec soon = {.it_value = {0, 3000000}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
    return 2;
  }
  for (int round = 1; round <= 10; round++) {
    target_burn(1);
    timer_settime(timer, 0, &soon, NULL);
    while (handled < round) {
      if (sigsuspend(&before) != -1 || errno != EINTR) {
        return 3;
      }
    }
  }
  // The program leaves the wait by a jump, and continues with the mask of the wait.
  signal(SIGUSR2, jump);
  raise(SIGUSR2);
  if (sigsetjmp(place, 0) == 0) {
    sigsuspend(&before);
  }
  target_burn_sampled(20);
  sigprocmask(SIG_SETMASK, &before, NULL);
  target_burn_sampled(50);
  target_stop_sampling();
  return 0;
}

/// Waits for a signal with the longest timeout.
int run_awaited_long(void) {
  sigset_t all = target_all_but_alarm();
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  const struct itimerspec soon = {.it_value = {0, 3000000}};
  const struct timespec long_time = {INT64_MAX, 0};
  target_start_sampling();
  sigprocmask(SIG_SETMASK, &all, NULL);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
    return 1;
  }
  timer_settime(timer, 0, &soon, NULL);
  if (sigtimedwait(&all, NULL, &long_time) != SIGUSR1) {
    return 2;
  }
  target_stop_sampling();
  return 0;
}

/// Permits no pending signals, so that the kernel drops the origin of each.
static bool allow_none_pending(void) {
  const struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_SIGPENDING, &none) == 0;
}

int run_limited(void) {
  return allow_none_pending() ? run_strangers() : 2;
}

int run_limited_awaited(void) {
  return allow_none_pending() ? run_awaited() : 2;
}

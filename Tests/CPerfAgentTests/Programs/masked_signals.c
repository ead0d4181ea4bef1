/// Programs that handle SIGUSR2, the sampling signal, while threads have asked to block it.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

static volatile sig_atomic_t handled;
static void count_signal(int signal) {
  (void)signal;
  handled++;
}

/// Runs its own profiling timer.
int run_own_timer(void) {
  struct itimerval often = {{0, 10000}, {0, 10000}}, never = {0};
  signal(SIGPROF, count_signal);
  target_start_sampling();
  setitimer(ITIMER_PROF, &often, NULL);
  while (handled < 20) {
    target_burn(1);
  }
  target_burn_sampled(50);
  setitimer(ITIMER_PROF, &never, NULL);
  target_stop_sampling();
  return 0;
}

static void *burn_long(void *argument) {
  target_burn(100);
  return argument;
}

/// Saves, changes and restores its mask, as libraries do that block a signal for a moment.
static void keep_mask(int signal) {
  (void)signal;
  sigset_t moment, before;
  sigemptyset(&moment);
  sigaddset(&moment, SIGCHLD);
  sigprocmask(SIG_BLOCK, &moment, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (sigismember(&before, SIGUSR2) && target_really_blocks(SIGUSR2)) {
    handled++;
  }
}

/// Runs a handler that blocks the signal, and saves and restores its mask.
int run_masked_handler(void) {
  struct sigaction action = {.sa_handler = keep_mask};
  action.sa_mask = target_all_but_alarm();
  if (sigaction(SIGUSR1, &action, NULL) != 0) {
    return 1;
  }
  target_start_sampling();
  for (int round = 1; round <= 3; round++) {
    raise(SIGUSR1);
    if (handled != round) {
      return 2;
    }
    if (target_believes_to_block(SIGUSR2) || target_really_blocks(SIGUSR2)) {
      return 3;
    }
  }
  target_burn_sampled(20);
  target_stop_sampling();
  return 0;
}

/// Begins sampling by SIGUSR2, and asks to block it.
static void begin_blocking(sigset_t *ours) {
  sigemptyset(ours);
  sigaddset(ours, SIGUSR2);
  target_start_sampling();
  sigprocmask(SIG_BLOCK, ours, NULL);
}

/// Does the same, and returns a working thread.
static pthread_t begin_masked(sigset_t *ours) {
  begin_blocking(ours);
  pthread_t thread;
  pthread_create(&thread, NULL, burn_long, NULL);
  target_burn_sampled(50);
  return thread;
}

/// Sends itself the signal while all its threads block it, and waits for it later.
int run_masked_pending(void) {
  sigset_t ours, pending;
  pthread_t thread = begin_masked(&ours);
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  if (sigpending(&pending) != 0 || sigismember(&pending, SIGUSR2) != 1) {
    return 1;
  }
  siginfo_t found;
  if (sigwaitinfo(&ours, &found) != SIGUSR2 || found.si_pid != getpid()) {
    return 2;
  }
  target_stop_sampling();
  return 0;
}

/// Reports errno after a signal was deferred.
static void *wait_to_block(void *argument) {
  errno = ENOTUNIQ;
  while (!target_really_blocks(SIGUSR2)) {
    continue;
  }
  *(int *)argument = errno;
  return argument;
}

/// Sends the signal to a thread that is not the first one and that must keep its errno. Such a
/// thread may not repeat the signal with its sender, so the agent's first attempt fails.
int run_masked_errno(void) {
  sigset_t ours;
  begin_blocking(&ours);
  pthread_t thread;
  int found = 0;
  pthread_create(&thread, NULL, wait_to_block, &found);
  target_burn_sampled(20);
  // By a system call this thread really blocks the signal, so that the other thread gets it.
  uint64_t mask = UINT64_C(1) << (SIGUSR2 - 1);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, sizeof mask);
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  target_stop_sampling();
  return found == ENOTUNIQ ? 0 : 1;
}

/// Reads its signals from a descriptor while its threads have asked to block them.
int run_masked_described(void) {
  sigset_t ours;
  pthread_t thread = begin_masked(&ours);
  int file = signalfd(-1, &ours, SFD_CLOEXEC);
  struct sigaction action;
  if (sigaction(SIGUSR2, NULL, &action) != 0 || action.sa_handler != SIG_DFL) {
    return 1;
  }
  for (int round = 0; round < 3; round++) {
    // In a thread to which the signal is let through, the default action would end the process.
    kill(getpid(), SIGUSR2);
    struct signalfd_siginfo found;
    if (read(file, &found, sizeof found) != sizeof found) {
      return 2;
    }
    if (found.ssi_signo != SIGUSR2 || found.ssi_pid != (uint32_t)getpid()) {
      return 3;
    }
  }
  struct pollfd request = {file, POLLIN, 0};
  if (poll(&request, 1, 0) != 0) {
    return 4;
  }
  pthread_join(thread, NULL);
  pid_t child = fork();
  if (child == 0) {
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
    raise(SIGUSR2);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || WTERMSIG(status) != SIGUSR2) {
    return 5;
  }
  target_stop_sampling();
  // No thread blocks the signal any more, so its default action ends the program.
  sigprocmask(SIG_UNBLOCK, &ours, NULL);
  raise(SIGUSR2);
  return 6;
}

static void *receive(void *argument) {
  const struct timespec moment = {0, 2000000};
  sigset_t during;
  pthread_sigmask(SIG_BLOCK, NULL, &during);
  sigdelset(&during, SIGUSR2);
  // The signal can come only during the wait, or before it.
  while (handled == 0) {
    target_burn(1);
    ppoll(NULL, 0, &moment, &during);
  }
  return argument;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// Begins to handle the signal after a thread has asked to block it.
int run_masked_taken(void) {
  sigset_t ours;
  begin_blocking(&ours);
  target_burn_sampled(50);
  struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART}, before, after;
  if (sigaction(SIGUSR2, &action, &before) != 0 || before.sa_handler != SIG_DFL) {
    return 1;
  }
  if (sigaction(SIGUSR2, NULL, &after) != 0 || after.sa_handler != count_signal ||
      after.sa_flags & SA_SIGINFO) {
    return 2;
  }
  if (siginterrupt(SIGUSR2, 1) != 0 || sigaction(SIGUSR2, NULL, &after) != 0) {
    return 10;
  }
  if (after.sa_handler != count_signal || after.sa_flags & SA_RESTART) {
    return 11;
  }
  kill(getpid(), SIGUSR2);
  target_burn(20);
  if (handled != 0) {
    return 3;
  }
  if (!target_believes_to_block(SIGUSR2)) {
    return 4;
  }
  sigprocmask(SIG_UNBLOCK, &ours, NULL);
  if (handled != 1) {
    return 5;
  }
  handled = 0;
  sigprocmask(SIG_BLOCK, &ours, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, receive, NULL);
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  if (handled != 1) {
    return 6;
  }
  if (signal(SIGUSR2, SIG_IGN) != count_signal || signal(SIGUSR2, SIG_DFL) != SIG_IGN) {
    return 7;
  }
  if (signal(SIGUSR2, count_signal) != SIG_DFL) {
    return 8;
  }
  pid_t child = fork();
  if (child == 0) {
    _exit(signal(SIGUSR2, SIG_DFL) == count_signal ? 0 : 1);
  }
  if (!target_succeeds(child)) {
    return 9;
  }
  target_stop_sampling();
  return 0;
}
#pragma GCC diagnostic pop

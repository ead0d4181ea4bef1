/// Threads that block the signal that they are sampled with, SIGUSR2, and what inherits their masks.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

/// What the calling thread really blocks.
static uint64_t real_mask(void) {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
  return mask;
}

static bool really_blocks(int signal) { return real_mask() >> (signal - 1) & 1; }

/// Whether the calling thread believes that it blocks a signal, by both ways to ask.
static bool believes_to_block(int signal) {
  sigset_t first, second;
  sigemptyset(&first);
  sigemptyset(&second);
  pthread_sigmask(SIG_BLOCK, NULL, &first);
  sigprocmask(SIG_SETMASK, NULL, &second);
  if (sigismember(&first, signal) != sigismember(&second, signal)) abort();
  return sigismember(&first, signal) == 1;
}

static sigset_t all_but_alarm(void) {
  sigset_t set;
  sigfillset(&set);
  sigdelset(&set, SIGALRM);
  return set;
}

static void *burn_and_look(void *argument) {
  target_burn_sampled(20);
  *(bool *)argument = believes_to_block(SIGUSR2);
  return argument;
}

/// Whether a thread that is made here believes to block the signal.
static bool thread_believes(const pthread_attr_t *attributes) {
  pthread_t thread;
  bool believes = false;
  pthread_create(&thread, attributes, burn_and_look, &believes);
  pthread_join(thread, NULL);
  return believes;
}

/// Says 0 when the process that it is begins with the signal blocked.
int run_masks_inherited(void) { return really_blocks(SIGUSR2) ? 0 : 1; }

static bool is_inherited_by(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// Whether processes that are started here, in all ways, block the signal.
static bool processes_block(void) {
  extern char **environ;
  char *words[] = {"target", "masks-inherited", NULL};
  char command[64], path[256] = {0};
  pid_t child = 0;
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) != 0) return false;
  if (!is_inherited_by(child)) return false;
  if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0) return false;
  snprintf(command, sizeof command, "exec '%s' masks-inherited", path);
  if (system(command) != 0) return false;
  FILE *pipe = popen(command, "r");
  if (!pipe || pclose(pipe) != 0) return false;
  if ((child = vfork()) == 0) {
    execv("/proc/self/exe", words);
    _exit(9);
  }
  if (!is_inherited_by(child)) return false;
  if ((child = vfork()) == 0) {
    // What the child does to its mask is none of its parent's business.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv("/proc/self/exe", words);
    _exit(9);
  }
  if (is_inherited_by(child)) return false;
  if ((child = fork()) == 0) _exit(really_blocks(SIGUSR2) && believes_to_block(SIGUSR2) ? 0 : 1);
  return is_inherited_by(child);
}

int run_masked(void) {
  sigset_t all = all_but_alarm(), before, none, ours;
  sigemptyset(&none);
  sigemptyset(&ours);
  sigaddset(&ours, SIGUSR2);
  target_start_sampling();
  if (believes_to_block(SIGUSR2) || thread_believes(NULL)) return 1;
  sigfillset(&before);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0 || sigismember(&before, SIGUSR2)) return 2;
  if (!believes_to_block(SIGUSR2) || really_blocks(SIGUSR2) || !really_blocks(SIGUSR1)) return 3;
  if (!thread_believes(NULL)) return 4;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setsigmask_np(&attributes, &none);
  if (thread_believes(&attributes)) return 5;
  if (!processes_block()) return 6;
  if (!believes_to_block(SIGUSR2) || really_blocks(SIGUSR2)) return 7;
  // Each way to change one's mind.
  if (sigprocmask(99, &none, NULL) == 0 || !believes_to_block(SIGUSR2)) return 8;
  if (sigprocmask(SIG_UNBLOCK, &ours, NULL) != 0 || believes_to_block(SIGUSR2)) return 9;
  if (sigprocmask(SIG_BLOCK, &ours, &before) != 0 || sigismember(&before, SIGUSR2)) return 10;
  if (sigprocmask(SIG_SETMASK, &none, &before) != 0 || !sigismember(&before, SIGUSR2)) return 11;
  if (believes_to_block(SIGUSR2)) return 12;
  pthread_attr_setsigmask_np(&attributes, &all);
  if (!thread_believes(&attributes)) return 13;
  target_stop_sampling();
  return 0;
}

/// Two programs in one process; the second begins with the mask of the first.
int run_exec_masked(void) {
  target_resume_sampling();
  if (target_word(2)) {
    target_say("believes", believes_to_block(SIGUSR2));
    target_burn_sampled(50);
    target_say("really", really_blocks(SIGUSR2));
    target_stop_sampling();
    return 0;
  }
  sigset_t all = all_but_alarm();
  char *words[] = {"target", "exec-masked", "again", NULL};
  sigprocmask(SIG_SETMASK, &all, NULL);
  execv("/nonexistent/program", words);
  target_burn(20);
  execv("/proc/self/exe", words);
  return 9;
}

static volatile sig_atomic_t handled;
static void count_signal(int signal) {
  (void)signal;
  handled++;
}

/// A program with a profiler of its own.
int run_own_timer(void) {
  struct itimerval often = {{0, 10000}, {0, 10000}}, never = {0};
  signal(SIGPROF, count_signal);
  target_start_sampling();
  setitimer(ITIMER_PROF, &often, NULL);
  while (handled < 20) target_burn(1);
  target_burn_sampled(50);
  setitimer(ITIMER_PROF, &never, NULL);
  target_stop_sampling();
  return 0;
}

static void *burn_long(void *argument) {
  target_burn(100);
  return argument;
}

/// Keeps the mask that it is called with, as libraries do that block a signal for a moment.
static void keep_mask(int signal) {
  (void)signal;
  sigset_t moment, before;
  sigemptyset(&moment);
  sigaddset(&moment, SIGCHLD);
  sigprocmask(SIG_BLOCK, &moment, &before);
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (sigismember(&before, SIGUSR2) && really_blocks(SIGUSR2)) handled++;
}

/// A handler during which the signal is blocked, and that saves and restores its mask.
int run_masked_handler(void) {
  struct sigaction action = {.sa_handler = keep_mask};
  action.sa_mask = all_but_alarm();
  if (sigaction(SIGUSR1, &action, NULL) != 0) return 1;
  target_start_sampling();
  for (int round = 1; round <= 3; round++) {
    raise(SIGUSR1);
    if (handled != round) return 2;
    if (believes_to_block(SIGUSR2) || really_blocks(SIGUSR2)) return 3;
  }
  target_burn_sampled(20);
  target_stop_sampling();
  return 0;
}

/// Begins sampling with SIGUSR2, which this thread and those that it makes believe that they block.
static void begin_blocking(sigset_t *ours) {
  sigemptyset(ours);
  sigaddset(ours, SIGUSR2);
  target_start_sampling();
  sigprocmask(SIG_BLOCK, ours, NULL);
}

/// Begins that, and returns a thread that works.
static pthread_t begin_masked(sigset_t *ours) {
  begin_blocking(ours);
  pthread_t thread;
  pthread_create(&thread, NULL, burn_long, NULL);
  target_burn_sampled(50);
  return thread;
}

/// A signal that the program sends itself while all its threads block it, and takes when it wants to.
int run_masked_pending(void) {
  sigset_t ours, pending;
  pthread_t thread = begin_masked(&ours);
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  if (sigpending(&pending) != 0 || sigismember(&pending, SIGUSR2) != 1) return 1;
  siginfo_t found;
  if (sigwaitinfo(&ours, &found) != SIGUSR2 || found.si_pid != getpid()) return 2;
  target_stop_sampling();
  return 0;
}

/// What errno is when a signal has come that the thread believes to block.
static void *wait_to_block(void *argument) {
  errno = ENOTUNIQ;
  while (!really_blocks(SIGUSR2)) continue;
  *(int *)argument = errno;
  return argument;
}

/// A signal of the program's comes to a thread that is not its first one, which keeps its errno. That
/// thread may not say by whom it was sent, so that what it tries first fails.
int run_masked_errno(void) {
  sigset_t ours;
  begin_blocking(&ours);
  pthread_t thread;
  int found = 0;
  pthread_create(&thread, NULL, wait_to_block, &found);
  target_burn_sampled(20);
  // By a system call of its own it blocks it in truth, so that the other one gets it.
  uint64_t mask = UINT64_C(1) << (SIGUSR2 - 1);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, sizeof mask);
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  target_stop_sampling();
  return found == ENOTUNIQ ? 0 : 1;
}

/// Reads its signals from a descriptor, when threads believe that they block them.
int run_masked_described(void) {
  sigset_t ours;
  pthread_t thread = begin_masked(&ours);
  int file = signalfd(-1, &ours, SFD_CLOEXEC);
  struct sigaction action;
  if (sigaction(SIGUSR2, NULL, &action) != 0 || action.sa_handler != SIG_DFL) return 1;
  for (int round = 0; round < 3; round++) {
    // By default it would end the process, if it came to a thread that only believes.
    kill(getpid(), SIGUSR2);
    struct signalfd_siginfo found;
    if (read(file, &found, sizeof found) != sizeof found) return 2;
    if (found.ssi_signo != SIGUSR2 || found.ssi_pid != (uint32_t)getpid()) return 3;
  }
  struct pollfd request = {file, POLLIN, 0};
  if (poll(&request, 1, 0) != 0) return 4;
  pthread_join(thread, NULL);
  pid_t child = fork();
  if (child == 0) {
    sigprocmask(SIG_UNBLOCK, &ours, NULL);
    raise(SIGUSR2);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || WTERMSIG(status) != SIGUSR2) return 5;
  target_stop_sampling();
  // Nobody blocks it any more, so it does what it does by default.
  sigprocmask(SIG_UNBLOCK, &ours, NULL);
  raise(SIGUSR2);
  return 6;
}

static void *receive(void *argument) {
  const struct timespec moment = {0, 2000000};
  sigset_t during;
  pthread_sigmask(SIG_BLOCK, NULL, &during);
  sigdelset(&during, SIGUSR2);
  // Only while it waits; once for nothing at most, when the signal has come before.
  while (handled == 0) {
    target_burn(1);
    ppoll(NULL, 0, &moment, &during);
  }
  return argument;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// A program that begins to handle the signal when a thread of it has blocked it long since.
int run_masked_taken(void) {
  sigset_t ours;
  begin_blocking(&ours);
  target_burn_sampled(50);
  struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART}, before, after;
  if (sigaction(SIGUSR2, &action, &before) != 0 || before.sa_handler != SIG_DFL) return 1;
  if (sigaction(SIGUSR2, NULL, &after) != 0 || after.sa_handler != count_signal ||
      after.sa_flags & SA_SIGINFO)
    return 2;
  if (siginterrupt(SIGUSR2, 1) != 0 || sigaction(SIGUSR2, NULL, &after) != 0) return 10;
  if (after.sa_handler != count_signal || after.sa_flags & SA_RESTART) return 11;
  kill(getpid(), SIGUSR2);
  target_burn(20);
  if (handled != 0) return 3;
  if (!believes_to_block(SIGUSR2)) return 4;
  sigprocmask(SIG_UNBLOCK, &ours, NULL);
  if (handled != 1) return 5;
  handled = 0;
  sigprocmask(SIG_BLOCK, &ours, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, receive, NULL);
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  if (handled != 1) return 6;
  if (signal(SIGUSR2, SIG_IGN) != count_signal || signal(SIGUSR2, SIG_DFL) != SIG_IGN) return 7;
  if (signal(SIGUSR2, count_signal) != SIG_DFL) return 8;
  pid_t child = fork();
  if (child == 0) _exit(signal(SIGUSR2, SIG_DFL) == count_signal ? 0 : 1);
  if (!is_inherited_by(child)) return 9;
  target_stop_sampling();
  return 0;
}
#pragma GCC diagnostic pop

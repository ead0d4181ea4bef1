/// Threads that block the sampling signal, SIGUSR2, and the masks that children and programs
/// inherit.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

/// Returns the calling thread's real mask.
static uint64_t real_mask(void) {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
  return mask;
}

bool target_really_blocks(int signal) {
  return real_mask() >> (signal - 1) & 1;
}

bool target_believes_to_block(int signal) {
  sigset_t first, second;
  sigemptyset(&first);
  sigemptyset(&second);
  pthread_sigmask(SIG_BLOCK, NULL, &first);
  sigprocmask(SIG_SETMASK, NULL, &second);
  if (sigismember(&first, signal) != sigismember(&second, signal)) {
    abort();
  }
  return sigismember(&first, signal) == 1;
}

sigset_t target_all_but_alarm(void) {
  sigset_t set;
  sigfillset(&set);
  sigdelset(&set, SIGALRM);
  return set;
}

static void *burn_and_look(void *argument) {
  target_burn_sampled(20);
  *(bool *)argument = target_believes_to_block(SIGUSR2);
  return argument;
}

/// Returns whether a thread that is started here finds the signal blocked.
static bool thread_believes(const pthread_attr_t *attributes) {
  pthread_t thread;
  bool believes = false;
  pthread_create(&thread, attributes, burn_and_look, &believes);
  pthread_join(thread, NULL);
  return believes;
}

/// Returns 0 if the process has begun with the signal blocked.
int run_masks_inherited(void) {
  return target_really_blocks(SIGUSR2) ? 0 : 1;
}

bool target_succeeds(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// Returns whether children and programs that are started here block the signal.
static bool processes_block(void) {
  char *words[] = {"target", "masks-inherited", NULL};
  pid_t child = vfork();
  if (child == 0) {
    execv("/proc/self/exe", words);
    _exit(9);
  }
  if (!target_succeeds(child)) {
    return false;
  }
  if ((child = vfork()) == 0) {
    // The child's change of its mask must not change its parent's.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv("/proc/self/exe", words);
    _exit(9);
  }
  if (target_succeeds(child)) {
    return false;
  }
  if ((child = fork()) == 0) {
    _exit(target_really_blocks(SIGUSR2) && target_believes_to_block(SIGUSR2) ? 0 : 1);
  }
  return target_succeeds(child);
}

int run_masked(void) {
  sigset_t all = target_all_but_alarm(), before, none, ours;
  sigemptyset(&none);
  sigemptyset(&ours);
  sigaddset(&ours, SIGUSR2);
  target_start_sampling();
  if (target_believes_to_block(SIGUSR2) || thread_believes(NULL)) {
    return 1;
  }
  sigfillset(&before);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0 || sigismember(&before, SIGUSR2)) {
    return 2;
  }
  if (!target_believes_to_block(SIGUSR2) || target_really_blocks(SIGUSR2) ||
      !target_really_blocks(SIGUSR1)) {
    return 3;
  }
  if (!thread_believes(NULL)) {
    return 4;
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setsigmask_np(&attributes, &none);
  if (thread_believes(&attributes)) {
    return 5;
  }
  if (!processes_block()) {
    return 6;
  }
  if (!target_believes_to_block(SIGUSR2) || target_really_blocks(SIGUSR2)) {
    return 7;
  }
  // Each way to change the mask.
  if (sigprocmask(99, &none, NULL) == 0 || !target_believes_to_block(SIGUSR2)) {
    return 8;
  }
  if (sigprocmask(SIG_UNBLOCK, &ours, NULL) != 0 || target_believes_to_block(SIGUSR2)) {
    return 9;
  }
  if (sigprocmask(SIG_BLOCK, &ours, &before) != 0 || sigismember(&before, SIGUSR2)) {
    return 10;
  }
  if (sigprocmask(SIG_SETMASK, &none, &before) != 0 || !sigismember(&before, SIGUSR2)) {
    return 11;
  }
  if (target_believes_to_block(SIGUSR2)) {
    return 12;
  }
  pthread_attr_setsigmask_np(&attributes, &all);
  if (!thread_believes(&attributes)) {
    return 13;
  }
  target_stop_sampling();
  return 0;
}

/// Replaces itself; the second program begins with the mask of the first.
int run_exec_masked(void) {
  target_resume_sampling();
  if (target_word(2)) {
    target_say("believes", target_believes_to_block(SIGUSR2));
    target_burn_sampled(50);
    target_say("really", target_really_blocks(SIGUSR2));
    target_stop_sampling();
    return 0;
  }
  sigset_t all = target_all_but_alarm();
  char *words[] = {"target", "exec-masked", "again", NULL};
  sigprocmask(SIG_SETMASK, &all, NULL);
  execv("/nonexistent/program", words);
  target_burn(20);
  execv("/proc/self/exe", words);
  return 9;
}

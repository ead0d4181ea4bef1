/// Restricted programs that fork, or that run in real time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

/// Calls a function in a child at once, and lives for longer than it takes to follow the child.
/// Returns the child's wait status.
static int do_in_child(int (*act)(void)) {
  pid_t child = fork();
  if (child == 0) {
    int code = act();
    usleep(50000);
    _exit(code);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int run_capable_child(void) {
  return do_in_child(target_change_rights) != 0;
}

int run_filtered_child(void) {
  return do_in_child(target_refuse_calls) != 0;
}

static _Atomic uint32_t wanted_id;
static _Atomic int has_wanted_id;

static void *stay_with_id(void *argument) {
  bool is_wanted = (uint32_t)syscall(SYS_gettid) == wanted_id;
  has_wanted_id = is_wanted ? 1 : -1;
  while (is_wanted) {
    pause();
  }
  return argument;
}

static void end_process(int signal) {
  _exit(signal);
}

/// Gives the id of the thread that would follow the child to another thread, and changes its
/// capabilities. In its own namespace, as it changes the machine's thread ids.
static int change_rights_beside_id(void) {
  // The first process of a namespace ignores signals without a handler.
  signal(SIGALRM, end_process);
  alarm(60);
  if (getpid() != 1) {
    return 1;
  }
  wanted_id = 2;
  while (syscall(SYS_tgkill, getpid(), wanted_id, 0) == 0) {
    sched_yield();
  }
  int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  // Without this file there is nothing to test.
  if (file < 0) {
    return 0;
  }
  pthread_t thread;
  if (pwrite(file, "1", 1, 0) != 1) {
    return 0;
  }
  if (pthread_create(&thread, NULL, stay_with_id, NULL) != 0) {
    return 2;
  }
  while (has_wanted_id == 0) {
    sched_yield();
  }
  if (has_wanted_id != 1) {
    return 3;
  }
  return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || seteuid(0) != 0 ? 4 : 0;
}

int run_renamed_child(void) {
  if (unshare(CLONE_NEWPID) != 0) {
    return 0;
  }
  return do_in_child(change_rights_beside_id) != 0;
}

/// Changes its capabilities as a real-time thread on the ticker's CPU, and reports the CPU time
/// that this took. Returns 77 if the machine does not permit real time.
int run_real_time(void) {
  cpu_set_t all, one;
  const struct sched_param urgent = {.sched_priority = 1}, usual = {.sched_priority = 0};
  target_start_sampling();
  target_burn(20);
  uint32_t ticker = target_find_ticker();
  if (ticker == 0 || sched_getaffinity(0, sizeof all, &all) != 0) {
    return 1;
  }
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0 ||
      sched_setaffinity((pid_t)ticker, sizeof one, &one) != 0) {
    return 1;
  }
  if (sched_setscheduler(0, SCHED_FIFO, &urgent) != 0) {
    return 77;
  }
  struct timespec began, ended;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || seteuid(0) != 0) {
    return 2;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
  target_say("taken",
             (double)(ended.tv_sec - began.tv_sec) * 1e9 + (double)(ended.tv_nsec - began.tv_nsec));
  if (sched_setscheduler(0, SCHED_OTHER, &usual) != 0) {
    return 3;
  }
  if (sched_setaffinity(0, sizeof all, &all) != 0) {
    return 3;
  }
  target_stop_sampling();
  return 0;
}

/// Programs that take the signal by which they are sampled.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

static volatile sig_atomic_t handled;
static void count_signal(int signal) {
  (void)signal;
  handled++;
}

/// Takes the signal before sampling begins.
int run_handled(void) {
  signal(SIGPROF, count_signal);
  target_start_sampling();
  target_burn(200);
  target_stop_sampling();
  target_say("handled", handled);
  return 0;
}

/// Takes the signal while it is sampled. Until then it finds the default action.
int run_replaced(void) {
  target_start_sampling();
  target_burn_sampled(20);
  struct sigaction before;
  if (sigaction(SIGPROF, NULL, &before) != 0 || before.sa_handler != SIG_DFL) {
    return 1;
  }
  // As libraries do that restore the action.
  if (sigaction(SIGPROF, &before, NULL) != 0) {
    return 2;
  }
  target_say("samples.before", (double)atomic_load(&target_segment()->audit.samples_written));
  target_burn_sampled(20);
  target_say("samples.after", (double)atomic_load(&target_segment()->audit.samples_written));
  if (signal(SIGPROF, count_signal) != SIG_DFL) {
    return 3;
  }
  target_burn(200);
  target_say("handled.later", handled);
  raise(SIGPROF);
  if (handled != 1) {
    return 4;
  }
  if (signal(SIGPROF, SIG_DFL) != count_signal) {
    return 5;
  }
  target_burn(50);
  target_stop_sampling();
  return 0;
}

/// Waits until the agent has detected that the program has taken the signal.
static void await_detection(void) {
  while (!atomic_load(&target_segment()->audit.foreign_handler)) {
    target_burn(1);
  }
  // A signal that was sent before the detection arrives at the end of a system call at the latest.
  syscall(SYS_getppid);
}

/// Takes the signal by a system call, which the agent does not see.
int run_replaced_raw(void) {
  target_start_sampling();
  target_burn_sampled(20);
  // The kernel's own structure; the handler is the first word on each architecture.
  struct {
    void *handler;
    unsigned long words[8];
  } action = {0};
  if (syscall(SYS_rt_sigaction, SIGPROF, NULL, &action, 8) != 0) {
    return 1;
  }
  action.handler = (void *)count_signal;
  if (syscall(SYS_rt_sigaction, SIGPROF, &action, NULL, 8) != 0) {
    return 2;
  }
  await_detection();
  int seen = handled;
  target_burn(200);
  target_say("handled.later", handled - seen);
  target_stop_sampling();
  return 0;
}

/// Takes the signal by `signal` as it is for a program that asks for POSIX alone: a second signal
/// of the agent would end the program.
int run_replaced_sysv(void) {
  extern sighandler_t __sysv_signal(int, sighandler_t);
  target_start_sampling();
  target_burn_sampled(20);
  __sysv_signal(SIGPROF, count_signal);
  target_burn(100);
  if (handled != 0) {
    return 1;
  }
  raise(SIGPROF);
  target_stop_sampling();
  return handled == 1 ? 0 : 2;
}

// Obsolete functions, which the agent does not interpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int replace_by(sighandler_t (*replace)(int, sighandler_t)) {
  target_start_sampling();
  target_burn_sampled(20);
  replace(SIGPROF, count_signal);
  await_detection();
  int seen = handled;
  target_burn(100);
  raise(SIGPROF);
  target_stop_sampling();
  return handled == seen + 1 ? 0 : 1;
}

int run_replaced_set(void) {
  return replace_by(sigset);
}
int run_replaced_bsd(void) {
  return replace_by(ssignal);
}

int run_replaced_ignored(void) {
  target_start_sampling();
  target_burn_sampled(20);
  if (sigignore(SIGPROF) != 0) {
    return 1;
  }
  await_detection();
  raise(SIGPROF);
  target_stop_sampling();
  return 0;
}

/// Has every handler end the system call that it interrupts.
int run_interrupting(void) {
  target_start_sampling();
  target_burn_sampled(20);
  for (int signal = 1; signal < 32; signal++) {
    siginterrupt(signal, 1);
  }
  await_detection();
  if (signal(SIGPROF, count_signal) != SIG_DFL) {
    return 1;
  }
  raise(SIGPROF);
  target_stop_sampling();
  return handled == 1 ? 0 : 2;
}
#pragma GCC diagnostic pop

/// Takes one of the agent's signals by system calls, which the agent does not see, and sends it to
/// itself again after the agent has given it up.
int run_late(void) {
  _Atomic uint64_t *sent = &target_segment()->audit.signals_sent;
  uint64_t ours = UINT64_C(1) << (SIGPROF - 1), before;
  const struct timespec at_once = {0, 0};
  siginfo_t late;
  target_start_sampling();
  if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &ours, &before, 8) != 0) {
    return 1;
  }
  while (syscall(SYS_rt_sigtimedwait, &ours, &late, &at_once, 8) != SIGPROF) {
    target_burn(1);
  }
  if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8) != 0) {
    return 2;
  }
  for (uint64_t enough = atomic_load(sent) + 20; atomic_load(sent) < enough;) {
    target_burn(1);
  }
  long tid = syscall(SYS_gettid);
  for (unsigned round = 0; round < 5; round++) {
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGPROF, &late) != 0) {
      return 3;
    }
  }
  target_stop_sampling();
  return 0;
}

/// Reads its signals from a descriptor, by which it must get none of the agent's.
int run_described(void) {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGPROF);
  target_start_sampling();
  target_burn(50);
  sigprocmask(SIG_BLOCK, &ours, NULL);
  target_burn(20);
  struct signalfd_siginfo found;
  int file = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
  target_burn(100);
  if (read(file, &found, sizeof found) != -1 || errno != EAGAIN) {
    return 1;
  }
  kill(getpid(), SIGPROF);
  if (read(file, &found, sizeof found) != sizeof found) {
    return 2;
  }
  if (found.ssi_signo != SIGPROF || found.ssi_code != SI_USER) {
    return 3;
  }
  if (found.ssi_pid != (uint32_t)getpid()) {
    return 4;
  }
  if (read(file, &found, sizeof found) != -1 || errno != EAGAIN) {
    return 5;
  }
  target_stop_sampling();
  return 0;
}

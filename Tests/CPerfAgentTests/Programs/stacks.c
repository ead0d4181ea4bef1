/// Stacks that are hard to read, and signals that are somebody else's.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "target.h"

__attribute__((noinline)) static uint64_t descend(unsigned depth) {
  volatile uint64_t room[16];
  if (depth == 0) target_burn_sampled(100);
  room[depth % 16] = depth == 0 ? 1 : descend(depth - 1);
  return room[depth % 16] + 1;
}

int run_deep(void) {
  target_start_sampling();
  descend(200);
  target_stop_sampling();
  return 0;
}

static void burn_in_handler(int signal) {
  (void)signal;
  target_burn_sampled(100);
}

/// Works in a signal handler on an alternate stack, and beside it.
int run_alternate(void) {
  stack_t alternate = {.ss_sp = malloc(64 * 1024), .ss_size = 64 * 1024};
  if (!alternate.ss_sp || sigaltstack(&alternate, NULL) != 0) return 1;
  struct sigaction action = {.sa_handler = burn_in_handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  target_say("alternate.low", (double)(uintptr_t)alternate.ss_sp);
  target_start_sampling();
  raise(SIGUSR1);
  target_burn_sampled(20);
  target_stop_sampling();
  return 0;
}

static ucontext_t back, other;

static void coroutine(void) { target_burn_sampled(100); }

/// Works on a stack that neither the kernel nor pthread knows, right below unreadable memory.
int run_coroutine(void) {
  size_t bytes = 16 * 4096;
  char *stack = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack + bytes, 4096, PROT_NONE) != 0) return 1;
  getcontext(&other);
  other.uc_stack.ss_sp = stack;
  other.uc_stack.ss_size = bytes;
  other.uc_link = &back;
  makecontext(&other, coroutine, 0);
  target_say("coroutine.high", (double)(uintptr_t)(stack + bytes));
  target_start_sampling();
  swapcontext(&back, &other);
  target_stop_sampling();
  return 0;
}

static volatile sig_atomic_t handled;
static void count_signal(int signal) {
  (void)signal;
  handled++;
}

/// Uses the signal itself before the agent does.
int run_handled(void) {
  signal(SIGPROF, count_signal);
  target_start_sampling();
  target_burn(200);
  target_stop_sampling();
  target_say("handled", handled);
  return 0;
}

/// Takes the signal away from the agent, which it cannot see: by default is what it finds.
int run_replaced(void) {
  target_start_sampling();
  target_burn_sampled(20);
  struct sigaction before;
  if (sigaction(SIGPROF, NULL, &before) != 0 || before.sa_handler != SIG_DFL) return 1;
  // As libraries do that leave no trace.
  if (sigaction(SIGPROF, &before, NULL) != 0) return 2;
  target_say("samples.before", (double)atomic_load(&target_segment()->audit.samples_written));
  target_burn_sampled(20);
  target_say("samples.after", (double)atomic_load(&target_segment()->audit.samples_written));
  if (signal(SIGPROF, count_signal) != SIG_DFL) return 3;
  target_burn(200);
  target_say("handled.later", handled);
  raise(SIGPROF);
  if (handled != 1) return 4;
  if (signal(SIGPROF, SIG_DFL) != count_signal) return 5;
  target_burn(50);
  target_stop_sampling();
  return 0;
}

/// Handles the signal by a system call of its own, which nobody can stand before.
int run_replaced_raw(void) {
  target_start_sampling();
  target_burn_sampled(20);
  // The kernel's own structure; the handler is the first word on each architecture.
  struct {
    void *handler;
    unsigned long words[8];
  } action = {0};
  if (syscall(SYS_rt_sigaction, SIGPROF, NULL, &action, 8) != 0) return 1;
  action.handler = (void *)count_signal;
  if (syscall(SYS_rt_sigaction, SIGPROF, &action, NULL, 8) != 0) return 2;
  // 50 ms of wall time are at most 50 ms of CPU time: the agent looks again within this work.
  while (!atomic_load(&target_segment()->audit.foreign_handler)) target_burn(1);
  int seen = handled;
  target_burn(200);
  target_say("handled.later", handled - seen);
  target_stop_sampling();
  return 0;
}

static int replace_by(sighandler_t (*replace)(int, sighandler_t)) {
  target_start_sampling();
  target_burn_sampled(20);
  replace(SIGPROF, count_signal);
  target_burn(100);
  if (handled != 0) return 1;
  raise(SIGPROF);
  target_stop_sampling();
  return handled == 1 ? 0 : 2;
}

/// As `signal` is for a program that asks for no more than POSIX: a second signal would end it.
int run_replaced_sysv(void) { return replace_by(sysv_signal); }
int run_replaced_bsd(void) { return replace_by(ssignal); }

// Programs of the last century use these.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int run_replaced_set(void) { return replace_by(sigset); }
int run_replaced_ignored(void) {
  target_start_sampling();
  target_burn_sampled(20);
  if (sigignore(SIGPROF) != 0) return 1;
  target_burn(100);
  raise(SIGPROF);
  target_stop_sampling();
  return 0;
}
#pragma GCC diagnostic pop

/// Holds one of the agent's signals back, by system calls that nobody can stand before, until the agent has
/// given it up and sends others.
int run_late(void) {
  _Atomic uint64_t *sent = &target_segment()->audit.signals_sent;
  uint64_t ours = UINT64_C(1) << (SIGPROF - 1), before;
  const struct timespec at_once = {0, 0};
  siginfo_t late;
  target_start_sampling();
  if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &ours, &before, 8) != 0) return 1;
  while (syscall(SYS_rt_sigtimedwait, &ours, &late, &at_once, 8) != SIGPROF) target_burn(1);
  if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8) != 0) return 2;
  for (uint64_t enough = atomic_load(sent) + 20; atomic_load(sent) < enough;) target_burn(1);
  long tid = syscall(SYS_gettid);
  for (unsigned round = 0; round < 5; round++)
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGPROF, &late) != 0) return 3;
  target_stop_sampling();
  return 0;
}

/// Reads its signals from a descriptor: all that are pending, and so there must be none of the agent's.
int run_described(void) {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGPROF);
  target_start_sampling();
  target_burn(50);
  sigprocmask(SIG_BLOCK, &ours, NULL);
  // Those that the ticker sends from here on stay pending.
  target_burn(20);
  struct signalfd_siginfo found;
  int file = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
  target_burn(100);
  if (read(file, &found, sizeof found) != -1 || errno != EAGAIN) return 1;
  kill(getpid(), SIGPROF);
  if (read(file, &found, sizeof found) != sizeof found) return 2;
  if (found.ssi_signo != SIGPROF || found.ssi_code != SI_USER) return 3;
  if (found.ssi_pid != (uint32_t)getpid()) return 4;
  if (read(file, &found, sizeof found) != -1 || errno != EAGAIN) return 5;
  target_stop_sampling();
  return 0;
}

static _Atomic int stage;

/// Waits for any signal, as programs do that have a thread for them, and must get its own alone.
static bool await_signals(int *found) {
  sigset_t all;
  sigfillset(&all);
  for (unsigned round = 0; round < 3; round++) {
    stage = (int)round;
    // Signals of the agent that come now stay pending until somebody waits for them.
    target_await_pending(SIGPROF);
    const struct timespec moment = {0, 2000000};
    siginfo_t information;
    if (round == 0 && sigtimedwait(&all, &information, &moment) >= 0) return false;
    if (round == 1 && sigwaitinfo(&all, &information) != SIGUSR1) return false;
    if (round == 2 && (sigwait(&all, found) != 0 || *found != SIGUSR2)) return false;
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
  sigdelset(&all, SIGALRM);  // A hang shall end.
  pthread_t thread;
  void *result = NULL;
  target_start_sampling();
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_create(&thread, NULL, run_signal_thread, &found);
  while (stage < 1) usleep(1000);
  pthread_kill(thread, SIGUSR1);
  while (stage < 2) usleep(1000);
  pthread_kill(thread, SIGUSR2);
  pthread_join(thread, &result);
  target_stop_sampling();
  return result == &found ? 0 : 1;
}

static sigset_t all_but_alarm(void) {
  sigset_t set;
  sigfillset(&set);
  sigdelset(&set, SIGALRM);  // A hang shall end.
  return set;
}

/// Looks at what is pending and waits for that, as programs do that never want to wait for nothing.
int run_pending(void) {
  sigset_t all = all_but_alarm(), pending;
  target_start_sampling();
  sigprocmask(SIG_SETMASK, &all, NULL);
  for (unsigned round = 0; round < 20; round++) {
    target_await_pending(SIGPROF);
    errno = ENOTUNIQ;
    if (sigpending(&pending) != 0 || sigismember(&pending, SIGPROF)) return 1;
    if (errno != ENOTUNIQ) return 2;
  }
  target_await_pending(SIGPROF);
  int found = 0;
  raise(SIGUSR1);
  if (sigpending(&pending) != 0 || sigismember(&pending, SIGUSR1) != 1) return 3;
  if (sigwait(&pending, &found) != 0 || found != SIGUSR1) return 4;
  target_stop_sampling();
  return 0;
}

/// Waits for no time with the signals that a mask lets through. Returns what the wait does.
static int wait_open(unsigned way, int events, const sigset_t *open) {
  const struct timespec at_once = {0, 0};
  struct epoll_event event;
  switch (way) {
    case 0: return ppoll(NULL, 0, &at_once, open);
    case 1: return pselect(0, NULL, NULL, NULL, &at_once, open);
    case 2: return epoll_pwait(events, &event, 1, 1, open);
    default: return epoll_pwait2(events, &event, 1, &(struct timespec){0, 1000000}, open);
  }
}

static sigjmp_buf place;
static void jump(int signal) { siglongjmp(place, signal); }

/// Blocks all signals while it works and opens them while it waits: only a handler of its own ends a wait.
int run_opened(void) {
  sigset_t all = all_but_alarm(), before;
  int events = epoll_create1(EPOLL_CLOEXEC);
  signal(SIGUSR1, count_signal);
  target_start_sampling();
  sigprocmask(SIG_SETMASK, &all, &before);
  for (unsigned round = 0; round < 40; round++) {
    target_await_pending(SIGPROF);
    if (wait_open(round % 4, events, &before) != 0) return 1 + (int)(round % 4);
  }
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  const struct itimerspec soon = {.it_value = {0, 3000000}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 5;
  for (int round = 1; round <= 10; round++) {
    target_await_pending(SIGPROF);
    timer_settime(timer, 0, &soon, NULL);
    if (sigsuspend(&before) != -1 || errno != EINTR || handled != round) return 6;
  }
  // From a wait that never returns it goes on with the mask of the wait.
  signal(SIGUSR2, jump);
  raise(SIGUSR2);
  if (sigsetjmp(place, 0) == 0) sigsuspend(&before);
  target_burn_sampled(20);
  sigprocmask(SIG_SETMASK, &before, NULL);
  target_burn_sampled(50);
  target_stop_sampling();
  return 0;
}

/// Waits for a signal for as long as can be said.
int run_awaited_long(void) {
  sigset_t all = all_but_alarm();
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  const struct itimerspec soon = {.it_value = {0, 3000000}};
  const struct timespec long_time = {INT64_MAX, 0};
  target_start_sampling();
  sigprocmask(SIG_SETMASK, &all, NULL);
  target_await_pending(SIGPROF);
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return 1;
  timer_settime(timer, 0, &soon, NULL);
  if (sigtimedwait(&all, NULL, &long_time) != SIGUSR1) return 2;
  target_stop_sampling();
  return 0;
}

/// What the kernel does when a signal's handler has interrupted a call.
static bool restarts(int signal) {
  // The kernel's own structure: the handler, then the flags.
  unsigned long action[9] = {0};
  return syscall(SYS_rt_sigaction, signal, NULL, action, 8) == 0 && (action[1] & SA_RESTART) != 0;
}

// Programs of the last century use these.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// Lets each of its handlers end what it interrupts, once for all.
int run_interrupting(void) {
  struct sigaction action;
  target_start_sampling();
  for (int signal = 1; signal < 32; signal++) siginterrupt(signal, 1);
  if (!restarts(SIGPROF)) return 1;
  target_burn_sampled(20);
  if (signal(SIGPROF, count_signal) != SIG_DFL || restarts(SIGPROF)) return 2;
  if (siginterrupt(SIGPROF, 0) != 0 || !restarts(SIGPROF)) return 3;
  if (sigaction(SIGPROF, NULL, &action) != 0 || action.sa_handler != count_signal) return 4;
  target_stop_sampling();
  return 0;
}
#pragma GCC diagnostic pop

/// Gives up that the kernel keeps what is sent with a signal.
static bool allow_none_pending(void) {
  const struct rlimit none = {0, 0};
  return setrlimit(RLIMIT_SIGPENDING, &none) == 0;
}

int run_limited(void) { return allow_none_pending() ? run_strangers() : 2; }

int run_limited_awaited(void) { return allow_none_pending() ? run_awaited() : 2; }

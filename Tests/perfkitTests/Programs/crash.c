// Dies by a signal, before or after a handler of its own, or survives it, as the first argument says.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long steps;

__attribute__((noinline)) static void inner(const char *way) {
  if (strcmp(way, "early") == 0) *(volatile int *)16 = 1;
  // Some samples, so that the launch has a profile as well.
  for (long i = 0; i < 50000000; i++) steps += i;
  if (strstr("segv own report report_again", way)) *(volatile int *)16 = 1;
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "trap") == 0) __builtin_trap();
  if (strcmp(way, "raise") == 0) raise(SIGSEGV);
}

__attribute__((noinline)) static void outer(const char *way) {
  inner(way);
  steps++;
}

/// Calls itself until the stack is full.
__attribute__((noinline)) static long descend(long depth) {
  volatile long frame[8];
  frame[0] = depth;
  return descend(depth + 1) + frame[0];
}

/// As `descend`, with frames that are larger than a guard page.
__attribute__((noinline)) static long descend_far(long depth) {
  volatile long frame[1 << 17];
  frame[depth % 9] = depth;
  return descend_far(depth + 1) + frame[depth % 9];
}

/// As `descend`, for some tens of milliseconds, so that the profile has samples of it.
__attribute__((noinline)) static long descend_slowly(long depth) {
  volatile long frame[1 << 7];
  for (long step = 0; step < 5000; step++) frame[step % 9] = depth;
  return descend_slowly(depth + 1) + frame[0];
}

/// Calls through a null pointer, without a frame pointer.
__attribute__((noinline)) static void dispatch(void (*volatile *target)(void)) {
  (*target)();
  steps++;
}

static void *overflow(void *way) {
#ifdef SA_ONSTACK
  // Handlers cannot run on a full stack.
  if (!strstr(way, "plain")) {
    const stack_t own = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&own, NULL);
  }
#endif
  steps += strstr(way, "far") ? descend_far(0) : strstr(way, "slowly") ? descend_slowly(0) : descend(0);
  return NULL;
}

/// Overflows the stack of another thread.
static void overflow_thread(void *way) {
  pthread_t thread;
  pthread_create(&thread, NULL, overflow, way);
  pthread_join(thread, NULL);
}

static void handle(int number) {
  (void)number;
  _exit(3);
}

/// A crash reporter that repeats the fault.
static void report(int number) {
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  sigaction(number, &by_default, NULL);
}

/// A crash reporter that sends the signal again.
static void report_again(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "segv";
  if (strcmp(way, "own") == 0) signal(SIGSEGV, handle);
  if (strcmp(way, "report") == 0) signal(SIGSEGV, report);
  if (strcmp(way, "report_again") == 0) signal(SIGSEGV, report_again);
  if (strcmp(way, "look") == 0) {
    struct sigaction action;
    sigaction(SIGSEGV, NULL, &action);
    return action.sa_handler == SIG_DFL && signal(SIGBUS, handle) == SIG_DFL &&
                   signal(SIGBUS, SIG_DFL) == handle
               ? 0
               : 4;
  }
  if (strstr(way, "overflow thread")) overflow_thread((void *)way);
  if (strstr(way, "overflow")) overflow((void *)way);
  if (strcmp(way, "null") == 0) {
    static void (*volatile nothing)(void);
    dispatch(&nothing);
  }
  if (strcmp(way, "blocked") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    outer("segv");
  }
  outer(way);
  return 0;
}

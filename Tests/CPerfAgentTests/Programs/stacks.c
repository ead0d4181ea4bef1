/// Stacks that are deep, alternate or unknown.
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "target.h"

__attribute__((noinline)) static uint64_t descend(unsigned depth) {
  volatile uint64_t room[16];
  if (depth == 0) {
    target_burn_sampled(100);
  }
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

/// Works in a signal handler on an alternate stack, and on the usual stack.
int run_alternate(void) {
  stack_t alternate = {.ss_sp = malloc(64 * 1024), .ss_size = 64 * 1024};
  if (!alternate.ss_sp || sigaltstack(&alternate, NULL) != 0) {
    return 1;
  }
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

static void coroutine(void) {
  target_burn_sampled(100);
}

/// Works on a stack that neither the kernel nor pthread knows, just below unreadable memory.
int run_coroutine(void) {
  size_t bytes = 16 * 4096;
  char *stack =
      mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack + bytes, 4096, PROT_NONE) != 0) {
    return 1;
  }
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

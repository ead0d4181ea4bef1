/// Alternate signal stacks, some of the minimum size, and coroutines on stacks that are unknown to
/// the agent. Below each is an unreadable page.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "torture.h"

/// The frame of a signal, and 1 KiB for the handler.
static size_t least(void) {
  unsigned long frame = getauxval(AT_MINSIGSTKSZ);
  return (frame > 2048 ? frame : 2048) + 1024;
}

/// Room for the frames of two nested signals and their handlers.
static size_t usual(void) {
  return 2 * least() + 4096;
}

/// Returns a stack above an unreadable page, so that an overflow crashes at once.
static char *make_stack(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t whole = (bytes + page - 1) / page * page;
  char *low = mmap(NULL, page + whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(low != MAP_FAILED && mprotect(low, page, PROT_NONE) == 0);
  return low + page;
}

static void free_stack(char *stack, size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t whole = (bytes + page - 1) / page * page;
  CHECK(munmap(stack - page, page + whole) == 0);
}

static _Thread_local char *own_stack;
static _Thread_local size_t own_bytes;
static _Thread_local volatile uint64_t handled;

static void work_on_it(int signal) {
  (void)signal;
  char here;
  CHECK((uintptr_t)&here - (uintptr_t)own_stack < own_bytes);
  uint64_t expected = torture_mix(9, 30000);
  CHECK(torture_mix(9, 30000) == expected);
  handled++;
}

/// Sets an alternate stack and computes. The agent's handler runs on that stack.
static void compute_beside(size_t bytes, bool raises) {
  own_stack = make_stack(bytes);
  own_bytes = bytes;
  stack_t alternate = {.ss_sp = own_stack, .ss_size = bytes}, before;
  CHECK(sigaltstack(&alternate, &before) == 0);
  uint64_t expected = torture_mix(bytes, 30000);
  uint64_t count = handled;
  if (raises) {
    CHECK(raise(SIGUSR1) == 0 && handled == count + 1);
  }
  CHECK(torture_mix(bytes, 30000) == expected);
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == own_stack && now.ss_size == bytes);
  CHECK(sigaltstack(&before, NULL) == 0);
  free_stack(own_stack, bytes);
}

static _Thread_local ucontext_t back, forth;
static _Thread_local volatile uint64_t steps;

static void coroutine(void) {
  for (;;) {
    uint64_t expected = torture_mix(steps, 10000);
    CHECK(torture_mix(steps, 10000) == expected);
    steps++;
    CHECK(swapcontext(&forth, &back) == 0);
  }
}

static void switch_stacks(void) {
  size_t bytes = 32768;
  char *stack = make_stack(bytes);
  CHECK(getcontext(&forth) == 0);
  forth.uc_stack.ss_sp = stack;
  forth.uc_stack.ss_size = bytes;
  forth.uc_link = NULL;
  makecontext(&forth, coroutine, 0);
  steps = 0;
  for (unsigned index = 0; index < 10; index++) {
    CHECK(swapcontext(&back, &forth) == 0);
  }
  CHECK(steps == 10);
  free_stack(stack, bytes);
}

static void *change_stacks(void *argument) {
  uintptr_t rounds = 0;
  for (; torture_goes_on(); rounds++) {
    compute_beside(least(), false);
    compute_beside(usual(), true);
    switch_stacks();
  }
  (void)argument;
  return (void *)rounds;
}

int torture_altstack(void) {
  struct sigaction action = {.sa_handler = work_on_it, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  unsigned long other = torture_start(change_stacks, NULL, 0);
  uintptr_t rounds = (uintptr_t)change_stacks(NULL);
  rounds += (uintptr_t)torture_join(other);
  torture_say("rounds", (double)rounds);
  return 0;
}

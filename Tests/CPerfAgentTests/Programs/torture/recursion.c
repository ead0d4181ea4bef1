/// Recurses to the end of the stack, and beyond it.
///
/// Without an alternate stack a signal and the agent's handler need room on the stack itself: a
/// thread leaves a margin. With one it may use the last byte.
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "torture.h"

/// The kernel's frame of a signal, and 2 KiB for the handler.
static size_t margin(void) {
  unsigned long frame = getauxval(AT_MINSIGSTKSZ);
  return (frame > 2048 ? frame : 2048) + 2048;
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// The tolerated difference between two depths: some calls of the sanitizer's runtime use more of
/// the stack, above all a thread's first calls.
#define UNEVEN 1
#endif
#endif
#ifndef UNEVEN
#define UNEVEN 0
#endif

static _Thread_local uintptr_t edge;
static _Thread_local volatile unsigned deepest;
static _Thread_local sigjmp_buf top;

/// Recurses with frames of many sizes, and checks them on the way back.
__attribute__((noinline)) static uint64_t descend(uint64_t seed, unsigned depth) {
  uint64_t state = seed + depth;
  size_t bytes = 16 + torture_random(&state) % 400;
  if ((uintptr_t)__builtin_frame_address(0) < edge + bytes + 256) {
    return depth;
  }
  deepest = depth;
  unsigned char *room = alloca(bytes);
  memset(room, (int)(depth & 0xff), bytes);
  __asm__ volatile("" : : "r"(room) : "memory");
  uint64_t result = descend(seed, depth + 1);
  for (size_t index = 0; index < bytes; index++) {
    CHECK(room[index] == (depth & 0xff));
  }
  return result;
}

/// Returns the lowest address of the calling thread's stack.
static uintptr_t lowest(void) {
  pthread_attr_t attributes;
  void *low;
  size_t bytes;
  CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
  CHECK(pthread_attr_getstack(&attributes, &low, &bytes) == 0);
  pthread_attr_destroy(&attributes);
  return (uintptr_t)low;
}

static void climb_out(int signal) {
  (void)signal;
  siglongjmp(top, 1);
}

static void *go_to_the_edge(void *argument) {
  edge = lowest() + margin();
  uint64_t depth = descend((uint64_t)(uintptr_t)argument, 1);
  // The same recursion has the same depth every time.
  CHECK(depth > 10 && descend((uint64_t)(uintptr_t)argument, 1) == depth);
  return NULL;
}

/// Overflows the stack three times, and reaches the same depth each time.
static void *fall_over_the_edge(void *argument) {
  size_t bytes = 4 * margin();
  stack_t alternate = {.ss_sp = malloc(bytes), .ss_size = bytes};
  CHECK(alternate.ss_sp && sigaltstack(&alternate, NULL) == 0);
  edge = 0;
  volatile unsigned first = 0;
  for (volatile unsigned round = 0; round < 3; round++) {
    if (sigsetjmp(top, 1) == 0) {
      descend((uint64_t)(uintptr_t)argument, 1);
      CHECK(!"the stack had an end");
    }
    if (round == 0) {
      first = deepest;
    }
    CHECK(deepest + UNEVEN >= first && deepest <= first + UNEVEN && first > 10);
  }
  alternate.ss_flags = SS_DISABLE;
  CHECK(sigaltstack(&alternate, NULL) == 0);
  free(alternate.ss_sp);
  return NULL;
}

int torture_recursion(void) {
  struct sigaction action = {.sa_handler = climb_out, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0);
  uint64_t random = 11, rounds = 0;
  for (; torture_goes_on(); rounds++) {
    void *seed = (void *)(uintptr_t)torture_random(&random);
    size_t bytes = 32768 + (torture_random(&random) % 64) * 4096;
    unsigned long edgy = torture_start(go_to_the_edge, seed, bytes);
    unsigned long falling = torture_start(fall_over_the_edge, seed, bytes);
    if (rounds % 16 == 0) {
      fall_over_the_edge(seed);
    }
    torture_join(edgy);
    torture_join(falling);
  }
  torture_say("rounds", (double)rounds);
  return 0;
}

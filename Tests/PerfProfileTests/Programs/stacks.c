/// Stacks of known shape; the argument selects one by name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "capture.h"

#define APART __attribute__((noinline))

#if defined(STUBS)
/// A function of a library, called through a stub.
int tiny(int value);
#else
static int tiny(int value) {
  return value;
}
#endif

static volatile int sink;

/// A leaf without a frame: the trap is its only instruction besides the return.
APART int leaf(int value) {
  CAPTURE_HERE();
  return value;
}

APART int descend(int depth) {
  volatile char room[40];
  room[depth % 40] = (char)depth;
  int below = depth == 0 ? leaf(1) : descend(depth - 1);
  return below + room[depth % 40];
}

static int compare(const void *a, const void *b) {
  static int calls;
  if (++calls == 3) {
    CAPTURE_HERE();
  }
  return *(const int *)a - *(const int *)b;
}

APART void sort(void) {
  int numbers[] = {3, 1, 2, 5, 4};
  qsort(numbers, 5, sizeof *numbers, compare);
  sink = numbers[0];
}

APART void handle(int number) {
  sink = leaf(number);
}

APART void signalled(void) {
  signal(SIGUSR1, handle);
  raise(SIGUSR1);
  sink += 1;
}

/// A handler with an alternate stack.
APART void apart(void) {
  static char room[1 << 16];
  stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  sink += 1;
}

static void run_context(void) {
  sink = descend(2);
}

/// Another context, whose stack is in a frame of this one, because only a thread's own stack is
/// copied.
APART void switched(void) {
  static ucontext_t here, there;
  char room[1 << 15];
  getcontext(&there);
  there.uc_stack.ss_sp = room;
  there.uc_stack.ss_size = sizeof room;
  there.uc_link = &here;
  makecontext(&there, run_context, 0);
  swapcontext(&here, &there);
  sink += 1;
}

APART void *run_thread(void *argument) {
  sink = descend(2);
  return argument;
}

APART void threaded(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run_thread, NULL);
  pthread_join(thread, NULL);
}

APART void clocks(void) {
  capture_vdso_begin();
  struct timespec time;
  // A tick is half a millisecond, and nearly all of this loop runs in the kernel's page.
  for (long i = 0; i < 100000000 && !capture_vdso_done(); i++) {
    clock_gettime(CLOCK_MONOTONIC, &time);
    sink = (int)time.tv_nsec;
  }
}

/// A loop of samples with constant upper frames and changing lower frames.
APART void repeat(int times) {
  for (int i = 0; i < times; i++) {
    sink = descend(i % 7);
  }
}

APART int beneath(int depth, int times) {
  volatile char room[40];
  room[depth % 40] = (char)depth;
  if (depth == 0) {
    repeat(times);
  } else {
    sink = beneath(depth - 1, times);
  }
  return room[depth % 40];
}

#include "undescribed.h"

#if defined(__x86_64__)
/// Does not save the frame pointer, like the C library's system calls.
__attribute__((naked)) APART int plain_leaf(int value) {
  __asm__("int3\n\tmov %edi, %eax\n\tret");
}
#else
#define plain_leaf leaf
#endif

/// A function whose argument determines the frame's size, so only a frame pointer leads out.
APART int spread(int bytes) {
  volatile char *room = __builtin_alloca((size_t)bytes);
  room[0] = 1;
  return plain_leaf(1) + room[0];
}

/// A function whose prologue makes its frame.
APART int narrow(int value) {
  volatile int room[20];
  room[value % 20] = value;
  return plain_leaf(1) + room[value % 20];
}

static int (*volatile spread_pointer)(int) = spread;

APART void loaded(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  int (*function)(int (*)(int), int) = library ? dlsym(library, "call_back") : NULL;
  if (function == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  sink = function(leaf, 1);  // before the next list of modules
  capture_modules();
  sink = function(leaf, 2);
}

int main(int count, char **words) {
  capture_attach();
  const char *name = count > 1 ? words[1] : "";
  int number = count > 2 ? atoi(words[2]) : 0;
  if (strcmp(name, "descend") == 0) {
    sink = descend(number);
  }
  if (strcmp(name, "cut") == 0) {
    capture_limit((unsigned)number);
    sink = descend(100);
  }
  if (strcmp(name, "sort") == 0) {
    sort();
  }
  if (strcmp(name, "signalled") == 0) {
    signalled();
  }
  if (strcmp(name, "apart") == 0) {
    apart();
  }
  if (strcmp(name, "switched") == 0) {
    switched();
  }
  if (strcmp(name, "restored") == 0) {
    restored();
  }
  if (strcmp(name, "threaded") == 0) {
    threaded();
  }
  if (strcmp(name, "clocks") == 0) {
    clocks();
  }
  if (strcmp(name, "repeat") == 0) {
    sink = beneath(25, number);
  }
  if (strcmp(name, "stepped") == 0) {
    stepped();
  }
  if (strcmp(name, "unreturned") == 0) {
    unreturned();
  }
  if (strcmp(name, "ended") == 0) {
    ended();
  }
  if (strcmp(name, "endless") == 0) {
    endless();
  }
  if (strcmp(name, "dividing") == 0) {
    dividing();
  }
  if (strcmp(name, "hiding") == 0) {
    hiding();
  }
  if (strcmp(name, "misplacing") == 0) {
    misplacing();
  }
  if (strcmp(name, "returning") == 0) {
    returning();
  }
  if (strcmp(name, "called") == 0) {
    called();
  }
  if (strcmp(name, "stripped") == 0) {
    stripped();
  }
  if (strcmp(name, "stripped_direct") == 0) {
    stripped_direct();
  }
  if (strcmp(name, "narrow") == 0) {
    sink = narrow(number) + 1;
  }
  if (strcmp(name, "spread") == 0) {
    sink = spread(number) + 1;
  }
  if (strcmp(name, "spread_pointer") == 0) {
    sink = spread_pointer(number) + 1;
  }
  if (strcmp(name, "loaded") == 0) {
    loaded(words[2]);
  }
  if (strcmp(name, "crash") == 0) {
    sink = descend(3);
    abort();
  }
  return 0;
}

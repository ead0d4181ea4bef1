/// Programs that allocate.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

/// Keeps the compiler from removing an allocation that is freed.
static void *kept(void *memory) {
  __asm__ volatile("" : "+r"(memory) : : "memory");
  return memory;
}

static uint64_t count_before, bytes_before;

static void begin(void) {
  perf_mark_allocations(&count_before, &bytes_before);
}

/// Reports the counts since `begin`.
static void end(const char *name) {
  uint64_t count, bytes;
  perf_mark_allocations(&count, &bytes);
  char text[64];
  strcpy(text, name);
  target_say(strcat(text, ".count"), (double)(count - count_before));
  strcpy(text, name);
  target_say(strcat(text, ".bytes"), (double)(bytes - bytes_before));
}

static void *allocate(void *argument) {
  for (unsigned index = 0; index < 1000; index++) {
    free(kept(malloc(10)));
  }
  return argument;
}

/// Calls every function of the family, also in a thread.
int run_heap(void) {
  begin();
  for (unsigned index = 0; index < 1000; index++) {
    free(kept(malloc(100)));
  }
  end("malloc");
  begin();
  free(kept(calloc(10, 20)));
  end("calloc");
  begin();
  void *memory = kept(realloc(NULL, 10));
  memory = kept(realloc(memory, 5000));
  if (realloc(memory, SIZE_MAX / 4)) {
    return 1;  // Fails and changes nothing.
  }
  free(memory);
  end("realloc");
  begin();
  free(kept(aligned_alloc(64, 640)));
  if (posix_memalign(&memory, 4096, 4096) != 0 || (uintptr_t)memory % 4096 != 0) {
    return 1;
  }
  free(kept(memory));
  free(kept(memalign(32, 96)));
  free(kept(valloc(8)));
  free(kept(pvalloc(16)));
  end("aligned");
  begin();
  char *copy = kept(strdup("0123456789"));
  free(copy);
  free(NULL);
  end("strdup");
  begin();
  if (kept(malloc((size_t)1 << 60))) {
    return 1;  // More than can be allocated.
  }
  end("failed");
  pthread_t thread;
  pthread_create(&thread, NULL, allocate, NULL);
  pthread_join(thread, NULL);
  begin();
  pthread_create(&thread, NULL, allocate, NULL);
  pthread_join(thread, NULL);
  end("thread");
  return 0;
}

__attribute__((noinline)) static void *allocate_big(void) {
  return kept(malloc(1 << 20));
}

/// Allocates 64 MiB, of which 16 stay, and as much again that is freed at once.
int run_heap_lives(void) {
  static void *all[64];
  target_say("address.allocate_big", (double)(uintptr_t)allocate_big);
  target_resume_sampling();
  for (unsigned index = 0; index < 64; index++) {
    all[index] = allocate_big();
  }
  for (unsigned index = 16; index < 64; index++) {
    free(all[index]);
  }
  for (unsigned index = 0; index < 64; index++) {
    free(allocate_big());
  }
  target_stop_sampling();
  return 0;
}

/// Allocates 32 MiB and replaces itself.
int run_heap_replaced(void) {
  char *words[] = {"target", "heap-lives", NULL};
  target_start_sampling();
  for (unsigned index = 0; index < 32; index++) {
    allocate_big();
  }
  execv("/proc/self/exe", words);
  return 9;
}

// MARK: - Children

static void allocate_in_child(pid_t child) {
  if (child == 0) {
    for (unsigned index = 0; index < 1000; index++) {
      free(kept(malloc(1 << 20)));
    }
    for (unsigned index = 0; index < 1000; index++) {
      free(kept(realloc(NULL, 1 << 20)));
    }
    target_say("child", 1);
    _exit(perf_mark_is_active() ? 1 : 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    exit(1);
  }
}

/// Starts children that allocate, and allocates nothing itself.
int run_heap_children(void) {
  extern pid_t _Fork(void) __attribute__((weak));
  target_start_sampling();
  allocate_in_child(fork());
  if (_Fork) {
    allocate_in_child(_Fork());
  }
  // A fork that the agent does not see.
  allocate_in_child((pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L));
  pid_t child = vfork();
  if (child == 0) {
    execl("/proc/self/exe", "target", "heap", NULL);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  target_stop_sampling();
  return status;
}

// MARK: - Threads

enum { PIECES = 100, PIECE_BYTES = 8192 };

static void *allocate_pieces(void *argument) {
  void **pieces = argument;
  for (unsigned index = 0; index < PIECES; index++) {
    pieces[index] = kept(malloc(PIECE_BYTES));
  }
  return argument;
}

static void *free_pieces(void *argument) {
  void **pieces = argument;
  for (unsigned index = 0; index < PIECES; index++) {
    free(pieces[index]);
  }
  return argument;
}

/// Runs 800 threads, two at a time; every second pair frees the memory of the previous one.
int run_heap_threads(void) {
  static void *pieces[2][PIECES];
  target_start_sampling();
  for (unsigned round = 0; round < 200; round++) {
    for (unsigned step = 0; step < 2; step++) {
      pthread_t threads[2];
      for (unsigned index = 0; index < 2; index++) {
        if (pthread_create(&threads[index], NULL, step == 0 ? allocate_pieces : free_pieces,
                           pieces[index]) != 0) {
          return 1;
        }
      }
      for (unsigned index = 0; index < 2; index++) {
        pthread_join(threads[index], NULL);
      }
    }
  }
  target_stop_sampling();
  return 0;
}

// MARK: - Samples of time and of allocations

__attribute__((noinline)) static void step(bool allocates) {
  if (allocates) {
    free(allocate_big());
  }
  target_burn(4);
  __asm__ volatile("");
}

__attribute__((noinline)) static void work_here(void) {
  step(false);
  __asm__ volatile("");
}

__attribute__((noinline)) static void work_there(void) {
  step(true);
  __asm__ volatile("");
}

/// Works in two functions; in one of them only after an allocation.
int run_heap_beside(void) {
  uint32_t there = perf_mark_name("there", 5);
  target_start_sampling();
  uint64_t start = target_now();
  for (unsigned round = 0; round < 100 || target_lacks_signals(300, start); round++) {
    work_here();
    uint64_t began = target_now();
    uint32_t before = perf_mark_phase_enter(there);
    work_there();
    perf_mark_phase_exit(there, before, began, target_now());
  }
  target_stop_sampling();
  return 0;
}

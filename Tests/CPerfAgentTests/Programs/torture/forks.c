/// Starts children in every way from two threads, while a third one works.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf_agent.h"
#include "torture.h"

extern char **environ;

static int wait_for(pid_t child) {
  int status;
  CHECK(child > 0);
  while (waitpid(child, &status, 0) < 0) {
    CHECK(errno == EINTR);
  }
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void *double_it(void *argument) {
  return (void *)((uintptr_t)argument * 2);
}

/// Uses the heap and threads after fork, and ends by exit.
static int fork_and_live(uint64_t number) {
  pid_t child = fork();
  if (child != 0) {
    return wait_for(child);
  }
  CHECK(!perf_mark_is_active());
  torture_say("child", 1);
  char *text = malloc(4096);
  CHECK(text && snprintf(text, 4096, "%u", (unsigned)number) > 0);
  CHECK((uint64_t)atoi(text) == number);
  free(text);
  unsigned long thread = torture_start(double_it, (void *)(uintptr_t)number, 0);
  CHECK((uintptr_t)torture_join(thread) == number * 2);
  exit((int)number);
}

static int fork_and_leave(uint64_t number) {
  pid_t child = fork();
  if (child == 0) {
    _exit((int)number);
  }
  return wait_for(child);
}

static void words_for(uint64_t number, char text[16], char *words[4]) {
  snprintf(text, 16, "%u", (unsigned)number);
  words[0] = "torture";
  words[1] = "answer";
  words[2] = text;
  words[3] = NULL;
}

static int spawn(uint64_t number) {
  char text[16];
  char *words[4];
  pid_t child;
  words_for(number, text, words);
  CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) == 0);
  return wait_for(child);
}

static int fork_and_exec(uint64_t number) {
  char text[16];
  char *words[4];
  words_for(number, text, words);
  pid_t child = fork();
  if (child == 0) {
    execv("/proc/self/exe", words);
    _exit(255);
  }
  return wait_for(child);
}

static int vfork_and_exec(uint64_t number) {
  char text[16];
  char *words[4];
  words_for(number, text, words);
  pid_t child = vfork();
  if (child == 0) {
    execve("/proc/self/exe", words, environ);
    _exit(255);
  }
  return wait_for(child);
}

/// The exec of a child that shares the memory fails and must not have changed that memory.
static int vfork_and_fail(uint64_t number) {
  char *words[] = {"nowhere", NULL};
  pid_t child = vfork();
  if (child == 0) {
    execve("/nonexistent/nowhere", words, environ);
    _exit((int)number);
  }
  return wait_for(child);
}

static int shell(uint64_t number) {
  char text[32];
  snprintf(text, sizeof text, "exit %u", (unsigned)number);
  int status = system(text);
  CHECK(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void *storm(void *argument) {
  static int (*const ways[])(uint64_t) = {
      fork_and_live, fork_and_leave, spawn, fork_and_exec, vfork_and_exec, vfork_and_fail, shell,
  };
  uint64_t random = (uint64_t)(uintptr_t)argument;
  uintptr_t rounds = 0;
  for (; torture_goes_on(); rounds++) {
    uint64_t number = torture_random(&random) % 100;
    CHECK(ways[rounds % (sizeof ways / sizeof ways[0])](number) == (int)number);
  }
  return (void *)rounds;
}

static void *work(void *argument) {
  uint64_t expected = torture_mix(3, 100000);
  while (torture_goes_on()) {
    CHECK(torture_mix(3, 100000) == expected);
  }
  return argument;
}

int torture_forks(void) {
  int is_active = perf_mark_is_active();
  unsigned long worker = torture_start(work, NULL, 0);
  unsigned long other = torture_start(storm, (void *)1, 0);
  uintptr_t rounds = (uintptr_t)storm((void *)2);
  rounds += (uintptr_t)torture_join(other);
  torture_join(worker);
  CHECK(perf_mark_is_active() == is_active);
  torture_say("rounds", (double)rounds);
  return 0;
}

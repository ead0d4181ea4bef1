/// Programs that fork or replace themselves.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

static void *say_alive(void *argument) {
  target_say("alive", (double)(uintptr_t)argument);
  target_burn(1);
  return argument;
}

/// Forks a child that works and makes marks, none of which may be recorded.
int run_fork(void) {
  target_start_sampling();
  pid_t child = fork();
  if (child == 0) {
    target_say("child", 1);
    target_burn(50);
    pthread_t thread;
    pthread_create(&thread, NULL, say_alive, NULL);
    pthread_join(thread, NULL);
    _exit(perf_mark_is_active() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  target_burn(100);
  target_stop_sampling();
  target_say("child.status", status);
  return 0;
}

/// Forks with many pages, in a phase, and works for as long after each fork.
int run_fork_large(void) {
  const size_t bytes = (size_t)128 << 20;
  char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || madvise(pages, bytes, MADV_NOHUGEPAGE) != 0) {
    return 2;
  }
  memset(pages, 1, bytes);
  uint32_t phase = perf_mark_name("fork", 4);
  uint64_t forking = 0;
  target_start_sampling();
  for (int round = 0; round < 60; round++) {
    uint64_t began = target_now(), before = target_cpu_time();
    uint32_t previous = perf_mark_phase_enter(phase);
    pid_t child = fork();
    if (child == 0) {
      _exit(0);
    }
    perf_mark_phase_exit(phase, previous, began, target_now());
    uint64_t after = target_cpu_time();
    forking += after - before;
    waitpid(child, NULL, 0);
    for (uint64_t end = target_cpu_time() + (after - before); target_cpu_time() < end;) {
    }
  }
  target_stop_sampling();
  target_say("forking", (double)forking);
  return 0;
}

/// Starts a program in a child, with the agent and the segment in its environment.
int run_exec(void) {
  char *words[] = {"target", "marks", NULL};
  target_say("parent", 1);
  pid_t child = fork();
  if (child == 0) {
    execv("/proc/self/exe", words);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// Replaces itself by another program.
int run_replace_image(void) {
  char *words[] = {"target", "marks", NULL};
  target_say("before", 1);
  execv("/proc/self/exe", words);
  return 9;
}

/// Returns the words of the next program of a chain: `target <command> <programs left> <ballast>`.
///
/// The kernel copies the ballast before it stops the other threads. A signal that is sent to the
/// caller of exec during that time would stay pending.
static char **next_link(const char *command) {
  enum { BALLAST = 120000, PIECES = 12 };
  static char *words[PIECES + 4], left[16], ballast[BALLAST + 1];
  memset(ballast, 'x', BALLAST);
  int links = target_word(2) ? atoi(target_word(2)) : 40;
  if (links == 0) {
    return NULL;
  }
  snprintf(left, sizeof left, "%d", links - 1);
  words[0] = "target";
  words[1] = (char *)command;
  words[2] = left;
  for (unsigned piece = 0; piece < PIECES; piece++) {
    words[3 + piece] = ballast;
  }
  return words;
}

/// Waits until the ticker sends signals.
static void await_signals(void) {
  target_resume_sampling();
  target_burn_sampled(2);
}

/// Returns whether the CPU time of the tickers of earlier programs is still counted.
static bool keeps_ticker_time(void) {
  char taken[24];
  const char *before = getenv("TICKER_NS");
  uint64_t now = atomic_load(&target_segment()->audit.ticker_cpu_ns);
  if (before && now < strtoull(before, NULL, 10)) {
    return false;
  }
  snprintf(taken, sizeof taken, "%llu", (unsigned long long)now);
  return setenv("TICKER_NS", taken, 1) == 0;
}

static char **chain_words;

static void *replace_from_thread(void *argument) {
  execv("/proc/self/exe", chain_words);
  return argument;
}

/// Runs forty programs in one process, started by all functions of the exec family and also by a
/// thread other than the first.
int run_exec_chain(void) {
  extern char **environ;
  char **words = chain_words = next_link("exec-chain");
  if (!words) {
    target_say("last", 1);
    return 0;
  }
  await_signals();
  if (!keeps_ticker_time()) {
    return 8;
  }
  const char *self = "/proc/self/exe";
  switch (atoi(words[2]) % 9) {
    case 0: execve(self, words, environ); break;
    case 1: execvp(self, words); break;
    case 2: execvpe(self, words, environ); break;
    case 3: execl(self, words[0], words[1], words[2], words[3], words[4], words[5], NULL); break;
    case 4: execlp(self, words[0], words[1], words[2], words[3], words[4], words[5], NULL); break;
    case 5: execle(self, words[0], words[1], words[2], words[3], words[4], NULL, environ); break;
    case 6: fexecve(open(self, O_RDONLY | O_CLOEXEC), words, environ); break;
    case 7: {
      pthread_t thread;
      pthread_create(&thread, NULL, replace_from_thread, NULL);
      pthread_join(thread, NULL);
      break;
    }
    default: execv(self, words);
  }
  return 9;
}

/// Blocks the signal by a system call, which the agent does not see, and replaces itself.
int run_exec_blocked(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPROF);
  uint64_t mask = UINT64_C(1) << (SIGPROF - 1);
  // The next program inherits the mask and the pending signals.
  if (sigprocmask(SIG_UNBLOCK, &set, NULL) != 0) {
    return 1;
  }
  char **words = next_link("exec-blocked");
  if (!words) {
    target_say("last", 1);
    return 0;
  }
  await_signals();
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, sizeof mask);
  target_await_pending(SIGPROF);
  execv("/proc/self/exe", words);
  return 9;
}

/// Runs forty programs in one process, each started by `syscall`.
int run_exec_called(void) {
  extern char **environ;
  char **words = next_link("exec-called");
  if (!words) {
    target_say("last", 1);
    return 0;
  }
  await_signals();
  if (atoi(words[2]) % 2 == 0) {
    syscall(SYS_execve, "/proc/self/exe", words, environ);
  } else {
    syscall(SYS_execveat, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "", words, environ,
            AT_EMPTY_PATH);
  }
  return 9;
}

/// Runs children whose exec fails, for so long that each gets its segment meanwhile.
int run_exec_failing_children(void) {
  enum { LIMIT = 128 * 1024 };
  char **words = next_link("unused");
  // The kernel copies all other words before it finds that this one is too long.
  words[0] = malloc(LIMIT + 1);
  memset(words[0], 'x', LIMIT);
  words[0][LIMIT] = 0;
  for (unsigned round = 0; round < 8; round++) {
    pid_t child = fork();
    if (child == 0) {
      // On a busy machine the answer may come too late.
      for (uint64_t until = target_now() + 2000000000; !perf_mark_is_active();) {
        if (target_now() > until) {
          break;
        }
        if (execv("/proc/self/exe", words) != -1 || errno != E2BIG) {
          _exit(1);
        }
      }
      _exit(0);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) {
      return 1;
    }
  }
  return 0;
}

/// Calls exec with a program that does not exist.
int run_exec_failing(void) {
  char *words[] = {"target", NULL};
  target_start_sampling();
  for (unsigned round = 0; round < 200; round++) {
    if (execvp("/nonexistent/program", words) != -1 || errno != ENOENT) {
      return 1;
    }
  }
  target_say("signals", (double)atomic_load(&target_segment()->audit.samples_written));
  target_burn_sampled(100);
  target_stop_sampling();
  return 0;
}

/// Starts children by vfork and posix_spawn, which share their parent's memory until exec.
int run_spawn(void) {
  extern char **environ;
  char *words[] = {"true", NULL};
  target_start_sampling();
  for (unsigned round = 0; round < 20; round++) {
    int status = 0;
    pid_t child = 0;
    if (round % 2 == 0) {
      child = vfork();
      if (child == 0) {
        execvp("true", words);
        _exit(9);
      }
    } else if (posix_spawnp(&child, "true", NULL, NULL, words, environ) != 0) {
      return 1;
    }
    if (waitpid(child, &status, 0) != child || status != 0) {
      return 2;
    }
  }
  target_burn_sampled(50);
  target_stop_sampling();
  return 0;
}

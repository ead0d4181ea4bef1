/// Programs that become other programs.
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

/// A program that is started with the agent and the segment in its environment, but is another
/// process.
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

/// A program that becomes another one in the same process.
int run_replace_image(void) {
  char *words[] = {"target", "marks", NULL};
  target_say("before", 1);
  execv("/proc/self/exe", words);
  return 9;
}

/// The next link of a chain of programs: `target <command> <links left> <ballast>`.
///
/// The kernel copies the ballast before it stops the other threads: that is when a signal sent to
/// the one that calls exec would stay pending.
static char **next_link(const char *command) {
  enum { BALLAST = 120000, PIECES = 12 };
  static char *words[PIECES + 4], left[16], ballast[BALLAST + 1];
  memset(ballast, 'x', BALLAST);
  int links = target_word(2) ? atoi(target_word(2)) : 40;
  if (links == 0) return NULL;
  snprintf(left, sizeof left, "%d", links - 1);
  words[0] = "target";
  words[1] = (char *)command;
  words[2] = left;
  for (unsigned piece = 0; piece < PIECES; piece++) words[3 + piece] = ballast;
  return words;
}

/// Sees to it that the ticker is at work and sends signals.
static void await_signals(void) {
  target_resume_sampling();
  target_burn_sampled(2);
}

/// Whether what the tickers of the programs before took is still counted, when this one's has ticked.
static bool keeps_ticker_time(void) {
  char taken[24];
  const char *before = getenv("TICKER_NS");
  uint64_t now = atomic_load(&target_segment()->audit.ticker_cpu_ns);
  if (before && now < strtoull(before, NULL, 10)) return false;
  snprintf(taken, sizeof taken, "%llu", (unsigned long long)now);
  return setenv("TICKER_NS", taken, 1) == 0;
}

static char **chain_words;

static void *replace_from_thread(void *argument) {
  execv("/proc/self/exe", chain_words);
  return argument;
}

/// Forty programs in one process, each by another function of the family, one of them by a thread
/// that is not the first.
int run_exec_chain(void) {
  extern char **environ;
  char **words = chain_words = next_link("exec-chain");
  if (!words) {
    target_say("last", 1);
    return 0;
  }
  await_signals();
  if (!keeps_ticker_time()) return 8;
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

/// A program that blocks the signal, and one in the same process that does not.
int run_exec_blocked(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPROF);
  // The next program inherits the mask, and with it whatever is pending.
  if (sigprocmask(SIG_UNBLOCK, &set, NULL) != 0) return 1;
  char **words = next_link("exec-blocked");
  if (!words) {
    target_say("last", 1);
    return 0;
  }
  await_signals();
  sigprocmask(SIG_BLOCK, &set, NULL);
  target_await_pending(SIGPROF);
  execv("/proc/self/exe", words);
  return 9;
}

/// Forty programs in one process, each by a system call that is made by its number.
int run_exec_called(void) {
  extern char **environ;
  char **words = next_link("exec-called");
  if (!words) {
    target_say("last", 1);
    return 0;
  }
  await_signals();
  if (atoi(words[2]) % 2 == 0)
    syscall(SYS_execve, "/proc/self/exe", words, environ);
  else
    syscall(SYS_execveat, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "", words, environ,
            AT_EMPTY_PATH);
  return 9;
}

/// Children whose exec fails, for so long that each is given its segment meanwhile.
int run_exec_failing_children(void) {
  enum { LIMIT = 128 * 1024 };
  char **words = next_link("nobody");
  // The kernel copies all the others before it finds that this is too long.
  words[0] = malloc(LIMIT + 1);
  memset(words[0], 'x', LIMIT);
  words[0][LIMIT] = 0;
  for (unsigned round = 0; round < 8; round++) {
    pid_t child = fork();
    if (child == 0) {
      // On a machine that is too busy to answer in time it is given none.
      for (uint64_t until = target_now() + 2000000000; !perf_mark_is_active();) {
        if (target_now() > until) break;
        if (execv("/proc/self/exe", words) != -1 || errno != E2BIG) _exit(1);
      }
      _exit(0);
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  return 0;
}

/// An exec that fails leaves everything as it was.
int run_exec_failing(void) {
  char *words[] = {"nobody", NULL};
  target_start_sampling();
  for (unsigned round = 0; round < 200; round++)
    if (execvp("/nonexistent/program", words) != -1 || errno != ENOENT) return 1;
  target_say("signals", (double)atomic_load(&target_segment()->audit.samples_written));
  target_burn_sampled(100);
  target_stop_sampling();
  return 0;
}

/// Children by vfork and posix_spawn, which share memory with their parent until they exec.
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
    if (waitpid(child, &status, 0) != child || status != 0) return 2;
  }
  target_burn_sampled(50);
  target_stop_sampling();
  return 0;
}

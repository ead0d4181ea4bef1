#define _GNU_SOURCE
#include <stdarg.h>

#include "compat.h"
#include "core/interpose.h"

// Pending signals survive exec, but handlers do not: a signal of the ticker that is pending would
// kill the next program. So before exec the calling thread holds the ticker, waits for the end of
// its pass, and removes its signal from the thread's queue.
//
// Everything here is async-signal-safe, as exec is. In a child by vfork, which shares its parent's
// memory, it does not change that memory.

/// The steps to undo if exec fails.
struct leaving {
  bool holds_ticker, is_counted, has_closed_mask;
};

/// Changes the number of threads that replace the program, which the next program sets to 0 when it
/// attaches. Returns whether there is a segment: a child may get it at this moment.
static bool count_leaving(int64_t change) {
  struct perfkit_segment *segment = perf_agent.segment;
  if (segment) {
    atomic_fetch_add_explicit(&segment->audit.left, (uint64_t)change, memory_order_relaxed);
  }
  return segment != NULL;
}

/// Makes sure that no signal of the ticker is pending or will be sent, and that the next program
/// gets the mask that this one has asked for.
static struct leaving leave(void) {
  struct leaving leaving = {0};
  // Under a filter there is no ticker, and its signal was removed. In a child by vfork the ticker
  // is the parent's. A child by fork without a segment may get one at this moment.
  bool is_filtered = atomic_load(&perf_agent.is_filtered);
  if (!is_filtered && (perf_agent.has_ticker || perf_agent.segment) &&
      getpid() == perf_agent.process) {
    perf_agent_hold_ticker();
    leaving.holds_ticker = true;
    leaving.is_counted = count_leaving(1);
    if (perf_agent.segment && atomic_load(&perf_agent.has_signal)) {
      perf_agent_signal_discard();
    }
  }
  leaving.has_closed_mask = perf_agent_mask_close();
  return leaving;
}

/// Undoes `leave` after exec has failed, and returns the result.
static int stay(struct leaving leaving, int result) {
  perf_agent_mask_open(leaving.has_closed_mask);
  if (leaving.is_counted) {
    count_leaving(-1);
  }
  if (leaving.holds_ticker) {
    perf_agent_release_ticker();
  }
  return result;
}

/// Defines a function of the family, which calls the next one between `leave` and `stay`. glibc's
/// functions call each other internally, so each of them is interposed.
#define INTERPOSE_EXEC(name, parameters, arguments)                                                \
  DECLARE_NEXT(int, name, parameters);                                                             \
  INTERPOSED int name parameters {                                                                 \
    struct leaving leaving = leave();                                                              \
    return stay(leaving, NEXT(name) arguments);                                                    \
  }

INTERPOSE_EXEC(execve, (const char *path, char *const words[], char *const environment[]),
               (path, words, environment))
INTERPOSE_EXEC(execv, (const char *path, char *const words[]), (path, words))
INTERPOSE_EXEC(execvp, (const char *file, char *const words[]), (file, words))
INTERPOSE_EXEC(execvpe, (const char *file, char *const words[], char *const environment[]),
               (file, words, environment))
INTERPOSE_EXEC(fexecve, (int file, char *const words[], char *const environment[]),
               (file, words, environment))
INTERPOSE_EXEC(execveat,
               (int folder, const char *path, char *const words[], char *const environment[],
                int flags),
               (folder, path, words, environment, flags))

long perf_agent_exec_call(long (*call)(long, long, long, long, long, long, long), long number,
                          long first, long second, long third, long fourth, long fifth) {
  struct leaving leaving = leave();
  return stay(leaving, (int)call(number, first, second, third, fourth, fifth, 0));
}

// MARK: - Variadic functions

/// Copies the words of a call into an array on the stack, as exec must not allocate. The caller may
/// read the argument after the last word, and ends `rest`.
#define COLLECT(words, first, rest)                                                                \
  va_list rest;                                                                                    \
  va_start(rest, first);                                                                           \
  size_t count = 1;                                                                                \
  while (va_arg(rest, const char *))                                                               \
    count++;                                                                                       \
  va_end(rest);                                                                                    \
  char *words[count + 1];                                                                          \
  words[0] = (char *)first;                                                                        \
  va_start(rest, first);                                                                           \
  for (size_t index = 1; index <= count; index++)                                                  \
  words[index] = va_arg(rest, char *)

INTERPOSED int execl(const char *path, const char *first, ...) {
  COLLECT(words, first, rest);
  va_end(rest);
  return execv(path, words);
}

INTERPOSED int execlp(const char *file, const char *first, ...) {
  COLLECT(words, first, rest);
  va_end(rest);
  return execvp(file, words);
}

INTERPOSED int execle(const char *path, const char *first, ...) {
  COLLECT(words, first, rest);
  char *const *environment = va_arg(rest, char *const *);
  va_end(rest);
  return execve(path, words, environment);
}

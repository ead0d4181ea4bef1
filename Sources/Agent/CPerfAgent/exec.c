#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "agent.h"
#include "interpose.h"

// A signal that is still on its way when the program is replaced kills the new one, which has no
// handler for it: signals that are pending survive exec, handlers do not. So whoever replaces the
// program first keeps the ticker from sending any, waits for the pass that may be sending one, and
// takes what has come back out of the queue.
//
// Everything here is async-signal-safe, as exec is; and it leaves the memory of the parent alone in
// a child of vfork, which shares it.

/// glibc's functions call each other inside, so each of them has to be interposed.
static struct {
  int (*execve)(const char *, char *const[], char *const[]);
  int (*execv)(const char *, char *const[]);
  int (*execvp)(const char *, char *const[]);
  int (*execvpe)(const char *, char *const[], char *const[]);
  int (*fexecve)(int, char *const[], char *const[]);
  int (*execveat)(int, const char *, char *const[], char *const[], int);
} real;

void perf_agent_exec_prepare(void) {
  FIND_NEXT(real, execve);
  FIND_NEXT(real, execv);
  FIND_NEXT(real, execvp);
  FIND_NEXT(real, execvpe);
  FIND_NEXT(real, fexecve);
  FIND_NEXT(real, execveat);
}

/// What has to be undone when the program is not replaced.
struct leaving {
  bool holds_ticker, is_counted, has_closed_mask;
};

/// Counts the threads that replace the program; the next one begins at 0 when it attaches. Returns whether
/// there is anything to count in: a child may be given it just now.
static bool count_leaving(int64_t change) {
  struct perfkit_segment *segment = perf_agent.segment;
  if (segment)
    atomic_fetch_add_explicit(&segment->audit.left, (uint64_t)change, memory_order_relaxed);
  return segment != NULL;
}

/// Sees to it that no signal of ours is or comes on its way, and that the next program gets the mask
/// that this one has asked for.
static struct leaving leave(void) {
  // In a child of vfork the ticker is the parent's. One that has no segment yet may get it just now, and
  // one that has no ticker may have signals of the last one.
  bool is_own =
      (perf_agent.has_ticker || perf_agent.segment) && getpid() == perf_agent.process;
  bool is_counted = false;
  if (is_own) {
    perf_agent_hold_ticker();
    is_counted = count_leaving(1);
    // What the thread blocks, or is about to get. Where a filter may forbid it, that is done.
    if (perf_agent.segment && atomic_load(&perf_agent.has_signal) && !perf_agent.is_filtered)
      perf_agent_signal_discard();
  }
  return (struct leaving){is_own, is_counted, perf_agent_mask_close()};
}

/// Lets the ticker go on after an exec that has failed.
static int stay(struct leaving leaving, int result) {
  perf_agent_mask_open(leaving.has_closed_mask);
  if (leaving.is_counted) count_leaving(-1);
  if (leaving.holds_ticker) perf_agent_release_ticker();
  return result;
}

/// Calls the real function between `leave` and `stay`.
#define REPLACE(name, ...)                                \
  do {                                                    \
    REQUIRE_NEXT(real, name, perf_agent_exec_prepare());  \
    struct leaving leaving = leave();                     \
    return stay(leaving, real.name(__VA_ARGS__));         \
  } while (0)

INTERPOSED int execve(const char *path, char *const words[], char *const environment[]) {
  REPLACE(execve, path, words, environment);
}

INTERPOSED int execv(const char *path, char *const words[]) { REPLACE(execv, path, words); }

INTERPOSED int execvp(const char *file, char *const words[]) { REPLACE(execvp, file, words); }

INTERPOSED int execvpe(const char *file, char *const words[], char *const environment[]) {
  REPLACE(execvpe, file, words, environment);
}

INTERPOSED int fexecve(int file, char *const words[], char *const environment[]) {
  REPLACE(fexecve, file, words, environment);
}

INTERPOSED int execveat(int folder, const char *path, char *const words[],
                        char *const environment[], int flags) {
  REPLACE(execveat, folder, path, words, environment, flags);
}

long perf_agent_exec_call(long (*call)(long, long, long, long, long, long, long), long number,
                          long first, long second, long third, long fourth, long fifth) {
  struct leaving leaving = leave();
  return stay(leaving, (int)call(number, first, second, third, fourth, fifth, 0));
}

// MARK: - Words as arguments

/// Puts the words of a call into an array on the stack; memory may not be allocated here. What
/// follows the last of them is left to the caller, who also ends `rest`.
#define COLLECT(words, first, rest)                                  \
  va_list rest;                                                      \
  va_start(rest, first);                                             \
  size_t count = 1;                                                  \
  while (va_arg(rest, const char *)) count++;                        \
  va_end(rest);                                                      \
  char *words[count + 1];                                            \
  words[0] = (char *)first;                                          \
  va_start(rest, first);                                             \
  for (size_t index = 1; index <= count; index++) words[index] = va_arg(rest, char *)

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

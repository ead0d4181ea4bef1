#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "interpose.h"

// A filter of system calls (seccomp) that a program sets for all of its threads holds for the ticker as
// well, which makes calls that no filter foresees, and many a filter kills the process for one. So the
// ticker ends before such a filter is there. One that a thread sets for itself is no matter.
//
// No library has a function for that: programs, and libseccomp, use syscall(2).

/// As ours, so that the call can be the last thing that ours does: then it is in nobody's stack.
typedef long (*syscall_function)(long, long, long, long, long, long, long);

static struct {
  syscall_function syscall;
} real;

void perf_agent_filters_prepare(void) { FIND_NEXT(real, syscall); }

/// Ends sampling for good, and returns when the ticker has made its last system call.
static void end_ticker(void) {
  perf_agent.is_filtered = true;
  if (!perf_agent.has_ticker || getpid() != perf_agent.process) return;
  perf_agent_follow_settle();
  struct perf_segment *segment = perf_agent.segment;
  if (!segment) return;
  atomic_store_explicit(&segment->audit.filtered, 1, memory_order_relaxed);
  perf_agent_ticker_end();
}

/// Does what a call asks for beforehand, or finds the function first. Apart, so that every other call is
/// passed on at once.
static __attribute__((noinline)) syscall_function prepare(bool filters_all) {
  // A library's constructor may come before ours.
  if (!real.syscall) perf_agent_filters_prepare();
  if (filters_all) end_ticker();
  return real.syscall;
}

/// `syscall` of the C library, with all arguments that there may be: those that were not given are
/// passed on as they are found, as that one does.
INTERPOSED long perf_agent_syscall(long number, long first, long second, long third, long fourth,
                                   long fifth, long sixth) __asm__("syscall");

long perf_agent_syscall(long number, long first, long second, long third, long fourth, long fifth,
                        long sixth) {
  bool filters_all = number == SYS_seccomp && first == SECCOMP_SET_MODE_FILTER &&
                     (second & SECCOMP_FILTER_FLAG_TSYNC) != 0;
  if ((filters_all || !real.syscall) && !prepare(filters_all)) {
    errno = ENOSYS;
    return -1;
  }
  return real.syscall(number, first, second, third, fourth, fifth, sixth);
}

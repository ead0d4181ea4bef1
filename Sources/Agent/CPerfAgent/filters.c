#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "interpose.h"

// A filter of system calls (seccomp) that a program sets for all of its threads holds for the ticker as
// well, which makes calls that no filter foresees, and many a filter kills the process for one. So the
// ticker ends before such a filter is there. One that a thread sets for itself holds for the threads that
// it starts: it starts none for us from then on.
//
// No library has a function for that: programs, and libseccomp, use syscall(2). Some use it for calls for
// which there are functions that we stand before.

/// As ours, so that the call can be the last thing that ours does: then it is in nobody's stack.
typedef long (*syscall_function)(long, long, long, long, long, long, long);

typedef int (*prctl_function)(int, unsigned long, unsigned long, unsigned long, unsigned long);

static struct {
  syscall_function syscall;
  prctl_function prctl;
} real;

void perf_agent_filters_prepare(void) {
  FIND_NEXT(real, syscall);
  FIND_NEXT(real, prctl);
}

/// Ends sampling for good, and returns when the ticker has made its last system call.
static void end_ticker(void) {
  perf_agent.is_filtered = true;
  if (getpid() != perf_agent.process) return;
  while (!perf_agent_ticker_retire()) perf_agent_rest();
  // Behind the filter, and before the next program, there may be no call for that.
  if (perf_agent.segment && atomic_load(&perf_agent.has_signal)) perf_agent_signal_discard();
  perf_agent_ticker_resume();
}

/// Makes a call that needs something done beforehand, or finds the function first. Apart, so that every
/// other call is passed on at once.
static __attribute__((noinline)) long call_specially(long number, long first, long second,
                                                     long third, long fourth, long fifth,
                                                     long sixth) {
  REQUIRE_NEXT(real, syscall, perf_agent_filters_prepare());
  // Without a filter it is a question whether the kernel knows the flag, as libseccomp asks at its begin.
  if (number == SYS_seccomp && first == SECCOMP_SET_MODE_FILTER && third != 0) {
    if (second & SECCOMP_FILTER_FLAG_TSYNC)
      end_ticker();
    else
      atomic_store(&perf_agent.has_filters, true);
  }
  if (number == SYS_unshare) return unshare((int)first);
  if (number == SYS_setns) return setns((int)first, (int)second);
  if (number == SYS_execve || number == SYS_execveat)
    return perf_agent_exec_call(real.syscall, number, first, second, third, fourth, fifth);
  return real.syscall(number, first, second, third, fourth, fifth, sixth);
}

static inline bool is_special(long number) {
  return number == SYS_seccomp || number == SYS_execve || number == SYS_execveat ||
         number == SYS_unshare || number == SYS_setns;
}

/// `syscall` of the C library, with all arguments that there may be: those that were not given are
/// passed on as they are found, as that one does.
INTERPOSED long perf_agent_syscall(long number, long first, long second, long third, long fourth,
                                   long fifth, long sixth) __asm__("syscall");

long perf_agent_syscall(long number, long first, long second, long third, long fourth, long fifth,
                        long sixth) {
  if (is_special(number) || !real.syscall)
    return call_specially(number, first, second, third, fourth, fifth, sixth);
  return real.syscall(number, first, second, third, fourth, fifth, sixth);
}

/// `prctl` of the C library, likewise.
INTERPOSED int perf_agent_prctl(int option, unsigned long first, unsigned long second,
                                unsigned long third, unsigned long fourth) __asm__("prctl");

int perf_agent_prctl(int option, unsigned long first, unsigned long second, unsigned long third,
                     unsigned long fourth) {
  if (option == PR_SET_SECCOMP && first == SECCOMP_MODE_FILTER && second != 0)
    atomic_store(&perf_agent.has_filters, true);
  REQUIRE_NEXT(real, prctl, perf_agent_filters_prepare());
  return real.prctl(option, first, second, third, fourth);
}

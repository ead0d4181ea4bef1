#define _GNU_SOURCE
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>

#include "compat.h"
#include "core/interpose.h"

// Under the agent a program with one thread has a second one, the ticker. Some system calls would
// then kill or abort the program, or fail where they succeed alone. The functions of this file end
// sampling in the process before such a call, note the reason in the audit, and call the C library.

/// `syscall` with every argument that a system call can have. glibc's has the same effect, as it
/// passes on whatever is in the registers. So the call can be a jump, and the agent is in no
/// recorded stack.
DECLARE_NEXT(long, syscall, (long, long, long, long, long, long, long));
DECLARE_NEXT(int, prctl, (int, unsigned long, unsigned long, unsigned long, unsigned long));
DECLARE_NEXT(int, capset, (cap_user_header_t, cap_user_data_t));
DECLARE_NEXT(int, unshare, (int));
DECLARE_NEXT(int, setns, (int, int));

// MARK: - Filters and credentials

/// Makes a system call that needs preparation. Not inlined, so that all other calls are jumps.
static __attribute__((noinline)) long call_prepared(long number, long first, long second,
                                                    long third, long fourth, long fifth,
                                                    long sixth) {
  switch (number) {
    case SYS_seccomp:
      // Without a filter the call only asks whether the kernel knows the flags, as libseccomp does.
      if (first == SECCOMP_SET_MODE_STRICT || (first == SECCOMP_SET_MODE_FILTER && third != 0)) {
        perf_agent_stop(PERFKIT_STOP_FILTER);
      }
      break;
    case SYS_capset:
    case SYS_setuid:
    case SYS_setreuid:
    case SYS_setresuid: perf_agent_stop(PERFKIT_STOP_CREDENTIALS); break;
    case SYS_unshare: return unshare((int)first);
    case SYS_setns: return setns((int)first, (int)second);
    case SYS_execve:
    case SYS_execveat:
      return perf_agent_exec_call(NEXT(syscall), number, first, second, third, fourth, fifth);
    default: break;
  }
  return NEXT(syscall)(number, first, second, third, fourth, fifth, sixth);
}

static inline bool needs_preparation(long number) {
  return number == SYS_seccomp || number == SYS_execve || number == SYS_execveat ||
         number == SYS_unshare || number == SYS_setns || number == SYS_capset ||
         number == SYS_setuid || number == SYS_setreuid || number == SYS_setresuid;
}

INTERPOSED long perf_agent_syscall(long number, long first, long second, long third, long fourth,
                                   long fifth, long sixth) __asm__("syscall");

long perf_agent_syscall(long number, long first, long second, long third, long fourth, long fifth,
                        long sixth) {
  if (needs_preparation(number) || !next_syscall) {
    return call_prepared(number, first, second, third, fourth, fifth, sixth);
  }
  return next_syscall(number, first, second, third, fourth, fifth, sixth);
}

INTERPOSED int perf_agent_prctl(int option, unsigned long first, unsigned long second,
                                unsigned long third, unsigned long fourth) __asm__("prctl");

int perf_agent_prctl(int option, unsigned long first, unsigned long second, unsigned long third,
                     unsigned long fourth) {
  if (option == PR_SET_SECCOMP && (first == SECCOMP_MODE_STRICT || second != 0)) {
    perf_agent_stop(PERFKIT_STOP_FILTER);
  } else if ((option == PR_SET_KEEPCAPS || option == PR_SET_SECUREBITS) && first != 0) {
    perf_agent_stop(PERFKIT_STOP_CREDENTIALS);
  }
  return NEXT(prctl)(option, first, second, third, fourth);
}

int capset(cap_user_header_t header, cap_user_data_t data);
INTERPOSED int capset(cap_user_header_t header, cap_user_data_t data) {
  perf_agent_stop(PERFKIT_STOP_CREDENTIALS);
  return NEXT(capset)(header, data);
}

// MARK: - Namespaces

/// Ends sampling if the kernel may have refused a call because the process has a second thread.
static bool stops_for_namespace(void) {
  if ((errno != EINVAL && errno != EUSERS) || !perf_agent_has_own_ticker()) {
    return false;
  }
  perf_agent_stop(PERFKIT_STOP_NAMESPACE);
  return true;
}

INTERPOSED int unshare(int flags) {
  int result = NEXT(unshare)(flags);
  return result != 0 && stops_for_namespace() ? NEXT(unshare)(flags) : result;
}

INTERPOSED int setns(int file, int kind) {
  int result = NEXT(setns)(file, kind);
  return result != 0 && stops_for_namespace() ? NEXT(setns)(file, kind) : result;
}

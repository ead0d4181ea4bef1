#define _GNU_SOURCE
#include <signal.h>

#include "compat.h"
#include "core/interpose.h"

// A signal that the ticker sends just before a thread calls sigwait would be returned by that call,
// and programs do not expect it. So a thread that waits for the sampling signal is never signalled
// again, and is counted as blocking it. Such threads handle signals; they use little CPU time.

/// Keeps the ticker's signals from a thread that is about to wait for a set of signals.
static void exempt_caller(const sigset_t *set) {
  if (!perf_agent_has_sampling_signal(set)) {
    return;
  }
  struct perf_agent_thread *thread = perf_agent_thread_of_caller();
  if (!thread || atomic_load_explicit(&thread->is_exempt, memory_order_relaxed)) {
    return;
  }
  perf_agent_hold_ticker();
  atomic_store_explicit(&thread->is_exempt, true, memory_order_relaxed);
  // Not without need: a signal of the program may lose its sender by this.
  if (atomic_load(&thread->sent) != atomic_load(&thread->handled)) {
    perf_agent_signal_discard();
  }
  perf_agent_release_ticker();
  perf_agent_count(&perf_agent.segment->audit.threads_blocking);
}

/// Defines a function that waits for a set of signals.
#define INTERPOSE_WAIT(name, parameters, arguments)                                                \
  DECLARE_NEXT(int, name, parameters);                                                             \
  INTERPOSED int name parameters {                                                                 \
    exempt_caller(set);                                                                            \
    return NEXT(name) arguments;                                                                   \
  }

INTERPOSE_WAIT(sigwait, (const sigset_t *restrict set, int *restrict number), (set, number))
INTERPOSE_WAIT(sigwaitinfo, (const sigset_t *restrict set, siginfo_t *restrict information),
               (set, information))
INTERPOSE_WAIT(sigtimedwait,
               (const sigset_t *restrict set, siginfo_t *restrict information,
                const struct timespec *restrict timeout),
               (set, information, timeout))

#define _GNU_SOURCE
#include <signal.h>
#include <sys/signalfd.h>

#include "compat.h"
#include "core/interpose.h"

// The program may take the sampling signal at any time. From then on it gets none of the agent's,
// and is not sampled any more. Until then its action appears to be the default.
//
// Other functions that change actions (sigset, sigignore, siginterrupt) are not interposed: the
// ticker detects the change within a millisecond.
//
// Everything here is async-signal-safe.

static bool is_own_process(const struct perfkit_segment *segment) {
  // A filter may forbid getpid.
  return atomic_load(&perf_agent.is_filtered) || getpid() == (pid_t)segment->agent_pid;
}

bool perf_agent_is_sampling_signal(int number) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return segment && number == segment->signal &&
         atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire) &&
         is_own_process(segment);
}

bool perf_agent_has_sampling_signal(const sigset_t *set) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return segment && set && sigismember(set, segment->signal) == 1 &&
         perf_agent_is_sampling_signal(segment->signal);
}

// MARK: - The program's own action

/// The program's action for the sampling signal, since it has taken it. The agent's `call_program`
/// calls it, as the signal may still be let through to threads that have asked to block it.
static struct {
  void (*_Atomic handler)(int, siginfo_t *, void *);
  _Atomic int flags;
} program;

static void call_program(int number, siginfo_t *information, void *context) {
  if (perf_agent_mask_defer(information, context)) {
    return;
  }
  if (program.handler) {
    // Through the union: ISO C requires the call to have the function's own type.
    const struct sigaction action = {.sa_sigaction = program.handler};
    if (program.flags & SA_SIGINFO) {
      action.sa_sigaction(number, information, context);
    } else {
      action.sa_handler(number);
    }
    return;
  }
  // By default the kernel ends the process, or ignores SIGURG.
  if (number == SIGURG) {
    return;
  }
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  perf_agent_sigaction(number, &by_default, NULL);
  PERF_AGENT_CALL(SYS_tgkill, getpid(), perf_agent_tid(), number);
}

/// Returns the action to install in place of the program's.
static struct sigaction stand_in(const struct sigaction *action) {
  struct sigaction installed = *action;
  if (!perf_agent.lets_through || action->sa_handler == SIG_IGN) {
    return installed;
  }
  // SIG_DFL is NULL.
  program.handler = action->sa_sigaction;
  program.flags = action->sa_flags;
  installed.sa_sigaction = call_program;
  installed.sa_flags |= SA_SIGINFO;
  return installed;
}

/// Returns whether a signal was the sampling signal and has been taken by the program.
static bool is_taken(int number) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return segment && perf_agent.lets_through && number == segment->signal && is_own_process(segment);
}

/// Replaces the agent's action by the program's.
static void show_program(struct sigaction *action, void (*handler)(int, siginfo_t *, void *),
                         int flags) {
  if (action->sa_sigaction == call_program) {
    action->sa_sigaction = handler;
    // siginterrupt changes the other flags without the agent.
    action->sa_flags = (action->sa_flags & ~SA_SIGINFO) | (flags & SA_SIGINFO);
  } else if (perf_agent_is_handler(action)) {
    *action = (struct sigaction){.sa_handler = SIG_DFL};
  }
}

/// Sets and returns the program's action for a signal that it has taken.
static int set_program(int number, const struct sigaction *action, struct sigaction *before) {
  void (*handler)(int, siginfo_t *, void *) = program.handler;
  int flags = program.flags;
  struct sigaction installed = action ? stand_in(action) : (struct sigaction){0};
  int result = perf_agent_sigaction(number, action ? &installed : NULL, before);
  if (result == 0 && before) {
    show_program(before, handler, flags);
  }
  return result;
}

void perf_agent_signals_forget(void) {
  struct sigaction action;
  int number = perf_agent.segment->signal;
  if (perf_agent_sigaction(number, NULL, &action) == 0 && action.sa_sigaction == call_program) {
    show_program(&action, program.handler, program.flags);
    perf_agent_sigaction(number, &action, NULL);
  }
}

/// Gives the sampling signal to the program permanently.
static int give_up(int number, const struct sigaction *action) {
  perf_agent_hold_ticker();
  atomic_store_explicit(&perf_agent.has_signal, 0, memory_order_release);
  atomic_store_explicit(&perf_agent.segment->audit.foreign_handler, 1, memory_order_relaxed);
  // Ignoring the signal makes the kernel drop it from the queues of all threads.
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  perf_agent_sigaction(number, &ignore, NULL);
  const struct sigaction installed = stand_in(action);
  int result = perf_agent_sigaction(number, &installed, NULL);
  perf_agent_release_ticker();
  return result;
}

// MARK: - Interposed functions

INTERPOSED int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  if (!perf_agent_is_sampling_signal(number)) {
    int result = is_taken(number)
                     ? set_program(number, action, before)
                     : perf_agent_sigaction(number, perf_agent_crash_stand_in(number, action), before);
    // To the program the action of a crash is the default as well.
    if (result == 0 && before && perf_agent_is_crash_handler(before)) {
      *before = (struct sigaction){.sa_handler = SIG_DFL};
    }
    return result;
  }
  // To the program the action is the default.
  int result = action && action->sa_handler != SIG_DFL ? give_up(number, action) : 0;
  if (result == 0 && before) {
    *before = (struct sigaction){.sa_handler = SIG_DFL};
  }
  return result;
}

/// Returns the program's handler for a signal, given the one that was installed.
static sighandler_t shown(sighandler_t handler) {
  // Through the union: the handler of crashes has another type.
  const struct sigaction action = {.sa_handler = handler};
  return perf_agent_is_crash_handler(&action) ? SIG_DFL : handler;
}

DECLARE_NEXT(sighandler_t, signal, (int, sighandler_t));

INTERPOSED sighandler_t signal(int number, sighandler_t handler) {
  bool is_agents = perf_agent_is_sampling_signal(number) || is_taken(number);
  // The default action of a crash is the agent's as well.
  if ((!is_agents && handler != SIG_DFL) || handler == SIG_ERR) {
    return shown(NEXT(signal)(number, handler));
  }
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, number);
  struct sigaction before;
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

DECLARE_NEXT(sighandler_t, __sysv_signal, (int, sighandler_t));

/// `signal` in programs that are compiled for POSIX or ISO C alone. Interposed, as the agent's next
/// signal would reset the program's handler, and the one after that end the program.
INTERPOSED sighandler_t __sysv_signal(int number, sighandler_t handler) {
  if (perf_agent_is_sampling_signal(number)) {
    if (handler == SIG_DFL) {
      return SIG_DFL;
    }
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    give_up(number, &by_default);
  } else if (handler == SIG_DFL) {
    return signal(number, SIG_DFL);
  }
  return shown(NEXT(__sysv_signal)(number, handler));
}

DECLARE_NEXT(int, signalfd, (int, const sigset_t *, int));

/// Interposed, as reading the descriptor takes every signal that is pending for the thread, the
/// agent's among them.
INTERPOSED int signalfd(int file, const sigset_t *set, int flags) {
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  if (perf_agent_has_sampling_signal(set)) {
    give_up(perf_agent.segment->signal, &by_default);
  }
  return NEXT(signalfd)(file, set, flags);
}

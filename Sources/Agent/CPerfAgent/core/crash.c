/// The stack of a program that dies by a signal.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>

#include "core.h"

/// The signals of a crash. A filter of system calls sends SIGSYS, so that it is left alone: the handler
/// makes system calls.
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

/// How long a crash waits for the list of modules, in nanoseconds.
#define LIST_WAIT_NS 50000000u

/// Waits for the ticker's first list of modules, without which the stack cannot be unwound: a program
/// may crash before the ticker has run.
///
/// The wait is bounded, as the thread may hold the loader's lock, which the ticker needs.
static void wait_for_modules(const struct perfkit_segment *segment) {
  if (!perf_agent.has_ticker ||
      atomic_load_explicit(&segment->sampling, memory_order_acquire) == 0) {
    return;
  }
  uint64_t deadline = perf_agent_clock(CLOCK_MONOTONIC) + LIST_WAIT_NS;
  while (!atomic_load_explicit(&perf_agent.has_modules, memory_order_acquire) &&
         perf_agent_clock(CLOCK_MONOTONIC) < deadline) {
    perf_agent_futex_wait(&perf_agent.has_modules, 0, deadline);
  }
}

/// Writes the stack, and lets the signal end the process.
///
/// Without an alternate stack it does not run after a stack overflow: the kernel ends the process. The
/// agent gives threads none: handlers of the program with SA_ONSTACK would run on it as well.
static void handle_crash(int signal, siginfo_t *information, void *context) {
  // First, so that a fault in this handler ends the process.
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  perf_agent_sigaction(signal, &by_default, NULL);
  const struct perf_agent_thread *thread = perf_agent_local.thread;
  const struct perfkit_segment *segment = perf_agent_own_segment();
  if (segment && thread && !perf_agent_local.is_in_handler) {
    perf_agent_local.is_in_handler = 1;
    wait_for_modules(segment);
    const struct perf_agent_occasion occasion = {
        .kind = PERFKIT_RECORD_CRASH,
        .time_ns = perf_agent_clock(CLOCK_MONOTONIC),
        .tick_ns = (uint64_t)signal,
        // A signal that a process sent has the sender's id there.
        .cpu_ns = information->si_code > 0 ? (uint64_t)(uintptr_t)information->si_addr : 0};
    perf_agent_write_sample(thread, context, occasion);
    perf_agent_local.is_in_handler = 0;
  }
  // The instruction of a fault is repeated, which keeps its address for a core file. A signal from a
  // process, or from an instruction that was executed, must be sent again.
  bool is_repeated = information->si_code > 0 && signal != SIGTRAP && signal != SIGABRT;
  if (!is_repeated) {
    PERF_AGENT_CALL(SYS_tgkill, getpid(), perf_agent_tid(), signal);
  }
}

/// The action of the agent, for all crash signals. Without a handler until it is installed.
static struct sigaction crash_action;

void perf_agent_crash_install(void) {
  sigfillset(&crash_action.sa_mask);
  crash_action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  crash_action.sa_sigaction = handle_crash;
  for (size_t index = 0; index < sizeof crash_signals / sizeof *crash_signals; index++) {
    struct sigaction before;
    int signal = crash_signals[index];
    // A program that was started with an ignored signal keeps that.
    if (perf_agent_sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
      perf_agent_sigaction(signal, &crash_action, NULL);
    }
  }
}

const struct sigaction *perf_agent_crash_stand_in(int number, const struct sigaction *action) {
  if (!action || action->sa_handler != SIG_DFL || crash_action.sa_handler == SIG_DFL) {
    return action;
  }
  for (size_t index = 0; index < sizeof crash_signals / sizeof *crash_signals; index++) {
    if (number == crash_signals[index]) {
      return &crash_action;
    }
  }
  return action;
}

bool perf_agent_is_crash_handler(const struct sigaction *action) {
  return action->sa_sigaction == handle_crash;
}

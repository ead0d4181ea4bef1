#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "core.h"

/// Returns the slot that the ticker has signalled; NULL if the signal was meant for another thread.
static struct perf_agent_thread *find_addressee(struct perf_agent_thread *thread) {
  struct perf_agent_local *local = &perf_agent_local;
  if (local->thread == thread) {
    return thread;
  }
  // Acquire: the slot's fields, which the ticker wrote before it sent the signal, are read after
  // this.
  (void)atomic_load_explicit(&thread->sent, memory_order_acquire);
  // A foreign thread learns its slot here. Any other thread has ended, and its id was given to a
  // new thread between the ticker's look and its signal.
  if (local->thread || !thread->is_foreign || thread->tid != perf_agent_tid()) {
    return NULL;
  }
  local->thread = thread;
  atomic_store_explicit(&thread->local, local, memory_order_relaxed);
  return thread;
}

/// Reads the times and the state that belong to a signal. Returns false if the ticker has sent a
/// later signal since.
///
/// The ticker gives up a signal that is neither pending nor being handled, e.g. after the program
/// has read it. If the host stops a virtual CPU between these two states, the signal is handled
/// later.
static bool is_current(struct perf_agent_request request, struct perf_agent_occasion *occasion) {
  const struct perf_agent_thread *thread = request.thread;
  // Written before the system call that sent the signal.
  occasion->tick_ns = atomic_load_explicit(&thread->tick_ns, memory_order_acquire);
  occasion->cpu_ns = atomic_load_explicit(&thread->tick_cpu_ns, memory_order_acquire);
  occasion->ticks_merged = atomic_load_explicit(&thread->ticks_merged, memory_order_acquire);
  occasion->merged_cpu_ns = atomic_load_explicit(&thread->merged_cpu_ns, memory_order_acquire);
  occasion->is_off_cpu = atomic_load_explicit(&thread->is_off_cpu, memory_order_acquire);
  return atomic_load_explicit(&thread->sent, memory_order_relaxed) == request.number;
}

/// Answers a request of the ticker.
static void answer(struct perf_agent_request request, struct perf_agent_thread *thread,
                   const void *context) {
  struct perfkit_segment *segment = perf_agent.segment;
  struct perf_agent_occasion occasion = {.kind = PERFKIT_RECORD_SAMPLE,
                                         .time_ns = perf_agent_clock(CLOCK_MONOTONIC)};
  if (thread && !is_current(request, &occasion)) {
    return;
  }
  bool is_written = false;
  // The sampling signal is blocked meanwhile; the guard is for a program's crash handler that
  // unblocks it.
  if (thread && !perf_agent_local.is_in_handler) {
    perf_agent_local.is_in_handler = 1;
    is_written = perf_agent_write_sample(thread, context, occasion);
    atomic_store_explicit(&thread->handled, request.number, memory_order_release);
    perf_agent_local.is_in_handler = 0;
  }
  perf_agent_count(is_written ? &segment->audit.samples_written : &segment->audit.samples_dropped);
}

/// Handles the sampling signal. Takes no lock, allocates nothing, uses less than 1 KiB of stack.
static void handle_signal(int signal, siginfo_t *information, void *context) {
  (void)signal;
  struct perfkit_segment *segment = perf_agent.segment;
  if (!segment) {
    return;  // A child after fork.
  }
  struct perf_agent_request request = perf_agent_signal_request(information);
  if (!request.thread) {
    // From a timer of the program, or from kill.
    perf_agent.hooks.defer_signal(information, context);
    return;
  }
  int saved_errno = errno;
  struct perf_agent_thread *thread = find_addressee(request.thread);
  if (thread) {
    atomic_store_explicit(&thread->cpu, sched_getcpu(), memory_order_relaxed);
  }
  if (thread && segment->flags & PERFKIT_FLAG_EMPTY_HANDLER) {
    uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
    atomic_store_explicit(&thread->handled, sent, memory_order_release);
  } else {
    answer(request, thread, context);
  }
  errno = saved_errno;
}

// MARK: - Installation

bool perf_agent_handler_install(void) {
  if (atomic_load(&perf_agent.has_signal)) {
    return true;
  }
  int signal = perf_agent.segment->signal;
  struct sigaction before;
  // A program that handles the signal keeps it.
  if (perf_agent_sigaction(signal, NULL, &before) != 0 || before.sa_handler != SIG_DFL) {
    return false;
  }
  // Other handlers wait, so that none of them can jump out of this one or exhaust a small stack.
  // Signals of a crash do not wait.
  const uint64_t blocked = perf_agent_deferrable_signals();
  struct sigaction action = {.sa_sigaction = handle_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  memcpy(&action.sa_mask, &blocked, sizeof blocked);
  // Set first, so that the agent sees a program that takes the signal from here on.
  atomic_store(&perf_agent.has_signal, 1);
  if (perf_agent_sigaction(signal, &action, &before) == 0) {
    if (before.sa_handler == SIG_DFL) {
      return true;
    }
    // The program took the signal in the meantime.
    perf_agent_sigaction(signal, &before, NULL);
  }
  atomic_store(&perf_agent.has_signal, 0);
  return false;
}

bool perf_agent_is_handler(const struct sigaction *action) {
  return action->sa_sigaction == handle_signal;
}

bool perf_agent_handler_is_installed(void) {
  struct sigaction action;
  // siginterrupt keeps the handler, but has it interrupt system calls.
  return perf_agent_sigaction(perf_agent.segment->signal, NULL, &action) == 0 &&
         perf_agent_is_handler(&action) && (action.sa_flags & SA_RESTART) != 0;
}

void perf_agent_handler_remove(int signal) {
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  struct sigaction action;
  if (perf_agent_sigaction(signal, NULL, &action) == 0 && perf_agent_is_handler(&action)) {
    perf_agent_sigaction(signal, &by_default, NULL);
  }
}

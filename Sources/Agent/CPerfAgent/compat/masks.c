#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include "compat.h"
#include "core/interpose.h"

// A thread that blocks the sampling signal cannot be sampled, and a signal that stays pending would
// end its next wait for signals (sigsuspend, ppoll). So the signal is let through: a thread that
// asks to block it is noted, blocks the others, and is answered that it blocks all of them. New
// threads, children by fork and the next program get the mask that the program has asked for.
//
// In a wait with a mask, and in handlers that block signals while they run, the sampling signal is
// blocked as the program asks.
//
// Everything here is async-signal-safe.

typedef int (*mask_function)(int, const sigset_t *, sigset_t *);

// MARK: - The mask that a thread has asked for

static bool lets_through(void) {
  return perf_agent.segment && perf_agent.lets_through;
}

static bool has_signal(void) {
  return atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire) != 0;
}

/// Returns the flag that the calling thread has asked to block the sampling signal and does not.
static volatile sig_atomic_t *asked(void) {
  struct perf_agent_local *local = &perf_agent_local;
  // A filter may forbid getpid.
  if (atomic_load(&perf_agent.is_filtered)) {
    return &local->asks_to_block;
  }
  pid_t self = getpid();
  if (self == (pid_t)perf_agent.segment->agent_pid) {
    local->child = 0;
    return &local->asks_to_block;
  }
  // A child by vfork has its parent's memory, but a mask of its own.
  if (local->child != self) {
    local->child = self;
    local->child_asks_to_block = local->asks_to_block;
  }
  return &local->child_asks_to_block;
}

static uint64_t sampling_signal(void) {
  return perf_agent_signal_bit(perf_agent.segment->signal);
}

static bool really_blocks(void) {
  return (perf_agent_change_mask(SIG_BLOCK, 0) & sampling_signal()) != 0;
}

void perf_agent_mask_begin(void) {
  if (!lets_through() || !has_signal() || !really_blocks()) {
    return;
  }
  // In this order: a pending signal is handled at once.
  perf_agent_local.asks_to_block = 1;
  atomic_signal_fence(memory_order_seq_cst);
  perf_agent_change_mask(SIG_UNBLOCK, sampling_signal());
}

bool perf_agent_mask_close(void) {
  if (!lets_through() || !*asked()) {
    return false;
  }
  perf_agent_change_mask(SIG_BLOCK, sampling_signal());
  return true;
}

void perf_agent_mask_open(bool was_closed) {
  if (was_closed) {
    perf_agent_change_mask(SIG_UNBLOCK, sampling_signal());
  }
}

bool perf_agent_mask_defer(const siginfo_t *information, void *context) {
  if (!lets_through() || !*asked()) {
    return false;
  }
  // The thread really blocks the signal after the handler, as it has asked to.
  *asked() = 0;
  sigaddset(&((ucontext_t *)context)->uc_sigmask, information->si_signo);
  perf_agent_signal_requeue(information);
  return true;
}

// MARK: - Changes of masks

static int change(mask_function function, int how, const sigset_t *set, sigset_t *before) {
  if (!lets_through()) {
    return function(how, set, before);
  }
  int number = perf_agent.segment->signal;
  volatile sig_atomic_t *asks = asked();
  if (!has_signal()) {
    // The program has taken the signal.
    if (*asks) {
      perf_agent_change_mask(SIG_BLOCK, sampling_signal());
    }
    *asks = 0;
    return function(how, set, before);
  }
  sig_atomic_t asked_before = *asks;
  sigset_t changed;
  if (set) {
    changed = *set;
    bool is_named = sigismember(set, number) == 1;
    // In a handler that blocks the signal: the end of the handler undoes this change.
    if (is_named && how != SIG_UNBLOCK && !asked_before && really_blocks()) {
      return function(how, set, before);
    }
    // Set before the change: a signal of the program that comes in between is deferred if the flag
    // is set and the signal is let through, and would be deferred permanently if the flag were set
    // too late.
    if (how == SIG_SETMASK) {
      *asks = is_named;
    } else if (is_named) {
      *asks = how == SIG_BLOCK;
    }
    if (how != SIG_UNBLOCK) {
      sigdelset(&changed, number);
    }
    atomic_signal_fence(memory_order_seq_cst);
  }
  int result = function(how, set ? &changed : NULL, before);
  if (result != 0) {
    *asks = asked_before;
  } else if (before && asked_before) {
    sigaddset(before, number);
  }
  return result;
}

/// Defines a function that changes the mask.
#define INTERPOSE_MASK(name)                                                                       \
  DECLARE_NEXT(int, name, (int, const sigset_t *, sigset_t *));                                    \
  INTERPOSED int name(int how, const sigset_t *restrict set, sigset_t *restrict before) {          \
    return change(NEXT(name), how, set, before);                                                   \
  }

INTERPOSE_MASK(pthread_sigmask)
INTERPOSE_MASK(sigprocmask)

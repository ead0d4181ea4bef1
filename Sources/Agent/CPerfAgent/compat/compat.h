/// Interposed functions of the C library, so that the recorded program behaves as it does alone.
///
///     thread_start.c   pthread_create: threads are known from their start
///     fork.c           fork, _Fork: a child forgets its parent's segment, and may get its own
///     follow.c         asks the harness for the segment of a child
///     exec.c           the exec family: no sampling signal reaches the next program
///     masks.c          pthread_sigmask, sigprocmask: the sampling signal is let through
///     signals.c        sigaction, signal, __sysv_signal, signalfd: the program may take the signal
///     wait_calls.c     sigwait, sigwaitinfo, sigtimedwait: they return no signal of the agent
///     restrictions.c   syscall, prctl, capset, unshare, setns: sampling ends where it must
#ifndef PERF_AGENT_COMPAT_H
#define PERF_AGENT_COMPAT_H

#include "core/core.h"

// MARK: - Masks; async-signal-safe

/// Lets the sampling signal through to the calling thread, which has inherited the program's mask.
void perf_agent_mask_begin(void);
/// Gives the calling thread the mask that the program has asked for, to be inherited. Returns the
/// argument of `perf_agent_mask_open`.
bool perf_agent_mask_close(void);
/// Lets the sampling signal through again.
void perf_agent_mask_open(bool was_closed);
/// Blocks the sampling signal and puts a signal that is not the ticker's back into its queue, if
/// the thread has asked to block it. Returns whether it has. A signal handler.
bool perf_agent_mask_defer(const siginfo_t *_Nonnull information, void *_Nonnull context);

// MARK: - Signals; async-signal-safe

/// Returns whether a signal is the sampling signal of this process and its handler is the agent's.
bool perf_agent_is_sampling_signal(int number);
/// Returns whether a set contains the sampling signal of this process and its handler is the
/// agent's.
bool perf_agent_has_sampling_signal(const sigset_t *_Nullable set);
/// Restores the program's own action for the sampling signal in a child after fork.
void perf_agent_signals_forget(void);

// MARK: - Children

/// Registers the handlers of fork. Returns 0 or an errno. Not async-signal-safe.
int perf_agent_fork_register(void);
/// Returns after a child that has asked for a segment has got its answer; then its ticker is
/// running, or the thread that would have become its ticker is gone.
void perf_agent_fork_settle(void);
/// Reads the address from which children get their segments. Before there are threads.
void perf_agent_follow_prepare(void);
/// Returns whether child processes are followed.
bool perf_agent_may_follow(void);
/// Asks for a segment of the calling process and maps it; returns NULL if there is none. Waits for
/// at most 0.2 s.
struct perfkit_segment *_Nullable perf_agent_map_followed(void);

// MARK: - exec

/// Replaces the program by a system call, through `syscall` of the C library. Async-signal-safe.
long perf_agent_exec_call(long (*_Nonnull call)(long, long, long, long, long, long, long),
                          long number, long first, long second, long third, long fourth,
                          long fifth);

#endif

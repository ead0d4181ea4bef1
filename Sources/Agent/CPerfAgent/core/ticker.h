/// The parts of the ticker. Its own thread calls all functions of this header.
#ifndef PERF_AGENT_TICKER_H
#define PERF_AGENT_TICKER_H

#include <sys/types.h>

#include "core.h"

/// The ticker's state; no other thread reads it.
struct perf_agent_ticker_state {
  uint64_t random;
  bool may_signal;
  bool is_installed;
  uint64_t next_scan_ns, next_look_ns, next_step_ns;
  uint64_t tick_end_ns;     ///< The end of the interval of the present tick.
  uint32_t ticks_delayed;   ///< Later ticks that a fork has delayed and this pass makes up for.
  int cpu;                  ///< The CPU of this pass.
  uint32_t running;         ///< Threads that were running in this pass.
  bool is_in_the_way;       ///< One of them was running on the ticker's CPU.
  bool is_alone;            ///< The program's threads have all ended.
  uint64_t earlier_cpu_ns;  ///< CPU time of earlier tickers, e.g. of programs before exec.
  uid_t user;               ///< The process's user when the ticker began.
};
extern struct perf_agent_ticker_state perf_agent_ticker_state __attribute__((visibility("hidden")));

static inline struct perfkit_audit *_Nonnull perf_agent_audit(void) {
  return &perf_agent.segment->audit;
}

/// Returns a number from 0 up to but not including `limit`, at most 2^32.
uint64_t perf_agent_random_below(uint64_t limit);

// MARK: - Passes

/// Looks at every thread once and signals the running ones, unless a thread holds the ticker back.
void perf_agent_visit_all(uint64_t now);

/// Returns whether a thread has not handled its last signal yet, or must not be sent any.
bool perf_agent_is_pending(struct perf_agent_thread *_Nonnull thread);
/// Returns the ticks after the present one that the thread's fork has kept the ticker from making
/// until now, but no more than the thread's CPU time allows. The pass makes up for them.
uint32_t perf_agent_make_up(const struct perf_agent_thread *_Nonnull thread, uint64_t now,
                            uint64_t cpu_ns);
/// Asks a thread that is on a CPU, or wants to be, for a sample.
void perf_agent_send_signal(struct perf_agent_thread *_Nonnull thread, uint64_t cpu_ns,
                            bool is_on_cpu);

// MARK: - Records of threads

/// Writes THREAD_START. `cpu_ns` is the thread's CPU time when its sampling began.
void perf_agent_thread_announce(struct perf_agent_thread *_Nonnull thread, uint64_t now,
                                uint64_t cpu_ns);
/// Writes THREAD_END of a live thread at the end of sampling.
void perf_agent_thread_dismiss(struct perf_agent_thread *_Nonnull thread, uint64_t now);
/// Writes THREAD_END of an ended thread, and frees its slot once it is gone.
void perf_agent_thread_retire(struct perf_agent_thread *_Nonnull thread, uint64_t now);
/// Frees the slot of an ended thread once it is gone.
void perf_agent_thread_release(struct perf_agent_thread *_Nonnull thread, uint64_t now);
/// Writes THREAD_END of a thread that has vanished without reaching ENDED, and frees its slot.
void perf_agent_thread_retire_vanished(struct perf_agent_thread *_Nonnull thread, uint64_t now);

/// Looks for threads that have no slot.
void perf_agent_scan(void);

// MARK: - States of threads

/// A thread's state as /proc has it.
enum perf_agent_run_state {
  PERF_AGENT_GONE = -1,
  PERF_AGENT_NOT_RUNNING = 0,  ///< Nothing else is known.
  PERF_AGENT_RUNNING = 1,      ///< On a CPU, or waiting for one.
  PERF_AGENT_WAITING = 2,      ///< In a system call or a page fault, or stopped.
};

/// Where a waiting thread is.
struct perf_agent_place {
  int32_t system_call;  ///< -1: not in one.
  uint64_t stack_pointer, program_counter;
};

/// Reads a thread's state, and its place if it waits and that may be read. Opens and keeps its
/// file.
enum perf_agent_run_state perf_agent_run_state(struct perf_agent_thread *_Nonnull thread,
                                               struct perf_agent_place *_Nonnull place);
/// Closes the file of a thread.
void perf_agent_procfs_close(struct perf_agent_thread *_Nonnull thread);
/// Reads a thread's name; empty if the thread is gone.
void perf_agent_thread_name(uint32_t tid, char name[_Nonnull 16]);
/// Reads whether a thread blocks a signal, and whether the signal is pending for it.
bool perf_agent_signal_masks(uint32_t tid, int signal, bool *_Nonnull blocked,
                             bool *_Nonnull pending);
/// Returns the number of threads of the process; 0 if it cannot be read.
uint32_t perf_agent_task_count(void);
/// Returns whether the process's first thread has ended while the process goes on.
bool perf_agent_is_initial_gone(void);
/// Calls a function with the id of each thread of the process.
void perf_agent_for_each_task(void (*_Nonnull body)(uint32_t tid));

/// Writes a sample of a thread that waits, unless it has run meanwhile. `cpu_ns` is its CPU time,
/// read before `place`.
void perf_agent_write_waiting(struct perf_agent_thread *_Nonnull thread,
                              const struct perf_agent_place *_Nonnull place, uint64_t now,
                              uint64_t cpu_ns);

/// Asks the kernel to wake the ticker early when every CPU is busy.
void perf_agent_ticker_hurry(void);
/// Gives the ticker's thread the signal mask of the thread that has started it.
void perf_agent_ticker_leave(void);

#endif

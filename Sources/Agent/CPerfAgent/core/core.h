/// The core of the agent: the signal handler, the rings, the ticker and the sampled threads.
///
/// The core depends on no other folder. `compat` and `heap` depend on the core alone, `attach.c` on
/// all of them. The core calls the others only by `perf_agent.hooks`, which `attach.c` fills in;
/// `Scripts/style/agent-layers` checks that.
///
///     os.h/.c             system calls, clocks, futexes, signal masks, memory reads
///     threads.h/.c        slots of threads
///     thread_life.c       begin and end of a thread
///     segment.c           mapping and checking the capture segment
///     rings.h/.c          the pool of rings, and writing records into them
///     sample.c            writing a sample of the calling thread; arch_*.h the registers
///     handler.c           the signal handler
///     sampling_signal.c   requests of the ticker to the handler
///     ticker.h/.c         the thread that decides when to sample
///     ticker_pass.c       one look at all threads
///     ticker_thread.c     start and end of the ticker's thread
///     thread_records.c    records of the begin and end of threads
///     thread_scan.c       threads that were not started by pthread_create
///     procfs.c            states of threads, out of /proc
///     waiting.c           samples of threads that wait
///     async.c             callers of Swift's async functions
///     modules.c           which libraries are loaded, and where; their paths and build ids
///     marks.c             the functions of perf_agent.h
#ifndef PERF_AGENT_CORE_H
#define PERF_AGENT_CORE_H

#include "os.h"
#include "threads.h"

// MARK: - State

/// The functions of upper layers that the core, or one upper layer, calls. Filled in by attach
/// before there is a segment.
struct perf_agent_hooks {
  /// The calling thread has got its slot and its mask.
  void (*_Nonnull thread_began)(void);
  /// The calling thread is about to give up its slot.
  void (*_Nonnull thread_ends)(void);
  /// Returns whether a signal that is not the ticker's was put back into its queue, as the thread
  /// has asked to block it. Called by the signal handler.
  bool (*_Nonnull defer_signal)(const siginfo_t *_Nonnull information, void *_Nonnull context);
  /// Returns after a child that has asked for a segment has got its answer.
  void (*_Nonnull settle)(void);
};

struct perf_agent {
  /// NULL without a segment, and in a child after fork until it is followed. Written by attach and
  /// fork alone.
  struct perfkit_segment *_Nullable segment;
  struct perf_agent_hooks hooks;
  /// Set by the end of the process or of sampling (release), read by the ticker (acquire).
  _Atomic uint32_t is_stopping;
  /// 1 while the ticker is between two runs of sampling; waited on by futex at the end.
  _Atomic uint32_t is_ticker_idle;
  /// The number of threads that hold the ticker back: no signal is sent while it is above 0.
  _Atomic uint32_t holders;
  /// 1 while the ticker may be sending signals; waited on by futex by those threads.
  _Atomic uint32_t is_passing;
  /// 1 after the process's first thread has ended; the process then ends with its last thread.
  _Atomic uint32_t has_initial_ended;
  /// 1 after the ticker's first complete list of modules; waited on by futex by a crash.
  _Atomic uint32_t has_modules;
  bool has_ticker;
  /// The ticker has a table of descriptors of its own, or will have one.
  _Atomic bool is_ticker_apart;
  _Atomic uint32_t ticker_tid;  ///< 0 until it runs. Written by the ticker.
  /// When the next tick is due, past until its pass has ended; 0: none. Written by the ticker.
  _Atomic uint64_t due_ns;
  /// The program has installed a filter of system calls: the agent makes none that the program did
  /// not make itself.
  _Atomic bool is_filtered;
  pid_t process;  ///< The process of the ticker.
  /// 1 while the signal's handler is the agent's.
  _Atomic uint32_t has_signal;
  /// Masks of the program let the sampling signal through. Written by attach alone.
  bool lets_through;
};

extern struct perf_agent perf_agent __attribute__((visibility("hidden")));

/// Points to true in the process that the segment belongs to.
///
/// The page is emptied in each child with memory of its own (MADV_WIPEONFORK), also if it was made
/// by a system call that the agent does not see. Before Linux 4.14, and in a child that shares its
/// parent's memory, it is true as in the parent.
extern _Atomic bool *_Nonnull perf_agent_is_own __attribute__((visibility("hidden")));

/// Returns the segment; NULL if there is none or if it is the parent's. Any thread;
/// async-signal-safe.
static inline struct perfkit_segment *_Nullable perf_agent_own_segment(void) {
  // Relaxed: it is set before the segment, and in a child only when the child is followed.
  return atomic_load_explicit(perf_agent_is_own, memory_order_relaxed) ? perf_agent.segment : NULL;
}

// MARK: - The segment

/// Maps a file if it is a segment for this process; returns NULL otherwise.
///
/// - `populates`: map all pages that have memory at once, which costs 0.05 us each; in a handler
///   each would cost ten times as much.
struct perfkit_segment *_Nullable perf_agent_segment_map(int file, bool populates);

// MARK: - Samples

/// Why a sample is written: the first fields of its record.
struct perf_agent_occasion {
  uint16_t kind;
  uint64_t time_ns;
  /// For an allocation its number and its bytes, for a crash its signal and the address of the fault.
  uint64_t tick_ns, cpu_ns;
  uint32_t ticks_merged;   ///< The later ticks that the sample stands for.
  uint64_t merged_cpu_ns;  ///< The thread's CPU clock at the last of them.
  bool is_off_cpu;         ///< The thread wanted to run at the tick, but had no CPU.
};

/// Writes a sample of the calling thread. Returns false if there is no ring or no room in it.
/// Called by the thread's signal handler, or by the thread while that is blocked;
/// async-signal-safe.
bool perf_agent_write_sample(const struct perf_agent_thread *_Nonnull thread,
                             const void *_Nonnull context, struct perf_agent_occasion occasion);

/// The bit of a saved frame pointer by which Swift marks the frame of an async function. Its
/// context is right below the frame (swift/docs/ABI, "Async frame pointers"; LLVM's
/// SwiftAsyncFramePointerMode).
#define PERF_AGENT_ASYNC_BIT (UINT64_C(1) << 60)

/// Returns the context of the innermost async function on a stack, found by its frame pointers; 0
/// if no frame is marked. Only for the calling thread's stack, from `low` to `high`;
/// async-signal-safe.
uint64_t perf_agent_async_context(uint64_t frame, uint64_t low, uint64_t high);
/// Writes the contexts that await one, itself first, as pairs {context, resume address}, and
/// returns their number. Async-signal-safe; about 1 us each.
uint16_t perf_agent_async_callers(uint64_t context, uint64_t pairs[_Nonnull 2 * PERFKIT_ASYNC_MAX]);

// MARK: - The sampling signal

/// Installs the signal handler if it is not installed. Returns false if the program uses the
/// signal. The ticker, or the thread that attaches.
bool perf_agent_handler_install(void);
/// Returns whether the handler is installed as the agent has installed it. The ticker.
bool perf_agent_handler_is_installed(void);
/// Returns whether an action is the agent's handler.
bool perf_agent_is_handler(const struct sigaction *_Nonnull action);
/// Restores the default action if the handler is the agent's. A child after fork;
/// async-signal-safe.
void perf_agent_handler_remove(int signal);

// MARK: - Crashes

/// Installs a handler for the signals of a crash that have the default action. The thread that attaches.
void perf_agent_crash_install(void);
/// Returns the action to install in place of the program's: the agent's for the default action of a
/// crash signal. A program's own handler usually restores the default before it lets the program
/// die, so that the agent's handler runs after it. Async-signal-safe.
const struct sigaction *_Nullable perf_agent_crash_stand_in(int number,
                                                            const struct sigaction *_Nullable action);
/// Returns whether an action is the handler of crashes. Async-signal-safe.
bool perf_agent_is_crash_handler(const struct sigaction *_Nonnull action);

// MARK: - Requests

/// The ticker's request for a sample.
struct perf_agent_request {
  struct perf_agent_thread *_Nullable thread;  ///< NULL: the signal is not the ticker's.
  uint32_t number;  ///< The signal's number among those sent to the thread.
};
/// Reads the ticker's request out of a signal to the calling thread. Async-signal-safe.
struct perf_agent_request perf_agent_signal_request(const siginfo_t *_Nonnull information);
/// Removes a signal of the ticker that is pending for the calling thread from its queue.
/// Async-signal-safe.
void perf_agent_signal_discard(void);
/// Puts a signal that the calling thread has received back into its queue. Async-signal-safe.
void perf_agent_signal_requeue(const siginfo_t *_Nonnull information);
/// Keeps the ticker from sending signals, and returns when none is being sent. Async-signal-safe.
void perf_agent_hold_ticker(void);
/// Undoes one `perf_agent_hold_ticker`. Async-signal-safe.
void perf_agent_release_ticker(void);

// MARK: - The ticker's thread

/// Returns whether the calling process has a ticker, or will have one. In a child by vfork the
/// ticker is the parent's.
bool perf_agent_has_own_ticker(void);
/// Starts the ticker with all of the program's signals blocked. Not async-signal-safe.
void perf_agent_ticker_begin(void);
/// Ends the ticker and starts it again. Not async-signal-safe.
void perf_agent_ticker_restart(void);
/// Moves the calling thread into an empty table of descriptors. Returns false if the kernel cannot.
bool perf_agent_ticker_leave_files(void);
/// The ticker's thread function.
void *_Nullable perf_agent_ticker(void *_Nullable unused);
/// Ends sampling in this process permanently, notes the reason in the audit, and returns when the
/// ticker has made its last system call. Does nothing without a ticker. Not async-signal-safe.
void perf_agent_stop(enum perfkit_stop reason);
/// Lets a child after fork forget its parent's ticker. Async-signal-safe.
void perf_agent_ticker_forget(void);

// MARK: - Modules

/// Writes the list of modules into ring 0 if it has changed, but not too often; `is_last` writes a
/// change at once. The ticker.
void perf_agent_modules_update(bool is_last);
/// Has the next update write the list in any case. The ticker.
void perf_agent_modules_forget(void);
/// Keeps the calling thread's fork apart from a moment in which the ticker holds the loader's lock,
/// which would stay locked in the child. Gives up after 20 ms, as the calling thread may hold that
/// lock itself.
void perf_agent_modules_lock(void);
/// Undoes `perf_agent_modules_lock` in the parent.
void perf_agent_modules_unlock(void);
/// Initialises the lock in a child after fork; async-signal-safe.
void perf_agent_modules_reset(void);

// MARK: - Files in /proc

/// Closes every file of the ticker. The ticker at its end, or a child after fork, where they are the
/// parent's; async-signal-safe.
void perf_agent_procfs_forget(void);

#endif

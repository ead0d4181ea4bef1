/// The slots of the threads that the agent knows, and the state that each thread keeps for itself.
#ifndef PERF_AGENT_THREADS_H
#define PERF_AGENT_THREADS_H

#include "os.h"

/// The maximum number of threads that are known at once. Further threads are neither sampled nor
/// can they write marks.
#define PERF_AGENT_THREAD_MAX 1024u

/// The page at the limit of the initial thread's stack, which its bounds leave out.
#define PERF_AGENT_PAGE_BYTES UINT64_C(4096)

/// States of a thread's slot.
///
///     FREE -> CLAIMED   its creator, by compare-and-exchange (acquire)
///     CLAIMED -> LIVE   the new thread, after its fields are filled in (release)
///     CLAIMED -> FREE   its creator, if the thread could not be started
///     LIVE -> ENDED     the thread at its end (release)
///     ENDED -> FREE     the ticker, or the thread itself if there is no ticker (release)
///     LIVE -> FREE      the ticker, after a thread has vanished without reaching ENDED
///
/// Foreign threads vanish, and threads that end by the system call SYS_exit. Without a ticker their
/// slots are lost.
enum perf_agent_thread_state {
  PERF_AGENT_FREE = 0,
  PERF_AGENT_CLAIMED,
  PERF_AGENT_LIVE,
  PERF_AGENT_ENDED,
};

/// A thread's slot.
struct perf_agent_thread {
  // Filled in before LIVE.
  uint32_t tid;
  uint32_t serial;
  clockid_t clock;                 ///< Its CPU clock.
  bool is_foreign;                 ///< Found by a scan: its end is not reported to the agent.
  uint64_t stack_low, stack_high;  ///< 0 if unknown.
  void *_Nullable (*_Nullable start)(void *_Nullable);
  void *_Nullable argument;

  // Filled in by the thread before ENDED.
  uint64_t end_ns, end_cpu_ns;
  char end_name[16];

  // The ticker's request to the handler. Only while `sent` == `handled` the ticker raises `sent`,
  // writes the two times and the state (release) and sends a signal with that number. The handler
  // reads them (acquire), uses them if `sent` is still its signal's number, and then sets `handled`
  // to it (release).
  _Atomic uint64_t tick_ns, tick_cpu_ns;
  _Atomic bool is_off_cpu;  ///< The thread wanted to run at the tick, but had no CPU.
  _Atomic uint32_t sent;
  _Atomic uint32_t handled;
  /// Ticks at which the thread ran without having handled its signal, and its CPU clock at the last
  /// of them. Set by the ticker.
  _Atomic uint32_t ticks_merged;
  _Atomic uint64_t merged_cpu_ns;

  /// The CPU of the thread's last sample; -1 before the first. Set by the handler.
  _Atomic int cpu;
  /// NULL until the thread's first record. Set by the thread.
  _Atomic(struct perfkit_ring *) ring;

  /// The thread's own state. Set before LIVE, or by the handler of a foreign thread.
  _Atomic(const struct perf_agent_local *) local;

  // Used by the ticker alone.
  uint64_t last_cpu_ns;
  uint64_t last_ran_ns;     ///< When its CPU clock last moved; 0: not while sampling was on.
  uint64_t rests_until_ns;  ///< The ticker skips the thread before this time.
  int syscall_file;         ///< /proc/self/task/TID/syscall; -1: not open.
  uint64_t syscall_inode;
  bool reads_state;  ///< The file is TID/stat, as the other one cannot be read or does not exist.
  uint32_t ticks_pending;  ///< Ticks in a row at which the last signal had not been handled.
  bool is_announced;       ///< THREAD_START is written.
  bool is_met;             ///< The ticker has looked at its state since.
  bool is_end_written;     ///< It has ended, and THREAD_END is written if it had to be.

  /// It blocks the sampling signal. Set by the ticker.
  _Atomic bool is_blocking;
  /// It has waited for the sampling signal (sigwait), and gets no more of them. Set by the thread.
  _Atomic bool is_exempt;
  /// When it entered fork, which keeps the ticker from running; 0: it is not in fork. Set by the
  /// thread, after its CPU time then.
  _Atomic uint64_t forking_ns, forking_cpu_ns;
};

/// The state that each thread keeps for itself; by it the handler finds the thread's ring.
/// Zero-initialised.
struct perf_agent_local {
  struct perf_agent_thread *_Nullable thread;  ///< NULL: not known, or at its end.
  struct perfkit_ring *_Nullable ring;
  uint32_t phase, signpost;           ///< Name ids of the innermost ones.
  volatile sig_atomic_t is_claiming;  ///< The thread is about to set `ring`.
  volatile sig_atomic_t is_in_handler;
  bool is_refused;      ///< There was no ring for it, and that is counted.
  uint32_t depth;       ///< Open phases and signposts.
  uint32_t frames[16];  ///< The frame in which each of them began.
  uint64_t entered_ns[16];  ///< When the thread entered each of them; 0: not read.
  /// The program has asked the thread to block the sampling signal, which is let through all the
  /// same.
  volatile sig_atomic_t asks_to_block;
  volatile sig_atomic_t child_asks_to_block;  ///< The same of its child by vfork.
  pid_t child;                                ///< The process id of that child; 0: none.
  /// How often the thread had lost its CPU to another one, at the handler's last look.
  long preemptions;
  struct perfkit_allocations
      *_Nullable allocations;  ///< Its counters; NULL: it uses the shared ones.
  uint64_t sample_at;          ///< The allocation that brings its bytes to this number is recorded.
  uint64_t random;        ///< The generator's state for the distance between recorded allocations.
  bool is_recording;      ///< The thread is writing into its area of samples, outside of a handler.
  bool is_own_work;       ///< The thread's allocations are the agent's.
  bool has_modules_lock;  ///< The thread is in fork and keeps the ticker from the loader.
  bool is_untracked;      ///< The thread is starting a thread of the agent.
};

/// Initial-exec: the handler must not run into the lazy allocation of TLS blocks.
extern _Thread_local struct perf_agent_local perf_agent_local
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// MARK: - Slots

/// Claims a slot; NULL if all are in use, which is counted. Any thread; async-signal-safe.
struct perf_agent_thread *_Nullable perf_agent_thread_claim(void);
/// Fills in the identity of a slot's thread. The slot's owner; async-signal-safe.
void perf_agent_thread_identify(struct perf_agent_thread *_Nonnull thread, uint32_t tid);
/// Moves a slot to its next state (release). Its present owner.
void perf_agent_thread_move(struct perf_agent_thread *_Nonnull thread,
                            enum perf_agent_thread_state state);
/// Returns the number of slots that were ever used; no slot above it is in use. Any thread.
uint32_t perf_agent_thread_count(void);
/// Returns a slot and its state (acquire). Any thread; async-signal-safe.
struct perf_agent_thread *_Nonnull perf_agent_thread_at(uint32_t index, int *_Nonnull state);
/// Returns the number of a slot, from 0.
uint32_t perf_agent_thread_index(const struct perf_agent_thread *_Nonnull thread);
/// Returns whether an address is that of a slot. Async-signal-safe.
bool perf_agent_is_thread(const void *_Nullable address);
/// Returns the calling thread's slot, also that of a foreign thread that has not been signalled
/// yet; NULL if there is none. Async-signal-safe.
struct perf_agent_thread *_Nullable perf_agent_thread_of_caller(void);
/// Makes all slots free. A child after fork; async-signal-safe.
void perf_agent_threads_forget(void);

/// Returns another thread's CPU time in nanoseconds; 0 if it is gone.
///
/// By a system call: the vDSO cannot read the CPU clock of another thread.
static inline uint64_t perf_agent_cpu_clock(const struct perf_agent_thread *_Nonnull thread) {
  struct timespec time;
  if (PERF_AGENT_CALL(SYS_clock_gettime, thread->clock, &time) != 0) {
    return 0;
  }
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// MARK: - Begin and end

/// Creates the key whose destructor detects the ends of threads. Returns 0 or -errno.
int perf_agent_threads_prepare(void);
/// Makes the calling thread the owner of a slot and fills it in. Memory that this allocates counts
/// as the agent's. Not async-signal-safe.
void perf_agent_thread_begin(struct perf_agent_thread *_Nonnull thread);
/// Has the agent notified of the calling thread's end, also if the thread has no slot. Not
/// async-signal-safe.
void perf_agent_thread_watch_end(void);
/// Starts a thread without a slot, with all of the program's signals blocked. Returns 0 or -errno,
/// and the calling thread's mask. Not async-signal-safe.
int perf_agent_start_untracked(void *_Nullable (*_Nonnull start)(void *_Nullable),
                               uint64_t *_Nonnull mask);

#endif

/// What the files of the agent share. Every function says which thread may call it, and whether a
/// signal handler may.
///
///     attach.c    the constructor: finds and checks the segment; forks; the end of the process
///     signals.c   what the program does with our signal
///     pauses.c    waits for which threads open their masks
///     masks.c     threads that block it, when it is not SIGPROF
///     filters.c   filters of system calls that hold for all threads
///     credentials.c  users, groups and capabilities, which are the thread's; namespaces
///     follow.c    children, which have segments of their own
///     exec.c      the end of the program, when the process goes on with another one
///     threads.c   which threads there are: pthread_create, thrd_create, ends, stacks
///     rings.h/.c  the pool of rings, and writing records into them
///     ticker.c    the thread that decides when whom to signal
///     roster.c    whom it looks at: announces threads, buries them, finds strangers
///     waiting.c   what it writes of threads that wait; reading memory that may not be there
///     procfs.c    what it reads of other threads
///     handler.c   the signal handler that writes samples; arch_*.h the registers
///     async.c     the callers behind an await
///     allocations.h/.c  what is counted and recorded of the heap's use; heap/malloc.c tells of it
///     modules.c   which libraries are loaded where
///     marks.c     the functions of perf_agent.h
///     interpose.h functions of ours in place of a library's
#ifndef PERF_AGENT_PRIVATE_H
#define PERF_AGENT_PRIVATE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf_agent.h"
#include "perf_format.h"

// MARK: - Threads

/// Most threads that are known at once; further ones are neither sampled nor can they write marks.
#define PERF_AGENT_THREAD_MAX 1024u

/// States of a thread's slot.
///
///     FREE -> CLAIMED   its creator, by compare-and-exchange (acquire)
///     CLAIMED -> LIVE   the new thread, when its fields are filled in (release)
///     CLAIMED -> FREE   its creator, when there is no thread after all
///     LIVE -> ENDED     the thread at its end (release)
///     ENDED -> FREE     the ticker, or the thread itself when there is no ticker (release)
///     LIVE -> FREE      the ticker, when a thread is gone that has not said good-bye: one that it had
///                       found by itself, or that has ended by a system call of its own (SYS_exit);
///                       without a ticker nobody misses that one, and its slot is lost
enum perf_agent_thread_state {
  PERF_AGENT_FREE = 0,
  PERF_AGENT_CLAIMED,
  PERF_AGENT_LIVE,
  PERF_AGENT_ENDED,
};

/// What is known of a thread.
struct perf_agent_thread {
  // Filled in before LIVE.
  uint32_t tid;
  uint32_t serial;
  clockid_t clock;  ///< Its CPU clock.
  bool is_foreign;  ///< Found by a scan: it has no hook at its end.
  uint64_t stack_low, stack_high;  ///< 0 when unknown.
  union {
    void *_Nullable (*_Nullable start)(void *_Nullable);
    int (*_Nullable c11_start)(void *_Nullable);  ///< Of `thrd_create`.
  };
  void *_Nullable argument;

  // Filled in by the thread before ENDED.
  uint64_t end_ns, end_cpu_ns;
  char end_name[16];

  // Handed from the ticker to the handler. Only while `sent` == `handled` the ticker raises `sent`,
  // writes the first two (release) and sends a signal with that number. The handler takes them
  // (acquire) if `sent` is its signal's number behind them, and sets `handled` to it (release). A thread
  // that sets it to one more is quiet: it is not to be sent any.
  _Atomic uint64_t tick_ns, tick_cpu_ns;
  _Atomic uint32_t sent;
  _Atomic uint32_t handled;

  /// Where the thread was at its last sample; -1: none yet. Set by the handler.
  _Atomic int cpu;
  _Atomic(struct perfkit_ring *) ring;  ///< NULL until the thread's first record. Set by the thread.

  /// What the thread knows of itself. Set before LIVE, or by the handler of a foreign thread.
  _Atomic(const struct perf_agent_local *) local;

  // The ticker's own.
  uint64_t last_cpu_ns;
  uint64_t last_ran_ns;     ///< When its CPU clock was last seen to move; 0: not in this sampling.
  uint64_t rests_until_ns;  ///< Not looked at before.
  int syscall_file;  ///< /proc/self/task/TID/syscall; -1: not open.
  uint64_t syscall_inode;  ///< Of that file.
  bool reads_state;  ///< It is TID/stat, since the other one may not be read or is not there.
  uint32_t ticks_pending;  ///< Ticks in a row at which the last signal had not been handled,
  uint32_t ticks_quiet;    ///< or the thread was met at work while it was quiet.
  bool is_announced;  ///< Its THREAD_START is written.
  bool is_met;        ///< What it does was looked at since.
  bool is_buried;     ///< It has said good-bye, and that is written if it had to be.

  /// It blocks our signal. Set by the ticker, or by itself.
  _Atomic bool is_blocking;
};

/// What each thread knows of itself; the handler finds the thread's ring by it. Zero-initialised.
struct perf_agent_local {
  struct perf_agent_thread *_Nullable thread;  ///< NULL: not known, or at its end.
  struct perfkit_ring *_Nullable ring;
  uint32_t phase, signpost;  ///< Name ids of the innermost ones.
  volatile sig_atomic_t is_claiming;  ///< The thread is about to set `ring`.
  volatile sig_atomic_t is_in_handler;
  bool is_refused;    ///< There was no ring for it; counted once.
  uint32_t depth;     ///< Phases and signposts that have begun.
  uint32_t frames[16];  ///< The frame in which each of them did.
  /// The program has asked the thread to block our signal, which is let through all the same.
  volatile sig_atomic_t asks_to_block;
  volatile sig_atomic_t child_asks_to_block;  ///< As above, of its child by vfork.
  pid_t child;                                ///< Which child that is; 0: none.
  struct perfkit_allocations *_Nullable allocations;  ///< Its counters; NULL: it has none of its own.
  uint64_t sample_at;     ///< The allocation that brings its bytes to so many is recorded.
  uint64_t random;        ///< For the distance from one that is recorded to the next.
  bool is_recording;     ///< The thread is writing into its area of samples, outside of a handler.
  bool is_own_work;      ///< What the thread allocates is for the agent.
};

/// Initial-exec: the handler must not run into the lazy allocation of TLS blocks.
extern _Thread_local struct perf_agent_local perf_agent_local
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// Makes the calling thread the owner of a slot and fills it in. What it allocates for that is the
/// agent's own. Not async-signal-safe.
void perf_agent_thread_begin(struct perf_agent_thread *_Nonnull thread);
/// Fills in who a slot's thread is. The slot's owner; async-signal-safe.
void perf_agent_thread_identify(struct perf_agent_thread *_Nonnull thread, uint32_t tid);
/// Claims a slot; NULL when there is none. Any thread; async-signal-safe.
struct perf_agent_thread *_Nullable perf_agent_thread_claim(void);
/// Gives a slot back. Its present owner.
void perf_agent_thread_free(struct perf_agent_thread *_Nonnull thread);
/// Makes a slot LIVE (release). The thread that has filled it in.
void perf_agent_thread_publish(struct perf_agent_thread *_Nonnull thread);
/// The number of slots that were ever used; none beyond them is in use. Any thread.
uint32_t perf_agent_thread_count(void);
/// Returns a slot and its state (acquire). Any thread; async-signal-safe.
struct perf_agent_thread *_Nonnull perf_agent_thread_at(uint32_t index, int *_Nonnull state);
/// The number of a slot, from 0.
uint32_t perf_agent_thread_index(const struct perf_agent_thread *_Nonnull thread);
/// Whether an address is that of a slot. Async-signal-safe.
bool perf_agent_is_thread(const void *_Nullable address);
/// Makes all slots free. A child after fork; async-signal-safe.
void perf_agent_threads_forget(void);
/// Makes the key whose destructor marks the ends of threads. Returns 0 or -errno.
int perf_agent_threads_prepare(void);
/// Marks the end of the calling thread, which need not be known. Not async-signal-safe.
void perf_agent_threads_mind_end(void);
/// Starts a thread that the agent does not track. Returns 0 or -errno.
int perf_agent_start_untracked(void *_Nullable (*_Nonnull start)(void *_Nullable));

// MARK: - The agent's state

struct perf_agent {
  /// NULL without a segment, and in a child after fork until that is followed. Written by attach,
  /// fork and follow alone.
  struct perfkit_segment *_Nullable segment;
  /// Set by the end of the process (release), read by the ticker (acquire).
  _Atomic uint32_t is_stopping;
  /// 1 while the ticker is between two runs of sampling; waited on by futex at the end.
  _Atomic uint32_t is_ticker_idle;
  /// Threads that hold the ticker back: while there are any, no signal is sent.
  _Atomic uint32_t holders;
  /// 1 while the ticker may be sending signals; waited on by futex by those threads.
  _Atomic uint32_t is_passing;
  /// 1 when the process's first thread has said good-bye; the process ends with its last one then.
  _Atomic uint32_t has_initial_ended;
  bool has_ticker;
  _Atomic uint32_t ticker_tid;  ///< 0 until it runs. Written by the ticker.
  bool is_filtered;  ///< The program has asked for a filter that would hold for the ticker, too.
  /// A thread has asked for one for itself, and so for those that it starts: of ours it may start none.
  _Atomic bool has_filters;
  /// Whether all is ready for threads to be known. Written by attach alone.
  bool may_have_threads;
  pid_t process;  ///< Whose ticker that is.
  /// 1 while the signal's handler is ours.
  _Atomic uint32_t has_signal;
  /// Whether masks that the program sets let our signal through. Written by attach alone.
  bool lets_through;
};

extern struct perf_agent perf_agent __attribute__((visibility("hidden")));

/// Points to true in the process whose segment that is. A child with memory of its own finds false
/// there, however it was made: also by a system call of the program's, of which nobody tells us.
///
/// Before Linux 4.14, and in a child that shares its parent's memory, it is true as in the parent.
extern _Atomic bool *_Nonnull perf_agent_is_own __attribute__((visibility("hidden")));

/// The segment, NULL when there is none or it is the parent's. Any thread; async-signal-safe; two loads
/// more than `perf_agent.segment`.
static inline struct perfkit_segment *_Nullable perf_agent_own_segment(void) {
  // Relaxed: it is set before the segment, and in a child nobody sets it but by following that.
  return atomic_load_explicit(perf_agent_is_own, memory_order_relaxed) ? perf_agent.segment : NULL;
}

// MARK: - The program and our signal; async-signal-safe

/// Finds the functions of the C library that we stand before. Not async-signal-safe.
void perf_agent_signals_prepare(void);
/// The C library's own sigaction.
int perf_agent_sigaction(int number, const struct sigaction *_Nullable action,
                         struct sigaction *_Nullable before);
/// What the ticker asks for by a signal.
struct perf_agent_request {
  struct perf_agent_thread *_Nullable thread;  ///< Whose sample; NULL: the signal is somebody else's.
  uint32_t number;  ///< Of the signal.
};
/// Reads the ticker's request out of a signal to the calling thread.
struct perf_agent_request perf_agent_signal_request(const siginfo_t *_Nonnull information);
/// Takes a signal of the ticker that is pending for the calling thread out of its queue.
void perf_agent_signal_discard(void);
/// Says that nobody will answer the last signal to the calling thread, so that the next may be sent.
void perf_agent_signal_answered(void);
/// A thread that is quiet.
struct perf_agent_quiet {
  struct perf_agent_thread *_Nullable thread;  ///< NULL: it may be sent signals.
  uint32_t number;  ///< Of the last signal to it.
};
/// Keeps our signal away from a wait for which the calling thread sets a mask that lets it through, if it
/// is blocked until then: it would end the wait, though the program has no handler that runs.
struct perf_agent_quiet perf_agent_quiet_begin(const sigset_t *_Nullable mask);
/// Lets the ticker send the thread signals again; keeps errno.
void perf_agent_quiet_end(struct perf_agent_quiet quiet);
/// Finds the functions of the C library that wait so. Not async-signal-safe.
void perf_agent_pauses_prepare(void);
/// Says in a child after fork that our signal is its own. While there is a segment.
void perf_agent_signals_forget(void);
/// Keeps the ticker from sending signals, and returns when none is being sent.
void perf_agent_hold_ticker(void);
/// Lets it go on.
void perf_agent_release_ticker(void);

/// Finds the functions of the C library that make children, and whom to ask to follow them. Not
/// async-signal-safe.
void perf_agent_follow_prepare(void);
/// Whether there is anybody to ask.
bool perf_agent_may_follow(void);
/// Asks for a segment of the calling process's own. Returns its descriptor, or -1; waits for 0.2 s at
/// most.
int perf_agent_follow_ask(void);
/// Asks for that segment and maps it; NULL when there is none.
struct perfkit_segment *_Nullable perf_agent_map_followed(void);
/// Returns when it is known whether the calling process, if it is a child, is followed, which takes a
/// moment: then its sampler can be ended like any other, or its thread is gone.
void perf_agent_follow_settle(void);
/// Notes in a child after fork what is known of the thread that goes on; async-signal-safe.
void perf_agent_follow_forget(void);
/// Gives the sampler of a child that goes on with its parent's program the program's files, when the
/// calling thread is the child's first one, which ends: the process may end by the sampler's thread then.
void perf_agent_follow_rejoin(void);

/// Finds the functions of the C library that replace a program. Not async-signal-safe: it is done
/// before a signal handler or a child of a fork can need it.
void perf_agent_exec_prepare(void);
/// Replaces the program by a system call, `syscall` of the C library, as `execve` does.
/// Async-signal-safe.
long perf_agent_exec_call(long (*_Nonnull call)(long, long, long, long, long, long, long),
                          long number, long first, long second, long third, long fourth,
                          long fifth);

/// Finds the function of the C library that we stand before. Not async-signal-safe.
void perf_agent_filters_prepare(void);

/// Finds the functions of the C library that change users and groups. Not async-signal-safe.
void perf_agent_credentials_prepare(void);
/// Notes the rights of the calling thread as the ticker's, which it is about to start.
void perf_agent_credentials_note(void);

// MARK: - Masks; async-signal-safe

/// Finds the functions of the C library that set masks. Not async-signal-safe.
void perf_agent_masks_prepare(void);
/// Lets our signal through to the calling thread, which has inherited a mask that the program knows.
void perf_agent_mask_begin(void);
/// Gives the calling thread the mask that the program has asked for, for others to inherit. Returns
/// what `perf_agent_mask_open` needs to know to let our signal through again.
bool perf_agent_mask_close(void);
void perf_agent_mask_open(bool was_closed);
/// Puts a signal that is not ours back into its queue, and blocks it for good, if the thread that is
/// handling it has asked for that. Returns whether it has.
bool perf_agent_mask_defer(const siginfo_t *_Nonnull information, void *_Nonnull context);

// MARK: - Samples

/// The signals of a crash. They never wait: somebody may handle them, and nobody goes on without.
#define PERF_AGENT_CRASHES SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS

/// Why a sample is written: what its record's first fields say.
struct perf_agent_occasion {
  uint16_t kind;
  uint64_t time_ns;
  uint64_t tick_ns, cpu_ns;  ///< Of an allocation its number and its bytes.
};

/// Writes a sample of the calling thread. Returns false when there is no room, or no ring. Only its
/// signal handler may call it, or itself while that is blocked; async-signal-safe.
bool perf_agent_write_sample(const struct perf_agent_thread *_Nonnull thread,
                             const void *_Nonnull context, struct perf_agent_occasion occasion);

// MARK: - The heap

/// Says that the program that this process ran before is gone, with its heap. Once, by the thread
/// that attaches, when it is known.
void perf_agent_allocations_forget(void);
/// Counts what the calling thread allocates from here on as the program's. A known thread.
void perf_agent_allocations_begin(void);
/// No longer does, before the thread's slot can be another's.
void perf_agent_allocations_end(void);

// MARK: - The callers behind an await

/// Returns the async context of the innermost async function on the stack from `low` to `high`, whose
/// frames are followed from frame pointer `frame`; 0 when there is none that is marked.
/// Async-signal-safe; the stack is the calling thread's own.
uint64_t perf_agent_async_context(uint64_t frame, uint64_t low, uint64_t high);
/// Writes the contexts that wait for one, itself first, as pairs {context, resume address}, and
/// returns how many. Async-signal-safe; about 1 us each.
uint16_t perf_agent_async_callers(uint64_t context,
                                  uint64_t pairs[_Nonnull 2 * PERFKIT_ASYNC_MAX]);

// MARK: - The ticker's parts

/// Whether the calling process has a ticker, or is to have one; in a child of vfork it is another process's.
bool perf_agent_has_own_ticker(void);
/// Sleeps for a moment, while another thread comes to an end: a thread of real time would yield to none that
/// is not.
void perf_agent_rest(void);
/// Starts the ticker, by whose thread nothing of the program's is handled. Not async-signal-safe.
void perf_agent_ticker_begin(void);
/// Gives the calling thread, which is the ticker's, the signal mask of the one that has started it.
void perf_agent_ticker_leave(void);
/// Ends it, and returns when its thread has made its last system call. `perf_agent_ticker_resume` is to be
/// called if it returns true: otherwise another thread is between the two. Not async-signal-safe.
bool perf_agent_ticker_retire(void);
/// Starts the next one, with the rights and the files of the calling thread; where a filter forbids it,
/// sampling has ended.
void perf_agent_ticker_resume(void);
/// The ticker's thread function.
void *_Nullable perf_agent_ticker(void *_Nullable unused);
/// Installs the signal handler if it is not. Returns false when the program uses the signal itself.
/// The ticker, or the thread that attaches before there is one.
bool perf_agent_handler_install(void);
/// Whether our handler is still the one. The ticker.
bool perf_agent_handler_is_ours(void);
/// Gives the signal back if the handler is ours. A child after fork; async-signal-safe.
void perf_agent_handler_remove(int signal);
/// Writes the list of modules into ring 0 if it has changed since the last time, but seldom; the last
/// one at once. The ticker.
void perf_agent_modules_update(bool is_last);
/// Makes the next update write the list whatever. The ticker.
void perf_agent_modules_forget(void);
/// Keeps forks out while the loader's lock is held, so that no child finds it locked for ever. A fork by
/// whoever has the loader's lock itself waits a moment in vain, and goes on.
void perf_agent_modules_lock(void);
/// Lets go of what the calling thread has locked.
void perf_agent_modules_unlock(void);
/// Makes the lock anew. A child after fork; async-signal-safe.
void perf_agent_modules_reset(void);

// MARK: - The threads that the ticker looks at. The ticker's own

/// Before the first of the others.
void perf_agent_roster_prepare(void);
/// Writes the begin of a thread. `cpu_ns` is what it had spent when its sampling began.
void perf_agent_announce(struct perf_agent_thread *_Nonnull thread, uint64_t now, uint64_t cpu_ns);
/// Writes the end of a thread at the end of sampling.
void perf_agent_dismiss(struct perf_agent_thread *_Nonnull thread, uint64_t now);
/// Writes the end of a thread that has said good-bye, and lets go of it once it is gone.
void perf_agent_bury(struct perf_agent_thread *_Nonnull thread, uint64_t now);
/// Writes the end of a thread that has vanished; its last moments are not known.
void perf_agent_bury_vanished(struct perf_agent_thread *_Nonnull thread, uint64_t now);
/// Lets go of a thread that has said good-bye once it is gone, and writes nothing.
void perf_agent_farewell(struct perf_agent_thread *_Nonnull thread, uint64_t now);
/// Looks for threads that nobody has announced.
void perf_agent_scan(void);

// MARK: - What the ticker reads of threads

/// What /proc says of a thread.
enum perf_agent_run_state {
  PERF_AGENT_GONE = -1,
  PERF_AGENT_ELSEWHERE = 0,  ///< Not running; nothing else is known.
  PERF_AGENT_RUNNING = 1,    ///< On a CPU, or waiting for one.
  PERF_AGENT_WAITING = 2,    ///< In a system call or a page fault, or stopped.
};

/// Where a waiting thread is.
struct perf_agent_place {
  int32_t system_call;  ///< -1: not in one.
  uint64_t stack_pointer, program_counter;
};

/// Forgets what is open, which is of the parent. A child after fork; async-signal-safe.
void perf_agent_procfs_forget(void);
/// Opens what is kept open. Before there are threads.
void perf_agent_procfs_prepare(void);
/// Says whether a thread is running, and where it is when it waits and that may be known; opens and
/// keeps its file.
enum perf_agent_run_state perf_agent_run_state(struct perf_agent_thread *_Nonnull thread,
                                               struct perf_agent_place *_Nonnull place);
/// Writes the stack of a thread that waits, unless it has gone on meanwhile. `cpu_ns` is its CPU
/// clock as it was read before `place`. The ticker.
void perf_agent_write_waiting(struct perf_agent_thread *_Nonnull thread,
                              const struct perf_agent_place *_Nonnull place, uint64_t now,
                              uint64_t cpu_ns);
/// Reads memory of this process that may not be there, page by page as far as there is any; returns
/// how many bytes there were. Any thread; async-signal-safe; 1 us and more.
uint64_t perf_agent_read_memory(void *_Nonnull to, uint64_t from, uint64_t most);
/// Closes the thread's file. The ticker.
void perf_agent_procfs_close(struct perf_agent_thread *_Nonnull thread);
/// Reads a thread's name. Returns false when it is gone. The ticker.
bool perf_agent_thread_name(uint32_t tid, char name[_Nonnull 16]);
/// Reads whether a thread blocks the signal, and whether it is pending. The ticker.
bool perf_agent_signal_masks(uint32_t tid, int signal, bool *_Nonnull blocked,
                             bool *_Nonnull pending);
/// The number of threads of the process, 0 when it cannot be read. The ticker.
uint32_t perf_agent_task_count(void);
/// Whether the process's first thread has ended while the process goes on. The ticker.
bool perf_agent_is_initial_gone(void);
/// Calls a function with the id of each thread of the process. The ticker.
void perf_agent_for_each_task(void (*_Nonnull body)(uint32_t tid));

// MARK: - Clocks and futexes; async-signal-safe

static inline uint64_t perf_agent_clock(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// What another thread has used of a CPU; 0 when it is gone. The kernel alone knows, so that the C library's
/// way by the vDSO is a detour.
static inline uint64_t perf_agent_cpu_clock(const struct perf_agent_thread *_Nonnull thread) {
  struct timespec time;
  if (syscall(SYS_clock_gettime, thread->clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Waits while `*word` is `value`, at most until `deadline_ns` of CLOCK_MONOTONIC (0: for ever).
void perf_agent_futex_wait(_Atomic uint32_t *_Nonnull word, uint32_t value, uint64_t deadline_ns);
void perf_agent_futex_wake(_Atomic uint32_t *_Nonnull word);
/// The kernel's id of the calling thread.
uint32_t perf_agent_tid(void);

/// Adds to a counter of the audit.
static inline void perf_agent_count(_Atomic uint64_t *_Nonnull counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

#endif

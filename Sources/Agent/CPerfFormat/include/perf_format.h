/// The record format of the capture segment, shared by the agent (writer) and the harness (reader).
///
/// The harness makes the segment (a memfd), fills in the constant part of the header and keeps its
/// own mapping; the agent finds the descriptor in PERFKIT_SEGMENT_FD, maps it and writes. A worker that
/// dies leaves everything that it had written readable. The first `filled_bytes` have their memory from
/// the start, which the agent maps at once; the rings behind them, for programs of very many threads,
/// take theirs page by page when they are written.
///
///     header | names | allocations | ring 0 | ring 1 | ... | ring N-1
///
/// A ring is one `perfkit_ring` header page, then the area of samples, then the area of marks. Ring 0
/// is the ticker's own (threads, modules, waiting stacks); the others are a pool, one a thread.
/// Each area is a single-producer, single-consumer byte ring: samples are written by the thread's
/// signal handler, or by the thread itself while that is blocked, marks by the thread's own code
/// alone, so neither needs a lock.
///
/// All integers are in the machine's byte order; times are CLOCK_MONOTONIC in nanoseconds.
#ifndef PERFKIT_FORMAT_H
#define PERFKIT_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#define PERFKIT_FORMAT_MAGIC UINT64_C(0x3154494b46524550) /* "PERFKIT1" */
#define PERFKIT_FORMAT_VERSION 4u

/// Environment variables by which the harness hands things to the agent and to the worker.
#define PERFKIT_ENV_SEGMENT_FD "PERFKIT_SEGMENT_FD"
#define PERFKIT_ENV_CONTROL_FD "PERFKIT_CONTROL_FD"
/// The abstract address of the socket over which children get segments of their own (PROTOCOL.md).
#define PERFKIT_ENV_FOLLOW "PERFKIT_FOLLOW"

/// Registers kept of a sample: the 16 general ones in DWARF order, then the program counter.
/// x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip. arm64: x0..x30, sp, pc (33, see below).
#if defined(__aarch64__)
#define PERFKIT_REGISTER_COUNT 33u
#define PERFKIT_STACK_POINTER 31u
#else
#define PERFKIT_REGISTER_COUNT 17u
#define PERFKIT_STACK_POINTER 7u
#endif

/// Most logical callers (async contexts) kept of one sample.
#define PERFKIT_ASYNC_MAX 32u

// MARK: - Rings

/// The state of a ring of the pool.
enum perfkit_ring_state {
  PERFKIT_RING_FREE = 0,    ///< Nobody's. A starting thread may claim it by compare-and-exchange.
  PERFKIT_RING_ACTIVE = 1,  ///< A live thread writes into it.
  /// Its thread has ended; the harness frees it, by compare-and-exchange, once it is drained. (One
  /// that is empty when its thread ends is freed by the agent.)
  PERFKIT_RING_CLOSED = 2,
};

/// One direction of a ring: a byte ring whose offsets only grow; position = offset % capacity.
struct perfkit_area {
  _Atomic uint64_t head;     ///< Written by the producer (release), read by the harness (acquire).
  _Atomic uint64_t tail;     ///< Written by the harness (release), read by the producer (acquire).
  _Atomic uint64_t dropped;  ///< Records that did not fit. Written by the producer.
  _Atomic uint64_t high_water;  ///< Most bytes that were ever waiting. Written by the producer.
  uint8_t padding[32];
};

/// The header page of a ring.
struct perfkit_ring {
  _Atomic uint32_t state;   ///< `enum perfkit_ring_state`.
  _Atomic uint32_t tid;     ///< Kernel thread id of the owner.
  _Atomic uint32_t serial;  ///< Number of the thread in this process, from 1; never reused.
  uint32_t reserved;
  uint8_t padding[48];
  struct perfkit_area samples;
  struct perfkit_area marks;
};

// MARK: - Segment header

/// What the agent counts about itself. Written by the ticker (or, where said, by handlers).
struct perfkit_audit {
  _Atomic uint64_t ticks;            ///< Ticks that were made.
  _Atomic uint64_t ticks_missed;     ///< Grid intervals that went by without a tick.
  _Atomic uint64_t ticks_late;       ///< Ticks later than half an interval.
  _Atomic uint64_t signals_sent;     ///< Signals sent to running threads.
  _Atomic uint64_t signals_failed;   ///< Signals that the system refused to send.
  _Atomic uint64_t samples_written;  ///< By handlers.
  _Atomic uint64_t samples_dropped;  ///< By handlers: no ring, no room, or re-entered.
  /// Signals whose handler had not run by the thread's next tick.
  _Atomic uint64_t signals_blocked;
  _Atomic uint64_t threads_blocking; ///< Threads that block our signal (SigBlk).
  _Atomic uint64_t ticker_cpu_ns;    ///< CPU time of the tickers, one after the other.
  _Atomic uint64_t sampling_began_ns;    ///< First tick's time; 0 before.
  /// Last tick's time; stored (release) when ring 0 is complete.
  _Atomic uint64_t sampling_ended_ns;
  _Atomic uint64_t thread_slots_full;    ///< Threads that got no ring.
  _Atomic uint64_t foreign_handler;  ///< 1 when the program had replaced our signal handler.
  _Atomic uint64_t allocations_dropped;  ///< Sampled allocations and ends that were not written.
  _Atomic uint64_t allocations_untracked;  ///< Sampled allocations whose end nobody waits for.
  /// 1 when sampling ended because the program filters the system calls of all threads (seccomp).
  _Atomic uint64_t filtered;
  /// Threads that are replacing, or have replaced, the program by one that has not attached (exec).
  _Atomic uint64_t left;
  _Atomic uint64_t ticker_failed;  ///< Why there is no ticker: an errno; 0: there is one.
  /// Looks at threads that were in vain, since the process had no descriptor to spare.
  _Atomic uint64_t states_unread;
  uint64_t reserved[12];
};

/// The first page of the segment.
struct perfkit_segment {
  // Constant: written by the harness before the process starts.
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;    ///< sizeof(struct perfkit_segment) rounded up to a page.
  uint64_t segment_bytes;
  uint64_t filled_bytes;    ///< Those at its begin that have memory; whole pages.
  uint64_t names_offset;
  uint64_t names_bytes;
  uint64_t rings_offset;
  uint64_t ring_bytes;      ///< From one ring to the next: a page, the samples, the marks.
  uint32_t ring_count;      ///< Ring 0 included.
  uint32_t sample_capacity; ///< Bytes; a power of two.
  uint32_t mark_capacity;   ///< Bytes; a power of two.
  uint32_t stack_bytes;     ///< Most stack bytes of a sample (a multiple of 8, at most 65,536).
  uint64_t interval_ns;     ///< Of the grid of ticks; 0: marks only, no ticker.
  uint64_t seed;            ///< For the random place of each tick in its interval.
  uint64_t allocations_offset;   ///< Of PERFKIT_ALLOCATION_SLOTS counters; 0: nobody asks for them.
  uint64_t allocation_interval;  ///< Mean bytes from one sampled allocation to the next; 0: none.
  int32_t signal;           ///< Normally SIGPROF.
  uint32_t flags;           ///< `enum perfkit_flags`.
  // Switched by the harness while the process runs; the ticker waits on it by futex.
  _Atomic uint32_t sampling;
  // Written by the agent.
  _Atomic uint32_t agent_version;  ///< PERFKIT_FORMAT_VERSION once the agent has attached.
  _Atomic uint32_t agent_pid;
  _Atomic uint32_t names_used;     ///< Bytes of the names area in use.
  _Atomic uint32_t threads_started;
  _Atomic uint32_t current_frame;  ///< Index + 1 of the frame that is being made; 0 between frames.
  _Atomic uint64_t allocations_sampled;  ///< The number of the last allocation that was.
  struct perfkit_audit audit;
};

enum perfkit_flags {
  /// The handler returns at once (to measure the signal's own cost).
  PERFKIT_FLAG_EMPTY_HANDLER = 1u,
};

// MARK: - Allocations

/// Counters of the allocations area: one for each thread that can be known at once, and a last one
/// that all other threads share.
#define PERFKIT_ALLOCATION_SLOTS 1025u

/// What the threads of a slot have asked of the heap, one after the other; never reset.
struct perfkit_allocations {
  _Atomic uint64_t count;  ///< Calls that gave memory; each realloc is one, in place or not.
  _Atomic uint64_t bytes;  ///< What they asked for.
  uint8_t padding[48];
};

// MARK: - Names

/// An entry of the names area. Its id is its offset in that area divided by 8, plus 1.
struct perfkit_name {
  /// Of the UTF-8 text, without padding; stored last (release). 0: not yet.
  _Atomic uint32_t bytes;
  char text[4];            ///< Really `bytes` long; the next entry starts at a multiple of 8.
};

// MARK: - Records

enum perfkit_record_kind {
  /// Skip to the start of the area. May be only 8 bytes long, without a time.
  PERFKIT_RECORD_PAD = 0,
  // Areas of samples
  PERFKIT_RECORD_SAMPLE = 1,   ///< A running thread, by its signal handler.
  PERFKIT_RECORD_WAITING = 2,  ///< A blocked thread, read from outside by the ticker (ring 0).
  PERFKIT_RECORD_ALLOCATION = 3,  ///< An allocation, by its own thread.
  PERFKIT_RECORD_FREE = 4,        ///< The end of one that was recorded, by the thread that ends it.
  // Ring 0, area of marks, by the ticker
  PERFKIT_RECORD_THREAD_START = 16,
  PERFKIT_RECORD_THREAD_END = 17,
  PERFKIT_RECORD_MODULE = 18,      ///< One loaded module; a list starts with PERFKIT_MODULE_FIRST.
  // Areas of marks of threads
  PERFKIT_RECORD_INTERVAL = 32,  ///< An animated interval begins.
  PERFKIT_RECORD_INTERVAL_END = 33,
  PERFKIT_RECORD_FRAME = 34,
  PERFKIT_RECORD_PHASE = 35,
  PERFKIT_RECORD_SIGNPOST = 36,
  PERFKIT_RECORD_COUNTER = 37,
  PERFKIT_RECORD_EVENT = 38,
};

/// How every record begins. `bytes` is a multiple of 8 and includes this header.
struct perfkit_record {
  uint32_t bytes;
  uint16_t kind;
  uint16_t flags;
  uint64_t time_ns;
};

enum perfkit_sample_flags {
  PERFKIT_SAMPLE_TRUNCATED = 1u,    ///< The stack went on beyond the copy.
  PERFKIT_SAMPLE_ALTSTACK = 2u,     ///< Taken on an alternate or unknown stack.
  PERFKIT_SAMPLE_PARTIAL = 4u,      ///< Waiting: registers but sp and pc are unknown, and 0.
};

/// PERFKIT_RECORD_SAMPLE, PERFKIT_RECORD_WAITING and PERFKIT_RECORD_ALLOCATION: followed by `async_count`
/// pairs of {context, resume address} (16 bytes each), then `stack_bytes` bytes of stack, then
/// padding.
///
/// A thread that waits is recorded once, when the ticker finds it waiting, and stays where it is
/// until its next sample of either kind. The stack of an allocation begins inside of the agent.
struct perfkit_sample {
  /// `time_ns`: when the handler ran, the thread was met waiting, or the memory was there.
  struct perfkit_record record;
  union {
    uint64_t tick_ns;        ///< When the ticker sent the signal, or looked.
    uint64_t allocation;     ///< Number of the allocation in this segment, from 1.
  };
  union {
    uint64_t thread_cpu_ns;  ///< CPU clock of the thread as the ticker read it before sending.
    uint64_t allocated_bytes;  ///< What the allocation asked for.
  };
  uint32_t tid;
  uint32_t serial;
  uint32_t frame;             ///< Index + 1 of the frame being made in the process; 0: none.
  uint32_t phase;             ///< Name id of the thread's innermost phase; 0: none.
  uint32_t signpost;          ///< Name id of the thread's innermost signpost; 0: none.
  uint32_t handler_ns;        ///< How long the handler took, up to publishing.
  int32_t system_call;        ///< The number that a waiting thread is in; -1: in none.
  uint16_t async_count;
  uint16_t reserved;
  uint64_t stack_address;     ///< Address of the first copied byte, at or below the stack pointer.
  uint32_t stack_bytes;
  uint32_t stack_missing;     ///< Bytes of stack beyond the copy, saturated; 0 when it is whole.
  uint64_t registers[PERFKIT_REGISTER_COUNT];
};

enum perfkit_free_flags {
  PERFKIT_FREE_ALL = 1u,  ///< The program was replaced: all up to this number are gone.
};

/// PERFKIT_RECORD_FREE.
struct perfkit_free {
  struct perfkit_record record;  ///< `time_ns`: right before; `flags`: `enum perfkit_free_flags`.
  uint64_t allocation;        ///< Number of the allocation.
};

/// PERFKIT_RECORD_THREAD_START and _END.
///
/// A thread that began while sampling starts with a CPU clock of 0, one that was there before with
/// what it had spent by then; `cpu_ns` of the end minus that of the start is what it spent while
/// sampling. Names are often given later: that of the end is the better one.
struct perfkit_thread {
  struct perfkit_record record;
  uint32_t tid;
  uint32_t serial;
  uint64_t cpu_ns;       ///< CPU clock of the thread at `time_ns`.
  uint64_t stack_low;    ///< Bounds of its stack, 0 when unknown.
  uint64_t stack_high;
  char name[16];         ///< From comm; not terminated when it is 16 long.
};

#define PERFKIT_MODULE_FIRST 1u  ///< Flag: a new list of modules begins; it replaces the one before.
#define PERFKIT_BUILD_ID_MAX 32u

/// PERFKIT_RECORD_MODULE: followed by the path's bytes.
struct perfkit_module {
  struct perfkit_record record;
  uint64_t bias;             ///< dlpi_addr.
  uint64_t low;              ///< First address of its load segments.
  uint64_t high;             ///< Past the last.
  uint64_t before_ns;        ///< When the list before was last seen to be true; its own time for the first.
  uint64_t adds;             ///< Modules that were ever loaded when the list was made (dlpi_adds),
  uint64_t subs;             ///< and unloaded (dlpi_subs).
  uint32_t build_id_bytes;
  uint32_t path_bytes;
  uint8_t build_id[PERFKIT_BUILD_ID_MAX];
};

#define PERFKIT_INTERVAL_PACED 1u  ///< Flag: the loop really waits for each vsync.

/// PERFKIT_RECORD_INTERVAL and _END. `time_ns` of INTERVAL is s_0, the first vsync.
struct perfkit_interval {
  struct perfkit_record record;
  uint32_t name;
  uint32_t interval;         ///< Number of the interval in this process, from 0.
  uint64_t refresh_mhz;      ///< Refresh rate in millihertz.
};

/// PERFKIT_RECORD_FRAME: written when the frame ends; `time_ns` is the end.
struct perfkit_frame {
  struct perfkit_record record;
  uint32_t interval;
  uint32_t index;            ///< Of the frame in its process, from 0.
  uint64_t vsync;            ///< k of its ideal slot in the interval's grid.
  uint64_t woken_ns;         ///< When the loop really woke for it.
  uint64_t began_ns;
  uint64_t cpu_ns;           ///< Thread CPU time of the frame's work.
};

/// PERFKIT_RECORD_PHASE and PERFKIT_RECORD_SIGNPOST: written at the end; `time_ns` is the end.
struct perfkit_span {
  struct perfkit_record record;
  uint32_t name;
  uint32_t frame;            ///< Index + 1 of the frame it began in; 0: none.
  uint64_t began_ns;
};

/// PERFKIT_RECORD_COUNTER (an absolute value at a time) and PERFKIT_RECORD_EVENT (`value` is free).
struct perfkit_value {
  struct perfkit_record record;
  uint32_t name;
  uint32_t reserved;
  double value;
};

#endif

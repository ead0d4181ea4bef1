/// The record format of the capture segment, shared by the agent (writer) and the harness (reader).
///
/// The harness creates the segment (a memfd), fills in the constant part of the header and maps it.
/// The agent finds the descriptor in PERFKIT_SEGMENT_FD, maps it and writes. After a crash of the
/// worker the harness can still read every published record. The first `filled_bytes` have memory
/// from the start, which the agent maps at once. The rings after them are for programs with very
/// many threads; their pages get memory when they are first written.
///
///     header | names | allocations | ring 0 | ring 1 | ... | ring N-1
///
/// A ring is one `perfkit_ring` header page, then the area of samples, then the area of marks. The
/// ticker writes ring 0 (threads, modules, waiting stacks). The other rings are a pool: each thread
/// claims one. Each area is a single-producer, single-consumer byte ring without a lock: samples
/// are written by the thread's signal handler, or by the thread while that is blocked, marks only
/// by the thread's code.
///
/// All integers are in the machine's byte order; times are CLOCK_MONOTONIC in nanoseconds.
#ifndef PERFKIT_FORMAT_H
#define PERFKIT_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#define PERFKIT_FORMAT_MAGIC UINT64_C(0x3154494b46524550) /* "PERFKIT1" */
#define PERFKIT_FORMAT_VERSION 3u

/// Environment variables that the harness sets for the agent and the worker, which read them by
/// `perf_environment`.
#define PERFKIT_ENV_SEGMENT_FD "PERFKIT_SEGMENT_FD"
#define PERFKIT_ENV_CONTROL_FD "PERFKIT_CONTROL_FD"
/// The abstract address of the socket from which child processes get their segments (PROTOCOL.md).
#define PERFKIT_ENV_FOLLOW "PERFKIT_FOLLOW"

// MARK: - Rings

/// The state of a ring of the pool.
enum perfkit_ring_state {
  PERFKIT_RING_FREE = 0,    ///< Unused. A thread may claim it by compare-and-exchange.
  PERFKIT_RING_ACTIVE = 1,  ///< A live thread writes into it.
  /// Its thread has ended. The harness frees the ring, by compare-and-exchange, once it is drained.
  /// (The agent frees a ring that is empty when its thread ends.)
  PERFKIT_RING_CLOSED = 2,
};

/// A byte ring whose offsets only grow; position = offset % capacity.
struct perfkit_area {
  _Atomic uint64_t head;     ///< Written by the producer (release), read by the harness (acquire).
  _Atomic uint64_t tail;     ///< Written by the harness (release), read by the producer (acquire).
  _Atomic uint64_t dropped;  ///< Records that did not fit. Written by the producer.
  _Atomic uint64_t high_water;  ///< The most bytes that were ever waiting. Written by the producer.
  uint8_t padding[32];
};

/// The header page of a ring.
struct perfkit_ring {
  _Atomic uint32_t state;   ///< `enum perfkit_ring_state`.
  _Atomic uint32_t tid;     ///< Kernel thread id of the owner.
  _Atomic uint32_t serial;  ///< The thread's number in this process, from 1; never reused.
  uint32_t reserved;
  uint8_t padding[48];
  struct perfkit_area samples;
  struct perfkit_area marks;
};

// MARK: - Segment header

/// The agent's counters about itself. Written by the ticker, unless noted.
struct perfkit_audit {
  _Atomic uint64_t ticks;            ///< Ticks.
  _Atomic uint64_t ticks_missed;     ///< Grid intervals without a tick.
  _Atomic uint64_t ticks_late;       ///< Ticks later than half an interval.
  _Atomic uint64_t signals_sent;     ///< Signals sent to running threads.
  _Atomic uint64_t signals_failed;   ///< Signals that the system refused to send.
  _Atomic uint64_t samples_written;  ///< By handlers.
  _Atomic uint64_t samples_dropped;  ///< By handlers: no ring, no room, or a nested call.
  /// Signals whose handler had not run by the thread's next tick.
  _Atomic uint64_t signals_blocked;
  /// Threads that block the sampling signal, or have waited for it.
  _Atomic uint64_t threads_blocking;
  _Atomic uint64_t ticker_cpu_ns;      ///< CPU time of all tickers of the process.
  _Atomic uint64_t sampling_began_ns;  ///< The first tick's time; 0 before.
  /// The last tick's time; stored (release) when ring 0 is complete.
  _Atomic uint64_t sampling_ended_ns;
  _Atomic uint64_t thread_slots_full;  ///< Threads that got no slot or no ring.
  _Atomic uint64_t foreign_handler;    ///< 1 if the program has taken the sampling signal.
  /// Sampled allocations, and ends of them, without a record.
  _Atomic uint64_t allocations_dropped;
  _Atomic uint64_t allocations_untracked;  ///< Sampled allocations whose end cannot be detected.
  /// Why sampling ended before the process did: `enum perfkit_stop`. Written by the thread that
  /// ends it.
  _Atomic uint64_t stopped;
  /// Threads that are calling exec, or have replaced the program by one in which the agent has not
  /// attached.
  _Atomic uint64_t left;
  /// The errno with which the ticker could not be started; 0: it was.
  _Atomic uint64_t ticker_failed;
  /// States of threads that could not be read, as the process had no free descriptor.
  _Atomic uint64_t states_unread;
  uint64_t reserved[12];
};

/// Why sampling ended before the process did.
enum perfkit_stop {
  PERFKIT_STOP_NONE = 0,
  /// The program installed a filter of system calls (seccomp), which might kill the ticker.
  PERFKIT_STOP_FILTER = 1,
  /// One thread changed its capabilities: a later change of the user in all threads would abort the
  /// program if the ticker had other capabilities.
  PERFKIT_STOP_CREDENTIALS = 2,
  /// The program entered a namespace that the kernel opens to single-threaded processes only.
  PERFKIT_STOP_NAMESPACE = 3,
};

/// The first page of the segment.
struct perfkit_segment {
  // Constant: written by the harness before the process starts.
  uint64_t magic;
  uint32_t version;
  uint32_t header_bytes;  ///< sizeof(struct perfkit_segment) rounded up to a page.
  uint64_t segment_bytes;
  uint64_t filled_bytes;  ///< Bytes from the start that have memory; whole pages.
  uint64_t names_offset;
  uint64_t names_bytes;
  uint64_t rings_offset;
  uint64_t ring_bytes;       ///< From one ring to the next: a page, the samples, the marks.
  uint32_t ring_count;       ///< Including ring 0.
  uint32_t sample_capacity;  ///< Bytes; a power of two.
  uint32_t mark_capacity;    ///< Bytes; a power of two.
  uint32_t stack_bytes;      ///< The most stack bytes of a sample: a multiple of 8, at most 65,536.
  uint64_t interval_ns;      ///< The grid of ticks; 0: marks only, no ticker.
  uint64_t seed;             ///< Seed of the random place of each tick in its interval.
  uint64_t allocations_offset;   ///< PERFKIT_ALLOCATION_SLOTS counters; 0: none.
  uint64_t allocation_interval;  ///< Mean bytes between sampled allocations; 0: none.
  int32_t signal;                ///< Normally SIGPROF.
  uint32_t flags;                ///< `enum perfkit_flags`.
  // Switched by the harness while the process runs; the ticker waits on it by futex.
  _Atomic uint32_t sampling;
  // Written by the agent.
  _Atomic uint32_t agent_version;  ///< PERFKIT_FORMAT_VERSION once the agent has attached.
  _Atomic uint32_t agent_pid;
  _Atomic uint32_t names_used;  ///< Bytes of the names area in use.
  _Atomic uint32_t threads_started;
  _Atomic uint32_t current_frame;        ///< Index + 1 of the current frame; 0 between frames.
  _Atomic uint64_t allocations_sampled;  ///< The number of the last sampled allocation.
  struct perfkit_audit audit;
};

enum perfkit_flags {
  /// The handler returns at once, to measure the cost of a signal.
  PERFKIT_FLAG_EMPTY_HANDLER = 1u,
  /// Spans have PERFKIT_SPAN_DETACHED, which takes a clock reading at each start.
  PERFKIT_FLAG_TIMES_SPANS = 2u,
};

// MARK: - Allocations

/// The counters of the allocations area: one for each slot of a thread, then one for all other
/// threads.
#define PERFKIT_ALLOCATION_SLOTS 1025u

/// Allocations of all threads that have used a slot; never reset.
struct perfkit_allocations {
  _Atomic uint64_t count;  ///< Calls that returned memory; each realloc counts, in place or not.
  _Atomic uint64_t bytes;  ///< The bytes that they requested.
  uint8_t padding[48];
};

// MARK: - Names

/// An entry of the names area. Its id is its offset in that area divided by 8, plus 1.
struct perfkit_name {
  /// Bytes of the UTF-8 text without padding; stored last (release). 0: not complete.
  _Atomic uint32_t bytes;
  char text[4];  ///< `bytes` long; the next entry starts at a multiple of 8.
};

#include "perf_environment.h"
#include "perf_records.h"

#endif

/// The harness's access to the capture segment. Swift does not import C's atomic fields; each
/// function here is a load or store with the memory order that pairs with the agent's.
#ifndef PERFKIT_READER_H
#define PERFKIT_READER_H

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_format.h"

/// PERFKIT_FORMAT_MAGIC; Swift cannot import the macro.
static const uint64_t perfkit_format_magic = PERFKIT_FORMAT_MAGIC;

/// A copy of `struct perfkit_audit`.
struct perfkit_audit_values {
  uint64_t ticks;
  uint64_t ticks_missed;
  uint64_t ticks_late;
  uint64_t signals_sent;
  uint64_t signals_failed;
  uint64_t samples_written;
  uint64_t samples_dropped;
  uint64_t signals_blocked;
  uint64_t threads_blocking;
  uint64_t ticker_cpu_ns;
  uint64_t sampling_began_ns;
  uint64_t sampling_ended_ns;
  uint64_t thread_slots_full;
  uint64_t foreign_handler;
  uint64_t allocations_dropped;
  uint64_t allocations_untracked;
  uint64_t stopped;
  uint64_t left;
  uint64_t ticker_failed;
  uint64_t states_unread;
};

/// A copy of one or the sum of several `struct perfkit_allocations`.
struct perfkit_allocation_totals {
  uint64_t count;
  uint64_t bytes;
};

// MARK: - Rings

static inline uint32_t perfkit_ring_state(const struct perfkit_ring *_Nonnull ring) {
  return atomic_load_explicit(&ring->state, memory_order_acquire);
}

static inline uint32_t perfkit_ring_serial(const struct perfkit_ring *_Nonnull ring) {
  return atomic_load_explicit(&ring->serial, memory_order_acquire);
}

/// Returns a closed and drained ring to the pool; pairs with the claim by a thread.
static inline void perfkit_ring_release(struct perfkit_ring *_Nonnull ring) {
  uint32_t closed = PERFKIT_RING_CLOSED;
  atomic_compare_exchange_strong_explicit(&ring->state, &closed, PERFKIT_RING_FREE,
                                          memory_order_release, memory_order_relaxed);
}

/// Loads the head (acquire): everything before it is published.
static inline uint64_t perfkit_area_head(const struct perfkit_area *_Nonnull area) {
  return atomic_load_explicit(&area->head, memory_order_acquire);
}

static inline uint64_t perfkit_area_tail(const struct perfkit_area *_Nonnull area) {
  return atomic_load_explicit(&area->tail, memory_order_relaxed);
}

/// Returns the room up to `tail` to the producer (release), after it has been read.
static inline void perfkit_area_set_tail(struct perfkit_area *_Nonnull area, uint64_t tail) {
  atomic_store_explicit(&area->tail, tail, memory_order_release);
}

static inline uint64_t perfkit_area_dropped(const struct perfkit_area *_Nonnull area) {
  return atomic_load_explicit(&area->dropped, memory_order_relaxed);
}

static inline uint64_t perfkit_area_high_water(const struct perfkit_area *_Nonnull area) {
  return atomic_load_explicit(&area->high_water, memory_order_relaxed);
}

// MARK: - Segment

/// Switches sampling on or off and wakes the ticker. The futex is shared between processes.
static inline void perfkit_segment_set_sampling(struct perfkit_segment *_Nonnull segment,
                                                uint32_t on) {
  atomic_store_explicit(&segment->sampling, on, memory_order_release);
  syscall(SYS_futex, &segment->sampling, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static inline uint32_t
perfkit_segment_agent_version(const struct perfkit_segment *_Nonnull segment) {
  return atomic_load_explicit(&segment->agent_version, memory_order_acquire);
}

static inline uint32_t perfkit_segment_agent_pid(const struct perfkit_segment *_Nonnull segment) {
  return atomic_load_explicit(&segment->agent_pid, memory_order_relaxed);
}

static inline uint32_t perfkit_segment_names_used(const struct perfkit_segment *_Nonnull segment) {
  return atomic_load_explicit(&segment->names_used, memory_order_acquire);
}

/// Returns the bytes of a name's text; 0 while it is being written.
static inline uint32_t perfkit_name_bytes(const struct perfkit_name *_Nonnull name) {
  return atomic_load_explicit(&name->bytes, memory_order_acquire);
}

static inline struct perfkit_audit_values
perfkit_segment_audit(const struct perfkit_segment *_Nonnull segment) {
#define PERFKIT_READ(field)                                                                        \
  .field = atomic_load_explicit(&segment->audit.field, memory_order_relaxed)
  return (struct perfkit_audit_values){
      PERFKIT_READ(ticks),
      PERFKIT_READ(ticks_missed),
      PERFKIT_READ(ticks_late),
      PERFKIT_READ(signals_sent),
      PERFKIT_READ(signals_failed),
      PERFKIT_READ(samples_written),
      PERFKIT_READ(samples_dropped),
      PERFKIT_READ(signals_blocked),
      PERFKIT_READ(threads_blocking),
      PERFKIT_READ(ticker_cpu_ns),
      PERFKIT_READ(sampling_began_ns),
      PERFKIT_READ(sampling_ended_ns),
      PERFKIT_READ(thread_slots_full),
      PERFKIT_READ(foreign_handler),
      PERFKIT_READ(allocations_dropped),
      PERFKIT_READ(allocations_untracked),
      PERFKIT_READ(stopped),
      PERFKIT_READ(left),
      PERFKIT_READ(ticker_failed),
      PERFKIT_READ(states_unread),
  };
#undef PERFKIT_READ
}

/// Returns the counters of a slot of the allocations area.
static inline struct perfkit_allocation_totals
perfkit_allocations_read(const struct perfkit_allocations *_Nonnull slot) {
  return (struct perfkit_allocation_totals){
      .count = atomic_load_explicit(&slot->count, memory_order_relaxed),
      .bytes = atomic_load_explicit(&slot->bytes, memory_order_relaxed),
  };
}

#endif

/// The harness's side of the capture segment: what Swift cannot express because it does not import
/// C's atomic fields. Each function is one load or store with the order that pairs with the agent's.
#ifndef PERF_READER_H
#define PERF_READER_H

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_format.h"

/// PERF_FORMAT_MAGIC, whose macro Swift cannot import.
static const uint64_t perf_format_magic = PERF_FORMAT_MAGIC;

/// `struct perf_audit` at one moment.
struct perf_audit_values {
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
  uint64_t filtered;
  uint64_t left;
  uint64_t ticker_failed;
  uint64_t states_unread;
};

/// `struct perf_allocations` at one moment, of one slot or of several.
struct perf_allocation_totals {
  uint64_t count;
  uint64_t bytes;
};

// MARK: - Rings

static inline uint32_t perf_ring_state(const struct perf_ring *_Nonnull ring) {
  return atomic_load_explicit(&ring->state, memory_order_acquire);
}

static inline uint32_t perf_ring_serial(const struct perf_ring *_Nonnull ring) {
  return atomic_load_explicit(&ring->serial, memory_order_acquire);
}

/// Gives a closed and drained ring back to the pool; pairs with the claim of a starting thread.
static inline void perf_ring_release(struct perf_ring *_Nonnull ring) {
  uint32_t closed = PERF_RING_CLOSED;
  atomic_compare_exchange_strong_explicit(&ring->state, &closed, PERF_RING_FREE,
                                          memory_order_release, memory_order_relaxed);
}

/// Acquires what the producer has published up to the head.
static inline uint64_t perf_area_head(const struct perf_area *_Nonnull area) {
  return atomic_load_explicit(&area->head, memory_order_acquire);
}

static inline uint64_t perf_area_tail(const struct perf_area *_Nonnull area) {
  return atomic_load_explicit(&area->tail, memory_order_relaxed);
}

/// Gives the room up to `tail` back to the producer, after everything in it has been read.
static inline void perf_area_set_tail(struct perf_area *_Nonnull area, uint64_t tail) {
  atomic_store_explicit(&area->tail, tail, memory_order_release);
}

static inline uint64_t perf_area_dropped(const struct perf_area *_Nonnull area) {
  return atomic_load_explicit(&area->dropped, memory_order_relaxed);
}

static inline uint64_t perf_area_high_water(const struct perf_area *_Nonnull area) {
  return atomic_load_explicit(&area->high_water, memory_order_relaxed);
}

// MARK: - Segment

/// Switches sampling and wakes the ticker. The futex is a shared one: it is in another process.
static inline void perf_segment_set_sampling(struct perf_segment *_Nonnull segment, uint32_t on) {
  atomic_store_explicit(&segment->sampling, on, memory_order_release);
  syscall(SYS_futex, &segment->sampling, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static inline uint32_t perf_segment_agent_version(const struct perf_segment *_Nonnull segment) {
  return atomic_load_explicit(&segment->agent_version, memory_order_acquire);
}

static inline uint32_t perf_segment_agent_pid(const struct perf_segment *_Nonnull segment) {
  return atomic_load_explicit(&segment->agent_pid, memory_order_relaxed);
}

static inline uint32_t perf_segment_names_used(const struct perf_segment *_Nonnull segment) {
  return atomic_load_explicit(&segment->names_used, memory_order_acquire);
}

/// The bytes of a name's text, 0 while it is being written.
static inline uint32_t perf_name_bytes(const struct perf_name *_Nonnull name) {
  return atomic_load_explicit(&name->bytes, memory_order_acquire);
}

static inline struct perf_audit_values perf_segment_audit(
    const struct perf_segment *_Nonnull segment) {
#define PERF_READ(field) .field = atomic_load_explicit(&segment->audit.field, memory_order_relaxed)
  return (struct perf_audit_values){
      PERF_READ(ticks),
      PERF_READ(ticks_missed),
      PERF_READ(ticks_late),
      PERF_READ(signals_sent),
      PERF_READ(signals_failed),
      PERF_READ(samples_written),
      PERF_READ(samples_dropped),
      PERF_READ(signals_blocked),
      PERF_READ(threads_blocking),
      PERF_READ(ticker_cpu_ns),
      PERF_READ(sampling_began_ns),
      PERF_READ(sampling_ended_ns),
      PERF_READ(thread_slots_full),
      PERF_READ(foreign_handler),
      PERF_READ(allocations_dropped),
      PERF_READ(allocations_untracked),
      PERF_READ(filtered),
      PERF_READ(left),
      PERF_READ(ticker_failed),
      PERF_READ(states_unread),
  };
#undef PERF_READ
}

/// The counters of one slot of the allocations area.
static inline struct perf_allocation_totals perf_allocations_read(
    const struct perf_allocations *_Nonnull slot) {
  return (struct perf_allocation_totals){
      .count = atomic_load_explicit(&slot->count, memory_order_relaxed),
      .bytes = atomic_load_explicit(&slot->bytes, memory_order_relaxed),
  };
}

#endif

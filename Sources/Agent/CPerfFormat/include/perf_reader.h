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

/// The fields of `struct perfkit_audit`.
#define PERFKIT_AUDIT_FIELDS(FIELD)                                                                \
  FIELD(ticks)                                                                                     \
  FIELD(ticks_missed)                                                                              \
  FIELD(ticks_late)                                                                                \
  FIELD(signals_sent)                                                                              \
  FIELD(signals_failed)                                                                            \
  FIELD(samples_written)                                                                           \
  FIELD(samples_dropped)                                                                           \
  FIELD(signals_blocked)                                                                           \
  FIELD(threads_blocking)                                                                          \
  FIELD(ticker_cpu_ns)                                                                             \
  FIELD(sampling_began_ns)                                                                         \
  FIELD(sampling_ended_ns)                                                                         \
  FIELD(thread_slots_full)                                                                         \
  FIELD(foreign_handler)                                                                           \
  FIELD(allocations_dropped)                                                                       \
  FIELD(allocations_untracked)                                                                     \
  FIELD(stopped)                                                                                   \
  FIELD(left)                                                                                      \
  FIELD(ticker_failed)                                                                             \
  FIELD(states_unread)

/// A copy of `struct perfkit_audit`.
struct perfkit_audit_values {
#define PERFKIT_VALUE(field) uint64_t field;
  PERFKIT_AUDIT_FIELDS(PERFKIT_VALUE)
};

/// A copy of one or the sum of several `struct perfkit_allocations`.
struct perfkit_allocation_totals {
  uint64_t count;
  uint64_t bytes;
};

/// Defines a function that loads a field of an object.
#define PERFKIT_LOAD(function, object, type, field, order)                                         \
  static inline type perfkit_##function(const struct perfkit_##object *_Nonnull object) {          \
    return atomic_load_explicit(&object->field, memory_order_##order);                             \
  }

// MARK: - Rings

PERFKIT_LOAD(ring_state, ring, uint32_t, state, acquire)
PERFKIT_LOAD(ring_serial, ring, uint32_t, serial, acquire)
/// Read it after a head that is not the tail: the ring then keeps its owner.
PERFKIT_LOAD(ring_tid, ring, uint32_t, tid, relaxed)
/// Everything before the head is published.
PERFKIT_LOAD(area_head, area, uint64_t, head, acquire)
PERFKIT_LOAD(area_tail, area, uint64_t, tail, relaxed)
PERFKIT_LOAD(area_dropped, area, uint64_t, dropped, relaxed)
PERFKIT_LOAD(area_high_water, area, uint64_t, high_water, relaxed)

/// Returns a closed and drained ring to the pool; pairs with the claim by a thread.
static inline void perfkit_ring_release(struct perfkit_ring *_Nonnull ring) {
  uint32_t closed = PERFKIT_RING_CLOSED;
  atomic_compare_exchange_strong_explicit(&ring->state, &closed, PERFKIT_RING_FREE,
                                          memory_order_release, memory_order_relaxed);
}

/// Returns the room up to `tail` to the producer (release), after it has been read.
static inline void perfkit_area_set_tail(struct perfkit_area *_Nonnull area, uint64_t tail) {
  atomic_store_explicit(&area->tail, tail, memory_order_release);
}

// MARK: - Segment

PERFKIT_LOAD(segment_agent_version, segment, uint32_t, agent_version, acquire)
PERFKIT_LOAD(segment_agent_pid, segment, uint32_t, agent_pid, relaxed)
PERFKIT_LOAD(segment_names_used, segment, uint32_t, names_used, acquire)
/// The bytes of a name's text; 0 while it is being written.
PERFKIT_LOAD(name_bytes, name, uint32_t, bytes, acquire)

/// Switches sampling on or off and wakes the ticker. The futex is shared between processes.
static inline void perfkit_segment_set_sampling(struct perfkit_segment *_Nonnull segment,
                                                uint32_t on) {
  atomic_store_explicit(&segment->sampling, on, memory_order_release);
  syscall(SYS_futex, &segment->sampling, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static inline struct perfkit_audit_values
perfkit_segment_audit(const struct perfkit_segment *_Nonnull segment) {
#define PERFKIT_READ(field)                                                                        \
  .field = atomic_load_explicit(&segment->audit.field, memory_order_relaxed),
  return (struct perfkit_audit_values){PERFKIT_AUDIT_FIELDS(PERFKIT_READ)};
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

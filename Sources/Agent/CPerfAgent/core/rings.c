#define _GNU_SOURCE
#include "rings.h"

static struct perfkit_ring *ring_at(uint32_t index) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return (struct perfkit_ring *)((char *)segment + segment->rings_offset +
                                 index * segment->ring_bytes);
}

struct perfkit_ring *perf_agent_ticker_ring(void) {
  return ring_at(0);
}

static struct perf_agent_slot reserve(struct perfkit_area *area, char *base, uint32_t capacity,
                                      uint32_t bytes) {
  struct perf_agent_slot slot = {NULL, area, 0};
  // Relaxed: the producer itself is the only writer of head. The acquire pairs with the harness's
  // release of tail: the harness has read the bytes that are about to be overwritten.
  uint64_t head = atomic_load_explicit(&area->head, memory_order_relaxed);
  uint64_t tail = atomic_load_explicit(&area->tail, memory_order_acquire);
  uint32_t position = (uint32_t)(head & (capacity - 1));
  uint32_t pad = bytes > capacity - position ? capacity - position : 0;
  if (head - tail + pad + bytes > capacity) {
    perf_agent_count(&area->dropped);
    return slot;
  }
  if (pad > 0) {
    // Only the first 8 bytes of a record: there may be no room for its time.
    struct perfkit_record *skip = (struct perfkit_record *)(base + position);
    skip->bytes = pad;
    skip->kind = PERFKIT_RECORD_PAD;
    skip->flags = 0;
    position = 0;
  }
  slot.record = base + position;
  slot.start = head + pad;
  return slot;
}

static uint64_t header_bytes(void) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return segment->ring_bytes - segment->sample_capacity - segment->mark_capacity;
}

struct perf_agent_slot perf_agent_reserve_sample(struct perfkit_ring *ring, uint32_t bytes) {
  char *base = (char *)ring + header_bytes();
  return reserve(&ring->samples, base, perf_agent.segment->sample_capacity, bytes);
}

struct perf_agent_slot perf_agent_reserve_mark(struct perfkit_ring *ring, uint32_t bytes) {
  char *base = (char *)ring + header_bytes() + perf_agent.segment->sample_capacity;
  return reserve(&ring->marks, base, perf_agent.segment->mark_capacity, bytes);
}

void perf_agent_publish(struct perf_agent_slot slot, uint32_t bytes) {
  struct perfkit_area *area = slot.area;
  uint64_t head = slot.start + bytes;
  uint64_t waiting = head - atomic_load_explicit(&area->tail, memory_order_relaxed);
  if (waiting > atomic_load_explicit(&area->high_water, memory_order_relaxed)) {
    atomic_store_explicit(&area->high_water, waiting, memory_order_relaxed);
  }
  // Release: pairs with the harness's acquire of head, after which the record is complete.
  atomic_store_explicit(&area->head, head, memory_order_release);
}

/// Claims a ring of the pool for a thread; NULL if all are in use.
static struct perfkit_ring *claim(const struct perf_agent_thread *thread) {
  for (uint32_t index = 1; index < perf_agent.segment->ring_count; index++) {
    struct perfkit_ring *ring = ring_at(index);
    uint32_t expected = PERFKIT_RING_FREE;
    // Hundreds of rings may be in use, and a load is cheaper than a compare-and-exchange.
    if (atomic_load_explicit(&ring->state, memory_order_relaxed) != PERFKIT_RING_FREE) {
      continue;
    }
    // Acquire: pairs with the release by which the ring was freed, so that its offsets are current.
    if (!atomic_compare_exchange_strong_explicit(&ring->state, &expected, PERFKIT_RING_ACTIVE,
                                                 memory_order_acquire, memory_order_relaxed)) {
      continue;
    }
    atomic_store_explicit(&ring->tid, thread->tid, memory_order_relaxed);
    atomic_store_explicit(&ring->serial, thread->serial, memory_order_relaxed);
    return ring;
  }
  return NULL;
}

struct perfkit_ring *perf_agent_own_ring(void) {
  struct perf_agent_local *local = &perf_agent_local;
  // In a child that the agent has not noticed, `local->ring` is the parent's.
  if (!perf_agent_own_segment()) {
    return NULL;
  }
  if (local->ring) {
    return local->ring;
  }
  struct perf_agent_thread *thread = local->thread;
  // A handler that interrupts the thread here would claim a second ring.
  if (!thread || local->is_claiming) {
    return NULL;
  }
  local->is_claiming = 1;
  atomic_signal_fence(memory_order_seq_cst);
  struct perfkit_ring *ring = claim(thread);
  if (ring) {
    atomic_store_explicit(&thread->ring, ring, memory_order_release);
    local->ring = ring;
  } else if (!local->is_refused) {
    local->is_refused = true;
    perf_agent_count(&perf_agent.segment->audit.thread_slots_full);
  }
  atomic_signal_fence(memory_order_seq_cst);
  local->is_claiming = 0;
  return ring;
}

static bool is_drained(struct perfkit_area *area) {
  return atomic_load_explicit(&area->head, memory_order_relaxed) ==
         atomic_load_explicit(&area->tail, memory_order_acquire);
}

void perf_agent_ring_close(struct perfkit_ring *ring) {
  // An empty ring is free at once: threads may come and go faster than the harness drains. Release:
  // pairs with the acquire of the next owner, or of the harness.
  bool is_empty = is_drained(&ring->samples) && is_drained(&ring->marks);
  atomic_store_explicit(&ring->state, is_empty ? PERFKIT_RING_FREE : PERFKIT_RING_CLOSED,
                        memory_order_release);
}

void perf_agent_rings_close_all(void) {
  for (uint32_t index = 1; index < perf_agent.segment->ring_count; index++) {
    struct perfkit_ring *ring = ring_at(index);
    uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
    if (state == PERFKIT_RING_ACTIVE) {
      perf_agent_ring_close(ring);
    }
    // Threads claim the first free ring, so no ring after an unused one is in use.
    if (state == PERFKIT_RING_FREE &&
        atomic_load_explicit(&ring->serial, memory_order_relaxed) == 0) {
      break;
    }
  }
}

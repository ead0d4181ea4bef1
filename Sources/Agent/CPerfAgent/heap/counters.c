#define _GNU_SOURCE
#include "heap.h"

_Static_assert(PERF_AGENT_THREAD_MAX + 1 == PERFKIT_ALLOCATION_SLOTS, "one slot for each thread");

/// Returns the counters of a thread's slot; the last ones are shared by all threads without a slot.
static struct perfkit_allocations *slot_at(uint32_t index) {
  struct perfkit_segment *segment = perf_agent.segment;
  return (struct perfkit_allocations *)((char *)segment + segment->allocations_offset) + index;
}

/// Returns -ln(x) for 0 < x <= 1, to six digits. Not by libm, which the program may not have
/// loaded.
static double minus_log(double x) {
  double result = 0;
  for (; x < 0.5; x *= 2) {
    result += 0.6931471805599453;
  }
  // ln(x) = 2 artanh((x - 1) / (x + 1)), whose argument is between -1/3 and 0 here.
  double t = (1 - x) / (1 + x), square = t * t;
  return result +
         2 * t * (1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square / 9))));
}

/// The maximum distance between sampled bytes: more than a process can allocate.
#define NEVER (UINT64_C(1) << 62)
/// The distance without samples. An allocation that reaches it is counted after it has succeeded,
/// as an allocation of so many bytes may fail.
#define UNSAMPLED (UINT64_C(1) << 30)

/// Draws a distance from one sampled byte to the next, at least 1.
///
/// Distances are exponentially distributed, so that each byte is sampled with the same probability.
static uint64_t draw_distance(void) {
  uint64_t mean = perf_agent.segment->allocation_interval;
  if (mean == 0) {
    return UNSAMPLED;
  }
  double uniform = (double)((perf_agent_random(&perf_agent_local.random) >> 11) + 1) * 0x1p-53;
  double distance = minus_log(uniform) * (double)mean;
  return distance < (double)NEVER ? 1 + (uint64_t)distance : NEVER;
}

/// Returns the bytes that the calling thread has allocated.
static uint64_t own_bytes(void) {
  return atomic_load_explicit(&perf_agent_local.allocations->bytes, memory_order_relaxed);
}

/// Draws the next allocation to record; always a later one.
static void expect_sample(void) {
  perf_agent_local.sample_at = own_bytes() + draw_distance();
}

void perf_agent_allocations_begin(void) {
  struct perf_agent_local *local = &perf_agent_local;
  local->is_own_work = false;
  if (!perf_agent_is_counting()) {
    return;
  }
  local->random = perf_agent.segment->seed ^ ((uint64_t)local->thread->serial << 32);
  local->allocations = slot_at(perf_agent_thread_index(local->thread));
  expect_sample();
}

void perf_agent_allocations_end(void) {
  perf_agent_local.allocations = NULL;
}

int perf_agent_allocations(uint64_t *allocations, uint64_t *bytes) {
  *allocations = *bytes = 0;
  if (!perf_agent_is_counting()) {
    return 0;
  }
  uint32_t used = perf_agent_thread_count();
  for (uint32_t index = 0; index <= used; index++) {
    const struct perfkit_allocations *slot = slot_at(index < used ? index : PERF_AGENT_THREAD_MAX);
    *allocations += atomic_load_explicit(&slot->count, memory_order_relaxed);
    *bytes += atomic_load_explicit(&slot->bytes, memory_order_relaxed);
  }
  return 1;
}

void perf_agent_allocated(void *address, size_t bytes) {
  struct perf_agent_local *local = &perf_agent_local;
  if (!perf_agent_own_segment()) {
    return;
  }
  if (local->allocations) {
    perf_agent_add(local->allocations, bytes);
    if (own_bytes() < local->sample_at) {
      return;
    }
    expect_sample();
    perf_agent_allocation_sample(address, bytes);
  } else if (perf_agent_is_counting() && !local->is_own_work) {
    struct perfkit_allocations *shared = slot_at(PERF_AGENT_THREAD_MAX);
    atomic_fetch_add_explicit(&shared->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&shared->bytes, bytes, memory_order_relaxed);
  }
}

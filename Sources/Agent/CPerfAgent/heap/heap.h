/// Counts and samples of the program's allocations.
///
///     counters.c   counts allocations and their bytes, and chooses the sampled ones
///     samples.c    records sampled allocations and their ends
///     malloc.c     interposed functions that allocate; in libperfkit-agent-counts.so and -heap.so
///     free.c       the interposed `free`; in libperfkit-agent-heap.so alone
///
/// A program whose allocations are not measured gets libperfkit-agent.so, which interposes none of
/// them.
#ifndef PERF_AGENT_HEAP_H
#define PERF_AGENT_HEAP_H

#include "core/core.h"

// MARK: - Counters

/// Tells samples.c that the heap of the process's previous program is gone (exec). The thread that
/// attaches.
void perf_agent_allocations_forget(void);
/// Counts the calling thread's allocations as the program's from here on. A known thread.
void perf_agent_allocations_begin(void);
/// Stops counting them, before the thread's slot is another's.
void perf_agent_allocations_end(void);

/// Returns whether this process counts allocations.
static inline bool perf_agent_is_counting(void) {
  const struct perfkit_segment *segment = perf_agent_own_segment();
  return segment && segment->allocations_offset != 0;
}

/// Records an allocation that is due, before its address is known to other threads.
void perf_agent_allocation_sample(void *_Nonnull address, size_t bytes);

// MARK: - Sampled allocations

/// The number of sampled allocations in each group of addresses. Small enough for the first-level
/// cache.
#define PERF_AGENT_ADDRESS_GROUPS 4096u
extern _Atomic uint16_t perf_agent_address_groups[PERF_AGENT_ADDRESS_GROUPS]
    __attribute__((visibility("hidden")));

/// Whether this process has ever sampled an allocation.
extern _Atomic bool perf_agent_has_sampled __attribute__((visibility("hidden")));

/// Spreads addresses over 64 bits (Fibonacci hashing; the heap aligns to 16 bytes).
static inline uint64_t perf_agent_address_hash(const void *_Nullable address) {
  return ((uint64_t)(uintptr_t)address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

/// Returns whether an address may be that of a sampled allocation; also true for NULL.
static inline bool perf_agent_may_be_sampled(const void *_Nullable address) {
  if (!atomic_load_explicit(&perf_agent_has_sampled, memory_order_relaxed)) {
    return false;
  }
  uint64_t group = perf_agent_address_hash(address) >> 52;
  return atomic_load_explicit(&perf_agent_address_groups[group], memory_order_relaxed) != 0;
}

/// Removes an address from the sampled allocations. Returns its number; 0 if it is none.
uint64_t perf_agent_allocation_take(void *_Nullable address);
/// Adds a sampled allocation.
void perf_agent_allocation_keep(void *_Nonnull address, uint64_t number);
/// Records the end of a sampled allocation.
void perf_agent_allocation_end(uint64_t number);

// MARK: - Allocations

/// Counts an allocation for which `perf_agent_allocates` returned false, and records it if it is
/// due. The thread that has made it, before another thread can free it.
void perf_agent_allocated(void *_Nonnull address, size_t bytes);

/// Adds to the counters of the calling thread, their only writer.
static inline void perf_agent_add(struct perfkit_allocations *_Nonnull counters, size_t bytes) {
  uint64_t count = atomic_load_explicit(&counters->count, memory_order_relaxed) + 1;
  uint64_t sum = atomic_load_explicit(&counters->bytes, memory_order_relaxed) + bytes;
  atomic_store_explicit(&counters->count, count, memory_order_relaxed);
  atomic_store_explicit(&counters->bytes, sum, memory_order_relaxed);
}

/// Counts an allocation before it is made.
///
/// Returns false if `perf_agent_allocated` must count it: if the thread has no counters or the
/// process is a child, and if the allocation must be recorded or is so large that it may fail.
static inline bool perf_agent_allocates(size_t bytes) {
  struct perf_agent_local *local = &perf_agent_local;
  struct perfkit_allocations *counters = local->allocations;
  if (__builtin_expect(!counters, 0)) {
    return false;
  }
  if (__builtin_expect(!atomic_load_explicit(perf_agent_is_own, memory_order_relaxed), 0)) {
    return false;
  }
  uint64_t sum = atomic_load_explicit(&counters->bytes, memory_order_relaxed);
  // Without an addition, which might overflow.
  if (__builtin_expect(bytes >= local->sample_at - sum, 0)) {
    return false;
  }
  perf_agent_add(counters, bytes);
  return true;
}

#endif

/// What is counted and kept of the heap's use. `heap/malloc.c` tells of each call that gives memory, and
/// `heap/free.c` of what gives it back. The first is part of libperfkit-agent-counts.so and of
/// libperfkit-agent-heap.so, the second of the latter alone, so that who does not ask for it has no malloc,
/// and no free, that goes by way of the agent.
#ifndef PERF_AGENT_ALLOCATIONS_H
#define PERF_AGENT_ALLOCATIONS_H

#include "agent.h"

/// Whether a sampled allocation may have this address: a number for each group of addresses, 0 when
/// there is none in it. Small enough to stay in the first-level cache.
#define PERF_AGENT_ADDRESS_GROUPS 4096u
extern _Atomic uint16_t perf_agent_address_groups[PERF_AGENT_ADDRESS_GROUPS]
    __attribute__((visibility("hidden")));

/// Whether this process has ever kept a sampled allocation. Where it has not, as where allocations are
/// counted alone, nothing that is freed can be one.
extern _Atomic bool perf_agent_has_sampled __attribute__((visibility("hidden")));

/// Spreads addresses over 64 bits (Fibonacci hashing; the heap aligns to 16 bytes).
static inline uint64_t perf_agent_address_hash(const void *_Nullable address) {
  return ((uint64_t)(uintptr_t)address >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

/// Whether an address may be that of a sampled allocation. NULL may, too.
static inline bool perf_agent_may_be_sampled(const void *_Nullable address) {
  if (!atomic_load_explicit(&perf_agent_has_sampled, memory_order_relaxed)) return false;
  uint64_t group = perf_agent_address_hash(address) >> 52;
  return atomic_load_explicit(&perf_agent_address_groups[group], memory_order_relaxed) != 0;
}

/// Takes an address out of the sampled allocations. Returns its number, 0 when it was not there.
uint64_t perf_agent_allocation_take(void *_Nullable address);
/// Puts back what was taken.
void perf_agent_allocation_keep(void *_Nonnull address, uint64_t number);
/// Records the end of a sampled allocation.
void perf_agent_allocation_end(uint64_t number);

/// Counts an allocation for which `perf_agent_allocates` was false, and records it when it is due.
/// The thread that has made it, before anybody else can free it.
void perf_agent_allocated(void *_Nonnull address, size_t bytes);

/// Adds to a thread's counters, whose only writer it is.
static inline void perf_agent_add(struct perfkit_allocations *_Nonnull counters, size_t bytes) {
  uint64_t count = atomic_load_explicit(&counters->count, memory_order_relaxed) + 1;
  uint64_t sum = atomic_load_explicit(&counters->bytes, memory_order_relaxed) + bytes;
  atomic_store_explicit(&counters->count, count, memory_order_relaxed);
  atomic_store_explicit(&counters->bytes, sum, memory_order_relaxed);
}

/// Counts an allocation that is about to be made. Returns false when that is left to
/// `perf_agent_allocated`: in a thread that has no counters or those of another process, and of one that
/// is to be recorded or that is so large that it may well fail.
static inline bool perf_agent_allocates(size_t bytes) {
  struct perf_agent_local *local = &perf_agent_local;
  struct perfkit_allocations *counters = local->allocations;
  if (__builtin_expect(!counters, 0)) return false;
  if (__builtin_expect(!atomic_load_explicit(perf_agent_is_own, memory_order_relaxed), 0))
    return false;
  uint64_t sum = atomic_load_explicit(&counters->bytes, memory_order_relaxed);
  // Never by addition: what is asked for may be any number.
  if (__builtin_expect(bytes >= local->sample_at - sum, 0)) return false;
  perf_agent_add(counters, bytes);
  return true;
}

#endif

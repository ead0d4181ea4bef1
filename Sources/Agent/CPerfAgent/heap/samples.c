#define _GNU_SOURCE
#include <ucontext.h>

#include "core/rings.h"
#include "heap.h"

_Static_assert(PERF_AGENT_ADDRESS_GROUPS == 1u << 12, "a group is the hash's top 12 bits");

// MARK: - The live sampled allocations

/// The places of a bucket.
#define WAYS 8u
#define BUCKETS 4096u
/// Marks a place that is being filled in.
#define TAKEN ((uintptr_t)1)

struct place {
  _Atomic uintptr_t address;  ///< 0: free.
  uint64_t number;            ///< Written before the address (release), read after it.
};

// With a mean distance of 512 KiB this is room for 16 GiB of live allocations. Pages that are never
// touched cost nothing.
static struct place places[BUCKETS][WAYS];
_Atomic uint16_t perf_agent_address_groups[PERF_AGENT_ADDRESS_GROUPS];
_Atomic bool perf_agent_has_sampled;

static struct place *bucket_of(const void *address) {
  return places[(perf_agent_address_hash(address) >> 40) % BUCKETS];
}

static _Atomic uint16_t *group_of(const void *address) {
  return &perf_agent_address_groups[perf_agent_address_hash(address) >> 52];
}

void perf_agent_allocation_keep(void *address, uint64_t number) {
  struct place *bucket = bucket_of(address);
  for (unsigned way = 0; way < WAYS; way++) {
    uintptr_t none = 0;
    if (!atomic_compare_exchange_strong_explicit(&bucket[way].address, &none, TAKEN,
                                                 memory_order_acquire, memory_order_relaxed)) {
      continue;
    }
    bucket[way].number = number;
    // Relaxed: a thread that frees the memory has got its address from this one, and sees these
    // stores.
    atomic_store_explicit(&perf_agent_has_sampled, true, memory_order_relaxed);
    atomic_fetch_add_explicit(group_of(address), 1, memory_order_relaxed);
    atomic_store_explicit(&bucket[way].address, (uintptr_t)address, memory_order_release);
    return;
  }
  perf_agent_count(&perf_agent.segment->audit.allocations_untracked);
}

uint64_t perf_agent_allocation_take(void *address) {
  if (!address) {
    return 0;
  }
  struct place *bucket = bucket_of(address);
  for (unsigned way = 0; way < WAYS; way++) {
    uintptr_t found = atomic_load_explicit(&bucket[way].address, memory_order_acquire);
    if (found != (uintptr_t)address) {
      continue;
    }
    uint64_t number = bucket[way].number;
    atomic_fetch_sub_explicit(group_of(address), 1, memory_order_relaxed);
    atomic_store_explicit(&bucket[way].address, 0, memory_order_release);
    return number;
  }
  return 0;
}

// MARK: - Records

/// Returns whether records may be written: only while sampling is on, not under a filter, which may
/// forbid the system calls below, and never by a child that shares its parent's memory or, before
/// Linux 4.14, by any child.
static bool may_record(void) {
  return perf_agent_is_counting() && !atomic_load(&perf_agent.is_filtered) &&
         atomic_load_explicit(&perf_agent.segment->sampling, memory_order_relaxed) != 0 &&
         (uint32_t)getpid() == perf_agent.segment->agent_pid;
}

static bool write_free(uint64_t number, uint16_t flags, uint64_t now) {
  struct perfkit_ring *ring = perf_agent_own_ring();
  if (!ring) {
    return false;
  }
  struct perf_agent_slot slot = perf_agent_reserve_sample(ring, sizeof(struct perfkit_free));
  struct perfkit_free *record = slot.record;
  if (!record) {
    return false;
  }
  record->record = (struct perfkit_record){sizeof *record, PERFKIT_RECORD_FREE, flags, now};
  record->allocation = number;
  perf_agent_publish(slot, sizeof *record);
  return true;
}

/// Writes the calling thread's stack. Not inlined, as it needs much of that stack itself.
__attribute__((noinline)) static bool write_allocation(uint64_t number, size_t bytes,
                                                       uint64_t now) {
  ucontext_t context = {.uc_stack = {.ss_flags = SS_DISABLE}};
  getcontext(&context);
  return perf_agent_write_sample(
      perf_agent_local.thread, &context,
      (struct perf_agent_occasion){.kind = PERFKIT_RECORD_ALLOCATION,
                                   .time_ns = now,
                                   .tick_ns = number,
                                   .cpu_ns = bytes});
}

/// Writes a record into the area of samples while the handler is blocked: the end of an allocation
/// if `bytes` is NULL, otherwise its begin.
static bool write_alone(uint64_t number, const size_t *bytes, uint16_t flags) {
  struct perf_agent_local *local = &perf_agent_local;
  int saved_errno = errno;
  uint64_t before = perf_agent_change_mask(SIG_SETMASK, perf_agent_deferrable_signals());
  bool is_written = false;
  // A thread at its very end has no ring any more. A crash handler that interrupts this function or
  // the agent's handler may allocate.
  if (local->thread && !local->is_recording && !local->is_in_handler) {
    local->is_recording = true;
    uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
    is_written = bytes ? write_allocation(number, *bytes, now) : write_free(number, flags, now);
    local->is_recording = false;
  }
  perf_agent_change_mask(SIG_SETMASK, before);
  errno = saved_errno;
  if (!is_written) {
    perf_agent_count(&perf_agent.segment->audit.allocations_dropped);
  }
  return is_written;
}

void perf_agent_allocation_sample(void *address, size_t bytes) {
  if (perf_agent.segment->allocation_interval == 0 || !may_record()) {
    return;
  }
  _Atomic uint64_t *last = &perf_agent.segment->allocations_sampled;
  uint64_t number = 1 + atomic_fetch_add_explicit(last, 1, memory_order_relaxed);
  if (write_alone(number, &bytes, 0)) {
    perf_agent_allocation_keep(address, number);
  }
}

void perf_agent_allocation_end(uint64_t number) {
  if (may_record()) {
    write_alone(number, NULL, 0);
  }
}

void perf_agent_allocations_forget(void) {
  if (!perf_agent_is_counting()) {
    return;
  }
  uint64_t last =
      atomic_load_explicit(&perf_agent.segment->allocations_sampled, memory_order_relaxed);
  if (last != 0) {
    write_alone(last, NULL, PERFKIT_FREE_ALL);
  }
}

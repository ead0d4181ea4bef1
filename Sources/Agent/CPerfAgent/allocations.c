#define _GNU_SOURCE
#include "allocations.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "rings.h"

_Static_assert(PERF_AGENT_THREAD_MAX + 1 == PERFKIT_ALLOCATION_SLOTS, "one slot for each thread");
_Static_assert(PERF_AGENT_ADDRESS_GROUPS == 1u << 12, "a group is the hash's top 12 bits");

// MARK: - Counters

/// The counters of a thread's slot; the last ones are of all threads that have none of their own.
static struct perfkit_allocations *slot_at(uint32_t index) {
  struct perfkit_segment *segment = perf_agent.segment;
  return (struct perfkit_allocations *)((char *)segment + segment->allocations_offset) + index;
}

static bool is_counting(void) {
  const struct perfkit_segment *segment = perf_agent_own_segment();
  return segment && segment->allocations_offset != 0;
}

static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

/// -ln(x) for 0 < x <= 1, to six digits; libm is not loaded into programs that do without it.
static double minus_log(double x) {
  double result = 0;
  for (; x < 0.5; x *= 2) result += 0.6931471805599453;
  // ln(x) = 2 artanh((x - 1) / (x + 1)), whose argument is between -1/3 and 0 here.
  double t = (1 - x) / (1 + x), square = t * t;
  return result +
         2 * t * (1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square / 9))));
}

/// Most bytes that may be allocated before one is sampled: more than there can be.
#define NEVER (UINT64_C(1) << 62)
/// Without samples, those after which a call is counted once it has given memory, as one that asks for
/// so much is: it may well fail.
#define UNSAMPLED (UINT64_C(1) << 30)

/// Draws a distance from one sampled byte to the next, at least 1.
///
/// They are distributed exponentially, so that each byte has the same chance to be the one, whatever
/// was sampled before.
static uint64_t draw_distance(void) {
  uint64_t mean = perf_agent.segment->allocation_interval;
  if (mean == 0) return UNSAMPLED;
  double uniform = (double)((next_random(&perf_agent_local.random) >> 11) + 1) * 0x1p-53;
  double distance = minus_log(uniform) * (double)mean;
  return distance < (double)NEVER ? 1 + (uint64_t)distance : NEVER;
}

/// What the calling thread's counters have of bytes.
static uint64_t own_bytes(void) {
  return atomic_load_explicit(&perf_agent_local.allocations->bytes, memory_order_relaxed);
}

/// Draws which allocation is recorded next; always a later one.
static void expect_sample(void) {
  perf_agent_local.sample_at = own_bytes() + draw_distance();
}

void perf_agent_allocations_begin(void) {
  struct perf_agent_local *local = &perf_agent_local;
  local->is_own_work = false;
  if (!is_counting()) return;
  local->random = perf_agent.segment->seed ^ ((uint64_t)local->thread->serial << 32);
  local->allocations = slot_at(perf_agent_thread_index(local->thread));
  expect_sample();
}

void perf_agent_allocations_end(void) {
  perf_agent_local.allocations = NULL;
}

int perf_agent_allocations(uint64_t *allocations, uint64_t *bytes) {
  *allocations = *bytes = 0;
  if (!is_counting()) return 0;
  uint32_t used = perf_agent_thread_count();
  for (uint32_t index = 0; index <= used; index++) {
    const struct perfkit_allocations *slot = slot_at(index < used ? index : PERF_AGENT_THREAD_MAX);
    *allocations += atomic_load_explicit(&slot->count, memory_order_relaxed);
    *bytes += atomic_load_explicit(&slot->bytes, memory_order_relaxed);
  }
  return 1;
}

// MARK: - Sampled allocations that are still there

/// Places that an address may have.
#define WAYS 8u
#define BUCKETS 4096u
/// The address of a place that is being filled in.
#define TAKEN ((uintptr_t)1)

struct place {
  _Atomic uintptr_t address;  ///< 0: free.
  uint64_t number;            ///< Written before the address (release), read after it.
};

// With a mean of 512 KiB this is room for 16 GiB that are live. Pages that nobody touches cost
// nothing.
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
    uintptr_t nobody = 0;
    if (!atomic_compare_exchange_strong_explicit(&bucket[way].address, &nobody, TAKEN,
                                                 memory_order_acquire, memory_order_relaxed))
      continue;
    bucket[way].number = number;
    // Whoever frees the memory has got its address from this thread, and sees all of these.
    atomic_store_explicit(&perf_agent_has_sampled, true, memory_order_relaxed);
    atomic_fetch_add_explicit(group_of(address), 1, memory_order_relaxed);
    atomic_store_explicit(&bucket[way].address, (uintptr_t)address, memory_order_release);
    return;
  }
  perf_agent_count(&perf_agent.segment->audit.allocations_untracked);
}

uint64_t perf_agent_allocation_take(void *address) {
  if (!address) return 0;
  struct place *bucket = bucket_of(address);
  for (unsigned way = 0; way < WAYS; way++) {
    uintptr_t found = atomic_load_explicit(&bucket[way].address, memory_order_acquire);
    if (found != (uintptr_t)address) continue;
    uint64_t number = bucket[way].number;
    atomic_fetch_sub_explicit(group_of(address), 1, memory_order_relaxed);
    atomic_store_explicit(&bucket[way].address, 0, memory_order_release);
    return number;
  }
  return 0;
}

// MARK: - Records

/// Whether records may be written: only while the harness samples, and never by a child that shares
/// its parent's memory, or that a kernel without MADV_WIPEONFORK does not tell apart.
static bool may_record(void) {
  return is_counting() &&
         atomic_load_explicit(&perf_agent.segment->sampling, memory_order_relaxed) != 0 &&
         (uint32_t)getpid() == perf_agent.segment->agent_pid;
}

/// The kernel's signal sets are 64 bits on both architectures.
static void set_mask(uint64_t mask, uint64_t *before) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, sizeof mask);
}

/// All signals but those of a crash.
static uint64_t deferrable_signals(void) {
  static const int crashes[] = {PERF_AGENT_CRASHES};
  uint64_t mask = ~UINT64_C(0);
  for (unsigned index = 0; index < sizeof crashes / sizeof crashes[0]; index++)
    mask &= ~(UINT64_C(1) << (crashes[index] - 1));
  return mask;
}

static bool write_free(uint64_t number, uint16_t flags, uint64_t now) {
  struct perfkit_ring *ring = perf_agent_own_ring();
  if (!ring) return false;
  struct perf_agent_slot slot = perf_agent_reserve_sample(ring, sizeof(struct perfkit_free));
  struct perfkit_free *record = slot.record;
  if (!record) return false;
  record->record = (struct perfkit_record){sizeof *record, PERFKIT_RECORD_FREE, flags, now};
  record->allocation = number;
  perf_agent_publish(slot, sizeof *record);
  return true;
}

/// Writes the stack from here on. Not inlined, as what it needs of the stack is much.
__attribute__((noinline)) static bool write_allocation(uint64_t number, size_t bytes,
                                                       uint64_t now) {
  ucontext_t context = {.uc_stack = {.ss_flags = SS_DISABLE}};
  getcontext(&context);
  return perf_agent_write_sample(
      perf_agent_local.thread, &context,
      (struct perf_agent_occasion){PERFKIT_RECORD_ALLOCATION, now, number, bytes});
}

/// Writes a record into the area of samples, while no handler can: of the end of an allocation when
/// `bytes` is NULL.
static bool write_alone(uint64_t number, const size_t *bytes, uint16_t flags) {
  struct perf_agent_local *local = &perf_agent_local;
  int saved_errno = errno;
  uint64_t before;
  set_mask(deferrable_signals(), &before);
  bool is_written = false;
  // A thread at its very end has no ring any more; and what is done about a crash that has happened
  // right here, or in the handler of our signal, may allocate, too.
  if (local->thread && !local->is_recording && !local->is_in_handler) {
    local->is_recording = true;
    uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
    is_written =
        bytes ? write_allocation(number, *bytes, now) : write_free(number, flags, now);
    local->is_recording = false;
  }
  set_mask(before, NULL);
  errno = saved_errno;
  if (!is_written) perf_agent_count(&perf_agent.segment->audit.allocations_dropped);
  return is_written;
}

static void sample(void *address, size_t bytes) {
  if (perf_agent.segment->allocation_interval == 0 || !may_record()) return;
  _Atomic uint64_t *last = &perf_agent.segment->allocations_sampled;
  uint64_t number = 1 + atomic_fetch_add_explicit(last, 1, memory_order_relaxed);
  if (write_alone(number, &bytes, 0)) perf_agent_allocation_keep(address, number);
}

void perf_agent_allocated(void *address, size_t bytes) {
  struct perf_agent_local *local = &perf_agent_local;
  if (!perf_agent_own_segment()) return;
  if (local->allocations) {
    perf_agent_add(local->allocations, bytes);
    if (own_bytes() < local->sample_at) return;
    expect_sample();
    sample(address, bytes);
  } else if (is_counting() && !local->is_own_work) {
    struct perfkit_allocations *shared = slot_at(PERF_AGENT_THREAD_MAX);
    atomic_fetch_add_explicit(&shared->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&shared->bytes, bytes, memory_order_relaxed);
  }
}

void perf_agent_allocation_end(uint64_t number) {
  if (may_record()) write_alone(number, NULL, 0);
}

void perf_agent_allocations_forget(void) {
  if (!is_counting()) return;
  uint64_t last =
      atomic_load_explicit(&perf_agent.segment->allocations_sampled, memory_order_relaxed);
  if (last != 0) write_alone(last, NULL, PERFKIT_FREE_ALL);
}

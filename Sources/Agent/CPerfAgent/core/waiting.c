#define _GNU_SOURCE
#include "rings.h"
#include "ticker.h"

/// Reads a thread's own state: its phase and signpost.
static struct perf_agent_local read_local(struct perf_agent_thread *thread) {
  struct perf_agent_local local = {0};
  uint64_t address =
      (uint64_t)(uintptr_t)atomic_load_explicit(&thread->local, memory_order_relaxed);
  // The thread may have ended, and its memory may be unmapped.
  if (address && perf_agent_read_memory(&local, address, sizeof local) != sizeof local) {
    local = (struct perf_agent_local){0};
  }
  return local;
}

void perf_agent_write_waiting(struct perf_agent_thread *thread,
                              const struct perf_agent_place *place, uint64_t now, uint64_t cpu_ns) {
  struct perfkit_segment *segment = perf_agent.segment;
  uint64_t pointer = place->stack_pointer;
  bool is_own = pointer >= thread->stack_low && pointer < thread->stack_high;
  uint64_t there = is_own ? thread->stack_high - pointer : segment->stack_bytes;
  uint64_t most = (there < segment->stack_bytes ? there : segment->stack_bytes) & ~UINT64_C(7);
  struct perf_agent_slot slot = perf_agent_reserve_sample(
      perf_agent_ticker_ring(), (uint32_t)(sizeof(struct perfkit_sample) + most));
  if (!slot.record) {
    return;
  }

  struct perfkit_sample *sample = slot.record;
  uint64_t copied = perf_agent_read_memory(sample + 1, pointer, most);
  struct perf_agent_local local = read_local(thread);
  // A thread whose CPU clock has not moved has not changed its stack. Another one is looked at
  // again at the next tick.
  if (perf_agent_cpu_clock(thread) != cpu_ns) {
    return;
  }

  // Whether an unknown stack goes on after a full copy is unknown.
  uint64_t missing = is_own ? there - copied : copied == most ? UINT32_MAX : 0;
  uint16_t flags = PERFKIT_SAMPLE_PARTIAL;
  if (!is_own) {
    flags |= PERFKIT_SAMPLE_ALTSTACK;
  }
  if (missing > 7) {
    flags |= PERFKIT_SAMPLE_TRUNCATED;
  }
  uint32_t bytes = (uint32_t)(sizeof *sample + copied);
  *sample = (struct perfkit_sample){
      .record = {bytes, PERFKIT_RECORD_WAITING, flags, now},
      .tick_ns = now,
      .thread_cpu_ns = cpu_ns,
      .tid = thread->tid,
      .serial = thread->serial,
      .frame = atomic_load_explicit(&segment->current_frame, memory_order_relaxed),
      .phase = local.phase,
      .signpost = local.signpost,
      .system_call = place->system_call,
      .stack_address = pointer,
      .stack_bytes = (uint32_t)copied,
      .stack_missing = missing > UINT32_MAX ? UINT32_MAX : (uint32_t)missing,
  };
  sample->registers[PERFKIT_STACK_POINTER] = pointer;
  sample->registers[PERFKIT_REGISTER_COUNT - 1] = place->program_counter;
  perf_agent_publish(slot, bytes);
}

#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent.h"
#include "rings.h"

/// Memory is read page by page, so that what ends short of the copy is read to its end.
#define PAGE_BYTES 4096u
#define PAGES_MAX (65536u / PAGE_BYTES + 1)

uint64_t perf_agent_read_memory(void *to, uint64_t from, uint64_t most) {
  struct iovec local = {to, most};
  struct iovec remote[PAGES_MAX];
  unsigned count = 0;
  for (uint64_t at = from, end = from + most; at < end && count < PAGES_MAX; count++) {
    uint64_t next = (at | (PAGE_BYTES - 1)) + 1;
    if (next > end) next = end;
    remote[count] = (struct iovec){(void *)(uintptr_t)at, next - at};
    at = next;
  }
  pid_t self = (pid_t)perf_agent.segment->agent_pid;
  ssize_t bytes = process_vm_readv(self, &local, 1, remote, count, 0);
  // The first thread has ended before the others, and has no memory any more.
  if (bytes < 0 && errno == ESRCH)
    bytes = process_vm_readv((pid_t)perf_agent_tid(), &local, 1, remote, count, 0);
  return bytes > 0 ? (uint64_t)bytes & ~UINT64_C(7) : 0;
}

/// What a thread is working on, as its own memory says.
static struct perf_agent_local read_local(struct perf_agent_thread *thread) {
  struct perf_agent_local local = {0};
  uint64_t address =
      (uint64_t)(uintptr_t)atomic_load_explicit(&thread->local, memory_order_relaxed);
  // The thread may have ended by now, and its memory with it.
  if (address && perf_agent_read_memory(&local, address, sizeof local) != sizeof local)
    local = (struct perf_agent_local){0};
  return local;
}

void perf_agent_write_waiting(struct perf_agent_thread *thread,
                              const struct perf_agent_place *place, uint64_t now,
                              uint64_t cpu_ns) {
  struct perfkit_segment *segment = perf_agent.segment;
  uint64_t pointer = place->stack_pointer;
  bool is_own = pointer >= thread->stack_low && pointer < thread->stack_high;
  uint64_t there = is_own ? thread->stack_high - pointer : segment->stack_bytes;
  uint64_t most = (there < segment->stack_bytes ? there : segment->stack_bytes) & ~UINT64_C(7);
  struct perf_agent_slot slot = perf_agent_reserve_sample(
      perf_agent_ticker_ring(), (uint32_t)(sizeof(struct perfkit_sample) + most));
  if (!slot.record) return;

  struct perfkit_sample *sample = slot.record;
  memset(sample, 0, sizeof *sample);
  uint64_t copied = perf_agent_read_memory(sample + 1, pointer, most);
  struct perf_agent_local local = read_local(thread);
  // A thread that has not used its CPU clock has not moved, and nor has its stack. One that has is
  // met again at the next tick.
  if (perf_agent_cpu_clock(thread) != cpu_ns) return;

  // Whether anything follows a full copy of an unknown stack cannot be known.
  uint64_t missing = is_own ? there - copied : copied == most ? UINT32_MAX : 0;
  uint16_t flags = PERFKIT_SAMPLE_PARTIAL;
  if (!is_own) flags |= PERFKIT_SAMPLE_ALTSTACK;
  if (missing > 7) flags |= PERFKIT_SAMPLE_TRUNCATED;
  sample->record = (struct perfkit_record){0, PERFKIT_RECORD_WAITING, flags, now};
  sample->record.bytes = (uint32_t)(sizeof *sample + copied);
  sample->tick_ns = now;
  sample->thread_cpu_ns = cpu_ns;
  sample->tid = thread->tid;
  sample->serial = thread->serial;
  sample->frame = atomic_load_explicit(&segment->current_frame, memory_order_relaxed);
  sample->phase = local.phase;
  sample->signpost = local.signpost;
  sample->system_call = place->system_call;
  sample->stack_address = pointer;
  sample->stack_bytes = (uint32_t)copied;
  sample->stack_missing = missing > UINT32_MAX ? UINT32_MAX : (uint32_t)missing;
  sample->registers[PERFKIT_STACK_POINTER] = pointer;
  sample->registers[PERFKIT_REGISTER_COUNT - 1] = place->program_counter;
  perf_agent_publish(slot, sample->record.bytes);
}

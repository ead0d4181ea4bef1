#define _GNU_SOURCE
#include <sys/resource.h>
#include <ucontext.h>

#include "core.h"
#include "rings.h"

#if defined(__x86_64__)
#include "arch_x86_64.h"
#elif defined(__aarch64__)
#include "arch_arm64.h"
#else
#error "The agent supports x86-64 and arm64."
#endif

/// The end of a stack.
struct stack_bounds {
  /// From the stack pointer to the end; the most that is copied if the end is unknown.
  uint64_t bytes;
  bool is_known;
  bool is_own;  ///< The stack that the thread began on, not an alternate or unknown one.
};

static struct stack_bounds find_bounds(const struct perf_agent_thread *thread,
                                       const ucontext_t *context, uint64_t pointer, uint64_t most) {
  if (pointer >= thread->stack_low && pointer < thread->stack_high) {
    return (struct stack_bounds){thread->stack_high - pointer, true, true};
  }
  // The kernel saves the bounds of the alternate stack with the context.
  uint64_t low = (uint64_t)(uintptr_t)context->uc_stack.ss_sp;
  uint64_t bytes = context->uc_stack.ss_size;
  if (!(context->uc_stack.ss_flags & SS_DISABLE) && pointer - low < bytes) {
    return (struct stack_bounds){low + bytes - pointer, true, false};
  }
  return (struct stack_bounds){most, false, false};
}

/// Returns the address from which a stack is copied: below the stack pointer, unless that is
/// another stack.
static uint64_t first_copied(const struct perf_agent_thread *thread, const ucontext_t *context,
                             uint64_t pointer) {
  uint64_t below = pointer - PERF_AGENT_RED_ZONE;
  struct stack_bounds here = find_bounds(thread, context, pointer, 0);
  struct stack_bounds there = find_bounds(thread, context, below, 0);
  bool is_same = here.is_known && there.is_known && here.is_own == there.is_own;
  return is_same ? below : pointer;
}

static bool is_readable(uint64_t address) {
  uint64_t word;
  return perf_agent_read_memory(&word, address, sizeof word) == sizeof word;
}

/// Returns the address from which a stack that has overflowed is copied; 0 if it has not.
///
/// The stack pointer is below the thread's own stack. The caller's frame is at the lower end of that, or
/// at the frame pointer of a large frame, which may be beyond the guard in other memory.
static uint64_t first_after_overflow(const struct perf_agent_thread *thread,
                                     const ucontext_t *context, uint64_t pointer, uint64_t most) {
  uint64_t low = thread->stack_low;
  if (pointer >= low || is_readable(pointer)) {
    return 0;
  }
  // The bounds of the initial thread's stack leave one page out.
  uint64_t below = low - PERF_AGENT_PAGE_BYTES;
  uint64_t first = pointer < below && is_readable(below) ? below : low;
  uint64_t frame = perf_agent_frame_pointer(context);
  bool is_large = first - pointer >= most;
  return is_large && frame % 8 == 0 && frame > pointer && frame < thread->stack_high &&
                 is_readable(frame)
             ? frame
             : first;
}

/// Returns the context of the async function that the thread executes; 0 if there is none, or if
/// its frame is not marked. Frame pointers are followed only on the thread's own stack, all of
/// which is readable.
static uint64_t find_async(const struct perf_agent_thread *thread, const ucontext_t *context) {
  uint64_t pointer = perf_agent_stack_pointer(context);
  if (pointer < thread->stack_low || pointer >= thread->stack_high) {
    return 0;
  }
  return perf_agent_async_context(perf_agent_frame_pointer(context), pointer, thread->stack_high);
}

/// The most frames that are followed to the end of the copied stack.
#define FRAMES_MAX 1024u

/// Keeps the return addresses of frames beyond the copied stack, by frame pointers on the thread's own
/// stack, all of which is readable.
///
/// The first one belongs to the last frame inside of the copy, or is the program counter, so that the
/// unwinder can join them. Returns the number of pairs of words.
static uint16_t find_outer_callers(const ucontext_t *context, uint64_t low, uint64_t copied,
                                   uint64_t high, uint64_t words[2 * PERFKIT_ASYNC_MAX]) {
  uint64_t frame = perf_agent_frame_pointer(context);
  uint16_t count = 0;
  words[0] = perf_agent_program_counter(context);
  for (unsigned step = 0; step < FRAMES_MAX && count < 2 * PERFKIT_ASYNC_MAX; step++) {
    if (frame % 8 != 0 || frame < low || frame > high - 16) {
      break;
    }
    const volatile uint64_t *at = (const volatile uint64_t *)(uintptr_t)frame;
    if (frame + 16 <= low + copied) {
      words[0] = at[1];
    } else {
      count = count ? count : 1;
      words[count++] = at[1];
    }
    uint64_t saved = at[0] & ~PERF_AGENT_ASYNC_BIT;
    if (saved <= frame) {
      break;
    }
    frame = saved;
  }
  if (count % 2 == 1) {
    words[count] = 0;
  }
  return (uint16_t)((count + 1) / 2);
}

/// Returns whether the thread had been woken at the tick, and had no CPU yet.
///
/// It was then in the system call in which it had slept, and used no CPU time there. A thread without a
/// CPU that did not sleep has lost its CPU to another one, e.g. to the ticker, and the kernel has counted
/// that (nonvoluntary_ctxt_switches in proc(5)). If the count has changed since the last look, it is
/// unknown whether the thread slept after that.
static bool was_woken(const ucontext_t *context, const struct perf_agent_occasion *occasion) {
  bool is_at_call = perf_agent_is_at_call(context);
  struct rusage usage;
  // Not for each sample of plain code: the look is a system call.
  if (occasion->kind != PERFKIT_RECORD_SAMPLE || !(is_at_call || occasion->is_off_cpu) ||
      atomic_load(&perf_agent.is_filtered) ||
      PERF_AGENT_CALL(SYS_getrusage, RUSAGE_THREAD, &usage) != 0) {
    return false;
  }
  bool has_lost_cpu = usage.ru_nivcsw != perf_agent_local.preemptions;
  perf_agent_local.preemptions = usage.ru_nivcsw;
  return is_at_call && occasion->is_off_cpu && !has_lost_cpu && occasion->ticks_merged == 0;
}

/// Appends the stack to a sample and fills in its sizes.
static void copy_stack(struct perfkit_sample *sample, struct stack_bounds bounds, uint64_t most) {
  void *to = (char *)(sample + 1) + 16 * (size_t)sample->async_count;
  uint64_t copied;
  uint64_t missing = 0;
  if (bounds.is_known) {
    copied = (bounds.bytes < most ? bounds.bytes : most) & ~UINT64_C(7);
    perf_agent_copy_stack(to, sample->stack_address, copied);
    missing = bounds.bytes > copied ? bounds.bytes - copied : 0;
  } else {
    copied = perf_agent_read_memory(to, sample->stack_address, most);
    // Whether the stack goes on after a full copy is unknown.
    if (copied == 0 || copied == most) {
      missing = UINT32_MAX;
    }
  }
  if (!bounds.is_own) {
    sample->record.flags |= PERFKIT_SAMPLE_ALTSTACK;
  }
  if (missing > 7) {
    sample->record.flags |= PERFKIT_SAMPLE_TRUNCATED;
  }
  sample->stack_bytes = (uint32_t)copied;
  sample->stack_missing = missing > UINT32_MAX ? UINT32_MAX : (uint32_t)missing;
}

bool perf_agent_write_sample(const struct perf_agent_thread *thread, const void *where,
                             struct perf_agent_occasion occasion) {
  const ucontext_t *context = where;
  struct perfkit_segment *segment = perf_agent.segment;
  struct perfkit_ring *ring = perf_agent_own_ring();
  if (!ring) {
    return false;
  }
  uint64_t pointer = first_copied(thread, context, perf_agent_stack_pointer(context));
  struct stack_bounds bounds = find_bounds(thread, context, pointer, segment->stack_bytes);
  if (occasion.kind == PERFKIT_RECORD_CRASH && !bounds.is_known) {
    uint64_t first = first_after_overflow(thread, context, pointer, segment->stack_bytes);
    if (first) {
      pointer = first;
      bounds = first < thread->stack_low - PERF_AGENT_PAGE_BYTES
                   ? find_bounds(thread, context, first, segment->stack_bytes)
                   : (struct stack_bounds){thread->stack_high - first, true, true};
    }
  }
  uint64_t most = bounds.bytes < segment->stack_bytes ? bounds.bytes : segment->stack_bytes;
  uint64_t async = find_async(thread, context);
  bool has_more = bounds.is_own && bounds.bytes > most;
  uint32_t reserved =
      (uint32_t)(sizeof(struct perfkit_sample) + (async || has_more ? 16 * PERFKIT_ASYNC_MAX : 0) +
                 ((most + 7) & ~UINT64_C(7)));
  struct perf_agent_slot slot = perf_agent_reserve_sample(ring, reserved);
  if (!slot.record) {
    return false;
  }

  struct perfkit_sample *sample = slot.record;
  sample->record = (struct perfkit_record){0, occasion.kind, 0, occasion.time_ns};
  sample->tick_ns = occasion.tick_ns;
  sample->thread_cpu_ns = occasion.cpu_ns;
  sample->tid = thread->tid;
  sample->serial = thread->serial;
  sample->frame = atomic_load_explicit(&segment->current_frame, memory_order_relaxed);
  sample->phase = perf_agent_local.phase;
  sample->signpost = perf_agent_local.signpost;
  sample->system_call = -1;
  sample->ticks_merged =
      (uint16_t)(occasion.ticks_merged < UINT16_MAX ? occasion.ticks_merged : UINT16_MAX);
  sample->merged_cpu_ns = occasion.merged_cpu_ns;
  sample->stack_address = pointer;
  uint64_t *callers = (uint64_t *)(void *)(sample + 1);
  sample->async_count = 0;
  if (async) {
    sample->async_count = perf_agent_async_callers(async, callers);
  } else if (has_more) {
    sample->async_count =
        find_outer_callers(context, pointer, most, pointer + bounds.bytes, callers);
    sample->record.flags |= sample->async_count ? PERFKIT_SAMPLE_CALLERS : 0;
  }
  sample->record.flags |= was_woken(context, &occasion) ? PERFKIT_SAMPLE_WOKEN : 0;
  perf_agent_save_registers(context, sample->registers);
  copy_stack(sample, bounds, most);
  sample->record.bytes =
      (uint32_t)sizeof *sample + 16 * (uint32_t)sample->async_count + sample->stack_bytes;
  sample->handler_ns = (uint32_t)(perf_agent_clock(CLOCK_MONOTONIC) - occasion.time_ns);
  perf_agent_publish(slot, sample->record.bytes);
  return true;
}

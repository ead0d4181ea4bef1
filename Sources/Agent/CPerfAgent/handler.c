#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include "agent.h"
#include "rings.h"

#if defined(__x86_64__)
#include "arch_x86_64.h"
#elif defined(__aarch64__)
#include "arch_arm64.h"
#else
#error "The agent knows the registers of x86-64 and arm64 only."
#endif

/// Where a stack ends, and how it can be read.
struct stack_bounds {
  uint64_t bytes;   ///< From the stack pointer to its end; the most that is copied when unknown.
  bool is_known;
  bool is_own;      ///< The thread's own stack, not an alternate or unknown one.
};

static struct stack_bounds find_bounds(const struct perf_agent_thread *thread,
                                       const ucontext_t *context, uint64_t pointer, uint64_t most) {
  if (pointer >= thread->stack_low && pointer < thread->stack_high)
    return (struct stack_bounds){thread->stack_high - pointer, true, true};
  // The kernel saves the alternate stack's place with the context.
  uint64_t low = (uint64_t)(uintptr_t)context->uc_stack.ss_sp;
  uint64_t bytes = context->uc_stack.ss_size;
  if (!(context->uc_stack.ss_flags & SS_DISABLE) && pointer - low < bytes)
    return (struct stack_bounds){low + bytes - pointer, true, false};
  return (struct stack_bounds){most, false, false};
}

/// The address from which a stack is copied: below the stack pointer where that is on the same stack.
static uint64_t first_copied(const struct perf_agent_thread *thread, const ucontext_t *context,
                             uint64_t pointer) {
  uint64_t below = pointer - PERF_AGENT_RED_ZONE;
  struct stack_bounds here = find_bounds(thread, context, pointer, 0);
  struct stack_bounds there = find_bounds(thread, context, below, 0);
  bool is_same = here.is_known && there.is_known && here.is_own == there.is_own;
  return is_same ? below : pointer;
}

/// The context of the async function that the thread is in; 0 when it is in none, or its frame is not
/// marked. Only the thread's own stack may be followed: all of it can be read.
static uint64_t find_async(const struct perf_agent_thread *thread, const ucontext_t *context) {
  uint64_t pointer = perf_agent_stack_pointer(context);
  if (pointer < thread->stack_low || pointer >= thread->stack_high) return 0;
  return perf_agent_async_context(perf_agent_frame_pointer(context), pointer, thread->stack_high);
}

/// Copies the stack behind all that a sample has so far and fills in how much of it there is.
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
    // Whether anything follows a full copy cannot be known.
    if (copied == 0 || copied == most) missing = UINT32_MAX;
  }
  if (!bounds.is_own) sample->record.flags |= PERFKIT_SAMPLE_ALTSTACK;
  if (missing > 7) sample->record.flags |= PERFKIT_SAMPLE_TRUNCATED;
  sample->stack_bytes = (uint32_t)copied;
  sample->stack_missing = missing > UINT32_MAX ? UINT32_MAX : (uint32_t)missing;
}

bool perf_agent_write_sample(const struct perf_agent_thread *thread, const void *where,
                             struct perf_agent_occasion occasion) {
  const ucontext_t *context = where;
  struct perfkit_segment *segment = perf_agent.segment;
  struct perfkit_ring *ring = perf_agent_own_ring();
  if (!ring) return false;
  uint64_t pointer = first_copied(thread, context, perf_agent_stack_pointer(context));
  struct stack_bounds bounds = find_bounds(thread, context, pointer, segment->stack_bytes);
  uint64_t most = bounds.bytes < segment->stack_bytes ? bounds.bytes : segment->stack_bytes;
  uint64_t async = find_async(thread, context);
  uint32_t reserved = (uint32_t)(sizeof(struct perfkit_sample) + (async ? 16 * PERFKIT_ASYNC_MAX : 0) +
                                 ((most + 7) & ~UINT64_C(7)));
  struct perf_agent_slot slot = perf_agent_reserve_sample(ring, reserved);
  if (!slot.record) return false;

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
  sample->async_count =
      async ? perf_agent_async_callers(async, (uint64_t *)(void *)(sample + 1)) : 0;
  sample->reserved = 0;
  sample->stack_address = pointer;
  perf_agent_save_registers(context, sample->registers);
  copy_stack(sample, bounds, most);
  sample->record.bytes =
      (uint32_t)sizeof *sample + 16 * (uint32_t)sample->async_count + sample->stack_bytes;
  sample->handler_ns = (uint32_t)(perf_agent_clock(CLOCK_MONOTONIC) - occasion.time_ns);
  perf_agent_publish(slot, sample->record.bytes);
  return true;
}

/// The slot that the ticker has sent a signal for; NULL when it was meant for another thread.
static struct perf_agent_thread *addressee(struct perf_agent_thread *thread) {
  struct perf_agent_local *local = &perf_agent_local;
  if (local->thread == thread) return thread;
  // What the ticker wrote before it sent the signal is read behind this.
  (void)atomic_load_explicit(&thread->sent, memory_order_acquire);
  // A thread that was found by a scan learns here who it is. Any other has come to its end, and its
  // id was given to a new thread between the ticker's look and its signal.
  if (local->thread || !thread->is_foreign || thread->tid != perf_agent_tid()) return NULL;
  local->thread = thread;
  atomic_store_explicit(&thread->local, local, memory_order_relaxed);
  return thread;
}

/// Reads what the ticker knew when it sent a signal. Returns false when it has gone on to another one.
///
/// It gives a signal up that is neither pending nor being handled, as one that the program has taken;
/// a virtual CPU that its host stops between the two keeps its signal.
static bool is_current(struct perf_agent_request request, struct perf_agent_occasion *occasion) {
  const struct perf_agent_thread *thread = request.thread;
  // Written before the system call that sent the signal.
  occasion->tick_ns = atomic_load_explicit(&thread->tick_ns, memory_order_acquire);
  occasion->cpu_ns = atomic_load_explicit(&thread->tick_cpu_ns, memory_order_acquire);
  return atomic_load_explicit(&thread->sent, memory_order_relaxed) == request.number;
}

/// The signal handler: takes no lock, allocates nothing, uses less than 1 KiB of stack.
static void handle_signal(int signal, siginfo_t *information, void *context) {
  (void)signal;
  struct perfkit_segment *segment = perf_agent.segment;
  if (!segment) return;  // A child after fork.
  struct perf_agent_request request = perf_agent_signal_request(information);
  if (!request.thread) {
    // A timer of the program's own, or somebody who says kill.
    perf_agent_mask_defer(information, context);
    return;
  }
  int saved_errno = errno;
  struct perf_agent_thread *thread = addressee(request.thread);
  if (thread) atomic_store_explicit(&thread->cpu, sched_getcpu(), memory_order_relaxed);
  if (thread && segment->flags & PERFKIT_FLAG_EMPTY_HANDLER) {
    uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
    atomic_store_explicit(&thread->handled, sent, memory_order_release);
    errno = saved_errno;
    return;
  }
  struct perf_agent_occasion occasion = {
      .kind = PERFKIT_RECORD_SAMPLE, .time_ns = perf_agent_clock(CLOCK_MONOTONIC)};
  if (thread && !is_current(request, &occasion)) {
    errno = saved_errno;
    return;
  }
  bool is_written = false;
  // Our own signal is blocked meanwhile; the guard is for a handler of a crash that unblocks it.
  if (thread && !perf_agent_local.is_in_handler) {
    perf_agent_local.is_in_handler = 1;
    is_written = perf_agent_write_sample(thread, context, occasion);
    atomic_store_explicit(&thread->handled, request.number, memory_order_release);
    perf_agent_local.is_in_handler = 0;
  }
  perf_agent_count(is_written ? &segment->audit.samples_written
                              : &segment->audit.samples_dropped);
  errno = saved_errno;
}

bool perf_agent_handler_install(void) {
  if (atomic_load(&perf_agent.has_signal)) return true;
  int signal = perf_agent.segment->signal;
  struct sigaction action;
  if (perf_agent_sigaction(signal, NULL, &action) != 0) return false;
  // A program that handles the signal needs it more than we do.
  if (action.sa_handler != SIG_DFL) return false;
  struct sigaction before;
  action.sa_sigaction = handle_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  // Other handlers wait, so that none of them can jump out of ours or need more of a small stack;
  // the signals of a crash do not wait.
  static const int crashes[] = {PERF_AGENT_CRASHES};
  sigfillset(&action.sa_mask);
  for (unsigned index = 0; index < sizeof crashes / sizeof crashes[0]; index++)
    sigdelset(&action.sa_mask, crashes[index]);
  // From here on a program that takes the signal is told apart.
  atomic_store(&perf_agent.has_signal, 1);
  bool is_installed = perf_agent_sigaction(signal, &action, &before) == 0;
  if (is_installed && before.sa_handler != SIG_DFL) {
    // It has taken it a moment ago.
    perf_agent_sigaction(signal, &before, NULL);
    is_installed = false;
  }
  if (!is_installed) atomic_store(&perf_agent.has_signal, 0);
  return is_installed;
}

static bool is_ours(int signal) {
  struct sigaction action;
  return perf_agent_sigaction(signal, NULL, &action) == 0 && action.sa_sigaction == handle_signal;
}

bool perf_agent_handler_is_ours(void) { return is_ours(perf_agent.segment->signal); }

void perf_agent_handler_remove(int signal) {
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  if (is_ours(signal)) perf_agent_sigaction(signal, &by_default, NULL);
}

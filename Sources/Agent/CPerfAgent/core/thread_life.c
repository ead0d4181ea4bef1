#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "core.h"
#include "rings.h"

static pthread_key_t end_key;

/// After this many ended threads the ticker is woken to free their slots.
#define ENDED_MAX 64u
static _Atomic uint32_t ended;

// MARK: - Stacks

/// glibc's frames above a thread's function (start_thread, clone3) take less than this. Further up
/// is thread-local storage, which unwinding does not need.
#define FRAMES_ABOVE 1024u

/// Returns the top of the initial thread's stack, from which its limit counts: the arguments and
/// the environment are above its first frame, the program's name topmost.
static uint64_t stack_top(uint64_t first_frame) {
  const char *name = (const char *)(uintptr_t)getauxval(AT_EXECFN);
  uint64_t end = name ? (uint64_t)(uintptr_t)name + strlen(name) + 1 : first_frame;
  return (end + sizeof(void *) + PERF_AGENT_PAGE_BYTES - 1) & ~(PERF_AGENT_PAGE_BYTES - 1);
}

/// Sets the bounds of the initial thread's stack, which grows downwards. pthread_getattr_np would
/// read /proc/self/maps here.
static void find_initial_stack(struct perf_agent_thread *thread) {
  extern void *__libc_stack_end;
  struct rlimit limit;
  uint64_t bytes = UINT64_C(64) << 20;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < bytes) {
    bytes = limit.rlim_cur;
  }
  thread->stack_high = (uint64_t)(uintptr_t)__libc_stack_end;
  // One page less than the limit: the page at the limit must not be touched. A stack beyond these
  // bounds is still read, only more slowly.
  thread->stack_low = stack_top(thread->stack_high) - bytes + PERF_AGENT_PAGE_BYTES;
}

/// Sets the bounds of the calling thread's stack.
static void find_stack(struct perf_agent_thread *thread) {
  if (thread->tid == perf_agent.segment->agent_pid) {
    find_initial_stack(thread);
    return;
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return;
  }
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  void *low = NULL;
  size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    uint64_t high = (uint64_t)(uintptr_t)low + bytes;
    thread->stack_low = (uint64_t)(uintptr_t)low;
    thread->stack_high = high - here > FRAMES_ABOVE ? here + FRAMES_ABOVE : high;
  }
  pthread_attr_destroy(&attributes);
}

// MARK: - Begin and end

void perf_agent_thread_watch_end(void) {
  pthread_setspecific(end_key, (void *)1);
}

void perf_agent_thread_begin(struct perf_agent_thread *thread) {
  // pthread_getattr_np allocates, and pthread_setspecific may.
  perf_agent_local.is_own_work = true;
  perf_agent_thread_identify(thread, perf_agent_tid());
  find_stack(thread);
  perf_agent_local.thread = thread;
  atomic_store_explicit(&thread->local, &perf_agent_local, memory_order_relaxed);
  perf_agent_thread_watch_end();
  perf_agent_thread_move(thread, PERF_AGENT_LIVE);
}

static void end_thread(struct perf_agent_thread *thread) {
  struct perf_agent_local *local = &perf_agent_local;
  perf_agent.hooks.thread_ends();
  // From here on the handler drops its samples.
  local->thread = NULL;
  atomic_signal_fence(memory_order_seq_cst);
  struct perfkit_ring *ring = local->ring;
  local->ring = NULL;
  atomic_signal_fence(memory_order_seq_cst);
  if (ring) {
    perf_agent_ring_close(ring);
  }
  if (!perf_agent.has_ticker) {
    perf_agent_thread_move(thread, PERF_AGENT_FREE);
    return;
  }
  thread->end_ns = perf_agent_clock(CLOCK_MONOTONIC);
  thread->end_cpu_ns = perf_agent_clock(CLOCK_THREAD_CPUTIME_ID);
  PERF_AGENT_CALL(SYS_prctl, PR_GET_NAME, thread->end_name);
  perf_agent_thread_move(thread, PERF_AGENT_ENDED);
  uint32_t count = 1 + atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed);
  if (count % ENDED_MAX == 0) {
    perf_agent_futex_wake(&perf_agent.segment->sampling);
  }
}

/// Notes the end of the process's first thread, after which the process ends with its last thread.
static void end_initial_thread(struct perfkit_segment *segment) {
  atomic_store(&perf_agent.has_initial_ended, 1);
  if (atomic_load(&perf_agent.is_ticker_apart)) {
    perf_agent_ticker_restart();
  } else {
    perf_agent_futex_wake(&segment->sampling);
  }
}

/// Runs at the end of a thread, after its C++ destructors.
///
/// The destructors of other keys may run after it and may make marks or work long, so it asks to be
/// called again until glibc's last round but one (PTHREAD_DESTRUCTOR_ITERATIONS is 4).
static void end_key_destructor(void *round) {
  if ((uintptr_t)round < 3) {
    pthread_setspecific(end_key, (void *)((uintptr_t)round + 1));
    return;
  }
  bool is_initial = perf_agent_has_own_ticker() && perf_agent_tid() == (uint32_t)perf_agent.process;
  // A child that is followed may get its segment only now.
  if (is_initial) {
    perf_agent.hooks.settle();
  }
  struct perfkit_segment *segment = perf_agent_own_segment();
  struct perf_agent_thread *thread = perf_agent_local.thread;
  if (thread && segment) {
    end_thread(thread);
  }
  if (is_initial && segment && perf_agent.has_ticker) {
    end_initial_thread(segment);
  }
}

// MARK: - Threads of the agent

static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int perf_agent_threads_prepare(void) {
  // The program's own first choice: a sanitizer that interposes it must see every thread. Found
  // now, as another thread may hold the loader's lock later. ISO C has no conversion from an
  // object's pointer to a function's.
  *(void **)&create = dlsym(RTLD_DEFAULT, "pthread_create");
  return -pthread_key_create(&end_key, end_key_destructor);
}

static int start_detached(void *(*start)(void *), size_t stack_bytes) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) {
    return EAGAIN;
  }
  if (stack_bytes != 0) {
    pthread_attr_setstacksize(&attributes, stack_bytes);
  }
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int code = create(&thread, &attributes, start, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}

int perf_agent_start_untracked(void *(*start)(void *), uint64_t *mask) {
  if (!create) {
    return -EAGAIN;
  }
  // The thread inherits this mask: it must take none of the program's signals. Signals 32 and 33
  // are glibc's, which every thread must handle.
  const uint64_t all = ~(perf_agent_signal_bit(32) | perf_agent_signal_bit(33));
  *mask = perf_agent_change_mask(SIG_SETMASK, all);
  perf_agent_local.is_untracked = true;
  int code = start_detached(start, 256 * 1024);
  // EINVAL: the program's thread-local variables are part of the stack, and do not fit this one.
  if (code == EINVAL) {
    code = start_detached(start, 0);
  }
  perf_agent_local.is_untracked = false;
  perf_agent_change_mask(SIG_SETMASK, *mask);
  return -code;
}

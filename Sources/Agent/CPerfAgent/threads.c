#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <threads.h>

#include "agent.h"
#include "interpose.h"
#include "rings.h"

_Thread_local struct perf_agent_local perf_agent_local;

// The states lie apart from the slots so that a pass over all of them touches few cache lines.
static _Atomic uint8_t states[PERF_AGENT_THREAD_MAX];
static struct perf_agent_thread threads[PERF_AGENT_THREAD_MAX];
static _Atomic uint32_t used;
static pthread_key_t end_key;

/// Ended threads that the ticker is left to clean up while it sleeps before it is woken.
#define ENDED_MAX 64u
static _Atomic uint32_t ended;

// MARK: - Slots

struct perf_agent_thread *perf_agent_thread_claim(void) {
  for (uint32_t index = 0; index < PERF_AGENT_THREAD_MAX; index++) {
    uint8_t expected = PERF_AGENT_FREE;
    if (!atomic_compare_exchange_strong_explicit(&states[index], &expected, PERF_AGENT_CLAIMED,
                                                 memory_order_acquire, memory_order_relaxed))
      continue;
    uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);
    while (count <= index &&
           !atomic_compare_exchange_weak_explicit(&used, &count, index + 1, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    struct perf_agent_thread *thread = &threads[index];
    *thread = (struct perf_agent_thread){.cpu = -1, .syscall_file = -1};
    return thread;
  }
  perf_agent_count(&perf_agent.segment->audit.thread_slots_full);
  return NULL;
}

void perf_agent_thread_free(struct perf_agent_thread *thread) {
  atomic_store_explicit(&states[thread - threads], PERF_AGENT_FREE, memory_order_release);
}

void perf_agent_thread_publish(struct perf_agent_thread *thread) {
  atomic_store_explicit(&states[thread - threads], PERF_AGENT_LIVE, memory_order_release);
}

void perf_agent_threads_forget(void) {
  memset((void *)states, PERF_AGENT_FREE, sizeof states);
  atomic_store_explicit(&used, 0, memory_order_relaxed);
  atomic_store_explicit(&ended, 0, memory_order_relaxed);
}

uint32_t perf_agent_thread_count(void) {
  return atomic_load_explicit(&used, memory_order_acquire);
}

struct perf_agent_thread *perf_agent_thread_at(uint32_t index, int *state) {
  *state = atomic_load_explicit(&states[index], memory_order_acquire);
  return &threads[index];
}

uint32_t perf_agent_thread_index(const struct perf_agent_thread *thread) {
  return (uint32_t)(thread - threads);
}

bool perf_agent_is_thread(const void *address) {
  uintptr_t offset = (uintptr_t)address - (uintptr_t)threads;
  return offset < sizeof threads && offset % sizeof threads[0] == 0;
}

// MARK: - Begin and end of a thread

/// glibc's frames above a thread's function (start_thread, clone3) take less than this. What lies
/// further up is thread-local storage, which no unwinding needs.
#define FRAMES_ABOVE 1024u

#define PAGE_BYTES UINT64_C(4096)

/// Where the initial thread's stack really begins, from which its limit counts: the arguments and
/// the environment lie above its first frame, the program's name topmost.
static uint64_t stack_top(uint64_t first_frame) {
  const char *name = (const char *)(uintptr_t)getauxval(AT_EXECFN);
  uint64_t end = name ? (uint64_t)(uintptr_t)name + strlen(name) + 1 : first_frame;
  return (end + sizeof(void *) + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

/// Sets the bounds of the calling thread's stack.
static void find_stack(struct perf_agent_thread *thread) {
  extern void *__libc_stack_end;
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  struct rlimit limit;
  if (thread->tid == perf_agent.segment->agent_pid) {
    // The initial thread's grows downwards; an address outside of these bounds is still read
    // safely, only dearer. pthread_getattr_np would read /proc/self/maps here.
    uint64_t bytes = UINT64_C(64) << 20;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < bytes) bytes = limit.rlim_cur;
    thread->stack_high = (uint64_t)(uintptr_t)__libc_stack_end;
    // A page less than it may have: what lies right at the limit is not ours to touch.
    thread->stack_low = stack_top(thread->stack_high) - bytes + PAGE_BYTES;
    return;
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void *low = NULL;
  size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    uint64_t high = (uint64_t)(uintptr_t)low + bytes;
    thread->stack_low = (uint64_t)(uintptr_t)low;
    thread->stack_high = high - here > FRAMES_ABOVE ? here + FRAMES_ABOVE : high;
  }
  pthread_attr_destroy(&attributes);
}

void perf_agent_thread_identify(struct perf_agent_thread *thread, uint32_t tid) {
  thread->tid = tid;
  thread->serial = atomic_fetch_add_explicit(&perf_agent.segment->threads_started, 1,
                                             memory_order_relaxed) + 1;
  // Linux's encoding of another thread's CPU clock (CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED).
  thread->clock = (clockid_t)(~tid << 3 | 6u);
}

void perf_agent_thread_begin(struct perf_agent_thread *thread) {
  // pthread_getattr_np allocates, and pthread_setspecific may.
  perf_agent_local.is_own_work = true;
  perf_agent_thread_identify(thread, perf_agent_tid());
  find_stack(thread);
  perf_agent_local.thread = thread;
  atomic_store_explicit(&thread->local, &perf_agent_local, memory_order_relaxed);
  perf_agent_threads_mind_end();
  perf_agent_thread_publish(thread);
}

static void thread_end(struct perf_agent_thread *thread) {
  struct perf_agent_local *local = &perf_agent_local;
  perf_agent_allocations_end();
  // From here on the handler drops what comes.
  local->thread = NULL;
  atomic_signal_fence(memory_order_seq_cst);
  struct perfkit_ring *ring = local->ring;
  local->ring = NULL;
  atomic_signal_fence(memory_order_seq_cst);
  if (ring) perf_agent_ring_close(ring);
  if (!perf_agent.has_ticker) {
    perf_agent_thread_free(thread);
    return;
  }
  thread->end_ns = perf_agent_clock(CLOCK_MONOTONIC);
  thread->end_cpu_ns = perf_agent_clock(CLOCK_THREAD_CPUTIME_ID);
  prctl(PR_GET_NAME, thread->end_name);
  atomic_store_explicit(&states[thread - threads], PERF_AGENT_ENDED, memory_order_release);
  bool are_many =
      atomic_fetch_add_explicit(&ended, 1, memory_order_relaxed) % ENDED_MAX == ENDED_MAX - 1;
  if (are_many) perf_agent_futex_wake(&perf_agent.segment->sampling);
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
  perf_agent_follow_rejoin();
  struct perfkit_segment *segment = perf_agent_own_segment();
  struct perf_agent_thread *thread = perf_agent_local.thread;
  if (thread && segment) thread_end(thread);
  if (!segment || !perf_agent.has_ticker || perf_agent_tid() != segment->agent_pid) return;
  // The initial one ends alone where a program lets its other threads go on. It need not be known.
  atomic_store(&perf_agent.has_initial_ended, 1);
  perf_agent_futex_wake(&segment->sampling);
}

// MARK: - pthread_create and thrd_create

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*c11_create_function)(thrd_t *, thrd_start_t, void *);

static _Atomic(create_function) known_create;
static _Atomic(c11_create_function) known_c11_create;

static create_function find_create(void *where) {
  create_function create;
  // ISO C has no conversion from an object's pointer to a function's.
  *(void **)&create = dlsym(where, "pthread_create");
  return create;
}

/// Finds the functions behind ours: before `main`, as a thread that loads a library keeps the
/// loader's lock. A constructor that starts a thread before ours has run finds them itself.
static void find_real(void) {
  c11_create_function c11_create;
  *(void **)&c11_create = dlsym(RTLD_NEXT, "thrd_create");
  atomic_store_explicit(&known_create, find_create(RTLD_NEXT), memory_order_relaxed);
  atomic_store_explicit(&known_c11_create, c11_create, memory_order_relaxed);
}

/// The program's own first choice: a sanitizer that interposes it, too, must see every thread. Found
/// before `main` as well.
static create_function first_create;

int perf_agent_threads_prepare(void) {
  find_real();
  first_create = find_create(RTLD_DEFAULT);
  return -pthread_key_create(&end_key, end_key_destructor);
}

void perf_agent_threads_mind_end(void) { pthread_setspecific(end_key, (void *)1); }

/// Set while the calling thread starts one that is not to be tracked.
static _Thread_local bool is_untracked __attribute__((tls_model("initial-exec")));

int perf_agent_start_untracked(void *(*start)(void *)) {
  create_function create = first_create;
  pthread_attr_t attributes;
  pthread_t thread;
  if (!create || pthread_attr_init(&attributes) != 0) return -EAGAIN;
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  is_untracked = true;
  int code = create(&thread, &attributes, start, NULL);
  if (code == EINVAL) {
    // What the program has of thread-local variables is taken out of the stack, and has no room there.
    pthread_attr_destroy(&attributes);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    code = create(&thread, &attributes, start, NULL);
  }
  is_untracked = false;
  pthread_attr_destroy(&attributes);
  return -code;
}

/// ThreadSanitizer knows a thread from its own wrapper on, inside which ours would have to run:
/// threads are found by scans then.
#if defined(__SANITIZE_THREAD__)
#define TRACKS_FROM_START false
#elif defined(__has_feature)
#define TRACKS_FROM_START !__has_feature(thread_sanitizer)
#else
#define TRACKS_FROM_START true
#endif

/// Returns the slot of a thread that the caller is about to start; NULL if it is not to be known
/// from its start.
static struct perf_agent_thread *expect_thread(void *argument) {
  if (!TRACKS_FROM_START || is_untracked || !perf_agent_own_segment()) return NULL;
  struct perf_agent_thread *thread = perf_agent_thread_claim();
  if (thread) thread->argument = argument;
  return thread;
}

static void begin(struct perf_agent_thread *thread) {
  // In a child after a fork within pthread_create's window there is nobody to tell.
  if (!perf_agent.segment) return;
  perf_agent_thread_begin(thread);
  perf_agent_mask_begin();
  perf_agent_allocations_begin();
}

static void *run_thread(void *argument) {
  struct perf_agent_thread *thread = argument;
  void *(*start)(void *) = thread->start;
  void *start_argument = thread->argument;
  begin(thread);
  return start(start_argument);
}

static int run_c11_thread(void *argument) {
  struct perf_agent_thread *thread = argument;
  thrd_start_t start = thread->c11_start;
  void *start_argument = thread->argument;
  begin(thread);
  return start(start_argument);
}

/// Interposed: lets threads be known from their start.
INTERPOSED int pthread_create(pthread_t *restrict id,
                              const pthread_attr_t *restrict attributes,
                              void *(*start)(void *),
                              void *restrict argument) {
  if (!atomic_load_explicit(&known_create, memory_order_relaxed)) find_real();
  create_function create = atomic_load_explicit(&known_create, memory_order_relaxed);
  if (!create) return ENOSYS;
  struct perf_agent_thread *thread = expect_thread(argument);
  if (thread) thread->start = start;
  bool was_closed = perf_agent_mask_close();
  int code = thread ? create(id, attributes, run_thread, thread)
                    : create(id, attributes, start, argument);
  perf_agent_mask_open(was_closed);
  if (thread && code != 0) perf_agent_thread_free(thread);
  return code;
}

/// Interposed: glibc's does not go through pthread_create.
INTERPOSED int thrd_create(thrd_t *id, thrd_start_t start, void *argument) {
  if (!atomic_load_explicit(&known_c11_create, memory_order_relaxed)) find_real();
  c11_create_function create = atomic_load_explicit(&known_c11_create, memory_order_relaxed);
  if (!create) return thrd_error;
  struct perf_agent_thread *thread = expect_thread(argument);
  if (thread) thread->c11_start = start;
  bool was_closed = perf_agent_mask_close();
  int code = thread ? create(id, run_c11_thread, thread) : create(id, start, argument);
  perf_agent_mask_open(was_closed);
  if (thread && code != thrd_success) perf_agent_thread_free(thread);
  return code;
}

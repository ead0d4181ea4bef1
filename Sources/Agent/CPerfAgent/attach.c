#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "rings.h"
#include "interpose.h"

struct perf_agent perf_agent;

/// Where there is no page that a child finds empty.
static _Atomic bool is_own_by_default;
_Atomic bool *perf_agent_is_own = &is_own_by_default;

// MARK: - System calls without a wrapper in glibc

void perf_agent_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns) {
  struct timespec deadline = {(time_t)(deadline_ns / 1000000000u),
                              (long)(deadline_ns % 1000000000u)};
  // Not FUTEX_PRIVATE_FLAG: the harness wakes us from its own process. WAIT_BITSET, since its time
  // is absolute.
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, deadline_ns ? &deadline : NULL, NULL,
          FUTEX_BITSET_MATCH_ANY);
}

void perf_agent_futex_wake(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

uint32_t perf_agent_tid(void) { return (uint32_t)syscall(SYS_gettid); }

// MARK: - The segment

static bool is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

/// Whether a header describes a segment that fits its file and that this agent can write into.
static bool is_usable(const struct perfkit_segment *header, uint64_t file_bytes) {
  if (header->magic != PERFKIT_FORMAT_MAGIC || header->version != PERFKIT_FORMAT_VERSION) return false;
  if (header->segment_bytes > file_bytes || header->segment_bytes < sizeof *header) return false;
  if (header->filled_bytes > header->segment_bytes) return false;
  if (header->names_offset < sizeof *header || header->names_offset % 8 != 0 ||
      header->names_offset > header->segment_bytes ||
      header->names_bytes > header->segment_bytes - header->names_offset)
    return false;
  if (!is_power_of_two(header->sample_capacity) || !is_power_of_two(header->mark_capacity))
    return false;
  uint64_t areas = (uint64_t)header->sample_capacity + header->mark_capacity;
  if (header->ring_bytes < areas + sizeof(struct perfkit_ring) || header->ring_bytes % 64 != 0)
    return false;
  if (header->ring_count == 0 || header->rings_offset < sizeof *header ||
      header->rings_offset % 64 != 0 || header->rings_offset > header->segment_bytes ||
      (header->segment_bytes - header->rings_offset) / header->ring_bytes < header->ring_count)
    return false;
  const uint64_t counters = PERFKIT_ALLOCATION_SLOTS * sizeof(struct perfkit_allocations);
  if (header->allocations_offset != 0 &&
      (header->allocations_offset < sizeof *header || header->allocations_offset % 64 != 0 ||
       header->allocations_offset > header->segment_bytes ||
       header->segment_bytes - header->allocations_offset < counters))
    return false;
  // An empty ring must take the largest record wherever it stands; a list of modules needs a page.
  uint64_t largest = sizeof(struct perfkit_sample) + header->stack_bytes;
  if (header->stack_bytes % 8 != 0 || header->stack_bytes > 65536 ||
      header->sample_capacity < 2 * largest || header->mark_capacity < 4096)
    return false;
  // 0, or from 1 Hz to 100 kHz.
  if (header->interval_ns != 0 &&
      (header->interval_ns < 10000 || header->interval_ns > 1000000000))
    return false;
  return header->signal > 0 && header->signal <= 64;
}

/// Maps a file if it is a segment for this process, NULL otherwise; with `populates` all pages that have
/// memory are mapped at once.
static struct perfkit_segment *map_segment(int file, bool populates) {
  // The number may be another file's by now, so its contents are looked at before it is mapped.
  struct stat status;
  struct perfkit_segment header;
  if (fstat(file, &status) != 0 || status.st_size <= 0) return NULL;
  if (pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header) return NULL;
  if (!is_usable(&header, (uint64_t)status.st_size)) return NULL;
  // A process that the measured one has started inherits everything, but has a segment of its own, if
  // any. The same process after exec goes on with it: what it has written before stays readable.
  uint32_t owner = atomic_load(&header.agent_pid);
  uint32_t self = (uint32_t)getpid();
  if (owner != 0 && owner != self) return NULL;
  const int access = PROT_READ | PROT_WRITE;
  void *address = mmap(NULL, header.segment_bytes, access, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) return NULL;
  // In its place; what is behind would be given memory by this.
  if (populates && header.filled_bytes > 0 &&
      mmap(address, header.filled_bytes, access, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) ==
          MAP_FAILED) {
    munmap(address, header.segment_bytes);
    return NULL;
  }
  struct perfkit_segment *segment = address;
  owner = 0;
  if (!atomic_compare_exchange_strong(&segment->agent_pid, &owner, self) && owner != self) {
    munmap(address, header.segment_bytes);
    return NULL;
  }
  return segment;
}

/// Maps the segment that the process was started with; NULL when there is none for it.
static struct perfkit_segment *map_inherited(void) {
  const char *text = getenv(PERFKIT_ENV_SEGMENT_FD);
  if (!text || !*text) return NULL;
  char *end;
  long number = strtol(text, &end, 10);
  if (*end || number < 0 || number > INT_MAX) return NULL;
  // Here and now each page costs 0.05 us, in a handler ten times as much.
  return map_segment((int)number, true);
}

struct perfkit_segment *perf_agent_map_followed(void) {
  int file = perf_agent_follow_ask();
  if (file < 0) return NULL;
  // Most children end before they have touched a hundredth of the pages.
  struct perfkit_segment *segment = map_segment(file, false);
  close(file);
  return segment;
}

// MARK: - Forks

/// Makes the page that a child finds empty.
static void prepare_children(void) {
  void *page = mmap(NULL, sizeof *perf_agent_is_own, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  // Its own children find it empty, too.
  if (madvise(page, sizeof *perf_agent_is_own, MADV_WIPEONFORK) == 0)
    perf_agent_is_own = page;
  else
    munmap(page, sizeof *perf_agent_is_own);
}

static void before_fork(void) { perf_agent_modules_lock(); }
static void after_fork_in_parent(void) { perf_agent_modules_unlock(); }

/// Set while a thread ends the ticker and begins the next one.
static atomic_flag is_between = ATOMIC_FLAG_INIT;

/// The child forgets the segment, so that nothing of it writes there, and all that belongs to it.
static void forget_segment(void) {
  // The thread that has set it is the parent's.
  atomic_flag_clear(&is_between);
  perf_agent.has_ticker = false;
  atomic_store(&perf_agent.ticker_tid, 0);
  struct perfkit_segment *segment = perf_agent.segment;
  if (!segment) return;
  perf_agent_follow_forget();
  // It keeps the mask that the program knows, and has it before it can be killed by the signal.
  perf_agent_mask_close();
  perf_agent_signals_forget();
  perf_agent.segment = NULL;
  perf_agent.lets_through = false;
  perf_agent_handler_remove(segment->signal);
  atomic_store(&perf_agent.has_signal, 0);
  atomic_store(&perf_agent.is_stopping, 0);
  atomic_store(&perf_agent.is_ticker_idle, 0);
  atomic_store(&perf_agent.has_initial_ended, 0);
  // The ticker may have been in the middle of a pass.
  atomic_store(&perf_agent.holders, 0);
  atomic_store(&perf_agent.is_passing, 0);
  perf_agent_local = (struct perf_agent_local){0};
  // Before the slots are others': the descriptors are the child's as well.
  perf_agent_procfs_forget();
  perf_agent_threads_forget();
  munmap(segment, segment->segment_bytes);
}

static void after_fork_in_child(void) {
  perf_agent_modules_reset();
  forget_segment();
}

static struct {
  pid_t (*_Fork)(void);
} real;

/// Interposed: this fork calls none of those handlers. Async-signal-safe, as it is itself.
INTERPOSED pid_t _Fork(void) {
  REQUIRE_NEXT(real, _Fork, FIND_NEXT(real, _Fork));
  pid_t child = real._Fork();
  if (child == 0) forget_segment();
  return child;
}

// MARK: - Begin and end of the ticker

bool perf_agent_has_own_ticker(void) {
  return perf_agent.has_ticker && getpid() == perf_agent.process;
}

void perf_agent_rest(void) {
  const struct timespec moment = {0, 50000};
  nanosleep(&moment, NULL);
}

/// The mask of the thread that has started the ticker.
static uint64_t program_mask;

void perf_agent_ticker_leave(void) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &program_mask, NULL, sizeof program_mask);
}

void perf_agent_ticker_begin(void) {
  // It inherits this mask: it must take none of the program's signals. Those of glibc's own, 32 and 33,
  // are for every thread. By a system call, since it is not the program that asks for it.
  const uint64_t all = ~(UINT64_C(3) << 31);
  uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof before);
  program_mask = before;
  perf_agent_credentials_note();
  atomic_store(&perf_agent.is_stopping, 0);
  int code = perf_agent_start_untracked(perf_agent_ticker);
  perf_agent.has_ticker = code == 0;
  atomic_store_explicit(&perf_agent.segment->audit.ticker_failed, (uint64_t)-code,
                        memory_order_relaxed);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

/// Ends the ticker, and returns when its thread has made its last system call.
static void end_ticker(void) {
  atomic_store_explicit(&perf_agent.is_stopping, 1, memory_order_release);
  uint32_t tid;
  do {
    // Again and again: it may have been on its way to sleep.
    perf_agent_futex_wake(&perf_agent.segment->sampling);
    perf_agent_rest();
    tid = atomic_load_explicit(&perf_agent.ticker_tid, memory_order_acquire);
  } while (tid == 0 || syscall(SYS_tgkill, getpid(), tid, 0) == 0);
  // Not before: threads that end would give their slots back under its eyes.
  perf_agent.has_ticker = false;
  atomic_store(&perf_agent.ticker_tid, 0);
}

bool perf_agent_ticker_retire(void) {
  if (atomic_flag_test_and_set(&is_between)) return false;
  perf_agent_follow_settle();
  if (perf_agent.segment && perf_agent.has_ticker) end_ticker();
  return true;
}

void perf_agent_ticker_resume(void) {
  struct perfkit_segment *segment = perf_agent.segment;
  bool is_filtered = perf_agent.is_filtered || atomic_load(&perf_agent.has_filters);
  if (segment && is_filtered)
    atomic_store_explicit(&segment->audit.filtered, segment->interval_ns != 0, memory_order_relaxed);
  else if (segment)
    perf_agent_ticker_begin();
  atomic_flag_clear(&is_between);
}

// MARK: - Begin and end of the process

__attribute__((constructor)) static void attach(void) {
  perf_agent_exec_prepare();
  perf_agent_signals_prepare();
  perf_agent_masks_prepare();
  perf_agent_pauses_prepare();
  perf_agent_filters_prepare();
  perf_agent_credentials_prepare();
  FIND_NEXT(real, _Fork);
  perf_agent_follow_prepare();
  struct perfkit_segment *segment = map_inherited();
  if (!segment) segment = perf_agent_map_followed();
  // Children may be followed though this process is not.
  if (!segment && !perf_agent_may_follow()) return;
  prepare_children();
  perf_agent.may_have_threads =
      perf_agent_threads_prepare() == 0 &&
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
  if (!segment) return;
  atomic_store(perf_agent_is_own, true);
  perf_agent.segment = segment;
  perf_agent.process = getpid();
  perf_agent_rings_close_all();
  struct perf_agent_thread *thread =
      perf_agent.may_have_threads ? perf_agent_thread_claim() : NULL;
  if (!thread) {
    perf_agent.segment = NULL;
    munmap(segment, segment->segment_bytes);
    return;
  }
  perf_agent_thread_begin(thread);
  atomic_store_explicit(&segment->audit.left, 0, memory_order_relaxed);
  perf_agent_allocations_forget();
  // The filter of the program before holds on in this one.
  perf_agent.is_filtered =
      atomic_load_explicit(&segment->audit.filtered, memory_order_relaxed) != 0;
  if (segment->interval_ns != 0 && !perf_agent.is_filtered) {
    perf_agent_procfs_prepare();
    // SIGPROF is what programs leave alone; the mask of any other is ours to see to, and that needs
    // a handler from the first moment.
    bool lets_through = segment->signal != SIGPROF && perf_agent_handler_install();
    perf_agent_ticker_begin();
    perf_agent.lets_through = lets_through;
    perf_agent_mask_begin();
  }
  perf_agent_allocations_begin();
  // Release: pairs with the harness's acquire; whoever sees it sees an agent that is ready.
  atomic_store_explicit(&segment->agent_version, PERFKIT_FORMAT_VERSION, memory_order_release);
}

/// Lets the ticker write the ends of the threads before the process is gone.
__attribute__((destructor)) static void detach(void) {
  struct perfkit_segment *segment = perf_agent.segment;
  // In a child that nobody has told us of the ticker is its parent's.
  if (!segment || !perf_agent_has_own_ticker()) return;
  atomic_store_explicit(&perf_agent.is_stopping, 1, memory_order_release);
  perf_agent_futex_wake(&segment->sampling);
  // A ticker that does not get to run must not hold the process up for long.
  uint64_t deadline = perf_agent_clock(CLOCK_MONOTONIC) + 50000000;
  while (!atomic_load_explicit(&perf_agent.is_ticker_idle, memory_order_acquire) &&
         perf_agent_clock(CLOCK_MONOTONIC) < deadline)
    perf_agent_futex_wait(&perf_agent.is_ticker_idle, 0, deadline);
}

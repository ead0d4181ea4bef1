#define _GNU_SOURCE
#include "os.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/uio.h>

#include "core.h"
#include "interpose.h"

#if defined(__aarch64__)
#define KERNEL_CLOCK "__kernel_clock_gettime"
#else
#define KERNEL_CLOCK "__vdso_clock_gettime"
#endif

/// NULL: the kernel's page of code has no clock.
static int (*kernel_clock)(clockid_t, struct timespec *);

void perf_agent_find_clock(void) {
  void *page = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (page) {
    void *function = dlsym(page, KERNEL_CLOCK);
    memcpy(&kernel_clock, &function, sizeof kernel_clock);
  }
}

int perf_agent_read_clock(clockid_t clock, struct timespec *time) {
  return kernel_clock ? kernel_clock(clock, time)
                      : (int)PERF_AGENT_CALL(SYS_clock_gettime, clock, time);
}

void perf_agent_rest(void) {
  const struct timespec moment = {0, 50000};
  PERF_AGENT_CALL(SYS_nanosleep, &moment, NULL);
}

void perf_agent_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t deadline_ns) {
  struct timespec deadline = {(time_t)(deadline_ns / 1000000000u),
                              (long)(deadline_ns % 1000000000u)};
  // Not FUTEX_PRIVATE_FLAG: the harness wakes threads from its own process. WAIT_BITSET takes an
  // absolute time.
  PERF_AGENT_CALL(SYS_futex, word, FUTEX_WAIT_BITSET, value, deadline_ns ? &deadline : NULL, NULL,
                  FUTEX_BITSET_MATCH_ANY);
}

void perf_agent_futex_wake(_Atomic uint32_t *word) {
  PERF_AGENT_CALL(SYS_futex, word, FUTEX_WAKE, INT_MAX);
}

// MARK: - Signals

uint64_t perf_agent_deferrable_signals(void) {
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  uint64_t mask = ~UINT64_C(0);
  for (unsigned index = 0; index < sizeof crashes / sizeof crashes[0]; index++) {
    mask &= ~perf_agent_signal_bit(crashes[index]);
  }
  return mask;
}

DECLARE_NEXT(int, sigaction, (int, const struct sigaction *, struct sigaction *));

int perf_agent_sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  return NEXT(sigaction)(number, action, before);
}

// MARK: - Interposed functions

extern struct perf_agent_next __start_perf_agent_next[] __attribute__((visibility("hidden")));
extern struct perf_agent_next __stop_perf_agent_next[] __attribute__((visibility("hidden")));

void perf_agent_find_next(void) {
  for (struct perf_agent_next *next = __start_perf_agent_next; next < __stop_perf_agent_next;
       next++) {
    *next->function = dlsym(RTLD_NEXT, next->name);
  }
}

// MARK: - Memory

#define PAGE_BYTES 4096u
#define PAGES_MAX (65536u / PAGE_BYTES + 1)

uint64_t perf_agent_read_memory(void *to, uint64_t from, uint64_t most) {
  struct iovec local = {to, most};
  // One part per page: the kernel stops at the first part that it cannot read.
  struct iovec remote[PAGES_MAX];
  unsigned count = 0;
  for (uint64_t at = from, end = from + most; at < end && count < PAGES_MAX; count++) {
    uint64_t next = (at | (PAGE_BYTES - 1)) + 1;
    if (next > end) {
      next = end;
    }
    remote[count] = (struct iovec){(void *)(uintptr_t)at, next - at};
    at = next;
  }
  long bytes = PERF_AGENT_CALL(SYS_process_vm_readv, perf_agent.segment->agent_pid, &local, 1,
                               remote, count, 0);
  // After the process's first thread has ended, the process's id has no memory any more.
  if (bytes == -ESRCH) {
    bytes = PERF_AGENT_CALL(SYS_process_vm_readv, perf_agent_tid(), &local, 1, remote, count, 0);
  }
  return bytes > 0 ? (uint64_t)bytes & ~UINT64_C(7) : 0;
}

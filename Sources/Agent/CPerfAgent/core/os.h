/// System calls, clocks, futexes, signal masks and memory reads of the agent.
///
/// Everything in this header is async-signal-safe.
#ifndef PERF_AGENT_OS_H
#define PERF_AGENT_OS_H

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf_agent.h"
#include "perf_format.h"

/// Whether the agent is built with ThreadSanitizer.
#if defined(__SANITIZE_THREAD__)
#define PERF_AGENT_IS_TSAN true
#elif defined(__has_feature)
#define PERF_AGENT_IS_TSAN __has_feature(thread_sanitizer)
#else
#define PERF_AGENT_IS_TSAN false
#endif

// MARK: - System calls

/// Makes a system call and returns the kernel's result, which is -errno after a failure. Leaves
/// errno alone.
///
/// The agent interposes `syscall` of the C library, so its core does not call that function.
static inline long perf_agent_system_call(long number, long first, long second, long third,
                                          long fourth, long fifth, long sixth) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = fourth;
  register long r8 __asm__("r8") = fifth;
  register long r9 __asm__("r9") = sixth;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = first;
  register long x1 __asm__("x1") = second;
  register long x2 __asm__("x2") = third;
  register long x3 __asm__("x3") = fourth;
  register long x4 __asm__("x4") = fifth;
  register long x5 __asm__("x5") = sixth;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
#else
#error "The agent supports x86-64 and arm64."
#endif
}

/// Calls `perf_agent_system_call` with a number and up to six arguments of any integer or pointer
/// type.
#define PERF_AGENT_CALL(...) PERF_AGENT_CALL_WITH(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define PERF_AGENT_CALL_WITH(number, a, b, c, d, e, f, ...)                                        \
  perf_agent_system_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/// Returns the kernel's id of the calling thread.
static inline uint32_t perf_agent_tid(void) {
  return (uint32_t)PERF_AGENT_CALL(SYS_gettid);
}

/// Returns whether a thread of this process exists.
static inline bool perf_agent_thread_exists(uint32_t tid) {
  return PERF_AGENT_CALL(SYS_tgkill, getpid(), tid, 0) == 0;
}

// MARK: - Clocks and waiting

/// Reads a clock, by the kernel's page of code or by a system call.
///
/// clock_gettime itself may be another library's: that of ThreadSanitizer must not be called in a signal
/// handler, and that of faketime(1) changes the time.
int perf_agent_read_clock(clockid_t clock, struct timespec *_Nonnull time);
/// Finds the kernel's function that reads clocks.
void perf_agent_find_clock(void);

/// Returns the time of a clock in nanoseconds; 0 if the kernel has no such clock.
static inline uint64_t perf_agent_clock(clockid_t clock) {
  struct timespec time;
  if (perf_agent_read_clock(clock, &time) != 0) {
    return 0;
  }
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Sleeps for 50 us. Loops that wait for another thread call it, since a real-time thread that only
/// yields would keep that thread from running.
void perf_agent_rest(void);

/// Waits while `*word` is `value`, at most until `deadline_ns` of CLOCK_MONOTONIC (0: no limit).
void perf_agent_futex_wait(_Atomic uint32_t *_Nonnull word, uint32_t value, uint64_t deadline_ns);
/// Wakes every thread that waits for `*word`.
void perf_agent_futex_wake(_Atomic uint32_t *_Nonnull word);

// MARK: - Signals

/// Returns the bit of a signal in the kernel's signal sets, which have 64 bits on both
/// architectures.
static inline uint64_t perf_agent_signal_bit(int number) {
  return UINT64_C(1) << (number - 1);
}

/// Returns every signal except the signals of a crash, which the agent never blocks.
uint64_t perf_agent_deferrable_signals(void);

/// Changes the calling thread's real signal mask and returns the previous one.
static inline uint64_t perf_agent_change_mask(int how, uint64_t mask) {
  uint64_t before = 0;
  PERF_AGENT_CALL(SYS_rt_sigprocmask, how, &mask, &before, sizeof mask);
  return before;
}

/// Calls the C library's own sigaction.
int perf_agent_sigaction(int number, const struct sigaction *_Nullable action,
                         struct sigaction *_Nullable before);

// MARK: - Random numbers

/// Returns 64 random bits (splitmix64: Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195).
static inline uint64_t perf_agent_random(uint64_t *_Nonnull state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

// MARK: - Memory

/// Reads memory of this process that may be unmapped, page by page, and returns the bytes that
/// could be read, a multiple of 8. Takes 1 us or more.
uint64_t perf_agent_read_memory(void *_Nonnull to, uint64_t from, uint64_t most);

/// Adds 1 to a counter of the audit.
static inline void perf_agent_count(_Atomic uint64_t *_Nonnull counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

#endif

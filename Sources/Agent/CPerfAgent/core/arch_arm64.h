/// The registers of arm64.
#ifndef PERF_AGENT_ARCH_H
#define PERF_AGENT_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "perf_format.h"

/// Copies the registers of an interrupted thread in DWARF order: x0 to x30, sp, then pc.
/// Async-signal-safe.
static inline void perf_agent_save_registers(const ucontext_t *_Nonnull context,
                                             uint64_t registers[_Nonnull PERFKIT_REGISTER_COUNT]) {
  for (unsigned index = 0; index < 31; index++) {
    registers[index] = context->uc_mcontext.regs[index];
  }
  registers[31] = context->uc_mcontext.sp;
  registers[32] = context->uc_mcontext.pc;
}

/// The ABI of Linux on arm64 has no red zone.
#define PERF_AGENT_RED_ZONE 0u

static inline uint64_t perf_agent_stack_pointer(const ucontext_t *_Nonnull context) {
  return context->uc_mcontext.sp;
}

static inline uint64_t perf_agent_frame_pointer(const ucontext_t *_Nonnull context) {
  return context->uc_mcontext.regs[29];
}

static inline uint64_t perf_agent_program_counter(const ucontext_t *_Nonnull context) {
  return context->uc_mcontext.pc;
}

/// Returns whether a thread may have been interrupted in a system call or right after it: always, as no
/// register tells, and code need not be readable.
static inline bool perf_agent_is_at_call(const ucontext_t *_Nonnull context) {
  (void)context;
  return true;
}

/// Copies `bytes` (a multiple of 8) of stack. Not by memcpy: sanitizers would report the poisoned
/// bytes of other frames. Async-signal-safe.
static inline void perf_agent_copy_stack(void *_Nonnull to, uint64_t from, uint64_t bytes) {
  uint64_t end = from + (bytes & ~UINT64_C(15));
  uint64_t first, second;
  __asm__ volatile("1: cmp %[from], %[end]\n"
                   "   b.eq 2f\n"
                   "   ldp %[first], %[second], [%[from]], #16\n"
                   "   stp %[first], %[second], [%[to]], #16\n"
                   "   b 1b\n"
                   "2:\n"
                   : [to] "+r"(to), [from] "+r"(from), [first] "=&r"(first), [second] "=&r"(second)
                   : [end] "r"(end)
                   : "cc", "memory");
  if (bytes & 8) {
    __asm__ volatile("ldr %[first], [%[from]]\n   str %[first], [%[to]]\n"
                     : [first] "=&r"(first)
                     : [to] "r"(to), [from] "r"(from)
                     : "memory");
  }
}

#endif

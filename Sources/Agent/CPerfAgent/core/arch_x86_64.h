/// The registers of x86-64.
#ifndef PERF_AGENT_ARCH_H
#define PERF_AGENT_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "perf_format.h"

/// Copies the registers of an interrupted thread in DWARF order (System V ABI, figure 3.36).
/// Async-signal-safe.
static inline void perf_agent_save_registers(const ucontext_t *_Nonnull context,
                                             uint64_t registers[_Nonnull PERFKIT_REGISTER_COUNT]) {
  static const uint8_t order[PERFKIT_REGISTER_COUNT] = {
      REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
      REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
  };
  for (unsigned index = 0; index < PERFKIT_REGISTER_COUNT; index++) {
    registers[index] = (uint64_t)context->uc_mcontext.gregs[order[index]];
  }
}

/// Bytes below the stack pointer that belong to the interrupted function (System V ABI). At the
/// return of a function compiled by LLVM the unwind rule for rbp still names the slot that was just
/// popped, so the unwinder needs them.
#define PERF_AGENT_RED_ZONE 128u

static inline uint64_t perf_agent_stack_pointer(const ucontext_t *_Nonnull context) {
  return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
}

static inline uint64_t perf_agent_frame_pointer(const ucontext_t *_Nonnull context) {
  return (uint64_t)context->uc_mcontext.gregs[REG_RBP];
}

static inline uint64_t perf_agent_program_counter(const ucontext_t *_Nonnull context) {
  return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

/// Returns whether a thread was interrupted in a system call or right after it.
///
/// The instruction leaves its end in rcx (Intel SDM, SYSCALL). Before the kernel repeats a call, it moves
/// the program counter back by the two bytes of the instruction. With FRED rcx keeps its value, and the
/// result is false.
static inline bool perf_agent_is_at_call(const ucontext_t *_Nonnull context) {
  uint64_t end = (uint64_t)context->uc_mcontext.gregs[REG_RCX];
  uint64_t counter = perf_agent_program_counter(context);
  return end == counter || end == counter + 2;
}

/// Copies `bytes` (a multiple of 8) of stack. Not by memcpy: sanitizers would report the poisoned
/// bytes of other frames. Async-signal-safe.
static inline void perf_agent_copy_stack(void *_Nonnull to, uint64_t from, uint64_t bytes) {
  uint64_t words = bytes / 8;
  __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

#endif

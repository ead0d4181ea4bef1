#define _GNU_SOURCE
#include "core.h"

/// The most frames of synchronous functions that are followed to the frame of their async caller.
/// Deeper stacks are recursion.
#define FRAMES_MAX 128u

uint64_t perf_agent_async_context(uint64_t frame, uint64_t low, uint64_t high) {
  for (unsigned count = 0; count < FRAMES_MAX; count++) {
    // Code without frame pointers uses the register for other values.
    if (frame % 8 != 0 || frame < low || frame >= high - 8) {
      return 0;
    }
    const volatile uint64_t *words = (const volatile uint64_t *)(uintptr_t)frame;
    uint64_t saved = words[0];
    if (saved & PERF_AGENT_ASYNC_BIT) {
      return frame - 8 >= low ? words[-1] : 0;
    }
    if (saved <= frame) {
      return 0;
    }
    frame = saved;
  }
  return 0;
}

uint16_t perf_agent_async_callers(uint64_t context, uint64_t pairs[2 * PERFKIT_ASYNC_MAX]) {
  uint16_t count = 0;
  while (context && context % 8 == 0 && count < PERFKIT_ASYNC_MAX) {
    // {parent, resume address}. A context that was freed must end in an error, not in a crash.
    uint64_t words[2];
    if (perf_agent_read_memory(words, context, sizeof words) != sizeof words) {
      break;
    }
    // The outermost context has no parent.
    if (!words[1]) {
      break;
    }
    pairs[2 * count] = context;
    pairs[2 * count + 1] = words[1];
    count++;
    if (words[0] == context) {
      break;
    }
    context = words[0];
  }
  return count;
}

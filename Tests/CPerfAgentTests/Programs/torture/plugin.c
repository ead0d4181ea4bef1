/// A library to load and unload. FACTOR distinguishes its two builds.
#include <stdint.h>

/// Allocated by the loader on first use in each thread.
static _Thread_local uint64_t calls;

/// Multiplies, and counts this thread's calls since the library was loaded.
__attribute__((visibility("default"))) uint64_t plugin_answer(uint64_t number, uint64_t *count) {
  *count = ++calls;
  for (unsigned index = 0; index < 1000; index++) {
    __asm__ volatile("" : "+r"(number));
  }
  return number * FACTOR;
}

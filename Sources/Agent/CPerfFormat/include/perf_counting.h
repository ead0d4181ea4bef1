/// Requests to callgrind, which counts the instructions of a measured phase.
///
/// Outside valgrind, which recognises the instructions, a request has no effect and takes some
/// nanoseconds. The sequences and numbers are an interface that valgrind keeps: valgrind.h,
/// "ARCHITECTURE SPECIFICS", and callgrind.h.
#ifndef PERF_COUNTING_H
#define PERF_COUNTING_H

#include <stdint.h>

/// Sends the request with a number in the order of callgrind.h. Any thread.
static inline void perf_counting_request(unsigned number) {
  volatile uint64_t words[6] = {('C' << 24 | 'T' << 16) + number};
#if defined(__x86_64__)
  uint64_t answer = 0;
  __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                   "xchgq %%rbx, %%rbx"
                   : "+d"(answer)
                   : "a"(words)
                   : "cc", "memory");
#elif defined(__aarch64__)
  __asm__ volatile("mov x3, xzr\n\tmov x4, %0\n\tror x12, x12, #3\n\tror x12, x12, #13\n\t"
                   "ror x12, x12, #51\n\tror x12, x12, #61\n\torr x10, x10, x10"
                   :
                   : "r"(words)
                   : "cc", "memory", "x3", "x4");
#else
  (void)words;
#endif
}

/// Starts to count the work of all threads.
static inline void perf_counting_start(void) { perf_counting_request(4); }

/// Stops counting the work of all threads.
static inline void perf_counting_stop(void) { perf_counting_request(5); }

#endif

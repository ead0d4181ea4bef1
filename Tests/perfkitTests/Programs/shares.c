// Uses CPU time in known parts and prints them: argv[1] is "user" or "kernel", argv[2] the seconds.
//
// "user": work_most has 70 % and work_least 30 % of the time. "kernel": half of the time passes in one
// long system call after the other, called by call_kernel, and half in work_user.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static volatile unsigned long sink;

static double spent(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#define WORK(name)                                                                                 \
  __attribute__((noinline)) static void name(double seconds) {                                     \
    double end = spent() + seconds;                                                                \
    while (spent() < end) {                                                                        \
      for (int step = 0; step < 20000; step++) {                                                   \
        sink += (unsigned long)step;                                                               \
      }                                                                                            \
    }                                                                                              \
  }

WORK(work_most)
WORK(work_least)
WORK(work_user)

/// Writes to all pages of fresh memory: MADV_POPULATE_WRITE of Linux 5.14, which takes no signal until
/// its end.
__attribute__((noinline)) static void call_kernel(void) {
  const size_t bytes = (size_t)64 << 20;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE) != 0 ||
      madvise(memory, bytes, 23) != 0) {
    perror("populate");
    exit(3);
  }
  munmap(memory, bytes);
}

int main(int count, char **words) {
  if (count < 3) {
    return 2;
  }
  double seconds = atof(words[2]), kernel = 0, user = 0;
  if (words[1][0] == 'u') {
    for (int round = 0; round < 10; round++) {
      work_most(0.07 * seconds);
      work_least(0.03 * seconds);
    }
    return 0;
  }
  while (kernel + user < seconds) {
    double before = spent();
    call_kernel();
    double middle = spent();
    work_user(middle - before);
    kernel += middle - before;
    user += spent() - middle;
  }
  printf("%f\n", kernel / (kernel + user));
  return 0;
}

// Replaces the C library's clock_gettime, as faketime(1) and ThreadSanitizer do, by a clock that stands still,
// and works for half a second.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  (void)clock;
  *time = (struct timespec){1000, 0};
  return 0;
}

static volatile unsigned long sum;

__attribute__((noinline)) static void work(void) {
  struct timespec time = {0, 0};
  while (time.tv_sec == 0 && time.tv_nsec < 500000000) {
    for (int step = 0; step < 100000; step++) {
      sum += (unsigned long)step;
    }
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time);
  }
}

int main(void) {
  work();
  return 0;
}

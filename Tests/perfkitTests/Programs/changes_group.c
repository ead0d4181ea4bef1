// Four children that set their group again and again as they begin, as servers do in their workers, and then
// use half a second of CPU time each.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void work_in_child(void) {
  while (now(CLOCK_PROCESS_CPUTIME_ID) < 0.5) {
    for (int step = 0; step < 100000; step++) {
      sum += (unsigned long)step;
    }
  }
}

int main(void) {
  for (int child = 0; child < 4; child++) {
    if (fork() == 0) {
      // The C library sends a signal to the process's other threads for each change.
      for (double end = now(CLOCK_MONOTONIC) + 0.005; now(CLOCK_MONOTONIC) < end;) {
        if (setgid(getgid()) != 0) {
          _exit(1);
        }
      }
      work_in_child();
      _exit(0);
    }
  }
  int failures = 0, status;
  while (wait(&status) > 0) {
    failures += status != 0;
  }
  return failures;
}

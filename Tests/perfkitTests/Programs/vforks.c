// Starts ten children by vfork, each of which uses 20 ms of CPU time while its parent waits.
#define _GNU_SOURCE
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Work after each call, so that no call is the function's last and replaces it.
static volatile int calls;

__attribute__((noinline)) static int start_child(void) {
  pid_t child = vfork();
  if (child == 0) {
    struct timespec time = {0, 0};
    while (time.tv_nsec < 20000000 && time.tv_sec == 0) {
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    }
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  calls++;
  return status;
}

int main(void) {
  int failures = 0;
  for (int round = 0; round < 10; round++) {
    failures += start_child() != 0;
  }
  return failures;
}

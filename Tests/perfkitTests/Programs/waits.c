// Two threads that wait in known system calls for known times. The exit status is 4 if a signal ended one
// of the waits (EINTR).
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

// Work after each call, so that no call is the function's last and replaces it.
static volatile int calls;
static volatile int failures;

__attribute__((noinline)) static void nap(void) {
  if (usleep(50000) != 0) failures++;
  calls++;
}

__attribute__((noinline)) static void wait_for_nothing(void) {
  if (poll(NULL, 0, 25) != 0) failures++;
  calls++;
}

__attribute__((noinline)) static void *receive(void *unused) {
  char byte = 0;
  while (read(ends[0], &byte, 1) == 1 && byte != 'q') {
  }
  return byte == 'q' ? NULL : unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  pthread_t thread;
  void *failed;
  pthread_create(&thread, NULL, receive, ends);
  for (int round = 0; round < 10; round++) {
    nap();
    wait_for_nothing();
    if (write(ends[1], round == 9 ? "q" : "x", 1) != 1) return 1;
  }
  if (pthread_join(thread, &failed) != 0) return 1;
  return failures > 0 || failed ? 4 : 0;
}

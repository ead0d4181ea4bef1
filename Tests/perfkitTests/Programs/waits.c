// Two threads that wait in known system calls for known times.
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

// Work after each call, so that no call is the function's last and replaces it.
static volatile int calls;

__attribute__((noinline)) static void nap(void) {
  usleep(50000);
  calls++;
}

__attribute__((noinline)) static void wait_for_nothing(void) {
  poll(NULL, 0, 25);
  calls++;
}

__attribute__((noinline)) static void *receive(void *unused) {
  char byte;
  while (read(ends[0], &byte, 1) == 1 && byte != 'q') {
  }
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, NULL, receive, NULL);
  for (int round = 0; round < 10; round++) {
    nap();
    wait_for_nothing();
    if (write(ends[1], round == 9 ? "q" : "x", 1) != 1) return 1;
  }
  return pthread_join(thread, NULL);
}

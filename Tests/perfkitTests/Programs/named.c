// Sixty threads with the name "worker", which run until the program is killed.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void *spin(void *unused) {
  for (volatile unsigned long count = 0;; count++) {
  }
  return unused;
}

int main(void) {
  // The kernel ends the program if nobody kills it.
  const struct rlimit seconds = {60, 60};
  setrlimit(RLIMIT_CPU, &seconds);
  // Other tests need the CPUs as well.
  setpriority(PRIO_PROCESS, 0, 19);
  for (int index = 0; index < 60; index++) {
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    pthread_setname_np(thread, "worker");
  }
  if (write(1, "ready\n", 6) != 6) {
    return 1;
  }
  pause();
  return 0;
}

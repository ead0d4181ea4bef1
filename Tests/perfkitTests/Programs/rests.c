/// Waits in a second thread after the first one has ended.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) static void rest(void) {
  const struct timespec pause = {0, 100000000};
  nanosleep(&pause, NULL);
  __asm__ volatile("");
}
static void *other(void *first) {
  pthread_join(*(pthread_t *)first, NULL);
  for (int round = 0; round < 5; round++) {
    rest();
  }
  return NULL;
}
int main(void) {
  static pthread_t first;
  first = pthread_self();
  volatile char *block = malloc(64 << 20);
  for (int at = 0; at < 64 << 20; at += 4096) {
    block[at] = 1;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, other, &first);
  pthread_exit(NULL);
}

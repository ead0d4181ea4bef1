/// Works in as many threads as the machine has CPUs.
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) static long work(long n) {
  volatile long x = 0;
  while (n--) {
    x += n;
  }
  return x;
}
static void *other(void *unused) {
  work(150000000);
  return unused;
}
int main(void) {
  pthread_t threads[64];
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  if (count > 64) {
    count = 64;
  }
  for (long index = 0; index < count; index++) {
    pthread_create(&threads[index], NULL, other, NULL);
  }
  for (long index = 0; index < count; index++) {
    pthread_join(threads[index], NULL);
  }
  return 0;
}

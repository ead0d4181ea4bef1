// A caller whose frame is larger than the copied part of each stack, two thirds of the time below `twice`.
#include <string.h>
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void work(const char *bytes) {
  for (long i = 0; i < 300000; i++) sum += bytes[i & 131071];
}

__attribute__((noinline)) static void parse(int value) {
  char bytes[131072];
  memset(bytes, value, sizeof bytes);
  for (int round = 0; round < 20; round++) work(bytes);
}

__attribute__((noinline)) static void once(int value) {
  parse(value);
  sum++;
}

__attribute__((noinline)) static void twice(int value) {
  parse(value);
  parse(value);
  sum++;
}

int main(void) {
  struct timespec time = {0, 0};
  for (int value = 0; time.tv_sec < 1; value++) {
    once(value);
    twice(value);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  }
  return 0;
}

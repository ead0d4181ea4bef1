// A program to record: two named busy threads, one of which calls inlined and recursive functions, and
// a main thread that waits for both.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline __attribute__((always_inline)) uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  return value ^ (value >> 27);
}

static inline __attribute__((always_inline)) uint64_t stir(uint64_t seed, int rounds) {
  for (int i = 0; i < rounds; i++) {
    seed = mix(seed + (uint64_t)i);
  }
  return seed;
}

__attribute__((noinline)) static uint64_t descend(uint64_t seed, int depth) {
  if (depth == 0) {
    return stir(seed, 4000);
  }
  return descend(seed + 1, depth - 1) + 1;
}

__attribute__((noinline)) static uint64_t churn(uint64_t seed) { return stir(seed, 20000) + 1; }

static int compare(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

__attribute__((noinline)) static uint64_t sort(uint64_t seed) {
  enum { count = 4000 };
  uint64_t *values = malloc(count * sizeof *values);
  if (!values) {
    abort();
  }
  for (int i = 0; i < count; i++) {
    values[i] = seed = mix(seed + (uint64_t)i);
  }
  qsort(values, count, sizeof *values, compare);
  uint64_t middle = values[count / 2];
  free(values);
  return middle;
}

static void *calls(void *seconds) {
  pthread_setname_np(pthread_self(), "calls");
  while (cpu_seconds() < *(double *)seconds) {
    sink += descend(sink, 12) + churn(sink);
  }
  return NULL;
}

static void *sorts(void *seconds) {
  pthread_setname_np(pthread_self(), "sorts");
  while (cpu_seconds() < *(double *)seconds) {
    sink += sort(sink);
  }
  return NULL;
}

int main(int count, char **words) {
  double seconds = count > 1 ? atof(words[1]) : 0.5;
  pthread_t threads[2];
  if (pthread_create(&threads[0], NULL, calls, &seconds) ||
      pthread_create(&threads[1], NULL, sorts, &seconds)) {
    return 1;
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
  }
  printf("%llu\n", (unsigned long long)sink);
  return 0;
}

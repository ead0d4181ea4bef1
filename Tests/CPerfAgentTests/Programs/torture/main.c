#define _GNU_SOURCE
#include "torture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf_agent.h"

uint64_t torture_end_ns;
char **torture_words;

uint64_t torture_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool torture_goes_on(void) {
  return torture_now() < torture_end_ns;
}

void torture_say(const char *name, double value) {
  perf_mark_event(perf_mark_name(name, strlen(name)), value, torture_now());
}

void torture_fail(const char *file, int line, const char *what) {
  char text[256];
  int bytes = snprintf(text, sizeof text, "%s:%d: check failed: %s\n", file, line, what);
  if (write(2, text, (size_t)bytes) < 0) {
    _exit(2);
  }
  _exit(1);
}

uint64_t torture_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

uint64_t torture_mix(uint64_t seed, unsigned rounds) {
  uint64_t x = seed | 1;
  for (unsigned round = 0; round < rounds; round++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

unsigned long torture_start(void *(*body)(void *), void *argument, size_t stack_bytes) {
  pthread_t thread;
  pthread_attr_t attributes;
  CHECK(pthread_attr_init(&attributes) == 0);
  if (stack_bytes > 0) {
    CHECK(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  }
  CHECK(pthread_create(&thread, &attributes, body, argument) == 0);
  pthread_attr_destroy(&attributes);
  return thread;
}

void *torture_join(unsigned long thread) {
  void *result;
  CHECK(pthread_join(thread, &result) == 0);
  return result;
}

/// The answer of a program that was started by another one.
static int answer(void) {
  CHECK(torture_mix((uint64_t)atoi(torture_words[2]), 1000) != 0);
  return atoi(torture_words[2]);
}

/// Usage: torture NAME SECONDS; SECONDS may have decimals.
int main(int count, char **words) {
  static const struct {
    const char *name;
    int (*run)(void);
  } commands[] = {
      {"loader", torture_loader},       {"births", torture_births},
      {"forks", torture_forks},         {"execs", torture_execs},
      {"signals", torture_signals},     {"exceptions", torture_exceptions},
      {"recursion", torture_recursion}, {"altstack", torture_altstack},
      {"mortal", torture_mortal},       {"answer", answer},
  };
  torture_words = words;
  if (count > 2) {
    torture_end_ns = torture_now() + (uint64_t)(atof(words[2]) * 1e9);
  }
  for (size_t index = 0; count > 2 && index < sizeof commands / sizeof commands[0]; index++) {
    if (strcmp(words[1], commands[index].name) == 0) {
      return commands[index].run();
    }
  }
  fprintf(stderr, "usage: torture NAME SECONDS\n");
  return 64;
}

/// Writes every kind of record until it is killed.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "perf_agent.h"
#include "torture.h"

static void *short_lived(void *argument) {
  torture_say("alive", 1);
  torture_mix(1, 50000);
  return argument;
}

static void *mark(void *argument) {
  char text[32];
  for (uint32_t index = 0;; index++) {
    snprintf(text, sizeof text, "phase.%u", index % 1000);
    uint32_t name = perf_mark_name(text, strlen(text));
    uint64_t began = torture_now();
    perf_mark_frame_enter(index);
    uint32_t previous = perf_mark_phase_enter(name);
    torture_mix(index, 2000);
    perf_mark_counter(name, index, torture_now());
    perf_mark_phase_exit(name, previous, began, torture_now());
    perf_mark_frame_exit(0, index, index, began, began, torture_now(), 1);
  }
  return argument;
}

int torture_mortal(void) {
  torture_start(mark, NULL, 0);
  for (;;) {
    torture_join(torture_start(short_lived, NULL, 0));
  }
}

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

struct perfkit_segment *target_segment(void) {
  static struct perfkit_segment *segment;
  const char *text = getenv(PERFKIT_ENV_SEGMENT_FD);
  if (segment || !text) {
    return segment;
  }
  struct stat status;
  if (fstat(atoi(text), &status) != 0) {
    return NULL;
  }
  void *address =
      mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(text), 0);
  if (address != MAP_FAILED) {
    segment = address;
  }
  return segment;
}

static void set_sampling(uint32_t on) {
  struct perfkit_segment *segment = target_segment();
  if (!segment) {
    exit(3);
  }
  atomic_store(&segment->sampling, on);
  syscall(SYS_futex, &segment->sampling, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void target_start_sampling(void) {
  set_sampling(1);
  struct perfkit_audit *audit = &target_segment()->audit;
  // The first tick comes after the records of threads and modules.
  while (atomic_load(&audit->ticks) == 0) {
    sched_yield();
  }
}

void target_resume_sampling(void) {
  uint64_t before = atomic_load(&target_segment()->audit.ticks);
  set_sampling(1);
  while (atomic_load(&target_segment()->audit.ticks) == before) {
    sched_yield();
  }
}

void target_stop_sampling(void) {
  set_sampling(0);
  while (atomic_load(&target_segment()->audit.sampling_ended_ns) == 0) {
    sched_yield();
  }
}

void target_drain(void) {
  struct perfkit_segment *segment = target_segment();
  for (uint32_t index = 1; index < segment->ring_count; index++) {
    struct perfkit_ring *ring =
        (void *)((char *)segment + segment->rings_offset + index * segment->ring_bytes);
    uint32_t closed = atomic_load(&ring->state);
    atomic_store(&ring->samples.tail, atomic_load(&ring->samples.head));
    atomic_store(&ring->marks.tail, atomic_load(&ring->marks.head));
    if (closed == PERFKIT_RING_CLOSED) {
      atomic_compare_exchange_strong(&ring->state, &closed, PERFKIT_RING_FREE);
    }
  }
}

static uint64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t target_now(void) {
  return read_clock(CLOCK_MONOTONIC);
}

uint64_t target_cpu_time(void) {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

void target_say(const char *name, double value) {
  perf_mark_event(perf_mark_name(name, strlen(name)), value, target_now());
}

uint64_t target_burn(unsigned units) {
  volatile uint64_t result = 88172645463325252u;
  uint64_t x = result;
  for (unsigned unit = 0; unit < units; unit++) {
    for (unsigned i = 0; i < 400000; i++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
  }
  result = x;
  return result;
}

bool target_lacks_signals(uint64_t count, uint64_t began) {
  struct perfkit_audit *audit = &target_segment()->audit;
  return atomic_load(&audit->signals_sent) < count && target_now() - began < UINT64_C(60000000000);
}

void target_burn_sampled(unsigned signals) {
  uint64_t enough = atomic_load(&target_segment()->audit.signals_sent) + signals;
  for (uint64_t began = target_now(); target_lacks_signals(enough, began);) {
    target_burn(1);
  }
}

void target_await_pending(int signal) {
  for (uint64_t pending = 0; !(pending >> (signal - 1) & 1);) {
    target_burn(1);
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
  }
}

uint32_t target_find_ticker(void) {
  DIR *tasks = opendir("/proc/self/task");
  uint32_t found = 0;
  for (struct dirent *entry; !found && (entry = readdir(tasks));) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    int file = open(path, O_RDONLY);
    if (read(file, name, sizeof name - 1) > 0 && strcmp(name, "perfkit-ticker\n") == 0) {
      found = (uint32_t)atoi(entry->d_name);
    }
    close(file);
  }
  closedir(tasks);
  return found;
}

void target_rest(void) {
  const struct timespec moment = {0, 1000000};
  nanosleep(&moment, NULL);
}

static int word_count;
static char **all_words;

const char *target_word(int index) {
  return index < word_count ? all_words[index] : NULL;
}

/// Returns whether a word of the command line names a command, whose name has `_` in place of `-`.
static bool is_named(const char *word, const char *name) {
  for (; *word && *name; word++, name++) {
    if (*word != *name && (*word != '-' || *name != '_')) {
      return false;
    }
  }
  return *word == *name;
}

int main(int count, char **words) {
  word_count = count;
  all_words = words;
  // A program that hangs fails its test.
  alarm(120);
#define COMMAND(name) {#name, run_##name},
  static const struct {
    const char *name;
    int (*run)(void);
  } commands[] = {TARGET_COMMANDS(COMMAND)};
  for (size_t index = 0; count > 1 && index < sizeof commands / sizeof commands[0]; index++) {
    if (is_named(words[1], commands[index].name)) {
      return commands[index].run();
    }
  }
  fprintf(stderr, "unknown command\n");
  return 64;
}

#define _GNU_SOURCE
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
  if (segment || !text) return segment;
  struct stat status;
  if (fstat(atoi(text), &status) != 0) return NULL;
  void *address = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                       atoi(text), 0);
  if (address != MAP_FAILED) segment = address;
  return segment;
}

static void set_sampling(uint32_t on) {
  struct perfkit_segment *segment = target_segment();
  if (!segment) exit(3);
  atomic_store(&segment->sampling, on);
  syscall(SYS_futex, &segment->sampling, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void target_start_sampling(void) {
  set_sampling(1);
  struct perfkit_audit *audit = &target_segment()->audit;
  // The first tick comes after the threads and the modules have been written.
  while (atomic_load(&audit->ticks) == 0) sched_yield();
}

void target_resume_sampling(void) {
  uint64_t before = atomic_load(&target_segment()->audit.ticks);
  set_sampling(1);
  while (atomic_load(&target_segment()->audit.ticks) == before) sched_yield();
}

void target_stop_sampling(void) {
  set_sampling(0);
  while (atomic_load(&target_segment()->audit.sampling_ended_ns) == 0) sched_yield();
}

void target_drain(void) {
  struct perfkit_segment *segment = target_segment();
  for (uint32_t index = 1; index < segment->ring_count; index++) {
    struct perfkit_ring *ring =
        (void *)((char *)segment + segment->rings_offset + index * segment->ring_bytes);
    uint32_t closed = atomic_load(&ring->state);
    atomic_store(&ring->samples.tail, atomic_load(&ring->samples.head));
    atomic_store(&ring->marks.tail, atomic_load(&ring->marks.head));
    if (closed == PERFKIT_RING_CLOSED)
      atomic_compare_exchange_strong(&ring->state, &closed, PERFKIT_RING_FREE);
  }
}

uint64_t target_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void target_say(const char *name, double value) {
  perf_mark_event(perf_mark_name(name, strlen(name)), value, target_now());
}

uint64_t target_burn(unsigned units) {
  volatile uint64_t result = 88172645463325252u;
  uint64_t x = result;
  for (unsigned unit = 0; unit < units; unit++)
    for (unsigned i = 0; i < 400000; i++) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
  result = x;
  return result;
}

bool target_lacks_signals(uint64_t count, uint64_t began) {
  struct perfkit_audit *audit = &target_segment()->audit;
  return atomic_load(&audit->signals_sent) < count &&
         target_now() - began < UINT64_C(60000000000);
}

void target_burn_sampled(unsigned signals) {
  uint64_t enough = atomic_load(&target_segment()->audit.signals_sent) + signals;
  for (uint64_t began = target_now(); target_lacks_signals(enough, began);) target_burn(1);
}

void target_await_pending(int signal) {
  for (uint64_t pending = 0; !(pending >> (signal - 1) & 1);) {
    target_burn(1);
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
  }
}

static int word_count;
static char **all_words;

const char *target_word(int index) { return index < word_count ? all_words[index] : NULL; }

int main(int count, char **words) {
  word_count = count;
  all_words = words;
  // A program that hangs is a test that fails, not one that never ends.
  alarm(120);
  static const struct {
    const char *name;
    int (*run)(void);
  } commands[] = {
      {"heap", run_heap}, {"heap-lives", run_heap_lives}, {"heap-replaced", run_heap_replaced},
      {"heap-children", run_heap_children}, {"heap-threads", run_heap_threads},
      {"heap-beside", run_heap_beside},
      {"phases", run_phases},     {"signposts", run_signposts}, {"idle", run_idle},           {"churn", run_churn},
      {"confined", run_confined}, {"filtered", run_filtered}, {"crowd", run_crowd},
      {"marks", run_marks},       {"blocked", run_blocked},     {"strangers", run_strangers},
      {"vanished", run_vanished},
      {"hidden", run_hidden}, {"capable", run_capable}, {"capable-child", run_capable_child},
      {"filtered-child", run_filtered_child}, {"blocked-grouped", run_blocked_grouped},
      {"renumbered", run_renumbered}, {"renumbered-file", run_renumbered_file},
      {"chrooted", run_chrooted},
      {"fork", run_fork},         {"exec", run_exec},           {"handled", run_handled},
      {"replaced", run_replaced}, {"killed", run_killed},       {"deep", run_deep},
      {"alternate", run_alternate}, {"coroutine", run_coroutine}, {"modules", run_modules},
      {"modules-edited", run_modules_edited},
      {"names", run_names},       {"replace-image", run_replace_image},
      {"exec-chain", run_exec_chain}, {"exec-blocked", run_exec_blocked},
      {"exec-failing", run_exec_failing}, {"spawn", run_spawn}, {"tids", run_tids}, {"c11", run_c11},
      {"shared-cpu", run_shared_cpu},
      {"met-ticker", run_met_ticker},
      {"rests", run_rests}, {"seldom", run_seldom}, {"replaced-raw", run_replaced_raw}, {"awaited", run_awaited},
      {"masked", run_masked}, {"masks-inherited", run_masks_inherited},
      {"exec-masked", run_exec_masked}, {"masked-pending", run_masked_pending},
      {"masked-taken", run_masked_taken}, {"masked-errno", run_masked_errno},
      {"own-timer", run_own_timer},
      {"replaced-sysv", run_replaced_sysv}, {"replaced-set", run_replaced_set},
      {"replaced-bsd", run_replaced_bsd}, {"replaced-ignored", run_replaced_ignored},
      {"described", run_described}, {"late", run_late}, {"masked-described", run_masked_described},
      {"pending", run_pending}, {"opened", run_opened}, {"awaited-long", run_awaited_long},
      {"interrupting", run_interrupting},
      {"probed", run_probed}, {"exec-called", run_exec_called},
      {"namespaces", run_namespaces}, {"other-processes", run_other_processes},
      {"exec-failing-children", run_exec_failing_children},
      {"killed-ticker", run_killed_ticker},
      {"multitude", run_multitude},
      {"fork-descriptors", run_fork_descriptors},
      {"renamed-child", run_renamed_child}, {"real-time", run_real_time},
      {"masked-handler", run_masked_handler},
      {"limited", run_limited}, {"limited-awaited", run_limited_awaited},
  };
  for (size_t index = 0; count > 1 && index < sizeof commands / sizeof commands[0]; index++)
    if (strcmp(words[1], commands[index].name) == 0) return commands[index].run();
  fprintf(stderr, "unknown command\n");
  return 64;
}

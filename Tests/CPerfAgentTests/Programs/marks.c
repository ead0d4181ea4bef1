/// Programs that make marks, load libraries or use phases.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"

/// Four functions with the same body, so that their units are their shares of the time.
#define BURNER(name)                                                                               \
  __attribute__((noinline)) static void name(unsigned units) {                                     \
    volatile uint64_t result = 1;                                                                  \
    uint64_t x = result;                                                                           \
    for (unsigned i = 0; i < units * 20000; i++) {                                                 \
      x ^= x << 13;                                                                                \
      x ^= x >> 7;                                                                                 \
      x ^= x << 17;                                                                                \
    }                                                                                              \
    result = x;                                                                                    \
  }
BURNER(layout)
BURNER(gradient)
BURNER(decode)
BURNER(other)

static void in_phase(const char *name, void (*work)(unsigned), unsigned units) {
  uint32_t id = 0;
  // Each name is written once.
  static struct {
    const char *name;
    uint32_t id;
  } known[4];
  for (unsigned index = 0; index < 4 && id == 0; index++) {
    if (!known[index].name) {
      known[index].name = name;
      known[index].id = perf_mark_name(name, strlen(name));
    }
    if (known[index].name == name) {
      id = known[index].id;
    }
  }
  uint64_t began = target_now();
  uint32_t previous = perf_mark_phase_enter(id);
  work(units);
  perf_mark_phase_exit(id, previous, began, target_now());
}

int run_phases(void) {
  target_say("address.layout", (double)(uintptr_t)layout);
  target_say("address.gradient", (double)(uintptr_t)gradient);
  target_start_sampling();
  // Many rounds, so that a disturbance affects all phases equally.
  for (unsigned round = 0; round < 400; round++) {
    in_phase("layout", layout, 67);
    in_phase("gradient", gradient, 18);
    in_phase("decode", decode, 12);
    in_phase("other", other, 3);
  }
  target_stop_sampling();
  return 0;
}

/// Runs nested signposts, and work outside of them.
int run_signposts(void) {
  uint32_t outer = perf_mark_name("import", 6), inner = perf_mark_name("scan", 4);
  target_start_sampling();
  uint64_t start = target_now();
  for (unsigned round = 0; round < 400 || target_lacks_signals(1000, start); round++) {
    layout(30);
    uint64_t began = target_now();
    uint32_t before = perf_mark_signpost_enter(outer);
    gradient(20);
    uint64_t begun_within = target_now();
    uint32_t between = perf_mark_signpost_enter(inner);
    decode(50);
    perf_mark_signpost_exit(inner, between, begun_within, target_now());
    perf_mark_signpost_exit(outer, before, began, target_now());
  }
  target_stop_sampling();
  return 0;
}

int run_killed(void) {
  target_start_sampling();
  target_say("about.to.die", 42);
  target_burn_sampled(50);
  __builtin_trap();
}

/// Makes every kind of mark, from two threads.
static void *mark_all(void *argument) {
  uint32_t name = perf_mark_name("fling", 5);
  uint32_t interval = (uint32_t)(uintptr_t)argument;
  perf_mark_interval_begin(interval, name, 120000, 1, 1000);
  perf_mark_frame_enter(7);
  uint32_t before = perf_mark_phase_enter(name);
  uint32_t outer = perf_mark_signpost_enter(name);
  perf_mark_signpost_exit(name, outer, 1100, 1200);
  perf_mark_frame_exit(interval, 7, 3, 1001, 1002, 1300, 55);
  perf_mark_phase_exit(name, before, 1100, 1400);
  perf_mark_counter(name, 0.5, 1500);
  perf_mark_event(name, -2, 1600);
  perf_mark_interval_end(interval, 1700);
  return NULL;
}

int run_marks(void) {
  mark_all((void *)0);
  pthread_t thread;
  pthread_create(&thread, NULL, mark_all, (void *)1);
  pthread_join(thread, NULL);
  return 0;
}

/// Records a phase as an async function does that ends on this thread, and then one of the thread.
int run_detached(void) {
  uint32_t name = perf_mark_name("decode", 6);
  uint64_t began = target_now();
  decode(50);
  perf_mark_phase_exit(name, perf_mark_phase_enter(name), began, target_now());
  began = target_now();
  uint32_t before = perf_mark_phase_enter(name);
  decode(50);
  perf_mark_phase_exit(name, before, began, target_now());
  return 0;
}

/// Writes names until their area is full.
int run_names(void) {
  char text[200];
  memset(text, 'x', sizeof text);
  unsigned entered = 0;
  while (perf_mark_name(text, sizeof text) != 0) {
    entered++;
  }
  target_say("x", entered);
  return perf_mark_name("", 0) == 0 ? 0 : 1;
}

/// Loads a library that is not loaded yet: a sanitizer may have loaded libutil.
static void *load_library(void) {
  void *library = dlopen("libutil.so.1", RTLD_NOW);
  return library ? library : dlopen("libresolv.so.2", RTLD_NOW);
}

/// Unloads a library after /proc has become inaccessible.
int run_chrooted(void) {
  void *library = load_library();
  target_start_sampling();
  target_burn_sampled(100);
  if (!library || chroot("/dev") != 0 || chdir("/") != 0) {
    return 1;
  }
  dlclose(library);
  target_burn_sampled(100);
  target_stop_sampling();
  return access("/proc", F_OK) == 0 ? 2 : 0;
}

/// Loads a copy of a library whose notes have an address that is not mapped.
static void *load_edited(void *library) {
  struct link_map *map;
  char copy[] = "/tmp/perfkit-edited-XXXXXX";
  if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
    return NULL;
  }
  int from = open(map->l_name, O_RDONLY), to = mkstemp(copy);
  struct stat status;
  if (from < 0 || to < 0 || fstat(from, &status) != 0) {
    return NULL;
  }
  size_t bytes = (size_t)status.st_size;
  if (sendfile(to, from, NULL, bytes) != status.st_size) {
    return NULL;
  }
  char *file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, to, 0);
  if (file == MAP_FAILED) {
    return NULL;
  }
  const ElfW(Ehdr) *header = (const void *)file;
  ElfW(Phdr) *parts = (void *)(file + header->e_phoff);
  // The loader itself reads the notes that are aligned to 8 bytes.
  for (unsigned index = 0; index < header->e_phnum; index++) {
    if (parts[index].p_type == PT_NOTE && parts[index].p_align == 4) {
      parts[index].p_vaddr = (uint64_t)1 << 44;
    }
  }
  munmap(file, bytes);
  close(from);
  close(to);
  void *edited = dlopen(copy, RTLD_NOW);
  unlink(copy);
  return edited;
}

int run_modules_edited(void) {
  void *library = load_edited(load_library());
  target_start_sampling();
  target_burn_sampled(50);
  target_stop_sampling();
  return library && dlclose(library) == 0 ? 0 : 1;
}

int run_modules(void) {
  target_start_sampling();
  target_burn(100);
  target_say("loading", 1);
  void *library = load_library();
  target_say("loaded", 1);
  target_burn(200);
  target_stop_sampling();
  return library ? 0 : 1;
}

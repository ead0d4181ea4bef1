#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rings.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// The least time between two lists is MODULE_NS for each module, but at most LIST_NS: a program
/// that loads and unloads libraries all the time would fill the ring, and the harness, with lists.
/// After LISTS_SOON lists it is LATER_LIST_NS.
#define MODULE_NS 100000u
#define LIST_NS 10000000u
#define LISTS_SOON 8192u
#define LATER_LIST_NS 50000000u

/// The list that was written last. Used by the ticker alone.
static struct {
  unsigned long long adds, subs;  ///< The loader's counters when the list was made.
  uint64_t written_ns;
  uint64_t valid_ns;  ///< When the list was last seen to be valid; 0 without a list.
  uint32_t lists;     ///< The number of lists so far.
  uint32_t count;     ///< The modules of the list that are written.
  bool is_complete;   ///< All modules of the list are written.
  bool exists;
} last;

/// How long a fork waits for the lock, in nanoseconds.
#define FORK_WAIT_NS 20000000

void perf_agent_modules_lock(void) {
  struct timespec limit;
  perf_agent_read_clock(CLOCK_REALTIME, &limit);
  limit.tv_nsec += FORK_WAIT_NS;
  if (limit.tv_nsec >= 1000000000) {
    limit = (struct timespec){limit.tv_sec + 1, limit.tv_nsec - 1000000000};
  }
  perf_agent_local.has_modules_lock = pthread_mutex_timedlock(&lock, &limit) == 0;
}

void perf_agent_modules_unlock(void) {
  if (perf_agent_local.has_modules_lock) {
    pthread_mutex_unlock(&lock);
  }
  perf_agent_local.has_modules_lock = false;
}

void perf_agent_modules_reset(void) {
  perf_agent_local.has_modules_lock = false;
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void perf_agent_modules_forget(void) {
  last.exists = false;
}

// MARK: - One module

/// Returns whether a part of a module is mapped: tools that edit files may leave notes outside of
/// all load segments, which the loader ignores.
static bool is_loaded(const struct dl_phdr_info *info, const ElfW(Phdr) * part) {
  for (unsigned index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_R)) {
      continue;
    }
    uint64_t offset = part->p_vaddr - header->p_vaddr;
    if (offset <= header->p_memsz && part->p_memsz <= header->p_memsz - offset) {
      return true;
    }
  }
  return false;
}

/// Copies a module's build id, the linker's note of its contents, and returns its bytes; 0 if there
/// is none.
static uint32_t find_build_id(const struct dl_phdr_info *info, uint8_t id[PERFKIT_BUILD_ID_MAX]) {
  for (unsigned index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_NOTE || !is_loaded(info, header)) {
      continue;
    }
    size_t align = header->p_align == 8 ? 8 : 4;
    const char *note = (const char *)(info->dlpi_addr + header->p_vaddr);
    const char *end = note + header->p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *head = (const void *)note;
      const char *name = note + sizeof *head;
      const char *contents = name + ((head->n_namesz + align - 1) & ~(align - 1));
      note = contents + ((head->n_descsz + align - 1) & ~(align - 1));
      if (note > end) {
        break;
      }
      if (head->n_type != NT_GNU_BUILD_ID || head->n_namesz != 4 || memcmp(name, "GNU", 4) != 0) {
        continue;
      }
      uint32_t bytes =
          head->n_descsz < PERFKIT_BUILD_ID_MAX ? head->n_descsz : PERFKIT_BUILD_ID_MAX;
      memcpy(id, contents, bytes);
      return bytes;
    }
  }
  return 0;
}

/// The program's file, whose name the loader does not know. Found once: the program may lose its
/// /proc (chroot), and its file may be deleted.
static char program[PATH_MAX];

/// Reads the path out of a line of /proc/self/maps if the line contains an address:
/// "LOW-HIGH PERMISSIONS OFFSET DEVICE INODE PATH" (proc_pid_maps(5)).
static void take_path(const char *line, uint64_t address) {
  char *at;
  uint64_t low = strtoull(line, &at, 16);
  if (*at != '-') {
    return;
  }
  uint64_t high = strtoull(at + 1, &at, 16);
  const char *path = strchr(at, '/');
  if (address >= low && address < high && path && strlen(path) < sizeof program) {
    strcpy(program, path);
  }
}

/// Finds the file that is mapped at an address of the program. /proc/self/exe would be the loader
/// if the process was started by the loader, with the program's name as its argument.
static void find_program(uint64_t address) {
  char text[PATH_MAX + 128];
  size_t filled = 0;
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  ssize_t bytes;
  while (maps >= 0 && !program[0] &&
         (bytes = read(maps, text + filled, sizeof text - 1 - filled)) > 0) {
    filled += (size_t)bytes;
    text[filled] = 0;
    char *line = text, *end;
    for (; !program[0] && (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      take_path(line, address);
    }
    filled = (size_t)(text + filled - line);
    memmove(text, line, filled);
  }
  if (maps >= 0) {
    close(maps);
  }
}

// MARK: - The list

/// A list that is being written.
struct listing {
  unsigned long long adds, subs;
  uint64_t time_ns;
  uint64_t before_ns;
  bool is_begun;   ///< Modules are written; before, only the loader's counters are read.
  uint32_t index;  ///< The number of the next module.
  bool is_complete;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct listing *listing = argument;
  listing->adds = info->dlpi_adds;
  listing->subs = info->dlpi_subs;
  if (!listing->is_begun) {
    return 1;
  }
  struct perfkit_module module = {.bias = info->dlpi_addr, .low = UINT64_MAX};
  for (unsigned index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD) {
      continue;
    }
    uint64_t low = info->dlpi_addr + header->p_vaddr;
    if (low < module.low) {
      module.low = low;
    }
    if (low + header->p_memsz > module.high) {
      module.high = low + header->p_memsz;
    }
  }
  if (module.high == 0) {
    return 0;
  }
  // The loader lists the program itself first.
  uint32_t index = listing->index++;
  if (index < last.count) {
    return 0;
  }
  module.build_id_bytes = find_build_id(info, module.build_id);
  char resolved[PATH_MAX];
  const char *path = info->dlpi_name;
  size_t path_bytes = path ? strlen(path) : 0;
  if (path_bytes == 0 && index == 0) {
    if (!program[0]) {
      find_program(module.low);
    }
    path = program;
    path_bytes = strlen(path);
  } else if (path_bytes > 0 && path[0] != '/' && strchr(path, '/') && realpath(path, resolved)) {
    // A relative path, e.g. by LD_LIBRARY_PATH=. ; the harness works in another folder.
    path = resolved;
    path_bytes = strlen(path);
  }
  module.before_ns = listing->before_ns;
  module.adds = listing->adds;
  module.subs = listing->subs;
  module.path_bytes = (uint32_t)path_bytes;
  uint32_t bytes = (uint32_t)((sizeof module + path_bytes + 7) & ~(size_t)7);
  uint16_t flags = index == 0 ? PERFKIT_MODULE_FIRST : 0;
  module.record = (struct perfkit_record){bytes, PERFKIT_RECORD_MODULE, flags, listing->time_ns};
  struct perf_agent_slot slot = perf_agent_reserve_mark(perf_agent_ticker_ring(), bytes);
  if (!slot.record) {
    listing->is_complete = false;
    return 1;
  }
  memcpy(slot.record, &module, sizeof module);
  if (path_bytes > 0) {
    memcpy((char *)slot.record + sizeof module, path, path_bytes);
  }
  perf_agent_publish(slot, bytes);
  last.count = listing->index;
  return 0;
}

/// Writes the modules of a list that are not written yet: all modules, or the rest after the ring
/// was full.
static void write_list(struct listing *listing) {
  listing->is_begun = listing->is_complete = true;
  dl_iterate_phdr(visit_module, listing);
  last.is_complete = listing->is_complete;
  if (last.is_complete &&
      atomic_exchange_explicit(&perf_agent.has_modules, 1, memory_order_release) == 0) {
    perf_agent_futex_wake(&perf_agent.has_modules);
  }
}

static uint64_t pause_after_list(void) {
  if (last.lists >= LISTS_SOON) {
    return LATER_LIST_NS;
  }
  uint64_t pause = (uint64_t)last.count * MODULE_NS;
  return pause < LIST_NS ? pause : LIST_NS;
}

void perf_agent_modules_update(bool is_last) {
  uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
  // After exec, the list of the previous program was valid until now.
  struct listing listing = {.time_ns = now, .before_ns = last.valid_ns != 0 ? last.valid_ns : now};
  pthread_mutex_lock(&lock);
  dl_iterate_phdr(visit_module, &listing);
  bool is_valid = last.exists && listing.adds == last.adds && listing.subs == last.subs;
  bool is_soon = last.exists && now - last.written_ns < pause_after_list();
  if (is_valid && !last.is_complete) {
    write_list(&listing);
  } else if (!is_valid && (is_last || !is_soon)) {
    last.adds = listing.adds;
    last.subs = listing.subs;
    last.written_ns = now;
    last.count = 0;
    last.exists = true;
    last.lists++;
    write_list(&listing);
    is_valid = true;
  }
  if (is_valid) {
    last.valid_ns = now;
  }
  pthread_mutex_unlock(&lock);
}

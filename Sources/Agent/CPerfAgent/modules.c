#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "rings.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// The least time between two lists, for each module of them, and at most: a program that loads and
/// unloads all the time would fill the ring, and the harness, with them.
#define MODULE_NS 100000u
#define LIST_NS 10000000u
/// It is as long at least behind as many lists as ten seconds or so of that make, and longer behind as
/// many as a minute makes.
#define LISTS_AT_ONCE 4096u
#define LISTS_SOON 8192u
#define LATER_LIST_NS 50000000u

/// The list that was written last, with the loader's counters at its time. The ticker's own.
static struct {
  unsigned long long adds, subs;
  uint64_t written_ns;
  uint64_t true_ns;  ///< When it was last seen to be true; 0 when there is none.
  uint32_t count;    ///< Modules of it that are written;
  bool is_whole;     ///< whether those are all of them.
  bool is_there;
  uint32_t lists;  ///< Written so far.
} last;

/// How long a fork waits for the lock.
#define FORK_WAIT_NS 20000000

static _Thread_local bool has_lock __attribute__((tls_model("initial-exec")));

void perf_agent_modules_lock(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_nsec += FORK_WAIT_NS;
  if (limit.tv_nsec >= 1000000000)
    limit = (struct timespec){limit.tv_sec + 1, limit.tv_nsec - 1000000000};
  has_lock = pthread_mutex_timedlock(&lock, &limit) == 0;
}

void perf_agent_modules_unlock(void) {
  if (has_lock) pthread_mutex_unlock(&lock);
  has_lock = false;
}

void perf_agent_modules_reset(void) {
  has_lock = false;
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
void perf_agent_modules_forget(void) { last.is_there = false; }

/// Whether a part of a module can be read: tools that edit files may leave notes where nothing is
/// loaded, which the loader does not look at.
static bool is_loaded(const struct dl_phdr_info *info, const ElfW(Phdr) *part) {
  for (unsigned index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_R)) continue;
    uint64_t offset = part->p_vaddr - header->p_vaddr;
    if (offset <= header->p_memsz && part->p_memsz <= header->p_memsz - offset) return true;
  }
  return false;
}

/// Finds the note that the linker has made of a module's contents.
static uint32_t find_build_id(const struct dl_phdr_info *info, uint8_t id[PERFKIT_BUILD_ID_MAX]) {
  for (unsigned index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_NOTE || !is_loaded(info, header)) continue;
    size_t align = header->p_align == 8 ? 8 : 4;
    const char *note = (const char *)(info->dlpi_addr + header->p_vaddr);
    const char *end = note + header->p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *head = (const void *)note;
      const char *name = note + sizeof *head;
      const char *contents = name + ((head->n_namesz + align - 1) & ~(align - 1));
      note = contents + ((head->n_descsz + align - 1) & ~(align - 1));
      if (note > end) break;
      if (head->n_type != NT_GNU_BUILD_ID || head->n_namesz != 4 || memcmp(name, "GNU", 4) != 0)
        continue;
      uint32_t bytes = head->n_descsz < PERFKIT_BUILD_ID_MAX ? head->n_descsz : PERFKIT_BUILD_ID_MAX;
      memcpy(id, contents, bytes);
      return bytes;
    }
  }
  return 0;
}

/// The program's own file, for which the loader has no name. It is found once: the program may leave
/// /proc behind (chroot), or may be told that its file was deleted.
static struct {
  char path[PATH_MAX];
  size_t bytes;
} program;

/// Takes the path out of a line of /proc/self/maps if it is of an address of the program's:
/// "LOW-HIGH PERMISSIONS OFFSET DEVICE INODE PATH" (proc_pid_maps(5)).
static void take_path(const char *line, uint64_t address) {
  char *at;
  uint64_t low = strtoull(line, &at, 16);
  if (*at != '-') return;
  uint64_t high = strtoull(at + 1, &at, 16);
  const char *path = strchr(at, '/');
  if (address < low || address >= high || !path || strlen(path) >= sizeof program.path) return;
  program.bytes = strlen(path);
  memcpy(program.path, path, program.bytes);
}

/// Finds the file that is mapped at an address of the program's. That is not what the process was started
/// as where it was the loader, with the program's name for an argument.
static void find_program(uint64_t address) {
  char text[PATH_MAX + 128];
  size_t filled = 0;
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  ssize_t bytes;
  while (maps >= 0 && program.bytes == 0 &&
         (bytes = read(maps, text + filled, sizeof text - 1 - filled)) > 0) {
    filled += (size_t)bytes;
    text[filled] = 0;
    char *line = text, *end;
    for (; program.bytes == 0 && (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      take_path(line, address);
    }
    filled = (size_t)(text + filled - line);
    memmove(text, line, filled);
  }
  if (maps >= 0) close(maps);
}

/// A list that is being written.
struct listing {
  unsigned long long adds, subs;
  uint64_t time_ns;
  uint64_t before_ns;
  uint32_t index;  ///< Of the next module.
  bool is_whole;
};

static int write_module(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct listing *listing = argument;
  listing->adds = info->dlpi_adds;
  listing->subs = info->dlpi_subs;
  struct perfkit_module module = {.bias = info->dlpi_addr, .low = UINT64_MAX};
  for (unsigned index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD) continue;
    uint64_t low = info->dlpi_addr + header->p_vaddr;
    if (low < module.low) module.low = low;
    if (low + header->p_memsz > module.high) module.high = low + header->p_memsz;
  }
  if (module.high == 0) return 0;
  // The program itself comes first.
  uint32_t index = listing->index++;
  if (index < last.count) return 0;
  module.build_id_bytes = find_build_id(info, module.build_id);
  char resolved[PATH_MAX];
  const char *path = info->dlpi_name;
  size_t path_bytes = path ? strlen(path) : 0;
  if (path_bytes == 0 && index == 0) {
    if (program.bytes == 0) find_program(module.low);
    path = program.path;
    path_bytes = program.bytes;
  } else if (path_bytes > 0 && path[0] != '/' && strchr(path, '/') && realpath(path, resolved)) {
    // As LD_LIBRARY_PATH=. makes them; the harness works in another folder.
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
    listing->is_whole = false;
    return 1;
  }
  memcpy(slot.record, &module, sizeof module);
  if (path_bytes > 0) memcpy((char *)slot.record + sizeof module, path, path_bytes);
  perf_agent_publish(slot, bytes);
  last.count = listing->index;
  return 0;
}

static int read_counters(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct listing *listing = argument;
  listing->adds = info->dlpi_adds;
  listing->subs = info->dlpi_subs;
  return 1;
}

/// Writes what is left to write of a list; the rest of one that did not fit when the harness has made room.
static void write_list(struct listing *listing) {
  listing->index = 0;
  listing->is_whole = true;
  dl_iterate_phdr(write_module, listing);
  last.is_whole = listing->is_whole;
}

static uint64_t pause_behind_list(void) {
  if (last.lists >= LISTS_SOON) return LATER_LIST_NS;
  uint64_t pause = (uint64_t)last.count * MODULE_NS;
  return last.lists < LISTS_AT_ONCE && pause < LIST_NS ? pause : LIST_NS;
}

void perf_agent_modules_update(bool is_last) {
  uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
  // What a program that this one has replaced had loaded was true until now.
  struct listing listing = {.time_ns = now, .before_ns = last.true_ns != 0 ? last.true_ns : now};
  pthread_mutex_lock(&lock);
  dl_iterate_phdr(read_counters, &listing);
  bool is_true = last.is_there && listing.adds == last.adds && listing.subs == last.subs;
  bool is_soon = last.is_there && now - last.written_ns < pause_behind_list();
  if (is_true && !last.is_whole) {
    write_list(&listing);
  } else if (!is_true && (is_last || !is_soon)) {
    last.adds = listing.adds;
    last.subs = listing.subs;
    last.written_ns = now;
    last.count = 0;
    last.is_there = true;
    last.lists++;
    write_list(&listing);
    is_true = true;
  }
  if (is_true) last.true_ns = now;
  pthread_mutex_unlock(&lock);
}

#define _GNU_SOURCE
#include <link.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "rings.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// The least time between two lists: a program that loads and unloads all the time would fill the
/// ring with them.
#define LIST_NS 50000000u

/// The loader's counters at the time of the list that was written last. The ticker's own.
static struct {
  unsigned long long adds, subs;
  uint64_t written_ns;
  uint64_t true_ns;  ///< When it was last seen to be true; 0 when there is none.
  bool is_written;
} last;

void perf_agent_modules_lock(void) { pthread_mutex_lock(&lock); }
void perf_agent_modules_unlock(void) { pthread_mutex_unlock(&lock); }
void perf_agent_modules_forget(void) { last.is_written = false; }

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
static uint32_t find_build_id(const struct dl_phdr_info *info, uint8_t id[PERF_BUILD_ID_MAX]) {
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
      uint32_t bytes = head->n_descsz < PERF_BUILD_ID_MAX ? head->n_descsz : PERF_BUILD_ID_MAX;
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

/// A list that is being written.
struct listing {
  unsigned long long adds, subs;
  uint64_t time_ns;
  uint64_t before_ns;
  bool is_first;
  bool is_whole;
};

static int write_module(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct listing *listing = argument;
  listing->adds = info->dlpi_adds;
  listing->subs = info->dlpi_subs;
  struct perf_module module = {.bias = info->dlpi_addr, .low = UINT64_MAX};
  for (unsigned index = 0; index < info->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
    if (header->p_type != PT_LOAD) continue;
    uint64_t low = info->dlpi_addr + header->p_vaddr;
    if (low < module.low) module.low = low;
    if (low + header->p_memsz > module.high) module.high = low + header->p_memsz;
  }
  if (module.high == 0) return 0;
  module.build_id_bytes = find_build_id(info, module.build_id);
  char resolved[PATH_MAX];
  const char *path = info->dlpi_name;
  size_t path_bytes = path ? strlen(path) : 0;
  if (path_bytes == 0 && listing->is_first) {
    // It comes first.
    if (program.bytes == 0) {
      ssize_t bytes = readlink("/proc/self/exe", program.path, sizeof program.path);
      program.bytes = bytes > 0 ? (size_t)bytes : 0;
    }
    path = program.path;
    path_bytes = program.bytes;
  } else if (path_bytes > 0 && path[0] != '/' && strchr(path, '/') && realpath(path, resolved)) {
    // As LD_LIBRARY_PATH=. makes them; the harness works in another folder.
    path = resolved;
    path_bytes = strlen(path);
  }
  module.before_ns = listing->before_ns;
  module.path_bytes = (uint32_t)path_bytes;
  uint32_t bytes = (uint32_t)((sizeof module + path_bytes + 7) & ~(size_t)7);
  uint16_t flags = listing->is_first ? PERF_MODULE_FIRST : 0;
  module.record = (struct perf_record){bytes, PERF_RECORD_MODULE, flags, listing->time_ns};
  listing->is_first = false;
  struct perf_agent_slot slot = perf_agent_reserve_mark(perf_agent_ticker_ring(), bytes);
  if (!slot.record) {
    listing->is_whole = false;
    return 1;
  }
  memcpy(slot.record, &module, sizeof module);
  if (path_bytes > 0) memcpy((char *)slot.record + sizeof module, path, path_bytes);
  perf_agent_publish(slot, bytes);
  return 0;
}

static int read_counters(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct listing *listing = argument;
  listing->adds = info->dlpi_adds;
  listing->subs = info->dlpi_subs;
  return 1;
}

void perf_agent_modules_update(bool is_last) {
  uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
  // What a program that this one has replaced had loaded was true until now.
  struct listing listing = {.time_ns = now,
                            .before_ns = last.true_ns != 0 ? last.true_ns : now,
                            .is_first = true,
                            .is_whole = true};
  perf_agent_modules_lock();
  dl_iterate_phdr(read_counters, &listing);
  bool is_true = last.is_written && listing.adds == last.adds && listing.subs == last.subs;
  bool is_soon = last.is_written && listing.time_ns - last.written_ns < LIST_NS;
  if (!is_true && (is_last || !is_soon)) {
    dl_iterate_phdr(write_module, &listing);
    last.adds = listing.adds;
    last.subs = listing.subs;
    last.written_ns = listing.time_ns;
    // One that did not fit is written again, whole, when the harness has made room.
    last.is_written = listing.is_whole;
    is_true = true;
  }
  if (is_true) last.true_ns = listing.time_ns;
  perf_agent_modules_unlock();
}

#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "modules.h"

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

uint32_t perf_agent_find_build_id(const struct dl_phdr_info *info,
                                  uint8_t id[PERFKIT_BUILD_ID_MAX]) {
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

const char *perf_agent_program_path(uint64_t address) {
  if (!program[0]) {
    find_program(address);
  }
  return program;
}

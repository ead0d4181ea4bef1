#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clinux.h"

// The guard is a child by fork of a process with threads: it only makes system calls, and calls
// async-signal-safe functions.

/// How often the guard looks for processes; some may be starting others.
#define LOOKS 50
#define PAUSE_NS 20000000
/// The number of process groups that a guard can kill.
#define GROUPS 64

/// The process groups of running launches, and 0 in unused entries. The guard shares the memory: a
/// message would wake it while the launch is measured.
static _Atomic int *groups;

/// The kernel's struct linux_dirent64.
struct directory_entry {
  uint64_t inode;
  int64_t offset;
  uint16_t bytes;
  uint8_t type;
  char name[];
};

/// Returns the number in a text of digits; 0 for other texts.
static int number_of(const char *text) {
  int number = 0;
  for (; *text >= '0' && *text <= '9'; text++) {
    number = number * 10 + (*text - '0');
  }
  return *text == 0 ? number : 0;
}

/// Writes "NUMBER/environ".
static void write_path(char path[32], int number) {
  char digits[12];
  int count = 0;
  do {
    digits[count++] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  for (int index = 0; index < count; index++) {
    path[index] = digits[count - 1 - index];
  }
  memcpy(path + count, "/environ", sizeof "/environ");
}

/// Returns whether a process has a variable whose text, NAME=VALUE, begins with `mark`.
static bool has_mark(int proc, int process, const char *mark, size_t bytes) {
  char path[32];
  write_path(path, process);
  int file = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  // The text begins with a variable, and each variable ends with 0. The end of a part is repeated
  // at the start of the next part.
  char text[8192];
  size_t kept = 1;
  text[0] = 0;
  bool found = false;
  ssize_t count;
  while (!found && (count = read(file, text + kept, sizeof text - kept)) > 0) {
    size_t filled = kept + (size_t)count;
    for (char *at = text; !found && (at = memchr(at, 0, (size_t)(text + filled - at))); at++) {
      found = (size_t)(text + filled - at) > bytes && memcmp(at + 1, mark, bytes) == 0;
    }
    kept = filled < bytes + 1 ? filled : bytes + 1;
    memmove(text, text + filled - kept, kept);
  }
  close(file);
  return found;
}

int clinux_processes_with(const char *mark, int *found, int most) {
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) {
    return 0;
  }
  int count = 0;
  size_t length = strlen(mark);
  _Alignas(8) char buffer[8192];
  long bytes;
  while (count < most && (bytes = syscall(SYS_getdents64, proc, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < bytes && count < most;) {
      const struct directory_entry *entry = (const void *)(buffer + at);
      at += entry->bytes;
      int process = number_of(entry->name);
      if (process > 0 && has_mark(proc, process, mark, length)) {
        found[count++] = process;
      }
    }
  }
  close(proc);
  return count;
}

/// Empties the process's environment in /proc, so that no guard kills another guard.
static void hide_environment(void) {
  extern char **environ;
  for (char **variable = environ; variable && *variable; variable++) {
    memset(*variable, 0, strlen(*variable));
  }
}

static void kill_all(const char *mark) {
  for (int look = 0; look < LOOKS; look++) {
    int found[256];
    int count = clinux_processes_with(mark, found, 256);
    for (int index = 0; index < count; index++) {
      kill(found[index], SIGKILL);
    }
    if (count == 0) {
      return;
    }
    const struct timespec pause = {0, PAUSE_NS};
    nanosleep(&pause, NULL);
  }
}

void clinux_guard_group(int group) {
  for (int index = 0; groups != NULL && index < GROUPS; index++) {
    int unused = 0;
    if (atomic_compare_exchange_strong(&groups[index], &unused, group)) {
      return;
    }
  }
}

void clinux_release_group(int group) {
  for (int index = 0; groups != NULL && index < GROUPS; index++) {
    int used = group;
    if (atomic_compare_exchange_strong(&groups[index], &used, 0)) {
      return;
    }
  }
}

static void kill_groups(void) {
  for (int index = 0; groups != NULL && index < GROUPS; index++) {
    int group = atomic_load(&groups[index]);
    if (group > 1) {
      kill(-group, SIGKILL);
    }
  }
}

/// Waits for the end of the parent, which closes the other end of the pipe.
static void watch(int end, const char *mark) {
  // Not in the parent's group, whose signals are meant for the parent.
  setsid();
  // Other processes wait for the ends of the parent's files.
  if (end != 0) {
    dup2(end, 0);
  }
  if (syscall(SYS_close_range, 1, ~0u, 0) != 0) {
    for (int file = 1; file < 1024; file++) {
      close(file);
    }
  }
  prctl(PR_SET_NAME, "perfkit-guard");
  hide_environment();
  for (int signal = 1; signal < 32; signal++) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(signal, &ignore, NULL);
  }
  char byte;
  while (read(0, &byte, 1) < 0 && errno == EINTR) {
  }
  kill_groups();
  kill_all(mark);
  _exit(0);
}

int clinux_start_guard(const char *mark) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return -errno;
  }
  void *memory = mmap(NULL, GROUPS * sizeof *groups, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  groups = memory == MAP_FAILED ? NULL : memory;
  pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    watch(ends[0], mark);
  }
  close(ends[0]);
  if (child < 0) {
    int error = errno;
    close(ends[1]);
    return -error;
  }
  return ends[1];
}

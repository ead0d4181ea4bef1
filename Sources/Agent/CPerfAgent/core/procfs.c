#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "ticker.h"

/// The descriptor of /proc/self/task; -1 before it is opened.
static int tasks = -1;
/// They identify that file; the device is that of every file in /proc.
static dev_t proc_device;
static ino_t tasks_inode;

/// Returns whether a descriptor still refers to the agent's file. A program may have closed every
/// descriptor that it does not know and reuse their numbers.
static bool is_still(int file, ino_t inode) {
  struct stat status;
  return fstat(file, &status) == 0 && status.st_dev == proc_device && status.st_ino == inode;
}

/// Moves a descriptor in the program's table to a high number: a program expects small numbers for
/// the files that it opens.
///
/// The first such number makes the kernel grow the process's table. That is cheap while there is
/// one thread; later it waits for a grace period of 10 ms or more.
static int move_high(int file) {
  struct rlimit limit;
  if (file < 0 || atomic_load(&perf_agent.is_ticker_apart) ||
      getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return file;
  }
  rlim_t base = limit.rlim_cur / 2 < 1024 ? limit.rlim_cur / 2 : 1024;
  int moved = fcntl(file, F_DUPFD_CLOEXEC, (int)base);
  if (moved < 0) {
    return file;
  }
  close(file);
  return moved;
}

static int tasks_directory(void) {
  if (tasks >= 0 && is_still(tasks, tasks_inode)) {
    return tasks;
  }
  tasks = move_high(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (tasks >= 0 && fstat(tasks, &status) == 0) {
    proc_device = status.st_dev;
    tasks_inode = status.st_ino;
  }
  return tasks;
}

void perf_agent_procfs_close(struct perf_agent_thread *thread) {
  if (thread->syscall_file >= 0 && is_still(thread->syscall_file, (ino_t)thread->syscall_inode)) {
    close(thread->syscall_file);
  }
  thread->syscall_file = -1;
}

void perf_agent_procfs_forget(void) {
  for (uint32_t index = 0; index < perf_agent_thread_count(); index++) {
    int state;
    perf_agent_procfs_close(perf_agent_thread_at(index, &state));
  }
  if (tasks >= 0 && is_still(tasks, tasks_inode)) {
    close(tasks);
  }
  tasks = -1;
}

static int open_task_file(uint32_t tid, const char *name) {
  char path[48];
  snprintf(path, sizeof path, "%u/%s", tid, name);
  int directory = tasks_directory();
  return directory < 0 ? -1 : openat(directory, path, O_RDONLY | O_CLOEXEC);
}

/// Reads a thread's place from "NUMBER ARGUMENT... SP PC", or from "-1 SP PC" outside of system
/// calls, e.g. in a page fault.
static bool parse_place(const char *text, struct perf_agent_place *place) {
  char *end;
  place->system_call = (int32_t)strtol(text, &end, 10);
  if (end == text) {
    return false;
  }
  uint64_t last[2] = {0, 0};
  for (const char *at = end; *at == ' '; at = end) {
    last[0] = last[1];
    last[1] = strtoull(at, &end, 16);
    if (end == at) {
      return false;
    }
  }
  place->stack_pointer = last[0];
  place->program_counter = last[1];
  return last[0] != 0 && last[1] != 0;
}

/// Opens the file with a thread's state, and keeps it.
///
/// A process that has changed its user, or may not be dumped, cannot read TID/syscall even of its
/// own threads, but can read TID/stat. Some kernels have no TID/syscall.
static void open_state(struct perf_agent_thread *thread) {
  int file = open_task_file(thread->tid, "syscall");
  thread->reads_state = file < 0 && (errno == EACCES || errno == ENOENT);
  if (thread->reads_state) {
    file = open_task_file(thread->tid, "stat");
  }
  if (file < 0 && (errno == EMFILE || errno == ENFILE)) {
    perf_agent_count(&perf_agent.segment->audit.states_unread);
  }
  thread->syscall_file = move_high(file);
  struct stat status;
  if (thread->syscall_file >= 0 && fstat(thread->syscall_file, &status) == 0) {
    thread->syscall_inode = status.st_ino;
  }
}

/// Returns the state in "TID (NAME) STATE ..."; 0 if there is none. A name may contain brackets.
static char task_state(const char *text) {
  const char *name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

/// Reads a thread's state out of the text of its file.
static enum perf_agent_run_state read_state(const struct perf_agent_thread *thread,
                                            const char *text, struct perf_agent_place *place) {
  // R: on a CPU, or waiting for one.
  if (thread->reads_state) {
    return task_state(text) == 'R' ? PERF_AGENT_RUNNING : PERF_AGENT_NOT_RUNNING;
  }
  if (strncmp(text, "running", 7) == 0) {
    return PERF_AGENT_RUNNING;
  }
  return parse_place(text, place) ? PERF_AGENT_WAITING : PERF_AGENT_NOT_RUNNING;
}

enum perf_agent_run_state perf_agent_run_state(struct perf_agent_thread *thread,
                                               struct perf_agent_place *place) {
  // A number, six arguments and two addresses of at most 19 characters each.
  char text[192];
  ssize_t bytes = -1;
  if (thread->syscall_file >= 0) {
    bytes = pread(thread->syscall_file, text, sizeof text - 1, 0);
    // The program has closed the descriptor, and may have reused its number.
    if (bytes < 0 && errno != ESRCH) {
      thread->syscall_file = -1;
    }
  }
  if (thread->syscall_file < 0) {
    open_state(thread);
    if (thread->syscall_file >= 0) {
      bytes = pread(thread->syscall_file, text, sizeof text - 1, 0);
    }
  }
  if (bytes < 0) {
    return errno == ESRCH || errno == ENOENT ? PERF_AGENT_GONE : PERF_AGENT_NOT_RUNNING;
  }
  text[bytes] = 0;
  enum perf_agent_run_state state = read_state(thread, text, place);
  // Text that is not understood may come from a file of the program, which has the number now.
  if (state == PERF_AGENT_NOT_RUNNING &&
      !is_still(thread->syscall_file, (ino_t)thread->syscall_inode)) {
    thread->syscall_file = -1;
  }
  return state;
}

static ssize_t read_task_file(uint32_t tid, const char *name, char *text, size_t most) {
  int file = open_task_file(tid, name);
  if (file < 0) {
    return -1;
  }
  ssize_t bytes = read(file, text, most);
  close(file);
  return bytes;
}

void perf_agent_thread_name(uint32_t tid, char name[16]) {
  memset(name, 0, 16);
  ssize_t bytes = read_task_file(tid, "comm", name, 16);
  if (bytes > 0 && name[bytes - 1] == '\n') {
    name[bytes - 1] = 0;
  }
}

/// Reads a line such as "SigBlk:\t0000000000000000". Returns false if there is none.
static bool mask_has(const char *status, const char *key, int signal, bool *has) {
  const char *line = strstr(status, key);
  if (!line) {
    return false;
  }
  *has = strtoull(line + strlen(key), NULL, 16) >> (signal - 1) & 1;
  return true;
}

bool perf_agent_signal_masks(uint32_t tid, int signal, bool *blocked, bool *pending) {
  // The user's groups precede the masks; a thousand of them take 6 KB.
  char status[16384];
  ssize_t bytes = read_task_file(tid, "status", status, sizeof status - 1);
  if (bytes <= 0) {
    return false;
  }
  status[bytes] = 0;
  return mask_has(status, "\nSigBlk:\t", signal, blocked) &&
         mask_has(status, "\nSigPnd:\t", signal, pending);
}

uint32_t perf_agent_task_count(void) {
  struct stat status;
  // One link for each thread, besides "." and "..".
  if (fstat(tasks_directory(), &status) != 0 || status.st_nlink < 2) {
    return 0;
  }
  return (uint32_t)status.st_nlink - 2;
}

bool perf_agent_is_initial_gone(void) {
  char text[128];
  ssize_t bytes = read_task_file(perf_agent.segment->agent_pid, "stat", text, sizeof text - 1);
  if (bytes <= 0) {
    return false;
  }
  text[bytes] = 0;
  return task_state(text) == 'Z';
}

/// The kernel's struct linux_dirent64.
struct directory_entry {
  uint64_t inode;
  int64_t offset;
  uint16_t bytes;
  uint8_t type;
  char name[];
};

void perf_agent_for_each_task(void (*body)(uint32_t tid)) {
  int directory = tasks_directory();
  if (lseek(directory, 0, SEEK_SET) != 0) {
    return;
  }
  _Alignas(8) char buffer[4096];
  // Not readdir, which locks and allocates.
  long bytes;
  while ((bytes = PERF_AGENT_CALL(SYS_getdents64, directory, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < bytes;) {
      const struct directory_entry *entry = (const void *)(buffer + at);
      at += entry->bytes;
      uint32_t tid = (uint32_t)strtoul(entry->name, NULL, 10);
      if (tid != 0) {
        body(tid);
      }
    }
  }
}

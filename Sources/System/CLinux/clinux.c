#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

int clinux_memory_file(const char *name) {
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return descriptor < 0 ? -errno : descriptor;
}

int clinux_seal_size(int descriptor) {
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  return fcntl(descriptor, F_ADD_SEALS, seals) == 0 ? 0 : -errno;
}

void clinux_limit_process(int process, unsigned long bytes, unsigned long seconds) {
  struct rlimit size = {bytes, bytes}, time = {seconds, seconds};
  (void)prlimit(process, RLIMIT_AS, &size, NULL);
  (void)prlimit(process, RLIMIT_FSIZE, &size, NULL);
  (void)prlimit(process, RLIMIT_CPU, &time, NULL);
}

int clinux_process_descriptor(int process) {
  // The number is the same on all architectures; the kernel sets close-on-exec.
  long descriptor = syscall(SYS_pidfd_open, process, 0);
  return descriptor < 0 ? -errno : (int)descriptor;
}

int clinux_spawn_in(posix_spawn_file_actions_t *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int clinux_has_capabilities(const char *path) {
  return getxattr(path, "security.capability", NULL, 0) > 0;
}

void clinux_name_thread(const char *name) {
  pthread_setname_np(pthread_self(), name);
}

int clinux_punch_hole(int descriptor, long offset, long bytes) {
  int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  return fallocate(descriptor, mode, offset, bytes) == 0 ? 0 : -errno;
}

void clinux_trim_heaps(void) {
  malloc_trim(0);
}

void clinux_map_blocks_from(int bytes) {
  mallopt(M_MMAP_THRESHOLD, bytes);
}

int clinux_allowed_cpus(void) {
  // 8,192 CPUs, the largest number that Linux supports: it refuses a smaller set than its own.
  cpu_set_t allowed[8192 / CPU_SETSIZE];
  if (sched_getaffinity(0, sizeof allowed, allowed) != 0) {
    return -errno;
  }
  return CPU_COUNT_S(sizeof allowed, allowed);
}

int clinux_be_batch(void) {
  struct sched_param none = {0};
  return sched_setscheduler(0, SCHED_BATCH, &none) == 0 ? 0 : -errno;
}

/// Returns the CPU on which a process's first thread runs or waits to run; -1 if it does neither.
static int cpu_of(int process) {
  char path[48], text[1024];
  snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return -1;
  }
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = 0;
  // After the name, which may contain brackets, the state is field 3 and the CPU field 39.
  const char *field = strrchr(text, ')');
  if (!field || strncmp(field, ") R", 3) != 0) {
    return -1;
  }
  for (int number = 2; field && number < 39; number++) {
    field = strchr(field + 1, ' ');
  }
  return field ? atoi(field + 1) : -1;
}

bool clinux_step_aside(int process) {
  int cpu = cpu_of(process);
  cpu_set_t allowed;
  if (cpu < 0 || cpu != sched_getcpu() || sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return false;
  }
  cpu_set_t others = allowed;
  CPU_CLR(cpu, &others);
  // The kernel refuses an empty set, if there is no other CPU.
  if (sched_setaffinity(0, sizeof others, &others) != 0) {
    return false;
  }
  // The thread has moved; from now on the kernel may choose its CPU again.
  sched_setaffinity(0, sizeof allowed, &allowed);
  return true;
}

unsigned clinux_thread_number(void) {
  static atomic_uint asked;
  static _Thread_local unsigned number;
  if (number == 0) {
    number = atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed) + 1;
  }
  return number - 1;
}

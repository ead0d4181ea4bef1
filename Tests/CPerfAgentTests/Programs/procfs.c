/// Programs that hide, close or inherit the files by which the ticker reads the states of threads.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

static void *burn_hidden(void *argument) {
  target_say("hidden.tid", (double)syscall(SYS_gettid));
  target_burn_sampled(100);
  return argument;
}

/// Starts a thread after the process has lost access to its own files in /proc.
int run_hidden(void) {
  target_start_sampling();
  target_burn(50);
  bool is_root = geteuid() == 0;
  if (is_root ? setgid(65534) != 0 || setuid(65534) != 0 : prctl(PR_SET_DUMPABLE, 0) != 0) {
    return 1;
  }
  int file = open("/proc/self/syscall", O_RDONLY);
  if (file >= 0 || errno != EACCES) {
    return 2;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, burn_hidden, NULL);
  pthread_join(thread, NULL);
  target_stop_sampling();
  return 0;
}

/// Closes all descriptors that the program does not know, and reuses their numbers for a file.
static int renumber(const char *path) {
  target_start_sampling();
  target_burn(50);
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
    return 1;
  }
  enum { MOST = 1100 };
  static bool is_own[MOST + 1];
  int file = open(path, O_RDONLY);
  for (int number = file; number >= 0 && number <= MOST; number = dup(file)) {
    is_own[number] = true;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, burn_hidden, NULL);
  pthread_join(thread, NULL);
  target_say("renumbered", 1);
  target_burn_sampled(50);
  // The ticker closes the file of an idle thread.
  for (unsigned round = 0; round < 10; round++) {
    target_rest();
  }
  target_stop_sampling();
  for (int number = 0; number <= MOST; number++) {
    if (is_own[number] && fcntl(number, F_GETFD) < 0) {
      return 2;
    }
  }
  return 0;
}

/// The file of the first cannot be read.
int run_renumbered(void) {
  return renumber("/");
}
int run_renumbered_file(void) {
  return renumber("/proc/self/exe");
}

static _Atomic bool has_rested;

static void *rest_and_burn(void *argument) {
  while (!has_rested) {
    target_rest();
    target_burn(1);
  }
  return argument;
}

/// Counts the calling process's descriptors of files in /proc/PID/task.
static int count_descriptors_of_tasks(void) {
  DIR *files = opendir("/proc/self/fd");
  int found = 0;
  for (struct dirent *entry; files && (entry = readdir(files));) {
    char path[300], target[300] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
    if (readlink(path, target, sizeof target - 1) > 0 && strncmp(target, "/proc/", 6) == 0 &&
        strstr(target, "/task")) {
      found++;
    }
  }
  if (files) {
    closedir(files);
  }
  return files ? found : -1;
}

/// Forks children while the ticker reads the states of idle threads.
int run_fork_descriptors(void) {
  pthread_t threads[4];
  target_start_sampling();
  for (unsigned index = 0; index < 4; index++) {
    pthread_create(&threads[index], NULL, rest_and_burn, NULL);
  }
  for (unsigned round = 0; round < 20; round++) {
    target_burn_sampled(10);
    pid_t child = fork();
    if (child == 0) {
      _exit(count_descriptors_of_tasks());
    }
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) {
      return 1;
    }
    // The ticker has a table of its own.
    if (count_descriptors_of_tasks() != 0) {
      return 2;
    }
  }
  has_rested = true;
  for (unsigned index = 0; index < 4; index++) {
    pthread_join(threads[index], NULL);
  }
  target_stop_sampling();
  return 0;
}

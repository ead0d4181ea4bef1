/// Programs that restrict their system calls, change their credentials or enter namespaces.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

/// Keeps the calling thread's capabilities while the process changes its user, and changes its
/// groups by them, as `setpriv` does.
int target_change_rights(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct rights[_LINUX_CAPABILITY_U32S_3];
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || setresuid(65534, 65534, 65534) != 0) {
    return 1;
  }
  if (syscall(SYS_capget, &header, rights) != 0) {
    return 2;
  }
  for (unsigned index = 0; index < _LINUX_CAPABILITY_U32S_3; index++) {
    rights[index].effective = rights[index].permitted;
  }
  if (syscall(SYS_capset, &header, rights) != 0) {
    return 3;
  }
  // The C library aborts if only some threads may do this.
  return setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 ? 4 : 0;
}

/// Changes its capabilities while it is sampled.
int run_capable(void) {
  target_start_sampling();
  target_burn_sampled(20);
  int code = target_change_rights();
  if (code != 0) {
    return code;
  }
  target_say("changed", 1);
  target_burn(20);
  target_stop_sampling();
  return 0;
}

static int is_confined_done;

/// Permits the thread to end and to return from signal handlers; any other system call kills the
/// program.
static void *confined(void *argument) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  bool is_filtered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  target_burn(100);
  __atomic_store_n(&is_confined_done, is_filtered ? 1 : -1, __ATOMIC_RELEASE);
  syscall(SYS_exit, 0);
  return argument;
}

/// Runs a thread that installs a filter of system calls for itself.
int run_confined(void) {
  pthread_t thread;
  target_start_sampling();
  target_burn_sampled(20);
  if (pthread_create(&thread, NULL, confined, NULL) != 0) {
    return 1;
  }
  int done;
  while (!(done = __atomic_load_n(&is_confined_done, __ATOMIC_ACQUIRE))) {
    sched_yield();
  }
  target_stop_sampling();
  return done == 1 ? 0 : 1;
}

/// Forbids in all threads the system calls that the sampler makes.
int target_refuse_calls(void) {
  static const unsigned refused[] = {
      SYS_rt_tgsigqueueinfo, SYS_openat, SYS_pread64, SYS_process_vm_readv, SYS_prctl,
      SYS_close_range,       SYS_socket};
  enum { COUNT = sizeof refused / sizeof *refused };
  struct sock_filter filter[COUNT + 3] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
  };
  for (unsigned index = 0; index < COUNT; index++) {
    filter[1 + index] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[index],
                                                     (unsigned char)(COUNT - index), 0);
  }
  filter[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = {COUNT + 3, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0;
}

static void *begin_under_filter(void *argument) {
  return argument;
}

/// Installs a filter for all threads while it is sampled.
int run_filtered(void) {
  target_start_sampling();
  target_burn_sampled(30);
  if (target_refuse_calls() != 0) {
    return 1;
  }
  target_burn(100);
  pthread_t thread;
  int result = pthread_create(&thread, NULL, begin_under_filter, NULL);
  if (result != 0 || pthread_join(thread, NULL) != 0) {
    return 2;
  }
  target_stop_sampling();
  return 0;
}

/// Asks whether the kernel supports filters for all threads, as libseccomp does when it begins.
int run_probed(void) {
  target_start_sampling();
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) != -1 ||
      errno != EFAULT) {
    return 1;
  }
  if (atomic_load(&target_segment()->audit.stopped)) {
    return 2;
  }
  target_burn_sampled(30);
  target_stop_sampling();
  return 0;
}

static void ignore_signal(int signal) {
  (void)signal;
}

/// Has the ticker killed while it sends a signal, by a filter that the agent does not see, and then
/// calls functions that wait for the end of the ticker's pass.
int run_killed_ticker(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  char *words[] = {"target", NULL};
  // Not the agent's function.
  void *library = dlopen("libc.so.6", RTLD_NOW);
  long (*call)(long, ...) = library ? (long (*)(long, ...))dlsym(library, "syscall") : NULL;
  target_start_sampling();
  target_burn_sampled(10);
  uint32_t ticker = target_find_ticker();
  if (!call || ticker == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return 1;
  }
  if (call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
    return 2;
  }
  while (syscall(SYS_tgkill, getpid(), ticker, 0) == 0) {
    target_burn(1);
  }
  if (execv("/nonexistent/program", words) != -1 || errno != ENOENT) {
    return 3;
  }
  if (signal(SIGPROF, ignore_signal) != SIG_DFL) {
    return 4;
  }
  return 0;
}

/// Enters namespaces that the kernel opens to processes with one thread only. Returns 0 or errno.
static int enter_namespaces(int way) {
  int file = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  long result = -1;
  switch (file < 0 ? -1 : way) {
    case 0: result = setns(file, CLONE_NEWNS); break;
    case 1: result = syscall(SYS_setns, file, CLONE_NEWNS); break;
    case 2: result = unshare(CLONE_NEWUSER); break;
    case 3: result = syscall(SYS_unshare, CLONE_NEWUSER); break;
    case 4: result = unshare(CLONE_NEWUSER | CLONE_NEWPID); break;
    default: break;
  }
  int code = result == 0 ? 0 : errno;
  close(file);
  return code;
}

/// Returns the result of the same call in a process with one thread.
static int enter_alone(int way) {
  pid_t child = fork();
  if (child == 0) {
    _exit(enter_namespaces(way));
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}

/// Enters a namespace in one of five ways, which is the program's second word.
int run_namespaces(void) {
  int way = atoi(target_word(2));
  target_start_sampling();
  target_burn_sampled(20);
  int expected = enter_alone(way);
  if (enter_namespaces(way) != expected) {
    return 1;
  }
  target_say("entered", expected == 0);
  target_burn(20);
  target_stop_sampling();
  return 0;
}

/// Makes a call that fails for any process.
int run_namespaces_refused(void) {
  target_start_sampling();
  target_burn_sampled(20);
  if (unshare(-1) != -1 || errno != EINVAL) {
    return 1;
  }
  target_stop_sampling();
  return 0;
}

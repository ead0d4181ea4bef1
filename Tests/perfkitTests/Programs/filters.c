/// Installs filters of system calls in several ways, and reports what happens.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(long n) {
  volatile long x = 0;
  while (n--) {
    x += n;
  }
}
// Work under a filter.
__attribute__((noinline)) static void work_filtered(long n) {
  work(n);
  __asm__ volatile("");
}
static void rest(long us) {
  const struct timespec pause = {0, us * 1000};
  nanosleep(&pause, NULL);
}
// What happens to a thread that makes one of two calls; for itself, or for all threads.
static int forbid(int one, int other, unsigned what, int for_all) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1), BPF_STMT(BPF_RET | BPF_K, what),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {5, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (for_all) {
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  }
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
static void say_end(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  printf("exit %d signal %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
         WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}
static void *behind(void *unused) {
  rest(60000);
  printf("behind\n");
  return unused;
}
static void *between(void *unused) {
  for (;;) {
    unshare(CLONE_NEWUSER);
    rest(300);
  }
  return unused;
}

int main(int count, char **words) {
  pid_t child;
  pthread_t thread;
  sigset_t profiling;
  const char *what = words[1];
  setvbuf(stdout, NULL, _IONBF, 0);
  // At least 60 million cycles, so that a ticker without a CPU takes a sample as well.
  work(60000000);
  if (strcmp(what, "forks") == 0) {
    // Its children have the filter as well, and no thread of theirs may make that call.
    forbid(SYS_socket, SYS_socket, SECCOMP_RET_KILL_PROCESS, 0);
    if ((child = fork()) == 0) {
      work_filtered(30000000);
      _exit(0);
    }
    say_end(child);
  } else if (strcmp(what, "leaves") == 0) {
    forbid(SYS_socket, SYS_socket, SECCOMP_RET_KILL_THREAD, 0);
    if ((child = fork()) == 0) {
      alarm(20);
      work_filtered(30000000);
      pthread_exit(NULL);
    }
    say_end(child);
  } else if (strcmp(what, "leaves later") == 0) {
    if ((child = fork()) == 0) {
      rest(20000);
      pthread_create(&thread, NULL, behind, NULL);
      forbid(SYS_process_vm_readv, SYS_rt_tgsigqueueinfo, SECCOMP_RET_KILL_PROCESS, 0);
      pthread_exit(NULL);
    }
    say_end(child);
  } else if (strcmp(what, "enters") == 0) {
    forbid(SYS_process_vm_readv, SYS_rt_tgsigqueueinfo, SECCOMP_RET_KILL_PROCESS, 0);
    printf("entered %d\n", unshare(CLONE_NEWUSER));
    work_filtered(60000000);
  } else if (strcmp(what, "forks between") == 0) {
    // Another thread makes calls for which the sampler's thread is ended and begun.
    pthread_create(&thread, NULL, between, NULL);
    rest(5000);
    for (int round = 0; round < 30; round++) {
      rest(777);
      if ((child = fork()) == 0) {
        alarm(20);
        forbid(SYS_socket, SYS_socket, SECCOMP_RET_ALLOW, 1);
        _exit(0);
      }
      say_end(child);
    }
  } else if (count == 2) {
    // A signal of ours is on its way as the filter comes, and would kill the next program.
    sigemptyset(&profiling);
    sigaddset(&profiling, SIGPROF);
    sigprocmask(SIG_BLOCK, &profiling, NULL);
    work(60000000);
    forbid(SYS_rt_sigtimedwait, SYS_socket, SECCOMP_RET_KILL_PROCESS, 1);
    execl("/proc/self/exe", words[0], what, "again", NULL);
  } else {
    sigemptyset(&profiling);
    sigaddset(&profiling, SIGPROF);
    sigprocmask(SIG_UNBLOCK, &profiling, NULL);
  }
  printf("done\n");
  return 0;
}

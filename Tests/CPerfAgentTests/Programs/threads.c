/// Threads of all kinds.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "target.h"

/// arm64 has no poll of its own.
#if defined(SYS_poll)
static const long poll_number = SYS_poll;
#else
static const long poll_number = SYS_ppoll;
#endif

static _Atomic unsigned interruptions;
static int wake_pipe[2];
static pthread_barrier_t barrier;

static uint32_t idle_tids[16];

static void *idle(void *argument) {
  *(uint32_t *)argument = (uint32_t)syscall(SYS_gettid);
  pthread_barrier_wait(&barrier);
  struct pollfd request = {wake_pipe[0], POLLIN, 0};
  // poll is never restarted: a signal would show as EINTR.
  while (poll(&request, 1, -1) < 0)
    if (errno == EINTR) atomic_fetch_add(&interruptions, 1);
  return NULL;
}

/// Returns when a thread has come to rest in poll.
static void await_poll(uint32_t tid) {
  char path[64], text[16];
  snprintf(path, sizeof path, "/proc/self/task/%u/syscall", tid);
  for (long number = -1; number != SYS_ppoll && number != poll_number; sched_yield()) {
    int file = open(path, O_RDONLY);
    ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    // "running", or the number of the system call.
    number = bytes > 0 && text[0] != 'r' ? strtol(text, NULL, 10) : -1;
  }
}

/// One busy thread among 16 that wait.
int run_idle(void) {
  pthread_t threads[16];
  if (pipe(wake_pipe) != 0) return 1;
  pthread_barrier_init(&barrier, NULL, 17);
  for (unsigned index = 0; index < 16; index++)
    pthread_create(&threads[index], NULL, idle, &idle_tids[index]);
  pthread_barrier_wait(&barrier);
  // One that is still on its way there runs, and would rightly be signalled.
  for (unsigned index = 0; index < 16; index++) await_poll(idle_tids[index]);
  target_start_sampling();
  target_burn_sampled(300);
  target_stop_sampling();
  target_say("interruptions", atomic_load(&interruptions));
  if (write(wake_pipe[1], "x", 1) != 1) return 1;
  for (unsigned index = 0; index < 16; index++) pthread_join(threads[index], NULL);
  return 0;
}

static void *short_lived(void *argument) {
  target_say("alive", (double)(uintptr_t)argument);
  target_burn(1);
  return argument;
}

/// A thousand threads, four at a time, whose rings are drained meanwhile.
int run_churn(void) {
  target_start_sampling();
  for (uintptr_t round = 0; round < 250; round++) {
    pthread_t threads[4];
    for (unsigned index = 0; index < 4; index++)
      pthread_create(&threads[index], NULL, short_lived, (void *)round);
    for (unsigned index = 0; index < 4; index++) {
      void *result;
      pthread_join(threads[index], &result);
      if (result != (void *)round) return 1;
    }
    target_drain();
  }
  target_stop_sampling();
  target_drain();
  return 0;
}

static void *say_tid(void *argument) {
  target_say("tid", (double)syscall(SYS_gettid));
  return argument;
}

/// Two thousand threads that leave one mark each, while somebody else drains them.
int run_tids(void) {
  target_start_sampling();
  // Ring 0, with what there is to say of threads.
  struct perfkit_segment *segment = target_segment();
  struct perfkit_ring *common = (void *)((char *)segment + segment->rings_offset);
  for (unsigned round = 0; round < 500; round++) {
    pthread_t threads[4];
    for (unsigned index = 0; index < 4; index++)
      pthread_create(&threads[index], NULL, say_tid, NULL);
    for (unsigned index = 0; index < 4; index++) pthread_join(threads[index], NULL);
    // Who drains may be slower than threads are born.
    while (atomic_load(&common->marks.head) - atomic_load(&common->marks.tail) > 16384) sched_yield();
  }
  target_stop_sampling();
  return 0;
}

static int say_c11_tid(void *argument) {
  target_say("tid", (double)syscall(SYS_gettid));
  return *(int *)argument;
}

/// Whether a thread has left a ring that nobody has drained yet.
static bool has_closed_ring(void) {
  struct perfkit_segment *segment = target_segment();
  for (uint32_t index = 1; index < segment->ring_count; index++) {
    struct perfkit_ring *ring =
        (void *)((char *)segment + segment->rings_offset + index * segment->ring_bytes);
    if (atomic_load(&ring->state) == PERFKIT_RING_CLOSED) return true;
  }
  return false;
}

/// Threads of ISO C, one after the other, each of which leaves a mark and a number of its own.
int run_c11(void) {
  target_start_sampling();
  for (int round = -10; round < 10; round++) {
    thrd_t thread;
    int result;
    if (thrd_create(&thread, say_c11_tid, &round) != thrd_success) return 1;
    if (thrd_join(thread, &result) != thrd_success || result != round) return 1;
    // There are few rings.
    while (has_closed_ring()) sched_yield();
  }
  target_stop_sampling();
  return 0;
}

static void *vanish(void *argument) {
  target_say("vanishing", (double)syscall(SYS_gettid));
  syscall(SYS_exit, 0);
  return argument;
}

/// Threads that end by a system call of their own, before any destructor.
int run_vanished(void) {
  target_start_sampling();
  for (unsigned index = 0; index < 3; index++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, vanish, NULL) != 0) return 1;
    pthread_join(thread, NULL);
  }
  // Whole passes of the ticker, the first of which may still meet the last of them on its way out.
  struct perfkit_audit *audit = &target_segment()->audit;
  uint64_t before = atomic_load(&audit->ticks);
  while (atomic_load(&audit->ticks) < before + 20) sched_yield();
  target_stop_sampling();
  return 0;
}

static void *blocking(void *argument) {
  (void)argument;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  target_say("blocking.tid", (double)syscall(SYS_gettid));
  // It gets one signal if it blocks that, and many if it only believes to.
  struct perfkit_audit *audit = &target_segment()->audit;
  uint64_t enough = atomic_load(&audit->signals_sent) + 100, began = target_now();
  while (target_lacks_signals(enough, began) && !atomic_load(&audit->threads_blocking)) target_burn(1);
  return NULL;
}

int run_blocked(void) {
  target_start_sampling();
  pthread_t thread;
  pthread_create(&thread, NULL, blocking, NULL);
  pthread_join(thread, NULL);
  target_stop_sampling();
  return 0;
}

/// The same of a user in a thousand groups, which stand before the masks in /proc and take 6 KB there.
int run_blocked_grouped(void) {
  enum { COUNT = 1000 };
  static gid_t groups[COUNT];
  for (unsigned index = 0; index < COUNT; index++) groups[index] = 20000 + index;
  return setgroups(COUNT, groups) != 0 ? 1 : run_blocked();
}

static void rest_a_moment(void) {
  const struct timespec moment = {0, 1000000};
  nanosleep(&moment, NULL);
}

static void *burn_hidden(void *argument) {
  target_say("hidden.tid", (double)syscall(SYS_gettid));
  target_burn_sampled(100);
  return argument;
}

/// A process that may not look into its own files of /proc any more; a thread that begins then.
int run_hidden(void) {
  target_start_sampling();
  target_burn(50);
  bool is_root = geteuid() == 0;
  if (is_root ? setgid(65534) != 0 || setuid(65534) != 0 : prctl(PR_SET_DUMPABLE, 0) != 0) return 1;
  int file = open("/proc/self/syscall", O_RDONLY);
  if (file >= 0 || errno != EACCES) return 2;
  pthread_t thread;
  pthread_create(&thread, NULL, burn_hidden, NULL);
  pthread_join(thread, NULL);
  target_stop_sampling();
  return 0;
}

/// Keeps capabilities for its own thread when its process changes its user, and changes its groups by
/// them. As `setpriv` does.
static int change_rights(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct rights[_LINUX_CAPABILITY_U32S_3];
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || setresuid(65534, 65534, 65534) != 0) return 1;
  if (syscall(SYS_capget, &header, rights) != 0) return 2;
  for (unsigned index = 0; index < _LINUX_CAPABILITY_U32S_3; index++)
    rights[index].effective = rights[index].permitted;
  if (syscall(SYS_capset, &header, rights) != 0) return 3;
  // Where one thread may and another may not, the C library aborts.
  return setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 ? 4 : 0;
}

/// A program that changes its rights while it is sampled.
int run_capable(void) {
  target_start_sampling();
  target_burn(50);
  int code = change_rights();
  if (code != 0) return code;
  target_say("changed", 1);
  target_burn_sampled(50);
  target_stop_sampling();
  return 0;
}

/// Does something in a child at once, and goes on for longer than it takes to be followed. Returns the
/// child's wait status.
static int do_in_child(int (*act)(void)) {
  pid_t child = fork();
  if (child == 0) {
    int code = act();
    usleep(50000);
    _exit(code);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int run_capable_child(void) { return do_in_child(change_rights) != 0; }

/// A process that closes all descriptors that it does not know, and takes their numbers for a file.
static int renumber(const char *path) {
  target_start_sampling();
  target_burn(50);
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) return 1;
  enum { MOST = 1100 };
  static bool is_own[MOST + 1];
  int file = open(path, O_RDONLY);
  for (int number = file; number >= 0 && number <= MOST; number = dup(file)) is_own[number] = true;
  pthread_t thread;
  pthread_create(&thread, NULL, burn_hidden, NULL);
  pthread_join(thread, NULL);
  target_say("renumbered", 1);
  target_burn_sampled(50);
  // One that rests has its file closed by the ticker.
  for (unsigned round = 0; round < 10; round++) rest_a_moment();
  target_stop_sampling();
  for (int number = 0; number <= MOST; number++)
    if (is_own[number] && fcntl(number, F_GETFD) < 0) return 2;
  return 0;
}

/// One that cannot be read, and one that can.
int run_renumbered(void) { return renumber("/"); }
int run_renumbered_file(void) { return renumber("/proc/self/exe"); }

static int stranger(void *argument) {
  (void)argument;
  // Its parent, which waits for it, gets some of them.
  target_burn_sampled(300);
  return 0;
}

/// A thread that no pthread_create has made.
int run_strangers(void) {
  size_t bytes = 256 * 1024;
  char *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // The thread needs thread-local storage of its own.
  char *storage = calloc(1, 64 * 1024);
  if (stack == MAP_FAILED || !storage) return 1;
  char *block = storage + 32 * 1024;
  *(void **)block = block;
  pid_t tid = 0;
  target_start_sampling();
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
              CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  if (clone(stranger, stack + bytes, flags, NULL, &tid, block, &tid) < 0) return 1;
  target_say("stranger.tid", tid);
  while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE) != 0) sched_yield();
  target_stop_sampling();
  return 0;
}

static int is_confined_done;

/// May end, and return from signal handlers: with any other call the kernel kills the program.
///
/// Not by the strict mode of old, which takes the clock away from a thread as well.
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

/// A thread under seccomp that the sampler meets at work.
int run_confined(void) {
  pthread_t thread;
  target_start_sampling();
  if (pthread_create(&thread, NULL, confined, NULL) != 0) return 1;
  int done;
  while (!(done = __atomic_load_n(&is_confined_done, __ATOMIC_ACQUIRE))) sched_yield();
  target_stop_sampling();
  return done == 1 ? 0 : 1;
}

/// Allows itself none of the calls that the sampler makes, in all of its threads.
static int refuse_calls(void) {
  static const unsigned refused[] = {SYS_rt_tgsigqueueinfo, SYS_openat, SYS_pread64,
                                     SYS_process_vm_readv, SYS_prctl, SYS_close_range, SYS_socket};
  enum { COUNT = sizeof refused / sizeof *refused };
  struct sock_filter filter[COUNT + 3] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
  };
  for (unsigned index = 0; index < COUNT; index++)
    filter[1 + index] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[index],
                                                     (unsigned char)(COUNT - index), 0);
  filter[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = {COUNT + 3, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0;
}

/// A program that filters its calls while it is sampled.
int run_filtered(void) {
  target_start_sampling();
  target_burn_sampled(30);
  if (refuse_calls() != 0) return 1;
  target_burn(100);
  target_stop_sampling();
  return 0;
}

int run_filtered_child(void) { return do_in_child(refuse_calls) != 0; }

/// Asks whether there are filters for all threads, as libseccomp does when it begins.
int run_probed(void) {
  target_start_sampling();
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) != -1 ||
      errno != EFAULT)
    return 1;
  if (atomic_load(&target_segment()->audit.filtered)) return 2;
  target_burn_sampled(30);
  target_stop_sampling();
  return 0;
}

static uint32_t find_ticker(void);

static void ignore_signal(int signal) { (void)signal; }

/// Has the ticker killed while it sends a signal, by a filter that is set in a way that nobody sees, and
/// then does what waits for the end of a pass.
int run_killed_ticker(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_tgsigqueueinfo, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  char *words[] = {"nobody", NULL};
  // The C library's own.
  void *library = dlopen("libc.so.6", RTLD_NOW);
  long (*call)(long, ...) = library ? (long (*)(long, ...))dlsym(library, "syscall") : NULL;
  target_start_sampling();
  target_burn_sampled(10);
  uint32_t ticker = find_ticker();
  if (!call || ticker == 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 1;
  if (call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) return 2;
  while (syscall(SYS_tgkill, getpid(), ticker, 0) == 0) target_burn(1);
  if (execv("/nonexistent/program", words) != -1 || errno != ENOENT) return 3;
  if (signal(SIGPROF, ignore_signal) != SIG_DFL) return 4;
  return 0;
}

/// Enters namespaces in ways that the kernel has for processes with one thread. Returns 0 or errno.
static int enter_namespaces(int way) {
  int file = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  long result = file < 0                   ? -1
                : way == 0                 ? setns(file, CLONE_NEWNS)
                : way == 1                 ? syscall(SYS_setns, file, CLONE_NEWNS)
                : way == 2                 ? unshare(CLONE_NEWUSER)
                : way == 3                 ? syscall(SYS_unshare, CLONE_NEWUSER)
                : way == 4                 ? unshare(CLONE_NEWUSER | CLONE_NEWPID)
                                           : unshare(-1);
  int code = result == 0 ? 0 : errno;
  close(file);
  return code;
}

/// What the kernel says to a process with one thread alone.
static int enter_alone(int way) {
  pid_t child = fork();
  if (child == 0) _exit(enter_namespaces(way));
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1;
}

int run_namespaces(void) {
  target_start_sampling();
  for (int way = 0; way < 4; way++) {
    target_burn_sampled(10);
    int expected = enter_alone(way);
    if (enter_namespaces(way) != expected) return 1 + way;
  }
  if (enter_namespaces(5) != EINVAL) return 6;
  target_say("entered", 1);
  target_burn_sampled(50);
  target_stop_sampling();
  return 0;
}

/// Has its children be in another namespace of processes, and so can have no other thread.
int run_other_processes(void) {
  target_start_sampling();
  target_burn_sampled(30);
  int expected = enter_alone(4);
  if (enter_namespaces(4) != expected) return 1;
  target_say("other", expected == 0);
  target_burn(50);
  if (expected != 0) target_stop_sampling();
  return 0;
}

/// More threads than can be known, all of which wait.
int run_multitude(void) {
  enum { COUNT = 1100 };
  static pthread_t threads[COUNT];
  static uint32_t tids[COUNT];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  if (pipe(wake_pipe) != 0) return 1;
  pthread_barrier_init(&barrier, NULL, COUNT + 1);
  for (unsigned index = 0; index < COUNT; index++)
    if (pthread_create(&threads[index], &attributes, idle, &tids[index]) != 0) return 1;
  pthread_barrier_wait(&barrier);
  for (unsigned index = 0; index < COUNT; index++) await_poll(tids[index]);
  target_start_sampling();
  // Some hundred scans.
  _Atomic uint64_t *ticks = &target_segment()->audit.ticks;
  for (uint64_t enough = atomic_load(ticks) + 500; atomic_load(ticks) < enough;) target_burn(1);
  if (write(wake_pipe[1], "x", 1) != 1) return 1;
  for (unsigned index = 0; index < COUNT; index++) pthread_join(threads[index], NULL);
  target_stop_sampling();
  return 0;
}

static _Atomic bool has_rested;

static void *rest_and_burn(void *argument) {
  while (!has_rested) {
    rest_a_moment();
    target_burn(1);
  }
  return argument;
}

/// How many of the calling process's descriptors are of what /proc says of threads.
static int count_descriptors_of_tasks(void) {
  DIR *files = opendir("/proc/self/fd");
  int found = 0;
  for (struct dirent *entry; files && (entry = readdir(files));) {
    char path[300], target[300] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
    if (readlink(path, target, sizeof target - 1) > 0 && strncmp(target, "/proc/", 6) == 0 &&
        strstr(target, "/task"))
      found++;
  }
  if (files) closedir(files);
  return files ? found : -1;
}

/// Children of a process with threads that are looked at while they rest.
int run_fork_descriptors(void) {
  pthread_t threads[4];
  target_start_sampling();
  for (unsigned index = 0; index < 4; index++)
    pthread_create(&threads[index], NULL, rest_and_burn, NULL);
  for (unsigned round = 0; round < 20; round++) {
    target_burn_sampled(10);
    pid_t child = fork();
    if (child == 0) _exit(count_descriptors_of_tasks());
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  has_rested = true;
  for (unsigned index = 0; index < 4; index++) pthread_join(threads[index], NULL);
  target_stop_sampling();
  return 0;
}

static _Atomic uint32_t wanted_id;
static _Atomic int has_wanted_id;

static void *stay_with_id(void *argument) {
  bool is_wanted = (uint32_t)syscall(SYS_gettid) == wanted_id;
  has_wanted_id = is_wanted ? 1 : -1;
  while (is_wanted) pause();
  return argument;
}

static void give_up(int signal) { _exit(signal); }

/// Gives the id of the thread that would follow it to another one and changes its rights. In a namespace of
/// its own: what it does to the ids of the machine concerns nobody else.
static int change_rights_beside_id(void) {
  // The first one of a namespace is ended by a handler alone.
  signal(SIGALRM, give_up);
  alarm(60);
  if (getpid() != 1) return 1;
  wanted_id = 2;
  while (syscall(SYS_tgkill, getpid(), wanted_id, 0) == 0) sched_yield();
  int file = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  // A kernel that has no such file has nothing to test.
  if (file < 0) return 0;
  pthread_t thread;
  if (pwrite(file, "1", 1, 0) != 1) return 0;
  if (pthread_create(&thread, NULL, stay_with_id, NULL) != 0) return 2;
  while (has_wanted_id == 0) sched_yield();
  if (has_wanted_id != 1) return 3;
  return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || seteuid(0) != 0 ? 4 : 0;
}

int run_renamed_child(void) {
  if (unshare(CLONE_NEWPID) != 0) return 0;
  return do_in_child(change_rights_beside_id) != 0;
}

/// Changes its rights as a thread of real time on the CPU where the ticker is, and says how much of that
/// CPU it took. What the machine does not let it do it says by 77.
int run_real_time(void) {
  cpu_set_t all, one;
  const struct sched_param urgent = {.sched_priority = 1}, usual = {.sched_priority = 0};
  target_start_sampling();
  target_burn(20);
  uint32_t ticker = find_ticker();
  if (ticker == 0 || sched_getaffinity(0, sizeof all, &all) != 0) return 1;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0 ||
      sched_setaffinity((pid_t)ticker, sizeof one, &one) != 0)
    return 1;
  if (sched_setscheduler(0, SCHED_FIFO, &urgent) != 0) return 77;
  struct timespec began, ended;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || seteuid(0) != 0) return 2;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
  target_say("taken", (double)(ended.tv_sec - began.tv_sec) * 1e9 +
                          (double)(ended.tv_nsec - began.tv_nsec));
  if (sched_setscheduler(0, SCHED_OTHER, &usual) != 0) return 3;
  if (sched_setaffinity(0, sizeof all, &all) != 0) return 3;
  target_burn_sampled(20);
  target_stop_sampling();
  return 0;
}

static _Atomic int crowd_left;

static void *crowded(void *argument) {
  target_say("crowd", 1);
  // By its own clock: with a hundred others it waits for most of the time.
  struct timespec time;
  do {
    target_burn(1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  } while (time.tv_sec == 0 && time.tv_nsec < 8000000);
  atomic_fetch_sub(&crowd_left, 1);
  // None ends, and gives its ring back, before all have been busy.
  while (atomic_load(&crowd_left) > 0) rest_a_moment();
  return argument;
}

/// A hundred threads that are busy at once.
int run_crowd(void) {
  enum { THREADS = 100 };
  pthread_t threads[THREADS];
  crowd_left = THREADS;
  target_start_sampling();
  for (int index = 0; index < THREADS; index++)
    if (pthread_create(&threads[index], NULL, crowded, NULL) != 0) return 1;
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  target_stop_sampling();
  return 0;
}

/// A child that works and makes marks, none of which may be seen.
int run_fork(void) {
  target_start_sampling();
  pid_t child = fork();
  if (child == 0) {
    target_say("child", 1);
    target_burn(50);
    pthread_t thread;
    pthread_create(&thread, NULL, short_lived, NULL);
    pthread_join(thread, NULL);
    _exit(perf_mark_is_active() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  target_burn(100);
  target_stop_sampling();
  target_say("child.status", status);
  return 0;
}

/// What the kernel says of the calling thread: CPU time, time in which it waited for a CPU, and how often
/// it was given one.
struct turns {
  unsigned long long cpu, delay, count;
};

static struct turns own_turns(void) {
  char text[80] = {0};
  struct turns turns = {0};
  int file = open("/proc/thread-self/schedstat", O_RDONLY);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0 ||
      sscanf(text, "%llu %llu %llu", &turns.cpu, &turns.delay, &turns.count) != 3)
    abort();
  close(file);
  return turns;
}

/// The CPU that both busy threads have to share.
static int shared_cpu;

static void *share(void *argument) {
  const char *name = argument;
  pthread_setname_np(pthread_self(), name);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(shared_cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) abort();
  pthread_barrier_wait(&barrier);
  struct turns before = own_turns(), after;
  do {
    target_burn(1);
    after = own_turns();
  } while (after.cpu - before.cpu < 600000000);
  char text[32];
  snprintf(text, sizeof text, "%s.cpu", name);
  target_say(text, (double)(after.cpu - before.cpu));
  snprintf(text, sizeof text, "%s.delay", name);
  target_say(text, (double)(after.delay - before.delay));
  snprintf(text, sizeof text, "%s.turns", name);
  target_say(text, (double)(after.count - before.count));
  return NULL;
}

static void *be_blocked(void *argument) {
  pthread_setname_np(pthread_self(), "blocked");
  pthread_barrier_wait(&barrier);
  char byte;
  if (read(wake_pipe[0], &byte, 1) != 1) abort();
  return argument;
}

/// Two busy threads on one CPU, and a third that is blocked.
int run_shared_cpu(void) {
  static const char *const names[] = {"left", "right"};
  cpu_set_t all;
  if (pipe(wake_pipe) != 0 || sched_getaffinity(0, sizeof all, &all) != 0) return 1;
  for (shared_cpu = 0; !CPU_ISSET(shared_cpu, &all);) shared_cpu++;
  pthread_barrier_init(&barrier, NULL, 4);
  pthread_t threads[2], blocked;
  target_start_sampling();
  pthread_create(&blocked, NULL, be_blocked, NULL);
  for (int index = 0; index < 2; index++)
    pthread_create(&threads[index], NULL, share, (void *)names[index]);
  pthread_barrier_wait(&barrier);
  uint64_t began = target_now();
  for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
  target_say("blocked.wall", (double)(target_now() - began));
  if (write(wake_pipe[1], "x", 1) != 1) return 1;
  pthread_join(blocked, NULL);
  target_stop_sampling();
  return 0;
}

/// The CPU where the ticker is, or was last.
static int ticker_cpu(uint32_t ticker) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%u/stat", ticker);
  int file = open(path, O_RDONLY);
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = 0;
  // Behind the name, "perfkit-ticker", the state is field 3 and the CPU field 39 (proc(5)).
  char *field = strrchr(text, ')');
  for (int number = 2; field && number < 39; number++) field = strchr(field + 1, ' ');
  return field ? atoi(field + 1) : -1;
}

static uint32_t find_ticker(void) {
  DIR *tasks = opendir("/proc/self/task");
  uint32_t found = 0;
  for (struct dirent *entry; !found && (entry = readdir(tasks));) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    int file = open(path, O_RDONLY);
    if (read(file, name, sizeof name - 1) > 0 && strcmp(name, "perfkit-ticker\n") == 0)
      found = (uint32_t)atoi(entry->d_name);
    close(file);
  }
  closedir(tasks);
  return found;
}

/// Puts the ticker 20 times onto the CPU of the only busy thread, where it may but need not stay, and
/// says how often it went away within some 30 ms.
int run_met_ticker(void) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 1;
  target_say("cpus", CPU_COUNT(&all));
  target_start_sampling();
  uint32_t ticker = find_ticker();
  int here = sched_getcpu();
  CPU_ZERO(&one);
  CPU_SET(here, &one);
  if (ticker == 0 || sched_setaffinity(0, sizeof one, &one) != 0) return 1;
  unsigned gone = 0;
  for (unsigned turn = 0; turn < 20; turn++) {
    if (sched_setaffinity((pid_t)ticker, sizeof one, &one) != 0) return 1;
    target_burn(2);
    if (sched_setaffinity((pid_t)ticker, sizeof all, &all) != 0) return 1;
    unsigned left = 30;
    do target_burn(1);
    while (--left > 0 && ticker_cpu(ticker) == here);
    if (left > 0) gone++;
  }
  target_say("gone", gone);
  target_stop_sampling();
  return 0;
}

static _Atomic bool is_over;

/// Keeps the machine's ticker looking while others wait.
static void *burn_on(void *argument) {
  while (!is_over) target_burn(1);
  return argument;
}

__attribute__((noinline)) static void rest(int milliseconds) {
  struct pollfd request = {-1, POLLIN, 0};
  while (poll(&request, 1, milliseconds) < 0 && errno == EINTR) {
  }
}

__attribute__((noinline)) static void rest_between(int milliseconds) {
  volatile char room[100];
  rest(milliseconds);
  // Or the compiler leaves by a jump, and this function is not among the callers.
  room[milliseconds % 100] = 1;
  (void)room[0];
}

static pthread_barrier_t turn;

/// Where this thread's samples end in its ring; 0 while it has none.
static uint64_t own_samples(void) {
  struct perfkit_segment *segment = target_segment();
  uint32_t tid = (uint32_t)syscall(SYS_gettid);
  for (uint32_t index = 1; index < segment->ring_count; index++) {
    struct perfkit_ring *ring =
        (void *)((char *)segment + segment->rings_offset + index * segment->ring_bytes);
    if (atomic_load(&ring->tid) == tid) return atomic_load(&ring->samples.head);
  }
  return 0;
}

/// Some 20 ms, or until it is met: a machine that has little of its host may do that work between two ticks.
__attribute__((noinline)) static void burn_seldom(void) {
  uint64_t before = own_samples(), began = target_now();
  target_burn(20);
  while (own_samples() == before && target_lacks_signals(UINT64_MAX, began)) target_burn(1);
  __asm__ volatile("");
}

static void *seldom(void *unused) {
  for (unsigned round = 0; round < 8; round++) {
    pthread_barrier_wait(&turn);
    struct timespec began, ended;
    uint64_t ticks = atomic_load(&target_segment()->audit.ticks);
    target_say("begin", round);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    burn_seldom();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    target_say("ticks", (double)(atomic_load(&target_segment()->audit.ticks) - ticks));
    target_say("burst", (double)(ended.tv_sec - began.tv_sec) * 1e9 +
                            (double)(ended.tv_nsec - began.tv_nsec));
  }
  return unused;
}

/// A thread that waits for longer than a third of a second, works for some 20 ms, and waits again; what it
/// waits for is another one's work.
int run_seldom(void) {
  pthread_t thread;
  pthread_barrier_init(&turn, NULL, 2);
  pthread_create(&thread, NULL, seldom, NULL);
  target_start_sampling();
  for (unsigned round = 0; round < 8; round++) {
    uint64_t until = target_now() + 350000000;
    while (target_now() < until) target_burn(1);
    pthread_barrier_wait(&turn);
  }
  pthread_join(thread, NULL);
  target_stop_sampling();
  return 0;
}

/// Thirty rests of 10 ms in a phase, with a little work between them, beside a busy thread.
int run_rests(void) {
  uint32_t name = perf_mark_name("resting", 7);
  pthread_t busy;
  target_start_sampling();
  pthread_create(&busy, NULL, burn_on, NULL);
  uint64_t rested = 0;
  unsigned looked_at = 0;
  _Atomic uint64_t *ticks = &target_segment()->audit.ticks;
  for (unsigned round = 0; round < 30; round++) {
    uint64_t began = target_now(), ticks_before = atomic_load(ticks);
    uint32_t previous = perf_mark_phase_enter(name);
    rest_between(10);
    perf_mark_phase_exit(name, previous, began, target_now());
    rested += target_now() - began;
    looked_at += atomic_load(ticks) - ticks_before >= 5;
    target_burn(3);
  }
  target_say("rested", (double)rested);
  target_say("looked.at", looked_at);
  is_over = true;
  pthread_join(busy, NULL);
  target_stop_sampling();
  return 0;
}

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "interpose.h"

// A process that a sampled one has started asks the harness for a segment of its own, over a socket
// that PERFKIT_FOLLOW names: one that runs another program when that begins, one that goes on with
// the same program by a thread of ours, a moment after its fork. Most children do exec at once, and
// should not pay for both.

/// How long a child waits for a harness that does not answer.
#define PATIENCE_US 100000
/// How long a child may take to run another program before it is followed as it is.
#define FORK_NS 1000000

/// How long the thread of ours may take to end in a child that nobody follows.
#define END_NS 1000000000u

/// The socket's address, as it was when the program began; its length is 0 without one.
static struct sockaddr_un address;
static socklen_t address_bytes;

/// Whom the calling thread's stack belongs to in a child: it is the initial one there.
static struct {
  uint64_t stack_low, stack_high;
} forked;

static struct {
  pid_t (*fork)(void);
  int (*daemon)(int, int);
  pid_t (*forkpty)(int *, char *, const struct termios *, const struct winsize *);
} real;

void perf_agent_follow_prepare(void) {
  FIND_NEXT(real, fork);
  FIND_NEXT(real, daemon);
  FIND_NEXT(real, forkpty);
  const char *name = getenv(PERFKIT_ENV_FOLLOW);
  size_t bytes = name ? strlen(name) : 0;
  if (bytes == 0 || bytes >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  // An abstract one: its first byte is 0, and its length counts.
  memcpy(address.sun_path + 1, name, bytes);
  address_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
}

bool perf_agent_may_follow(void) {
  return address_bytes != 0 && !perf_agent.is_filtered && !atomic_load(&perf_agent.has_filters);
}

/// Takes the one descriptor out of a message; -1 when there is none.
static int descriptor_in(struct msghdr *message) {
  struct cmsghdr *control = CMSG_FIRSTHDR(message);
  if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS ||
      control->cmsg_len != CMSG_LEN(sizeof(int)))
    return -1;
  int file;
  memcpy(&file, CMSG_DATA(control), sizeof file);
  return file;
}

int perf_agent_follow_ask(void) {
  if (!perf_agent_may_follow()) return -1;
  int channel = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (channel < 0) return -1;
  const struct timeval patience = {0, PATIENCE_US};
  setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char byte;
  struct iovec contents = {&byte, 1};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  struct msghdr message = {
      .msg_iov = &contents, .msg_iovlen = 1, .msg_control = control,
      .msg_controllen = sizeof control};
  int file = -1;
  // Who asks the kernel says.
  if (connect(channel, (const struct sockaddr *)&address, address_bytes) == 0 &&
      recvmsg(channel, &message, MSG_CMSG_CLOEXEC) >= 0)
    file = descriptor_in(&message);
  close(channel);
  return file;
}

// MARK: - Forks

void perf_agent_follow_forget(void) {
  const struct perf_agent_thread *thread = perf_agent_local.thread;
  forked.stack_low = thread ? thread->stack_low : 0;
  forked.stack_high = thread ? thread->stack_high : 0;
}

/// Moves the calling thread into a table of descriptors of its own, which is empty: the program
/// expects certain numbers for its files, and that their other ends notice when it closes them.
static bool leave_descriptors(void) {
#if defined(SYS_close_range)
  const unsigned unshare = 2;  // CLOSE_RANGE_UNSHARE; glibc has it in <linux/close_range.h>.
  return syscall(SYS_close_range, 0u, ~0u, unshare) == 0;
#else
  return false;
#endif
}

/// The thread of ours in a child, and whether it has yet to find out if the child is followed.
static struct {
  _Atomic uint32_t tid;
  _Atomic bool is_undecided;
  uint64_t decided_ns;  ///< When it has. Written before.
  bool is_apart;  ///< It has files of its own, or will have.
} follower;

/// Becomes the sampler of a child. Returns false when nobody wants that.
static bool take_over(void) {
  if (!leave_descriptors()) return false;
  struct perfkit_segment *segment = perf_agent_map_followed();
  if (!segment) return false;
  atomic_store(perf_agent_is_own, true);
  atomic_store(&perf_agent.ticker_tid, atomic_load(&follower.tid));
  // Release: whoever sees the segment sees what is in it. The program's threads may look any time.
  __atomic_store_n(&perf_agent.segment, segment, __ATOMIC_RELEASE);
  struct perf_agent_thread *initial = perf_agent_thread_claim();
  perf_agent_thread_identify(initial, (uint32_t)getpid());
  initial->stack_low = forked.stack_low;
  initial->stack_high = forked.stack_high;
  // It learns by its first signal who it is.
  initial->is_foreign = true;
  perf_agent_thread_publish(initial);
  perf_agent_procfs_prepare();
  atomic_store_explicit(&segment->agent_version, PERFKIT_FORMAT_VERSION, memory_order_release);
  return true;
}

/// The thread of ours in a child that goes on with its parent's program.
static void *follow(void *unused) {
  atomic_store(&follower.tid, (uint32_t)syscall(SYS_gettid));
  const struct timespec while_it_may_exec = {0, FORK_NS};
  nanosleep(&while_it_may_exec, NULL);
  bool is_followed = take_over();
  follower.decided_ns = perf_agent_clock(CLOCK_MONOTONIC);
  atomic_store_explicit(&follower.is_undecided, false, memory_order_release);
  return is_followed ? perf_agent_ticker(unused) : NULL;
}

/// Whether the thread is there, or has yet to begin.
static bool is_follower_there(void) {
  uint32_t tid = atomic_load(&follower.tid);
  return tid == 0 || syscall(SYS_tgkill, getpid(), tid, 0) == 0;
}

void perf_agent_follow_settle(void) {
  if (!perf_agent_has_own_ticker()) return;
  // A filter from before the program may have killed it.
  while (atomic_load_explicit(&follower.is_undecided, memory_order_acquire) && is_follower_there())
    perf_agent_rest();
  if (perf_agent.segment) return;
  // It ends, by system calls of its own, and its id may be another thread's later.
  const uint64_t until = follower.decided_ns + END_NS;
  while (perf_agent_clock(CLOCK_MONOTONIC) < until && is_follower_there()) perf_agent_rest();
  perf_agent.has_ticker = false;
}

void perf_agent_follow_rejoin(void) {
  if (!follower.is_apart || !perf_agent_has_own_ticker()) return;
  if (perf_agent_tid() != (uint32_t)perf_agent.process || !perf_agent_ticker_retire()) return;
  follower.is_apart = false;
  // What was opened has gone with the thread; here the numbers are the program's.
  perf_agent_procfs_forget();
  perf_agent_ticker_resume();
}

/// Begins to follow a child, in the child, when all handlers of pthread_atfork have run: starting a
/// thread needs the heap, whose locks one of them may hold.
static void begin_to_follow(void) {
  if (!perf_agent_may_follow() || !perf_agent.may_have_threads) return;
  perf_agent.has_ticker = true;
  perf_agent.process = getpid();
  perf_agent_credentials_note();
  atomic_store(&follower.tid, 0);
  atomic_store(&follower.is_undecided, true);
  follower.decided_ns = 0;
  follower.is_apart = true;
  perf_agent_threads_mind_end();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (perf_agent_start_untracked(follow) != 0) perf_agent.has_ticker = false;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/// Calls the real function, which returns 0 in a child, and follows that.
#define FORK(name, words)                                   \
  do {                                                      \
    REQUIRE_NEXT(real, name, perf_agent_follow_prepare());  \
    int result = real.name words;                           \
    if (result == 0) begin_to_follow();                     \
    return result;                                          \
  } while (0)

INTERPOSED pid_t fork(void) { FORK(fork, ()); }

// glibc's own do not call that one, but one inside.

INTERPOSED int daemon(int keeps_folder, int keeps_streams) {
  FORK(daemon, (keeps_folder, keeps_streams));
}

INTERPOSED pid_t forkpty(int *terminal, char *name, const struct termios *settings,
                         const struct winsize *size) {
  FORK(forkpty, (terminal, name, settings, size));
}

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "interpose.h"

// Threads that block our signal cannot be sampled, and libdispatch's threads block every one but
// SIGPROF. So when it is another signal, it is let through: a thread that asks to block it is noted,
// blocks the others, and is told that it blocks them all. Whatever inherits the mask of a thread
// (another thread, a process, the next program) gets the one that the program has asked for.
//
// Where the system waits with a mask (sigsuspend, ppoll, epoll_pwait, ...) and in handlers that block
// signals while they run, ours is blocked as the program says: there is nothing to sample in the one
// and little in the other, and our signal would end the waiting.
//
// Everything but the functions that start processes is async-signal-safe.

typedef int (*mask_function)(int, const sigset_t *, sigset_t *);
typedef int (*spawn_function)(pid_t *restrict, const char *restrict,
                              const posix_spawn_file_actions_t *, const posix_spawnattr_t *restrict,
                              char *const[], char *const[]);

static struct {
  mask_function pthread_sigmask, sigprocmask;
  spawn_function posix_spawn, posix_spawnp;
  int (*system)(const char *);
  FILE *(*popen)(const char *, const char *);
} real;

void perf_agent_masks_prepare(void) {
  FIND_NEXT(real, pthread_sigmask);
  FIND_NEXT(real, sigprocmask);
  FIND_NEXT(real, posix_spawn);
  FIND_NEXT(real, posix_spawnp);
  FIND_NEXT(real, system);
  FIND_NEXT(real, popen);
}

/// Whether the functions are known: a library's constructor may come before ours.
static bool is_prepared(void) {
  if (!real.pthread_sigmask) perf_agent_masks_prepare();
  return real.pthread_sigmask && real.sigprocmask && real.posix_spawn && real.posix_spawnp &&
         real.system && real.popen;
}

// MARK: - What a thread has asked for

static bool lets_through(void) { return perf_agent.segment && perf_agent.lets_through; }

static bool has_signal(void) {
  return atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire) != 0;
}

/// Whether the calling thread has asked to block our signal and does not.
static volatile sig_atomic_t *asked(void) {
  struct perf_agent_local *local = &perf_agent_local;
  pid_t self = getpid();
  if (self == (pid_t)perf_agent.segment->agent_pid) {
    local->child = 0;
    return &local->asks_to_block;
  }
  // A child of vfork has its parent's memory, and a mask of its own.
  if (local->child != self) {
    local->child = self;
    local->child_asks_to_block = local->asks_to_block;
  }
  return &local->child_asks_to_block;
}

/// Changes whether the calling thread really blocks our signal; returns whether it did.
static bool really(int how) {
  // The kernel's signal sets are 64 bits on all architectures.
  uint64_t ours = UINT64_C(1) << (perf_agent.segment->signal - 1), before = 0;
  syscall(SYS_rt_sigprocmask, how, &ours, &before, sizeof before);
  return before & ours;
}

static bool really_blocks(void) {
  uint64_t mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
  return mask >> (perf_agent.segment->signal - 1) & 1;
}

void perf_agent_mask_begin(void) {
  if (!lets_through() || !has_signal() || !really_blocks()) return;
  // In this order: what is pending comes at once.
  perf_agent_local.asks_to_block = 1;
  atomic_signal_fence(memory_order_seq_cst);
  really(SIG_UNBLOCK);
}

bool perf_agent_mask_close(void) {
  if (!lets_through() || !*asked()) return false;
  really(SIG_BLOCK);
  return true;
}

void perf_agent_mask_open(bool was_closed) {
  if (was_closed) really(SIG_UNBLOCK);
}

bool perf_agent_mask_defer(const siginfo_t *information, void *context) {
  if (!lets_through() || !*asked()) return false;
  // It is blocked from the handler's end on, which is what the thread has asked for.
  *asked() = 0;
  int number = perf_agent.segment->signal;
  sigaddset(&((ucontext_t *)context)->uc_sigmask, number);
  siginfo_t again = *information;
  int saved_errno = errno;
  if (again.si_code == SI_TKILL)
    syscall(SYS_rt_tgsigqueueinfo, getpid(), perf_agent_tid(), number, &again);
  else if (syscall(SYS_rt_sigqueueinfo, getpid(), number, &again) != 0)
    // Only the initial thread may repeat what somebody said by kill; its sender is lost.
    kill(getpid(), number);
  errno = saved_errno;
  return true;
}

// MARK: - Masks

static int change(mask_function function, int how, const sigset_t *set, sigset_t *before) {
  if (!lets_through()) return function(how, set, before);
  int ours = perf_agent.segment->signal;
  volatile sig_atomic_t *asks = asked();
  if (!has_signal()) {
    // It is the program's by now.
    if (*asks) really(SIG_BLOCK);
    *asks = 0;
    return function(how, set, before);
  }
  sig_atomic_t asked_before = *asks;
  sigset_t changed;
  if (set) {
    changed = *set;
    bool is_named = sigismember(set, ours) == 1;
    // In a handler that blocks it, whose end takes back what is set here.
    if (is_named && how != SIG_UNBLOCK && !asked_before && really_blocks())
      return function(how, set, before);
    // Before the change: what comes in between is put off when it is both asked for and let through,
    // and would be put off for good if that were noted too late.
    if (how == SIG_SETMASK) *asks = is_named;
    if (how != SIG_SETMASK && is_named) *asks = how == SIG_BLOCK;
    if (how != SIG_UNBLOCK) sigdelset(&changed, ours);
    atomic_signal_fence(memory_order_seq_cst);
  }
  int result = function(how, set ? &changed : NULL, before);
  if (result != 0) *asks = asked_before;
  if (result == 0 && before && asked_before) sigaddset(before, ours);
  return result;
}

INTERPOSED int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before) {
  return is_prepared() ? change(real.pthread_sigmask, how, set, before) : ENOSYS;
}

INTERPOSED int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before) {
  if (is_prepared()) return change(real.sigprocmask, how, set, before);
  errno = ENOSYS;
  return -1;
}

// MARK: - Processes that inherit them

/// Calls a function while the thread's mask is what the program has asked for, and returns what it
/// returns.
#define CLOSED(type, failure, call)                 \
  do {                                              \
    if (!is_prepared()) return failure;             \
    bool was_closed = perf_agent_mask_close();      \
    type result = call;                             \
    perf_agent_mask_open(was_closed);               \
    return result;                                  \
  } while (0)

INTERPOSED int posix_spawn(pid_t *restrict id, const char *restrict path,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *restrict attributes, char *const words[],
                           char *const environment[]) {
  CLOSED(int, ENOSYS, real.posix_spawn(id, path, actions, attributes, words, environment));
}

INTERPOSED int posix_spawnp(pid_t *restrict id, const char *restrict file,
                            const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *restrict attributes, char *const words[],
                            char *const environment[]) {
  CLOSED(int, ENOSYS, real.posix_spawnp(id, file, actions, attributes, words, environment));
}

INTERPOSED int system(const char *command) { CLOSED(int, -1, real.system(command)); }

INTERPOSED FILE *popen(const char *command, const char *mode) {
  CLOSED(FILE *, NULL, real.popen(command, mode));
}

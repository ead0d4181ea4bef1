#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "interpose.h"

// What a program does with the signal that we sample with. It may have it at any time: then it gets
// none of ours, and is sampled no more. Until then it sees the signal as if we were not there.
//
// Everything here is async-signal-safe, as the functions that it stands for are.

static struct {
  int (*sigaction)(int, const struct sigaction *, struct sigaction *);
  sighandler_t (*signal)(int, sighandler_t);
  int (*sigwait)(const sigset_t *, int *);
  int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
  int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
  int (*signalfd)(int, const sigset_t *, int);
  int (*sigpending)(sigset_t *);
  int (*siginterrupt)(int, int);
  // Those that few libraries have.
  sighandler_t (*sysv_signal)(int, sighandler_t);
  sighandler_t (*sigset)(int, sighandler_t);
  int (*sigignore)(int);
} real;

void perf_agent_signals_prepare(void) {
  FIND_NEXT(real, sigaction);
  FIND_NEXT(real, signal);
  FIND_NEXT(real, sigwait);
  FIND_NEXT(real, sigwaitinfo);
  FIND_NEXT(real, sigtimedwait);
  FIND_NEXT(real, signalfd);
  FIND_NEXT(real, sigpending);
  FIND_NEXT(real, siginterrupt);
  FIND_NEXT(real, sysv_signal);
  FIND_NEXT(real, sigset);
  FIND_NEXT(real, sigignore);
}

/// Whether the functions are known: a library's constructor may come before ours.
static bool is_prepared(void) {
  if (!real.sigaction) perf_agent_signals_prepare();
  if (real.sigaction && real.signal && real.sigwait && real.sigwaitinfo && real.sigtimedwait &&
      real.signalfd && real.sigpending && real.siginterrupt)
    return true;
  errno = ENOSYS;
  return false;
}

int perf_agent_sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  return is_prepared() ? real.sigaction(number, action, before) : -1;
}

/// Whether a signal is the one that we have taken, and this process the one that is sampled.
static bool is_taken(int number) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return segment && number == segment->signal && getpid() == (pid_t)segment->agent_pid &&
         atomic_load_explicit(&perf_agent.has_signal, memory_order_acquire);
}

/// The calling thread's slot, also of one that has yet to learn which it is; NULL when it has none.
static struct perf_agent_thread *find_own(void) {
  struct perf_agent_thread *own = perf_agent_local.thread;
  uint32_t tid = perf_agent_tid();
  for (uint32_t index = 0; !own && index < perf_agent_thread_count(); index++) {
    int state;
    struct perf_agent_thread *thread = perf_agent_thread_at(index, &state);
    if (state == PERF_AGENT_LIVE && thread->is_foreign && thread->tid == tid) own = thread;
  }
  return own;
}

struct perf_agent_request perf_agent_signal_request(const siginfo_t *information) {
  if (information->si_code == SI_QUEUE && perf_agent_is_thread(information->si_value.sival_ptr))
    return (struct perf_agent_request){information->si_value.sival_ptr,
                                       (uint32_t)information->si_errno};
  const struct perf_agent_request none = {0};
  // Where a user has as many signals pending as are allowed (ulimit -i), the kernel says nothing of
  // the next one's origin, neither to its sender nor here (Linux, kernel/signal.c,
  // __send_signal_locked). It is ours if one of ours is on its way.
  if (information->si_code != SI_USER || information->si_pid != 0 || information->si_uid != 0)
    return none;
  struct perf_agent_thread *own = find_own();
  if (!own) return none;
  uint32_t sent = atomic_load_explicit(&own->sent, memory_order_acquire);
  uint32_t handled = atomic_load_explicit(&own->handled, memory_order_relaxed);
  bool is_awaited = sent != handled && sent + 1 != handled;
  return is_awaited ? (struct perf_agent_request){own, sent} : none;
}

/// Takes a signal of the ticker that is pending for the calling thread out of its queue, which does not
/// answer it. Returns whether there was one.
static bool take_out(void) {
  const struct perfkit_segment *segment = perf_agent.segment;
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, segment->signal);
  siginfo_t information;
  const struct timespec at_once = {0, 0};
  if (!is_prepared() || real.sigtimedwait(&ours, &information, &at_once) < 0) return false;
  if (perf_agent_signal_request(&information).thread) return true;
  // Somebody else's, and none of our business.
  syscall(SYS_rt_tgsigqueueinfo, getpid(), perf_agent_tid(), segment->signal, &information);
  return false;
}

void perf_agent_signal_discard(void) {
  if (take_out()) perf_agent_signal_answered();
}

void perf_agent_signal_answered(void) {
  struct perf_agent_thread *thread = perf_agent_local.thread;
  if (!thread) return;
  uint32_t sent = atomic_load_explicit(&thread->sent, memory_order_relaxed);
  atomic_store_explicit(&thread->handled, sent, memory_order_release);
}

/// Counts the calling thread among those that block our signal, if it is not yet.
static void note_blocking(struct perf_agent_thread *thread) {
  if (thread && !atomic_exchange(&thread->is_blocking, true))
    perf_agent_count(&perf_agent.segment->audit.threads_blocking);
}

struct perf_agent_quiet perf_agent_quiet_begin(const sigset_t *mask) {
  const struct perf_agent_quiet none = {0};
  const struct perfkit_segment *segment = perf_agent.segment;
  if (!segment || !mask || sigismember(mask, segment->signal) != 0 || !is_taken(segment->signal))
    return none;
  uint64_t blocked = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof blocked);
  if (!(blocked >> (segment->signal - 1) & 1)) return none;
  struct perf_agent_thread *thread = find_own();
  if (!thread) return none;
  int saved_errno = errno;
  perf_agent_hold_ticker();
  if (take_out()) note_blocking(thread);
  struct perf_agent_quiet quiet = {
      thread, atomic_load_explicit(&thread->sent, memory_order_relaxed)};
  atomic_store_explicit(&thread->handled, quiet.number + 1, memory_order_release);
  perf_agent_release_ticker();
  errno = saved_errno;
  return quiet;
}

void perf_agent_quiet_end(struct perf_agent_quiet quiet) {
  uint32_t ahead = quiet.number + 1;
  // Unless the ticker has gone on by itself.
  if (quiet.thread)
    atomic_compare_exchange_strong(&quiet.thread->handled, &ahead, quiet.number);
}

// MARK: - Handlers

/// What the program does about our signal since it has it. Its handler is called by one of ours, since
/// threads that have asked to block the signal may still have it let through.
static struct {
  void (*_Atomic handler)(int, siginfo_t *, void *);
  _Atomic int flags;
  /// Whether its handler is to end system calls, as it has said before it had one (`siginterrupt`).
  _Atomic bool interrupts;
} program;

static void call_program(int number, siginfo_t *information, void *context) {
  if (perf_agent_mask_defer(information, context)) return;
  if (program.handler) {
    // Each kind by its own type, as the language asks.
    const struct sigaction action = {.sa_sigaction = program.handler};
    if (program.flags & SA_SIGINFO)
      action.sa_sigaction(number, information, context);
    else
      action.sa_handler(number);
    return;
  }
  // The kernel would have ended the process by it, or would not have let it through at all.
  if (number == SIGURG) return;
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  real.sigaction(number, &by_default, NULL);
  syscall(SYS_tgkill, getpid(), perf_agent_tid(), number);
}

/// What to install when the program wants an action.
static struct sigaction stand_in(const struct sigaction *action) {
  struct sigaction installed = *action;
  if (!perf_agent.lets_through || action->sa_handler == SIG_IGN) return installed;
  // SIG_DFL is NULL.
  program.handler = action->sa_sigaction;
  program.flags = action->sa_flags;
  installed.sa_sigaction = call_program;
  installed.sa_flags |= SA_SIGINFO;
  return installed;
}

/// Whether a signal was ours, is the program's, and has an action that stands in for the program's.
static bool is_given(int number) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return segment && perf_agent.lets_through && number == segment->signal &&
         getpid() == (pid_t)segment->agent_pid;
}

/// Sets and shows what the program does about a signal that is given.
static int set_program(int number, const struct sigaction *action, struct sigaction *before) {
  struct sigaction last = {.sa_sigaction = program.handler, .sa_flags = program.flags};
  struct sigaction installed = action ? stand_in(action) : (struct sigaction){0};
  int result = real.sigaction(number, action ? &installed : NULL, before);
  if (result == 0 && before && before->sa_sigaction == call_program) {
    before->sa_sigaction = last.sa_sigaction;
    before->sa_flags = last.sa_flags;
  }
  return result;
}

void perf_agent_signals_forget(void) {
  struct sigaction action;
  int number = perf_agent.segment->signal;
  if (!is_prepared() || real.sigaction(number, NULL, &action) != 0 ||
      action.sa_sigaction != call_program)
    return;
  action.sa_sigaction = program.handler;
  action.sa_flags = program.flags;
  real.sigaction(number, &action, NULL);
}

/// Gives the signal to the program for good; without an action of its own it is as by default.
static int give_up(int number, const struct sigaction *action) {
  perf_agent_hold_ticker();
  atomic_store_explicit(&perf_agent.has_signal, 0, memory_order_release);
  atomic_store_explicit(&perf_agent.segment->audit.foreign_handler, 1, memory_order_relaxed);
  // The kernel drops what is pending, of all threads, of a signal that is ignored.
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  real.sigaction(number, &ignore, NULL);
  struct sigaction installed = {.sa_handler = SIG_DFL};
  if (action) installed = stand_in(action);
  int result = real.sigaction(number, &installed, NULL);
  perf_agent_release_ticker();
  return result;
}

INTERPOSED int sigaction(int number, const struct sigaction *action,
                         struct sigaction *before) {
  if (!is_prepared()) return -1;
  if (!is_taken(number))
    return is_given(number) ? set_program(number, action, before)
                            : real.sigaction(number, action, before);
  // By default, as far as the program knows.
  int result = action && action->sa_handler != SIG_DFL ? give_up(number, action) : 0;
  if (result == 0 && before) *before = (struct sigaction){.sa_handler = SIG_DFL};
  return result;
}

INTERPOSED sighandler_t signal(int number, sighandler_t handler) {
  if (!is_prepared()) return SIG_ERR;
  if ((!is_taken(number) && !is_given(number)) || handler == SIG_ERR)
    return real.signal(number, handler);
  struct sigaction action = {
      .sa_handler = handler, .sa_flags = program.interrupts ? 0 : SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, number);
  struct sigaction before;
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

/// Interposed: glibc's changes the action that it finds, which is ours.
INTERPOSED int siginterrupt(int number, int interrupts) {
  if (!is_prepared()) return -1;
  if (!is_taken(number) && !is_given(number)) return real.siginterrupt(number, interrupts);
  program.interrupts = interrupts != 0;
  // Ours goes on restarting what it interrupts.
  if (is_taken(number)) return 0;
  struct sigaction action;
  if (set_program(number, NULL, &action) != 0) return -1;
  action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return set_program(number, &action, NULL);
}

// glibc's other ways do not call those two, but what is inside of them.

INTERPOSED sighandler_t ssignal(int number, sighandler_t handler) {
  return signal(number, handler);
}

sighandler_t bsd_signal(int number, sighandler_t handler);
INTERPOSED sighandler_t bsd_signal(int number, sighandler_t handler) {
  return signal(number, handler);
}

/// Gives the signal up before a function sets it whose ways are its own.
static void concede(int number) {
  if (is_taken(number)) give_up(number, NULL);
}

/// What `signal` is for programs that ask for POSIX alone: a second signal finds no handler.
INTERPOSED sighandler_t sysv_signal(int number, sighandler_t handler) {
  if (!is_prepared() || !real.sysv_signal) return SIG_ERR;
  if (handler == SIG_DFL && is_taken(number)) return SIG_DFL;
  concede(number);
  return real.sysv_signal(number, handler);
}

INTERPOSED sighandler_t __sysv_signal(int number, sighandler_t handler) {
  return sysv_signal(number, handler);
}

INTERPOSED sighandler_t sigset(int number, sighandler_t handler) {
  if (!is_prepared() || !real.sigset) return SIG_ERR;
  concede(number);
  return real.sigset(number, handler);
}

INTERPOSED int sigignore(int number) {
  if (!is_prepared() || !real.sigignore) return -1;
  concede(number);
  return real.sigignore(number);
}

/// Interposed: what reads signals from a descriptor takes all that are pending for its thread, ours
/// among them, and nothing tells them apart before they are read. So the program has the signal.
INTERPOSED int signalfd(int file, const sigset_t *set, int flags) {
  if (!is_prepared()) return -1;
  const struct perfkit_segment *segment = perf_agent.segment;
  const struct sigaction by_default = {.sa_handler = SIG_DFL};
  if (segment && sigismember(set, segment->signal) == 1 && is_taken(segment->signal))
    give_up(segment->signal, &by_default);
  return real.signalfd(file, set, flags);
}

// MARK: - Waiting for signals

/// Whether a thread that waits for these signals might be given one of ours, that came while it was
/// blocked.
static bool may_get_ours(const sigset_t *set) {
  const struct perfkit_segment *segment = perf_agent.segment;
  return segment && set && sigismember(set, segment->signal) == 1 && is_taken(segment->signal);
}

/// Interposed: a program that finds a signal pending waits for it, and would wait for long.
INTERPOSED int sigpending(sigset_t *set) {
  if (!is_prepared()) return -1;
  int result = real.sigpending(set);
  if (result != 0 || !may_get_ours(set)) return result;
  int saved_errno = errno;
  bool was_ours = take_out();
  result = real.sigpending(set);
  if (was_ours) {
    // Not before: the next one would come.
    note_blocking(perf_agent_local.thread);
    perf_agent_signal_answered();
  }
  if (result == 0) errno = saved_errno;
  return result;
}

/// When a wait ends that begins now; those that end in centuries do not end.
static uint64_t deadline_after(const struct timespec *timeout) {
  const uint64_t never = UINT64_MAX, seconds_max = never / 1000000000u / 2;
  if ((uint64_t)timeout->tv_sec > seconds_max) return never;
  return perf_agent_clock(CLOCK_MONOTONIC) + (uint64_t)timeout->tv_sec * 1000000000u +
         (uint64_t)timeout->tv_nsec;
}

INTERPOSED int sigtimedwait(const sigset_t *restrict set,
                            siginfo_t *restrict information,
                            const struct timespec *restrict timeout) {
  if (!is_prepared()) return -1;
  if (!may_get_ours(set))
    return timeout ? real.sigtimedwait(set, information, timeout)
                   : real.sigwaitinfo(set, information);
  uint64_t deadline = timeout ? deadline_after(timeout) : 0;
  struct timespec left = timeout ? *timeout : (struct timespec){0, 0};
  for (;;) {
    siginfo_t found;
    int number = timeout ? real.sigtimedwait(set, &found, &left) : real.sigwaitinfo(set, &found);
    if (number < 0) return number;
    if (number != perf_agent.segment->signal || !perf_agent_signal_request(&found).thread) {
      if (information) *information = found;
      return number;
    }
    perf_agent_signal_answered();
    uint64_t now = perf_agent_clock(CLOCK_MONOTONIC);
    uint64_t rest = now < deadline ? deadline - now : 0;
    left = (struct timespec){(time_t)(rest / 1000000000u), (long)(rest % 1000000000u)};
  }
}

INTERPOSED int sigwaitinfo(const sigset_t *restrict set,
                           siginfo_t *restrict information) {
  return sigtimedwait(set, information, NULL);
}

INTERPOSED int sigwait(const sigset_t *restrict set,
                       int *restrict number) {
  if (!is_prepared()) return ENOSYS;
  if (!may_get_ours(set)) return real.sigwait(set, number);
  int found;
  while ((found = sigtimedwait(set, NULL, NULL)) < 0)
    if (errno != EINTR) return errno;
  *number = found;
  return 0;
}

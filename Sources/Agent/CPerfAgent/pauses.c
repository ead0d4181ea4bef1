#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "agent.h"
#include "interpose.h"

// Programs block signals while they work and let them through while they wait, so that each of them ends a
// wait. One of ours that has become pending meanwhile would end it, too.
//
// Everything here is async-signal-safe, as the functions that it stands for are, and cancels as they do.

static struct {
  int (*sigsuspend)(const sigset_t *);
  int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
  int (*pselect)(int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
  int (*epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
  // Those that older libraries do not have.
  int (*epoll_pwait2)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
  int (*__ppoll_chk)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
} real;

void perf_agent_pauses_prepare(void) {
  FIND_NEXT(real, sigsuspend);
  FIND_NEXT(real, ppoll);
  FIND_NEXT(real, pselect);
  FIND_NEXT(real, epoll_pwait);
  FIND_NEXT(real, epoll_pwait2);
  FIND_NEXT(real, __ppoll_chk);
}

/// Calls the real function while the thread is sent no signal. What needs nothing of that is the last that
/// ours does, and in nobody's stack.
#define PAUSE(name, mask, ...)                                    \
  do {                                                            \
    REQUIRE_NEXT(real, name, perf_agent_pauses_prepare());        \
    struct perf_agent_quiet quiet = perf_agent_quiet_begin(mask); \
    if (!quiet.thread) return real.name(__VA_ARGS__);             \
    int result = real.name(__VA_ARGS__);                          \
    perf_agent_quiet_end(quiet);                                  \
    return result;                                                \
  } while (0)

INTERPOSED int sigsuspend(const sigset_t *mask) { PAUSE(sigsuspend, mask, mask); }

INTERPOSED int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                     const sigset_t *mask) {
  PAUSE(ppoll, mask, files, count, timeout, mask);
}

/// What `ppoll` is in programs that are built with checks of bounds (_FORTIFY_SOURCE).
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
INTERPOSED int __ppoll_chk(struct pollfd *files, nfds_t count, const struct timespec *timeout,
                           const sigset_t *mask, size_t bytes) {
  PAUSE(__ppoll_chk, mask, files, count, timeout, mask, bytes);
}

INTERPOSED int pselect(int count, fd_set *restrict readable, fd_set *restrict writable,
                       fd_set *restrict exceptional, const struct timespec *restrict timeout,
                       const sigset_t *restrict mask) {
  PAUSE(pselect, mask, count, readable, writable, exceptional, timeout, mask);
}

INTERPOSED int epoll_pwait(int file, struct epoll_event *events, int most, int milliseconds,
                           const sigset_t *mask) {
  PAUSE(epoll_pwait, mask, file, events, most, milliseconds, mask);
}

int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
INTERPOSED int epoll_pwait2(int file, struct epoll_event *events, int most,
                            const struct timespec *timeout, const sigset_t *mask) {
  PAUSE(epoll_pwait2, mask, file, events, most, timeout, mask);
}

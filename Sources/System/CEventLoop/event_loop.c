#define _GNU_SOURCE
#include "ceventloop.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

const char *ceventloop_failing_call(int *error) {
  const char *failing = NULL;
  struct epoll_event event = {.events = EPOLLIN};
  int counter = -1;
  int events = epoll_create1(EPOLL_CLOEXEC);
  // A wait that a signal interrupts is allowed. A process is never its own child, so that the waits
  // for children reap nothing and fail with ECHILD.
  if (events < 0) {
    failing = "epoll_create1";
  } else if ((counter = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0) {
    failing = "eventfd2";
  } else if (epoll_ctl(events, EPOLL_CTL_ADD, counter, &event) != 0) {
    failing = "epoll_ctl";
  } else if (epoll_wait(events, &event, 1, 0) < 0 && errno != EINTR) {
    failing = "epoll_wait";
  } else if (poll(NULL, 0, 0) < 0 && errno != EINTR) {
    failing = "poll";
  } else if (waitid(P_PID, (id_t)getpid(), NULL, WEXITED | WNOHANG) != 0 && errno != ECHILD) {
    failing = "waitid";
  } else if (wait4(getpid(), NULL, WNOHANG, NULL) < 0 && errno != ECHILD) {
    failing = "wait4";
  }
  *error = failing ? errno : 0;
  if (counter >= 0) {
    close(counter);
  }
  if (events >= 0) {
    close(events);
  }
  return failing;
}

/// A thread that is woken before it gets a CPU.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "target.h"

#define ROUNDS 3000u
/// The work for a request, and the time for which a woken thread has no CPU.
#define WORK_NS 100000u
#define DELAY_NS 80000u

enum wait_call { WAIT_READ, WAIT_POLL, WAIT_EPOLL };

static enum wait_call wait_call;
static int request_pipe[2], answer_pipe[2];

/// Has the calling thread share the first CPU with the other one. A woken thread gets it only when the
/// other one waits: threads of this policy preempt no thread (sched(7)).
static void share_cpu(void) {
  cpu_set_t all, one;
  const struct sched_param parameters = {0};
  if (sched_getaffinity(0, sizeof all, &all) != 0) {
    abort();
  }
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) {
    cpu++;
  }
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0 ||
      sched_setscheduler(0, SCHED_BATCH, &parameters) != 0) {
    abort();
  }
}

static void spin(uint64_t nanoseconds) {
  uint64_t until = target_now() + nanoseconds;
  while (target_now() < until) {
  }
}

static void send_byte(int file) {
  if (write(file, "x", 1) != 1) {
    abort();
  }
}

static void receive_byte(int file) {
  char byte;
  if (read(file, &byte, 1) != 1) {
    abort();
  }
}

/// Waits for a request. A signal that meets the wait ends poll and epoll_wait, which the kernel does not
/// repeat, and repeats read.
static void await_request(int events) {
  struct pollfd request = {request_pipe[0], POLLIN, 0};
  struct epoll_event event;
  while (wait_call == WAIT_POLL && poll(&request, 1, -1) < 0) {
  }
  while (wait_call == WAIT_EPOLL && epoll_wait(events, &event, 1, -1) < 0) {
  }
  receive_byte(request_pipe[0]);
}

static void *serve(void *argument) {
  pthread_setname_np(pthread_self(), "served");
  share_cpu();
  int events = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll_ctl(events, EPOLL_CTL_ADD, request_pipe[0], &event) != 0) {
    abort();
  }
  uint32_t name = perf_mark_name("working", 7);
  uint64_t worked = 0, began_cpu = target_cpu_time();
  for (unsigned round = 0; round < ROUNDS; round++) {
    await_request(events);
    uint64_t before = target_cpu_time(), began = target_now();
    uint32_t previous = perf_mark_phase_enter(name);
    spin(WORK_NS);
    perf_mark_phase_exit(name, previous, began, target_now());
    worked += target_cpu_time() - before;
    send_byte(answer_pipe[1]);
  }
  target_say("worked", (double)worked);
  target_say("spent", (double)(target_cpu_time() - began_cpu));
  close(events);
  return argument;
}

/// Sends requests to a thread, and keeps the CPU for a while after each.
static int run_woken(enum wait_call call) {
  wait_call = call;
  pthread_t thread;
  if (pipe(request_pipe) != 0 || pipe(answer_pipe) != 0) {
    return 1;
  }
  target_start_sampling();
  pthread_create(&thread, NULL, serve, NULL);
  share_cpu();
  for (unsigned round = 0; round < ROUNDS; round++) {
    send_byte(request_pipe[1]);
    spin(DELAY_NS);
    receive_byte(answer_pipe[0]);
  }
  pthread_join(thread, NULL);
  target_stop_sampling();
  return 0;
}

int run_woken_read(void) {
  return run_woken(WAIT_READ);
}

int run_woken_poll(void) {
  return run_woken(WAIT_POLL);
}

int run_woken_epoll(void) {
  return run_woken(WAIT_EPOLL);
}

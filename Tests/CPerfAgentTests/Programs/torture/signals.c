/// Uses signals itself: handlers that jump out of computations, signals that are counted, masks
/// that change, and waits.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "torture.h"

/// Longer than any wake-up on a busy machine, in seconds.
#define PATIENCE_S 20

// MARK: - Jumps

static sigjmp_buf place;
static volatile sig_atomic_t may_jump;

static void jump(int signal) {
  (void)signal;
  if (may_jump) {
    siglongjmp(place, 1);
  }
}

/// Computes under a timer that repeatedly ends the computation by a jump. The initial thread only.
static uint64_t jump_about(void) {
  uint64_t random = 5;
  volatile uint64_t jumps = 0;
  struct sigaction action = {.sa_handler = jump};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  while (torture_goes_on()) {
    uint64_t seed = torture_random(&random);
    volatile uint64_t result = 0;
    struct itimerval soon = {.it_value = {0, (suseconds_t)(50 + seed % 500)}};
    if (sigsetjmp(place, 1) == 0) {
      may_jump = 1;
      CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
      result = torture_mix(seed, 300000);
      may_jump = 0;
    } else {
      may_jump = 0;
      jumps++;
      result = torture_mix(seed, 300000);
    }
    struct itimerval never = {0};
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK(result == torture_mix(seed, 300000));
  }
  return jumps;
}

// MARK: - Counted signals

static sem_t answers;
static _Atomic uint64_t received, sum;

static void count(int signal, siginfo_t *information, void *context) {
  (void)signal, (void)context;
  int saved_errno = errno;
  sum += (uint64_t)information->si_value.sival_int;
  received++;
  sem_post(&answers);
  errno = saved_errno;
}

static void wait_for(sem_t *semaphore) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += PATIENCE_S;
  while (sem_timedwait(semaphore, &deadline) != 0) {
    CHECK(errno == EINTR);
  }
}

static pthread_t receiver;
static _Atomic bool is_over;

/// Receives during its work, half of the time while signals are blocked.
static void *receive(void *argument) {
  sigset_t all, before;
  sigfillset(&all);
  while (!is_over) {
    pthread_sigmask(SIG_SETMASK, &all, &before);
    uint64_t expected = torture_mix(7, 20000);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    CHECK(torture_mix(7, 20000) == expected);
  }
  return argument;
}

static void *send(void *argument) {
  uint64_t sent = 0, expected = 0;
  for (int number = 1; torture_goes_on(); number = number % 1000 + 1) {
    union sigval value = {.sival_int = number};
    CHECK(pthread_sigqueue(receiver, SIGRTMIN + 1, value) == 0);
    sent++;
    expected += (uint64_t)number;
    wait_for(&answers);
  }
  CHECK(received == sent && sum == expected);
  *(uint64_t *)argument = sent;
  return argument;
}

// MARK: - Awaited signals

static pthread_t waiter;
static sem_t taken;

static void *take(void *argument) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  for (;;) {
    siginfo_t information;
    struct timespec patience = {PATIENCE_S, 0};
    int signal = sigtimedwait(&set, &information, &patience);
    if (signal < 0 && errno == EINTR) {
      continue;
    }
    CHECK(signal == SIGUSR1);
    if (is_over) {
      return argument;
    }
    sem_post(&taken);
  }
}

static void *call(void *argument) {
  uint64_t calls = 0;
  for (; torture_goes_on(); calls++) {
    CHECK(pthread_kill(waiter, SIGUSR1) == 0);
    wait_for(&taken);
  }
  *(uint64_t *)argument = calls;
  return argument;
}

int torture_signals(void) {
  CHECK(sem_init(&answers, 0, 0) == 0 && sem_init(&taken, 0, 0) == 0);
  struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGRTMIN + 1, &action, NULL) == 0);
  // All other threads block the timer's signal. SIGUSR1 is for the threads that wait for it.
  sigset_t others;
  sigemptyset(&others);
  sigaddset(&others, SIGALRM);
  sigaddset(&others, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &others, NULL);
  uint64_t sent = 0, calls = 0;
  receiver = torture_start(receive, NULL, 0);
  waiter = torture_start(take, NULL, 0);
  unsigned long sender = torture_start(send, &sent, 0);
  unsigned long caller = torture_start(call, &calls, 0);
  sigdelset(&others, SIGUSR1);
  pthread_sigmask(SIG_UNBLOCK, &others, NULL);
  uint64_t jumps = jump_about();
  torture_join(sender);
  torture_join(caller);
  is_over = true;
  CHECK(pthread_kill(waiter, SIGUSR1) == 0);
  torture_join(waiter);
  torture_join(receiver);
  CHECK(sent > 0 && calls > 0 && jumps > 0);
  torture_say("rounds", (double)(sent + calls + jumps));
  return 0;
}

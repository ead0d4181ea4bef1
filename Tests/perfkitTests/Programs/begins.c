// Three threads that work for 0.5 s of CPU time each, in functions of their own, after SIGUSR1 has come.
//
// Before that, the thread "spins" runs and the thread "waits" waits. The thread "late" begins after it.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static atomic_int has_begun;
static pthread_barrier_t barrier;

static double spent(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#define WORK(name)                                                                                 \
  __attribute__((noinline)) static void name(void) {                                               \
    volatile unsigned long sum = 0;                                                                \
    double end = spent() + 0.5;                                                                    \
    while (spent() < end) {                                                                        \
      for (int step = 0; step < 20000; step++) {                                                   \
        sum += (unsigned long)step;                                                                \
      }                                                                                            \
    }                                                                                              \
  }

WORK(work_spinning)
WORK(work_waiting)
WORK(work_late)

static void *spin(void *unused) {
  while (!atomic_load(&has_begun)) {
  }
  work_spinning();
  return unused;
}

static void *await(void *unused) {
  pthread_barrier_wait(&barrier);
  work_waiting();
  return unused;
}

static void *begin(void *unused) {
  pthread_setname_np(pthread_self(), "late");
  work_late();
  return unused;
}

int main(void) {
  pthread_t threads[3];
  sigset_t signals;
  int signal;
  // The kernel ends the program if the signal does not come.
  const struct rlimit seconds = {20, 20};
  setrlimit(RLIMIT_CPU, &seconds);
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&threads[0], NULL, spin, NULL);
  pthread_create(&threads[1], NULL, await, NULL);
  pthread_setname_np(threads[0], "spins");
  pthread_setname_np(threads[1], "waits");
  if (write(1, "ready\n", 6) != 6 || sigwait(&signals, &signal) != 0) {
    return 1;
  }
  atomic_store(&has_begun, 1);
  pthread_barrier_wait(&barrier);
  pthread_create(&threads[2], NULL, begin, NULL);
  for (int index = 0; index < 3; index++) {
    pthread_join(threads[index], NULL);
  }
  return 0;
}

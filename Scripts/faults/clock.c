// Steps the wall clock of a process and its children, as ntpd or an administrator does: the monotonic clocks go on.
//
// PERFKIT_STEP is the number of seconds of a step. The wall clock jumps by it, and back, after every 50 ms of the
// monotonic clock.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

typedef int clock_function(clockid_t, struct timespec *);

static long step(void) {
  static clock_function *real;
  if (real == NULL) {
    real = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
  }
  const char *seconds = getenv("PERFKIT_STEP");
  struct timespec now;
  if (seconds == NULL || real(CLOCK_MONOTONIC, &now) != 0) {
    return 0;
  }
  return now.tv_nsec / 50000000 % 2 == 0 ? 0 : atol(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  clock_function *real = (clock_function *)dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    time->tv_sec += step();
  }
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  if (result == 0) {
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
  }
  return result;
}

time_t time(time_t *result) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) {
    *result = now.tv_sec;
  }
  return now.tv_sec;
}

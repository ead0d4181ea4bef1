/// Starts a thousand threads a second that work and end.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "torture.h"

/// The number of threads at the same time.
#define ALIVE 8
#define WORK 100000u

/// The minimum stack of a thread. AddressSanitizer's frames need more, plus a signal's.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEAST_STACK 65536
#endif
#endif
#if !defined(LEAST_STACK)
#define LEAST_STACK 16384
#endif

static pthread_key_t key;
static _Atomic uint64_t keys_destroyed;

/// Works in a destructor at the end of its thread.
static void destroy_key(void *value) {
  CHECK(torture_mix((uint64_t)(uintptr_t)value, 100) != 0);
  keys_destroyed++;
}

/// Ends its thread from the deepest recursion for which the minimum stack has room, beside libc's
/// unwinder and the agent's handler. xorshift never returns 0.
__attribute__((noinline)) static void leave(uint64_t result, unsigned depth) {
  volatile char room[256];
  room[depth] = 1;
  if (result == 0) {
    return;
  }
  if (depth == 0) {
    pthread_exit((void *)(uintptr_t)result);
  }
  leave(result + (uint64_t)room[depth] - 1, depth - 1);
  room[depth] = 0;  // Prevents a tail call, which would need no frame.
}

static void *live(void *argument) {
  uint64_t seed = (uint64_t)(uintptr_t)argument;
  CHECK(pthread_setspecific(key, (void *)(uintptr_t)(seed | 1)) == 0);
  uint64_t result = torture_mix(seed, WORK);
  if (seed % 3 == 0) {
    leave(result, 8);
  }
  return (void *)(uintptr_t)result;
}

int torture_births(void) {
  struct {
    unsigned long thread;
    uint64_t seed;
  } alive[ALIVE];
  CHECK(pthread_key_create(&key, destroy_key) == 0);
  uint64_t begin = torture_now();
  uint64_t count = 0;
  for (; torture_goes_on(); count++) {
    uint64_t place = count % ALIVE;
    if (count >= ALIVE) {
      CHECK((uint64_t)(uintptr_t)torture_join(alive[place].thread) ==
            torture_mix(alive[place].seed, WORK));
    }
    alive[place].seed = count;
    // Some threads have the minimum stack. The first thread that ends within a recursion has not,
    // as libc then loads its unwinder.
    alive[place].thread =
        torture_start(live, (void *)(uintptr_t)count, count % 2 ? LEAST_STACK : 0);
    uint64_t due = begin + (count + 1) * 1000000;
    struct timespec time = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
  }
  for (uint64_t index = count > ALIVE ? count - ALIVE : 0; index < count; index++) {
    CHECK((uint64_t)(uintptr_t)torture_join(alive[index % ALIVE].thread) ==
          torture_mix(alive[index % ALIVE].seed, WORK));
  }
  CHECK(keys_destroyed == count);
  torture_say("rounds", (double)count);
  torture_say("threads", (double)count + 1);
  return 0;
}

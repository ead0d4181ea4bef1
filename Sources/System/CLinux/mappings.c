#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

/// The most mappings that are guarded at once. Each is a module, of which a process has hundreds at most.
#define GUARD_COUNT 4096

/// A guarded mapping. Only the code that keeps the mapping reads from it, so the handler, which
/// runs during such a read, never sees a guard that is being released.
struct guard {
  atomic_bool is_taken;
  _Atomic uintptr_t start;  ///< 0: unused. Pairs with the handler's acquire.
  atomic_size_t bytes;
  atomic_bool is_cut_off;
};

static struct guard guards[GUARD_COUNT];
static struct sigaction earlier;
static uintptr_t page_bytes;

/// Returns the guard of an address, or NULL.
static struct guard *guard_of(uintptr_t address) {
  for (size_t index = 0; index < GUARD_COUNT; index++) {
    struct guard *guard = &guards[index];
    uintptr_t start = atomic_load_explicit(&guard->start, memory_order_acquire);
    if (start != 0 && address - start < atomic_load_explicit(&guard->bytes, memory_order_relaxed)) {
      return guard;
    }
  }
  return NULL;
}

/// Maps zeros over the missing part of a file, and forwards any other SIGBUS.
///
/// Async-signal-safe: mmap is a plain system call.
static void handle(int signal, siginfo_t *info, void *context) {
  int error = errno;
  uintptr_t address = (uintptr_t)info->si_addr;
  struct guard *guard = info->si_code == BUS_ADRERR ? guard_of(address) : NULL;
  void *page = (void *)(address & ~(page_bytes - 1));
  if (guard != NULL && mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                            -1, 0) != MAP_FAILED) {
    atomic_store_explicit(&guard->is_cut_off, true, memory_order_relaxed);
  } else if (earlier.sa_flags & SA_SIGINFO) {
    earlier.sa_sigaction(signal, info, context);
  } else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
    earlier.sa_handler(signal);
  } else {
    // The read is repeated and ends the process as without this handler.
    sigaction(SIGBUS, &earlier, NULL);
  }
  errno = error;
}

static void install(void) {
  page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &earlier);
}

int clinux_guard_mapping(const void *start, size_t bytes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  for (int index = 0; index < GUARD_COUNT; index++) {
    struct guard *guard = &guards[index];
    if (atomic_exchange_explicit(&guard->is_taken, true, memory_order_acquire)) {
      continue;
    }
    atomic_store_explicit(&guard->is_cut_off, false, memory_order_relaxed);
    atomic_store_explicit(&guard->bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&guard->start, (uintptr_t)start, memory_order_release);
    return index;
  }
  return -ENOSPC;
}

bool clinux_is_cut_off(int guard) {
  return atomic_load_explicit(&guards[guard].is_cut_off, memory_order_relaxed);
}

void clinux_release_mapping(int guard) {
  atomic_store_explicit(&guards[guard].start, 0, memory_order_relaxed);
  atomic_store_explicit(&guards[guard].is_taken, false, memory_order_release);
}

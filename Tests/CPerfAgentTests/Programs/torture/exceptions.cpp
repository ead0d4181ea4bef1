/// Exceptions through many layers, from one thread to the next, and ends of threads that unwind.
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#include "torture.h"

namespace {

constexpr unsigned layers = 60;

struct Guard {
  unsigned &count;
  explicit Guard(unsigned &count) : count(count) {}
  ~Guard() { count++; }
};

struct Failure : std::runtime_error {
  uint64_t number;
  explicit Failure(uint64_t number) : runtime_error(std::to_string(number)), number(number) {}
};

__attribute__((noinline)) uint64_t descend(unsigned depth, uint64_t number, unsigned &left) {
  Guard guard(left);
  std::string text(depth, 'x');
  if (depth == 0) {
    throw Failure(number);
  }
  if (depth % 10 != 0) {
    return descend(depth - 1, number, left) + text.size();
  }
  try {
    return descend(depth - 1, number, left) + text.size();
  } catch (Failure &failure) {
    // Each layer that catches it adds one.
    CHECK(failure.number == number + depth / 10 - 1 && text.size() == depth);
    failure.number++;
    throw;
  }
}

void throw_through_layers(uint64_t number) {
  unsigned left = 0;
  try {
    descend(layers, number, left);
    CHECK(!"descend returned");
  } catch (const std::exception &failure) {
    CHECK(static_cast<const Failure &>(failure).number == number + layers / 10);
    CHECK(std::to_string(number) == failure.what());
  }
  CHECK(left == layers + 1);
}

struct Errand {
  uint64_t number;
  std::exception_ptr failure;
  unsigned left = 0;
};

void *fail_elsewhere(void *argument) {
  auto &errand = *static_cast<Errand *>(argument);
  try {
    descend(layers, errand.number, errand.left);
  } catch (...) {
    errand.failure = std::current_exception();
  }
  return nullptr;
}

void throw_from_another_thread(uint64_t number) {
  Errand errand{number, nullptr};
  torture_join(torture_start(fail_elsewhere, &errand, 0));
  CHECK(errand.left == layers + 1 && errand.failure);
  try {
    std::rethrow_exception(errand.failure);
  } catch (const Failure &failure) {
    CHECK(failure.number == number + layers / 10);
  }
}

struct Prisoner {
  unsigned left = 0;
  std::atomic<bool> is_there{false};
};

__attribute__((noinline)) void dig(Prisoner &prisoner, unsigned depth) {
  Guard guard(prisoner.left);
  if (depth > 0) {
    dig(prisoner, depth - 1);
    return;
  }
  prisoner.is_there = true;
  while (prisoner.is_there) {
    torture_mix(depth, 1000);
    pthread_testcancel();
  }
}

void *wait_for_the_end(void *argument) {
  dig(*static_cast<Prisoner *>(argument), layers);
  return nullptr;
}

/// Cancelling a thread runs the destructors of all its frames.
void cancel_thread() {
  Prisoner prisoner;
  unsigned long thread = torture_start(wait_for_the_end, &prisoner, 0);
  while (!prisoner.is_there) {
    torture_mix(1, 1000);
  }
  CHECK(pthread_cancel(thread) == 0);
  CHECK(torture_join(thread) == PTHREAD_CANCELED);
  CHECK(prisoner.left == layers + 1);
}

void *throw_on(void *argument) {
  uint64_t random = reinterpret_cast<uintptr_t>(argument);
  uintptr_t rounds = 0;
  for (; torture_goes_on(); rounds++) {
    uint64_t number = torture_random(&random) >> 1;
    if (rounds % 50 == 0) {
      throw_from_another_thread(number);
    }
    if (rounds % 50 == 25) {
      cancel_thread();
    }
    throw_through_layers(number);
  }
  return reinterpret_cast<void *>(rounds);
}

}  // namespace

int torture_exceptions(void) {
  unsigned long other = torture_start(throw_on, reinterpret_cast<void *>(1), 0);
  auto rounds = reinterpret_cast<uintptr_t>(throw_on(reinterpret_cast<void *>(2)));
  rounds += reinterpret_cast<uintptr_t>(torture_join(other));
  torture_say("rounds", static_cast<double>(rounds));
  return 0;
}

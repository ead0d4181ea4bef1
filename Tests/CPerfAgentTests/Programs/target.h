/// The programs that the agent's tests sample, as commands of one executable.
#ifndef TARGET_H
#define TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf_agent.h"
#include "perf_format.h"

/// Maps the segment a second time, as the harness does; NULL without one.
struct perfkit_segment *target_segment(void);
/// Switches sampling on, and returns after the first tick.
void target_start_sampling(void);
/// Switches sampling on if it is off, and returns after the next tick.
void target_resume_sampling(void);
/// Returns a word of the command line; NULL after the last.
const char *target_word(int index);
/// Switches sampling off, and returns when ring 0 is complete.
void target_stop_sampling(void);
/// Drains the rings of threads, as the harness does.
void target_drain(void);

uint64_t target_now(void);
/// Returns the calling thread's CPU time in nanoseconds.
uint64_t target_cpu_time(void);
/// Reports a number to the test.
void target_say(const char *name, double value);
/// Uses about a millisecond of CPU time per unit.
uint64_t target_burn(unsigned units);
/// Returns whether the sampler has sent fewer than `count` signals in all, for at most a minute
/// after `began`.
///
/// The number of signals during a piece of work depends on the machine.
bool target_lacks_signals(uint64_t count, uint64_t began);
/// Uses CPU time until the sampler has sent so many more signals, to any thread.
void target_burn_sampled(unsigned signals);

/// Returns when a signal is pending for the calling thread, which really blocks it.
void target_await_pending(int signal);
/// Sleeps for a millisecond.
void target_rest(void);
/// Returns the id of the ticker's thread; 0 if there is none.
uint32_t target_find_ticker(void);

/// Changes the user and the groups by capabilities that the calling thread has kept. Returns 0 on
/// success.
int target_change_rights(void);
/// Forbids in all threads the system calls that the sampler makes. Returns 0 on success.
int target_refuse_calls(void);

/// Returns whether the calling thread really blocks a signal.
bool target_really_blocks(int signal);
/// Returns whether the C library reports that the calling thread blocks a signal.
bool target_believes_to_block(int signal);
/// Returns all signals but SIGALRM, which ends a program that hangs.
sigset_t target_all_but_alarm(void);
/// Returns whether a child ends with status 0.
bool target_succeeds(pid_t child);

/// Calls a macro with the name of each command.
#define TARGET_COMMANDS(X)                                                                         \
  X(phases)                                                                                        \
  X(signposts)                                                                                     \
  X(heap)                                                                                          \
  X(heap_lives)                                                                                    \
  X(heap_replaced)                                                                                 \
  X(heap_children)                                                                                 \
  X(heap_threads) X(heap_beside) X(idle) X(churn) X(marks) X(blocked) X(blocked_grouped) X(        \
      confined) X(filtered) X(filtered_child) X(crowd) X(strangers) X(limited) X(limited_awaited)  \
      X(vanished) X(hidden) X(capable) X(capable_child) X(renumbered) X(renumbered_file) X(fork)   \
          X(fork_large) X(exec) X(replace_image) X(exec_chain) X(exec_blocked) X(exec_failing)     \
              X(exec_failing_children) X(exec_called) X(probed) X(killed_ticker) X(renamed_child)  \
                  X(namespaces) X(multitude) X(fork_descriptors) X(real_time) X(spawn) X(tids)     \
                      X(rests) X(seldom) X(shared_cpu) X(met_ticker) X(handled) X(replaced)        \
                          X(replaced_raw) X(replaced_sysv) X(replaced_set) X(replaced_bsd)         \
                              X(replaced_ignored) X(described) X(late) X(masked_described)         \
                                  X(awaited) X(pending) X(opened) X(awaited_long) X(interrupting)  \
                                      X(masked) X(masked_handler) X(masks_inherited)               \
                                          X(exec_masked) X(masked_pending) X(masked_errno)         \
                                              X(masked_taken) X(own_timer) X(killed) X(deep)       \
                                                  X(alternate) X(coroutine) X(modules)             \
                                                      X(modules_edited) X(chrooted) X(names)       \
                                                          X(blocked_raw) X(namespaces_refused)     \
                                                              X(woken_read) X(woken_poll)          \
                                                                  X(woken_epoll) X(detached)

#define TARGET_DECLARE(name) int run_##name(void);
TARGET_COMMANDS(TARGET_DECLARE)

#endif

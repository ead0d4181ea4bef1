/// Programs that the agent's tests are run on, as subcommands of one executable.
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf_agent.h"
#include "perf_format.h"

/// Maps the segment a second time, as the harness would have it; NULL without one.
struct perfkit_segment *target_segment(void);
/// Switches sampling on, and returns when the agent has begun.
void target_start_sampling(void);
/// Switches sampling on if it is not, and returns when the agent has made a tick.
void target_resume_sampling(void);
/// The words that the program was called with; NULL behind the last.
const char *target_word(int index);
/// Switches sampling off, and returns when ring 0 is complete.
void target_stop_sampling(void);
/// Reads and frees whatever threads have left, as the harness would.
void target_drain(void);

uint64_t target_now(void);
/// Says a number to the test.
void target_say(const char *name, double value);
/// Spends CPU time: about a millisecond a unit on today's machines.
uint64_t target_burn(unsigned units);
/// Whether the sampler has sent fewer signals than so many in all, and it is not a minute since `began`.
///
/// How many it sends in a piece of work is for the machine to say: one that has little of its host gets few.
bool target_lacks_signals(uint64_t count, uint64_t began);
/// Spends CPU time until the sampler has sent so many signals more, to whatever thread.
void target_burn_sampled(unsigned signals);

/// Returns when a signal is pending for the calling thread, which blocks it. By a system call of its own: as
/// far as the C library knows there is none of the sampler's.
void target_await_pending(int signal);

int run_phases(void);
int run_signposts(void);
int run_heap(void);
int run_heap_lives(void);
int run_heap_replaced(void);
int run_heap_children(void);
int run_heap_threads(void);
int run_heap_beside(void);
int run_idle(void);
int run_churn(void);
int run_marks(void);
int run_blocked(void);
int run_blocked_grouped(void);
int run_confined(void);
int run_filtered(void);
int run_filtered_child(void);
int run_crowd(void);
int run_strangers(void);
int run_limited(void);
int run_limited_awaited(void);
int run_vanished(void);
int run_hidden(void);
int run_capable(void);
int run_capable_child(void);
int run_renumbered(void);
int run_renumbered_file(void);
int run_fork(void);
int run_exec(void);
int run_replace_image(void);
int run_exec_chain(void);
int run_exec_blocked(void);
int run_exec_failing(void);
int run_exec_failing_children(void);
int run_exec_called(void);
int run_probed(void);
int run_killed_ticker(void);
int run_renamed_child(void);
int run_namespaces(void);
int run_other_processes(void);
int run_multitude(void);
int run_fork_descriptors(void);
int run_real_time(void);
int run_spawn(void);
int run_tids(void);
int run_c11(void);
int run_rests(void);
int run_seldom(void);
int run_shared_cpu(void);
int run_met_ticker(void);
int run_handled(void);
int run_replaced(void);
int run_replaced_raw(void);
int run_replaced_sysv(void);
int run_replaced_set(void);
int run_replaced_bsd(void);
int run_replaced_ignored(void);
int run_described(void);
int run_late(void);
int run_masked_described(void);
int run_awaited(void);
int run_pending(void);
int run_opened(void);
int run_awaited_long(void);
int run_interrupting(void);
int run_masked(void);
int run_masked_handler(void);
int run_masks_inherited(void);
int run_exec_masked(void);
int run_masked_pending(void);
int run_masked_errno(void);
int run_masked_taken(void);
int run_own_timer(void);
int run_killed(void);
int run_deep(void);
int run_alternate(void);
int run_coroutine(void);
int run_modules(void);
int run_modules_edited(void);
int run_chrooted(void);
int run_names(void);

#endif

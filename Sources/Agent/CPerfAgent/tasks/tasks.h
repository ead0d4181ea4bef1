/// The library that records where Swift tasks wait: libperfkit-agent-tasks.so, preloaded with
/// `--tasks`.
///
///     runtime.c   functions of the Swift runtime that are replaced, and the reading of tasks
///     tables.c    the tables of stacks, names and tasks
///
/// It is independent of the sampling agent. All of its code runs in threads that run tasks, never
/// in signal handlers.
#ifndef PERF_AGENT_TASKS_H
#define PERF_AGENT_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#include "perf_tasks.h"

/// A suspended or new task, as far as the tables need it.
struct perf_agent_task {
  uint64_t address;
  uint32_t number;  ///< The lower half of its number; later tasks have the same address.
};

/// A stack and its meaning.
struct perf_agent_task_stack {
  enum perfkit_task_wait kind;
  bool is_truncated;
  uint32_t count;
  uint64_t addresses[PERFKIT_TASK_FRAMES_MAX];
};

/// Maps the tables of the environment for this process. Returns whether they can be used.
bool perf_agent_tasks_open(void);

/// Returns whether tasks are recorded in this process.
bool perf_agent_tasks_are_recorded(void);

/// Counts a task of a runtime with an unknown layout.
void perf_agent_tasks_unknown(void);

/// Returns the number of a stack that makes tasks; 0 if there is no room.
uint32_t perf_agent_task_maker(const struct perf_agent_task_stack *stack);

/// Records the stack that made a task, unless the task is known.
void perf_agent_task_made(struct perf_agent_task task, uint32_t maker);

/// Records the name of a task.
void perf_agent_task_named(struct perf_agent_task task, const char *name);

/// Begins a wait. Called before another thread can resume the task.
void perf_agent_task_suspended(struct perf_agent_task task,
                               const struct perf_agent_task_stack *stack);

/// Ends the wait of a task that can go on, and begins its wait for a thread or for the main actor.
void perf_agent_task_ready(struct perf_agent_task task, enum perfkit_task_wait kind);

/// Ends the wait of a task that runs. `waited`: false if the task went on without having waited.
void perf_agent_task_resumed(struct perf_agent_task task, bool waited);

#endif

/// The tables of the waits of Swift tasks, shared by libperfkit-agent-tasks.so (writer) and the
/// harness (reader).
///
/// The harness creates a memory file, writes the constant part of the header and passes the
/// descriptor in PERFKIT_TASKS_FD. The library maps the file when the first task of the process
/// runs. After a crash of the process the harness can still read the tables.
///
///     header | stacks | addresses | names | texts | buckets
///
/// The library changes all fields by atomic operations. All integers are in the machine's byte
/// order; times are CLOCK_MONOTONIC in nanoseconds. The number of an element of a table is its
/// index plus 1; 0 means none.
#ifndef PERFKIT_TASKS_H
#define PERFKIT_TASKS_H

#include <stdint.h>

#define PERFKIT_TASKS_MAGIC UINT64_C(0x314b534154465250) /* "PRFTASK1" */
#define PERFKIT_TASKS_VERSION 1u
/// The environment variable with the number of the descriptor.
#define PERFKIT_ENV_TASKS_FD "PERFKIT_TASKS_FD"

/// The most addresses of a stack.
#define PERFKIT_TASK_FRAMES_MAX 64u
#define PERFKIT_TASK_STACKS 65536u
#define PERFKIT_TASK_ADDRESSES 1048576u
#define PERFKIT_TASK_NAMES 4096u
#define PERFKIT_TASK_TEXT_BYTES 262144u
#define PERFKIT_TASK_BUCKETS 65536u
/// The tasks of one bucket.
#define PERFKIT_TASK_BUCKET 7u

/// What a task waits for.
enum perfkit_task_wait {
  PERFKIT_TASK_OTHER = 0,  ///< Unknown, without addresses.
  PERFKIT_TASK_CONTINUATION = 1,
  PERFKIT_TASK_FUTURE = 2,  ///< The result of another task.
  PERFKIT_TASK_ASYNC_LET = 3,
  PERFKIT_TASK_GROUP = 4,
  PERFKIT_TASK_ACTOR = 5,   ///< An actor that other tasks use, or its thread.
  PERFKIT_TASK_THREAD = 6,  ///< A thread of the pool; the task could go on.
  PERFKIT_TASK_MADE = 7,    ///< No wait: the stack that made tasks, of return addresses.
};

struct perfkit_tasks_header {
  uint64_t magic;
  uint32_t version;
  uint32_t reserved;
  // Written by the harness while the process runs.
  uint64_t began_ns;  ///< The start of the measured phase; 0 before.
  uint64_t ended_ns;  ///< Its end; 0 before.
  // Written by the library.
  uint32_t process;    ///< The process whose tasks are recorded: the first one that runs a task.
  uint32_t processes;  ///< Other processes that ran tasks, and had no room here.
  uint32_t unknown;    ///< Task switches of a runtime with another layout, which are not recorded.
  uint32_t texts_used;
  uint64_t addresses_used;
  uint64_t lost;     ///< Waits that were not recorded because a table was full.
  uint64_t lost_ns;  ///< The time of those of them whose end is known.
};

enum perfkit_task_stack_flags {
  PERFKIT_TASK_COMPLETE = 1u,   ///< Stored last (release): all other constant fields are valid.
  PERFKIT_TASK_TRUNCATED = 2u,  ///< Outer callers are missing.
};

/// The waits of all tasks with the same stack, name, maker and reason.
struct perfkit_task_stack {
  uint64_t hash;       ///< 0: free.
  uint32_t addresses;  ///< Index of its first address; innermost first.
  uint16_t count;      ///< The number of its addresses.
  uint8_t kind;        ///< `enum perfkit_task_wait`.
  uint8_t flags;       ///< `enum perfkit_task_stack_flags`.
  uint32_t made;       ///< Number of the stack that made the tasks.
  uint32_t name;       ///< Number of the tasks' name.
  uint32_t ready;      ///< Number of the same stack for tasks that wait for their thread.
  uint32_t reserved;
  uint64_t waits;       ///< Waits that ended.
  uint64_t time_ns;     ///< Their time in the measured phase.
  uint64_t longest_ns;  ///< The longest of them.
  uint64_t padding;
};

/// A name of tasks.
struct perfkit_task_name {
  uint64_t hash;   ///< 0: free.
  uint32_t text;   ///< Offset of its text.
  uint32_t bytes;  ///< Length of its text; stored last (release).
};

/// The state of a task.
struct perfkit_task_entry {
  uint64_t began_ns;  ///< When its present wait began; 0: it does not wait.
  uint32_t stack;     ///< Number of the stack of that wait.
  uint32_t made;      ///< Number of the stack that made it.
  uint32_t task;      ///< The lower half of the task's number.
  uint32_t name;      ///< Number of its name.
};

/// The tasks at neighbouring addresses.
struct perfkit_task_bucket {
  uint32_t lock;  ///< 1 while a thread changes the bucket.
  uint32_t reserved;
  uint64_t tasks[PERFKIT_TASK_BUCKET];  ///< Their addresses; 0: free.
  struct perfkit_task_entry entries[PERFKIT_TASK_BUCKET];
  uint64_t padding[3];
};

// MARK: - Places of the tables in the file

#define PERFKIT_TASK_STACKS_OFFSET UINT64_C(4096)
#define PERFKIT_TASK_ADDRESSES_OFFSET                                                              \
  (PERFKIT_TASK_STACKS_OFFSET + PERFKIT_TASK_STACKS * sizeof(struct perfkit_task_stack))
#define PERFKIT_TASK_NAMES_OFFSET                                                                  \
  (PERFKIT_TASK_ADDRESSES_OFFSET + PERFKIT_TASK_ADDRESSES * sizeof(uint64_t))
#define PERFKIT_TASK_TEXTS_OFFSET                                                                  \
  (PERFKIT_TASK_NAMES_OFFSET + PERFKIT_TASK_NAMES * sizeof(struct perfkit_task_name))
#define PERFKIT_TASK_BUCKETS_OFFSET (PERFKIT_TASK_TEXTS_OFFSET + PERFKIT_TASK_TEXT_BYTES)
#define PERFKIT_TASKS_BYTES                                                                        \
  (PERFKIT_TASK_BUCKETS_OFFSET + PERFKIT_TASK_BUCKETS * sizeof(struct perfkit_task_bucket))

// Swift cannot import the macros.
static const uint64_t perfkit_tasks_magic = PERFKIT_TASKS_MAGIC;
static const uint64_t perfkit_task_stacks_offset = PERFKIT_TASK_STACKS_OFFSET;
static const uint64_t perfkit_task_addresses_offset = PERFKIT_TASK_ADDRESSES_OFFSET;
static const uint64_t perfkit_task_names_offset = PERFKIT_TASK_NAMES_OFFSET;
static const uint64_t perfkit_task_texts_offset = PERFKIT_TASK_TEXTS_OFFSET;
static const uint64_t perfkit_task_buckets_offset = PERFKIT_TASK_BUCKETS_OFFSET;
static const uint64_t perfkit_tasks_bytes = PERFKIT_TASKS_BYTES;

#endif

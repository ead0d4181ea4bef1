#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perf_environment.h"
#include "tasks.h"

_Static_assert(sizeof(struct perfkit_tasks_header) <= PERFKIT_TASK_STACKS_OFFSET, "one page");
_Static_assert(sizeof(struct perfkit_task_stack) == 64, "one cache line");
_Static_assert(sizeof(struct perfkit_task_bucket) == 256, "four cache lines");

/// NULL while no task of this process is recorded.
static struct perfkit_tasks_header *header;

static void *table(uint64_t offset) { return (char *)header + offset; }

static struct perfkit_task_stack *stack_at(uint32_t number) {
  return (struct perfkit_task_stack *)table(PERFKIT_TASK_STACKS_OFFSET) + (number - 1);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// MARK: - The file

/// A forked child must not write into its parent's tables. It cannot run tasks: fork(2) copies one
/// thread.
static void forget(void) { header = NULL; }

bool perf_agent_tasks_open(void) {
  const char *number = perf_environment(PERFKIT_ENV_TASKS_FD);
  // The descriptor may be another file's by now, so the header is read before the file is mapped.
  struct stat status;
  struct perfkit_tasks_header found;
  int file = number ? atoi(number) : -1;
  if (!number || fstat(file, &status) != 0 ||
      pread(file, &found, sizeof found, 0) != (ssize_t)sizeof found ||
      found.magic != PERFKIT_TASKS_MAGIC || found.version != PERFKIT_TASKS_VERSION ||
      (uint64_t)status.st_size < PERFKIT_TASKS_BYTES) {
    return false;
  }
  void *address =
      mmap(NULL, PERFKIT_TASKS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) {
    return false;
  }
  struct perfkit_tasks_header *mapped = address;
  uint32_t owner = 0;
  if (!__atomic_compare_exchange_n(&mapped->process, &owner, (uint32_t)getpid(), false,
                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    __atomic_fetch_add(&mapped->processes, 1, __ATOMIC_RELAXED);
    munmap(address, PERFKIT_TASKS_BYTES);
    return false;
  }
  header = mapped;
  pthread_atfork(NULL, NULL, forget);
  return true;
}

bool perf_agent_tasks_are_recorded(void) { return header != NULL; }

void perf_agent_tasks_unknown(void) { __atomic_fetch_add(&header->unknown, 1, __ATOMIC_RELAXED); }

// MARK: - Stacks

static uint64_t mix(uint64_t hash, uint64_t word) {
  // The multiplier of splitmix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195).
  hash = (hash ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
  return hash ^ hash >> 31;
}

/// The most places of a table that are searched for a hash.
#define PROBES 64u

/// Returns the number of the stack of a hash, which is claimed if it is new; 0 if there is no room.
static uint32_t claim(uint64_t hash, bool *is_new) {
  *is_new = false;
  for (uint32_t probe = 0; probe < PROBES; probe++) {
    uint32_t number = (uint32_t)(hash + probe) % PERFKIT_TASK_STACKS + 1;
    struct perfkit_task_stack *stack = stack_at(number);
    uint64_t found = __atomic_load_n(&stack->hash, __ATOMIC_RELAXED);
    if (found == 0 && __atomic_compare_exchange_n(&stack->hash, &found, hash, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      *is_new = true;
      return number;
    }
    if (found == hash) {
      return number;
    }
  }
  return 0;
}

static void publish(struct perfkit_task_stack *stack, bool is_truncated) {
  uint8_t flags = PERFKIT_TASK_COMPLETE | (is_truncated ? PERFKIT_TASK_TRUNCATED : 0);
  __atomic_store_n(&stack->flags, flags, __ATOMIC_RELEASE);
}

/// Fills in a new stack. Without room for its addresses it has none.
static void fill(struct perfkit_task_stack *stack, const struct perf_agent_task_stack *from,
                 uint32_t made, uint32_t name) {
  uint64_t first = __atomic_fetch_add(&header->addresses_used, from->count, __ATOMIC_RELAXED);
  bool has_room = first + from->count <= PERFKIT_TASK_ADDRESSES;
  if (has_room) {
    memcpy((uint64_t *)table(PERFKIT_TASK_ADDRESSES_OFFSET) + first, from->addresses,
           from->count * sizeof from->addresses[0]);
  }
  stack->addresses = has_room ? (uint32_t)first : 0;
  stack->count = has_room ? (uint16_t)from->count : 0;
  stack->kind = (uint8_t)from->kind;
  stack->made = made;
  stack->name = name;
  publish(stack, from->is_truncated || !has_room);
}

/// Returns the number of a stack of tasks with a name that another stack has made; 0 if there is no
/// room.
static uint32_t number_of(const struct perf_agent_task_stack *stack, uint32_t made,
                          uint32_t name) {
  uint64_t hash = mix((uint64_t)stack->kind << 32 | made, name);
  for (uint32_t index = 0; index < stack->count; index++) {
    hash = mix(hash, stack->addresses[index]);
  }
  bool is_new;
  uint32_t number = claim(hash | 1, &is_new);
  if (is_new) {
    fill(stack_at(number), stack, made, name);
  }
  return number;
}

uint32_t perf_agent_task_maker(const struct perf_agent_task_stack *stack) {
  return number_of(stack, 0, 0);
}

/// Returns the number of a stack for tasks that can go on there; 0 if there is none yet, or no
/// room.
static uint32_t ready_number(uint32_t number, enum perfkit_task_wait kind) {
  struct perfkit_task_stack *from = stack_at(number);
  uint32_t known = __atomic_load_n(&from->ready, __ATOMIC_ACQUIRE);
  if (known || !(__atomic_load_n(&from->flags, __ATOMIC_ACQUIRE) & PERFKIT_TASK_COMPLETE)) {
    return known;
  }
  bool is_new;
  uint32_t ready = claim(mix(from->hash, kind) | 1, &is_new);
  if (is_new) {
    struct perfkit_task_stack *stack = stack_at(ready);
    stack->addresses = from->addresses;
    stack->count = from->count;
    stack->kind = (uint8_t)kind;
    stack->made = from->made;
    stack->name = from->name;
    publish(stack, from->flags & PERFKIT_TASK_TRUNCATED);
  }
  __atomic_store_n(&from->ready, ready, __ATOMIC_RELEASE);
  return ready;
}

// MARK: - Names

/// Returns the number of a name; 0 if there is no room.
static uint32_t number_of_name(const char *text) {
  size_t bytes = strlen(text);
  uint64_t hash = bytes;
  for (size_t index = 0; index < bytes; index++) {
    hash = mix(hash, (uint8_t)text[index]);
  }
  hash |= 1;
  struct perfkit_task_name *names = table(PERFKIT_TASK_NAMES_OFFSET);
  for (uint32_t probe = 0; probe < PROBES; probe++) {
    uint32_t index = (uint32_t)(hash + probe) % PERFKIT_TASK_NAMES;
    struct perfkit_task_name *name = &names[index];
    uint64_t found = __atomic_load_n(&name->hash, __ATOMIC_RELAXED);
    if (found == 0 && __atomic_compare_exchange_n(&name->hash, &found, hash, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      uint32_t first = bytes <= PERFKIT_TASK_TEXT_BYTES
                           ? __atomic_fetch_add(&header->texts_used, (uint32_t)bytes,
                                                __ATOMIC_RELAXED)
                           : PERFKIT_TASK_TEXT_BYTES;
      // Without room the name stays incomplete, and reads as none.
      if (first <= PERFKIT_TASK_TEXT_BYTES && bytes <= PERFKIT_TASK_TEXT_BYTES - first) {
        memcpy((char *)table(PERFKIT_TASK_TEXTS_OFFSET) + first, text, bytes);
        name->text = first;
        __atomic_store_n(&name->bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
      }
      return index + 1;
    }
    if (found == hash) {
      return index + 1;
    }
  }
  return 0;
}

// MARK: - Tasks

/// Tasks have more than 2^9 bytes. Neighbours have neighbouring buckets, to use few pages.
#define PLACE_BITS 9u
/// All buckets stand for a region of 2^25 bytes of the heap. Each region begins at another bucket.
#define REGION_BITS 25u

/// Locks the bucket of a task. A lock is held for less than a microsecond.
static struct perfkit_task_bucket *lock(struct perf_agent_task task) {
  struct perfkit_task_bucket *buckets = table(PERFKIT_TASK_BUCKETS_OFFSET);
  uint64_t place = (task.address >> PLACE_BITS) + mix(0, task.address >> REGION_BITS);
  struct perfkit_task_bucket *bucket = &buckets[place % PERFKIT_TASK_BUCKETS];
  for (unsigned round = 0; __atomic_exchange_n(&bucket->lock, 1, __ATOMIC_ACQUIRE) != 0; round++) {
    if (round % 64 == 63) {
      sched_yield();
    }
  }
  return bucket;
}

static void unlock(struct perfkit_task_bucket *bucket) {
  __atomic_store_n(&bucket->lock, 0, __ATOMIC_RELEASE);
}

/// Returns the entry of a task in its locked bucket; NULL if it has none.
///
/// The entry of an earlier task at the same address is reset.
static struct perfkit_task_entry *find(struct perfkit_task_bucket *bucket,
                                       struct perf_agent_task task) {
  for (uint32_t index = 0; index < PERFKIT_TASK_BUCKET; index++) {
    if (bucket->tasks[index] == task.address) {
      struct perfkit_task_entry *entry = &bucket->entries[index];
      if (entry->task != task.number) {
        *entry = (struct perfkit_task_entry){.task = task.number};
      }
      return entry;
    }
  }
  return NULL;
}

/// Returns a new entry of a task without one; NULL if all tasks of the bucket wait.
static struct perfkit_task_entry *insert(struct perfkit_task_bucket *bucket,
                                         struct perf_agent_task task) {
  uint32_t place = PERFKIT_TASK_BUCKET;
  for (uint32_t index = 0; index < PERFKIT_TASK_BUCKET; index++) {
    // A task that does not wait may have ended. If it has not, it loses its maker.
    bool is_idle = !bucket->entries[index].began_ns;
    if (!bucket->tasks[index] || (is_idle && place == PERFKIT_TASK_BUCKET)) {
      place = index;
    }
  }
  if (place == PERFKIT_TASK_BUCKET) {
    return NULL;
  }
  bucket->tasks[place] = task.address;
  bucket->entries[place] = (struct perfkit_task_entry){.task = task.number};
  return &bucket->entries[place];
}

static struct perfkit_task_entry *find_or_insert(struct perfkit_task_bucket *bucket,
                                                 struct perf_agent_task task) {
  struct perfkit_task_entry *entry = find(bucket, task);
  return entry ? entry : insert(bucket, task);
}

void perf_agent_task_made(struct perf_agent_task task, uint32_t maker) {
  struct perfkit_task_bucket *bucket = lock(task);
  struct perfkit_task_entry *entry = find_or_insert(bucket, task);
  if (entry && !entry->made) {
    entry->made = maker;
  }
  unlock(bucket);
}

void perf_agent_task_named(struct perf_agent_task task, const char *name) {
  uint32_t number = number_of_name(name);
  struct perfkit_task_bucket *bucket = lock(task);
  struct perfkit_task_entry *entry = find_or_insert(bucket, task);
  if (entry) {
    entry->name = number;
  }
  unlock(bucket);
}

void perf_agent_task_suspended(struct perf_agent_task task,
                               const struct perf_agent_task_stack *stack) {
  struct perfkit_task_bucket *bucket = lock(task);
  struct perfkit_task_entry *entry = find_or_insert(bucket, task);
  if (entry) {
    entry->stack = number_of(stack, entry->made, entry->name);
    entry->began_ns = now();
  } else {
    __atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
  }
  unlock(bucket);
}

/// Adds a wait that ends now to its stack. Only the time in the measured phase counts.
static void add(const struct perfkit_task_entry *entry, uint64_t end) {
  uint64_t phase_began = __atomic_load_n(&header->began_ns, __ATOMIC_RELAXED);
  uint64_t phase_ended = __atomic_load_n(&header->ended_ns, __ATOMIC_RELAXED);
  uint64_t began = entry->began_ns > phase_began ? entry->began_ns : phase_began;
  if (phase_ended && end > phase_ended) {
    end = phase_ended;
  }
  if (!phase_began || end < began) {
    return;
  }
  uint64_t time = end - began;
  if (!entry->stack) {
    __atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&header->lost_ns, time, __ATOMIC_RELAXED);
    return;
  }
  struct perfkit_task_stack *stack = stack_at(entry->stack);
  __atomic_fetch_add(&stack->waits, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&stack->time_ns, time, __ATOMIC_RELAXED);
  uint64_t longest = __atomic_load_n(&stack->longest_ns, __ATOMIC_RELAXED);
  while (time > longest &&
         !__atomic_compare_exchange_n(&stack->longest_ns, &longest, time, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}

void perf_agent_task_ready(struct perf_agent_task task, enum perfkit_task_wait kind) {
  struct perfkit_task_bucket *bucket = lock(task);
  struct perfkit_task_entry *entry = find(bucket, task);
  if (entry && entry->began_ns) {
    uint8_t before = entry->stack ? stack_at(entry->stack)->kind : PERFKIT_TASK_OTHER;
    // A task that has asked for another actor or a thread waits for that already.
    if (before != PERFKIT_TASK_ACTOR && before != PERFKIT_TASK_THREAD) {
      uint64_t end = now();
      add(entry, end);
      entry->stack = entry->stack ? ready_number(entry->stack, kind) : 0;
      entry->began_ns = entry->stack ? end : 0;
    }
  }
  unlock(bucket);
}

void perf_agent_task_resumed(struct perf_agent_task task, bool waited) {
  struct perfkit_task_bucket *bucket = lock(task);
  struct perfkit_task_entry *entry = find(bucket, task);
  if (entry && entry->began_ns) {
    if (waited) {
      add(entry, now());
    }
    entry->began_ns = 0;
  }
  unlock(bucket);
}

/// The Swift concurrency runtime, as the library sees it.
///
/// libswift_Concurrency.so calls two functions of libswiftCore.so through the loader, so that a
/// preloaded library can replace them: `swift_task_exitThreadLocalContext` when a task is about to
/// be suspended, and `swift_task_enterThreadLocalContext` when it runs again. At the first one the
/// task still belongs to the calling thread, and its contexts and its dependency are complete. The
/// hooks of the runtime report tasks that become ready, and `swift_task_create` and
/// `swift_asyncLet_begin` are called by programs.
///
/// The layout of a task is that of Swift 6 on 64-bit machines (include/swift/ABI/Task.h,
/// TaskStatus.h, stdlib/public/Concurrency/TaskPrivate.h). Two checks detect another layout: the
/// address of the current task, and the dependency, whose address is in the task twice.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "core/interpose.h"
#include "tasks.h"

/// The context of an async function: the caller's context, and the code that goes on after the
/// function.
struct context {
  const struct context *parent;
  uint64_t resume;
};

enum dependency_kind { ON_TASK = 1, ON_CONTINUATION, ON_GROUP, ON_EXECUTOR };

/// What a suspended task waits for.
struct dependency {
  uint64_t flags;
  const void *parent;
  const void *object;  ///< The task, continuation context, group or executor; NULL: the pool.
  const void *implementation;
  uint32_t kind;
};

struct task {
  uint64_t object[2];
  const void *scheduler[2];
  uint32_t flags;
  uint32_t number;
  const void *reserved[2];
  uint64_t resume;
  const struct context *context;
  const void *reserved_too;
  uint64_t exclusivity[2];  ///< The argument of the two functions.
  uint64_t status;
  const struct dependency *record;  ///< The innermost record of its status.
  uint64_t private_storage[6];
  const struct dependency *dependency;
};

_Static_assert(offsetof(struct task, exclusivity) == 0x50, "the runtime's layout");
_Static_assert(offsetof(struct task, dependency) == 0xa0, "the runtime's layout");

#define HAS_DEPENDENCY UINT64_C(0x4000)
#define IS_LOCKED UINT64_C(0x200)
#define JOB_KIND UINT32_C(0xff)  ///< 0: a task.
#define IS_ASYNC_LET (UINT32_C(1) << 28)
#define HAS_NAME (UINT32_C(1) << 30)
/// A set bit in a saved frame pointer marks the frame of an async function (core/async.c).
#define ASYNC_FRAME (UINT64_C(1) << 60)

struct created {
  struct task *task;
  void *context;
};

typedef void context_function(char *state);
typedef void enqueue_original(struct task *job);
typedef void enqueue_hook(struct task *job, enqueue_original *original);
typedef struct created create_function(size_t flags, void *options, const void *type, void *closure,
                                       void *context);
typedef void let_function(void *let, void *options, const void *type, void *closure, void *context,
                          void *result);

static struct {
  context_function *enter, *exit;
  struct task *(*current)(void);
  const char *(*name)(void);
  create_function *create;
  let_function *begin_let;
  enqueue_hook *enqueue_global, *enqueue_main;  ///< The program's hooks; NULL: none.
  uint64_t low, high;                           ///< The code of the runtime.
} runtime;

static _Thread_local struct {
  /// The last task that was suspended here, and the frame of that call.
  const struct task *suspended;
  const void *frame;
  uint32_t maker;  ///< Number of the stack that makes a task now.
  uint64_t stack_low, stack_high;
} local;

static struct perf_agent_task key_of(const struct task *task) {
  return (struct perf_agent_task){.address = (uint64_t)task, .number = task->number};
}

// MARK: - Stacks

/// Adds the code after each `await` of the calling functions, from a context on.
static void add_callers(struct perf_agent_task_stack *stack, const struct context *context,
                        uint64_t offset) {
  // The outermost context has no parent. Its code ends the task and belongs to the runtime.
  for (; context && context->parent; context = context->parent) {
    if (stack->count == PERFKIT_TASK_FRAMES_MAX) {
      stack->is_truncated = true;
      return;
    }
    stack->addresses[stack->count++] = context->resume + offset;
  }
}

/// Returns what a task waits for; NULL if it is unknown.
static const struct dependency *dependency_of(const struct task *task) {
  static bool is_confirmed;
  const struct dependency *dependency = task->dependency;
  uint64_t status = __atomic_load_n(&task->status, __ATOMIC_RELAXED);
  if (!(status & HAS_DEPENDENCY) || !dependency) {
    return NULL;
  }
  if (__atomic_load_n(&task->record, __ATOMIC_RELAXED) == dependency) {
    __atomic_store_n(&is_confirmed, true, __ATOMIC_RELAXED);
    return dependency;
  }
  // Another thread that changes the records of the task, e.g. to cancel it, has put its own record
  // before the dependency.
  bool is_locked = status & IS_LOCKED;
  return is_locked && __atomic_load_n(&is_confirmed, __ATOMIC_RELAXED) ? dependency : NULL;
}

/// Reads where and why a task is about to be suspended.
static void look(const struct task *task, struct perf_agent_task_stack *stack) {
  stack->kind = PERFKIT_TASK_OTHER;
  const struct dependency *dependency = dependency_of(task);
  if (!dependency) {
    return;
  }
  switch (dependency->kind) {
    case ON_TASK: {
      const struct task *other = dependency->object;
      stack->kind = other->flags & IS_ASYNC_LET ? PERFKIT_TASK_ASYNC_LET : PERFKIT_TASK_FUTURE;
      add_callers(stack, task->context, 0);
      break;
    }
    case ON_CONTINUATION:
      // The functions of a task that suspends itself without a continuation are not known yet.
      if (dependency->object) {
        stack->kind = PERFKIT_TASK_CONTINUATION;
        add_callers(stack, dependency->object, 0);
      }
      break;
    case ON_GROUP:
      stack->kind = PERFKIT_TASK_GROUP;
      add_callers(stack, task->context, 0);
      break;
    case ON_EXECUTOR:
      stack->kind = dependency->object ? PERFKIT_TASK_ACTOR : PERFKIT_TASK_THREAD;
      stack->addresses[stack->count++] = task->resume;
      add_callers(stack, task->context, 0);
      break;
    default: break;
  }
}

static bool is_on_stack(uint64_t frame) {
  if (!local.stack_high) {
    pthread_attr_t attributes;
    void *low;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
      return false;
    }
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
      local.stack_low = (uint64_t)low;
      local.stack_high = (uint64_t)low + bytes;
    }
    pthread_attr_destroy(&attributes);
  }
  return frame % 8 == 0 && frame >= local.stack_low + 8 && frame + 16 <= local.stack_high;
}

/// The most frames of the stack that makes a task.
#define MAKER_FRAMES_MAX 12u

/// Returns the number of the calling stack, by frame pointers, which Swift's code keeps.
static uint32_t maker(const void *frame_address) {
  struct perf_agent_task_stack stack;
  stack.kind = PERFKIT_TASK_MADE;
  stack.is_truncated = false;
  stack.count = 0;
  uint64_t frame = (uint64_t)frame_address;
  while (stack.count < MAKER_FRAMES_MAX && is_on_stack(frame)) {
    const uint64_t *words = (const uint64_t *)frame;
    if (words[1] >= runtime.low && words[1] < runtime.high) {
      break;
    }
    stack.addresses[stack.count++] = words[1];
    uint64_t outer = words[0] & ~ASYNC_FRAME;
    if (outer <= frame || !is_on_stack(outer)) {
      break;
    }
    frame = outer;
    words = (const uint64_t *)frame;
    if (words[0] & ASYNC_FRAME) {
      // The async function's own context. Its callers are no return addresses, but read as such.
      add_callers(&stack, (const struct context *)words[-1], 1);
      break;
    }
  }
  return stack.count ? perf_agent_task_maker(&stack) : 0;
}

// MARK: - The library

static void hook_global(struct task *job, enqueue_original *original);
static void hook_main(struct task *job, enqueue_original *original);

/// Puts a hook in the place of another one.
static void set_hook(void *library, const char *name, enqueue_hook *hook, enqueue_hook **before) {
  enqueue_hook **place = dlsym(library, name);
  if (place) {
    *before = __atomic_exchange_n(place, hook, __ATOMIC_ACQ_REL);
  }
}

static int find_code(struct dl_phdr_info *module, size_t size, void *name) {
  (void)size;
  if (!strstr(module->dlpi_name, name)) {
    return 0;
  }
  for (int index = 0; index < module->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &module->dlpi_phdr[index];
    if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
      runtime.low = module->dlpi_addr + part->p_vaddr;
      runtime.high = runtime.low + part->p_memsz;
    }
  }
  return 1;
}

static void find(void *library, const char *name, void *function) {
  void *found = library ? dlsym(library, name) : NULL;
  if (!found) {
    found = dlsym(RTLD_NEXT, name);
  }
  memcpy(function, &found, sizeof found);
}

static void prepare(void) {
  // The libraries may have been loaded without making their functions visible to others.
  void *core = dlopen("libswiftCore.so", RTLD_LAZY | RTLD_NOLOAD);
  void *concurrency = dlopen("libswift_Concurrency.so", RTLD_LAZY | RTLD_NOLOAD);
  find(core, "swift_task_enterThreadLocalContext", &runtime.enter);
  find(core, "swift_task_exitThreadLocalContext", &runtime.exit);
  find(concurrency, "swift_task_getCurrent", &runtime.current);
  find(concurrency, "swift_task_getCurrentTaskName", &runtime.name);
  find(concurrency, "swift_task_create", &runtime.create);
  find(concurrency, "swift_asyncLet_begin", &runtime.begin_let);
  if (!concurrency || !runtime.current || !perf_agent_tasks_open()) {
    return;
  }
  dl_iterate_phdr(find_code, "/libswift_Concurrency.so");
  set_hook(concurrency, "swift_task_enqueueGlobal_hook", hook_global, &runtime.enqueue_global);
  set_hook(concurrency, "swift_task_enqueueMainExecutor_hook", hook_main, &runtime.enqueue_main);
}

/// Prepares the library at the first call of any replaced function.
static void begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
}

/// Returns the current task if its private part is at an address; NULL if it is not recorded.
static const struct task *recorded(char *state) {
  if (!perf_agent_tasks_are_recorded()) {
    return NULL;
  }
  const struct task *task = (const struct task *)(state - offsetof(struct task, exclusivity));
  const struct task *current = runtime.current();
  // A task that asks for another executor is not the current one any more.
  const struct dependency *dependency = current ? NULL : dependency_of(task);
  if (current ? current != task : !dependency || dependency->kind != ON_EXECUTOR) {
    perf_agent_tasks_unknown();
    return NULL;
  }
  return task;
}

// MARK: - Replaced functions

/// Called by the runtime when the current task is about to be suspended.
INTERPOSED void swift_task_exitThreadLocalContext(char *state) {
  begin();
  const struct task *task = recorded(state);
  if (task) {
    struct perf_agent_task_stack stack;
    stack.is_truncated = false;
    stack.count = 0;
    look(task, &stack);
    local.suspended = task;
    local.frame = __builtin_frame_address(0);
    perf_agent_task_suspended(key_of(task), &stack);
  }
  runtime.exit(state);
}

/// Called by the runtime when a task runs, and when there is no need to suspend it after all.
INTERPOSED void swift_task_enterThreadLocalContext(char *state) {
  begin();
  runtime.enter(state);
  const struct task *task = recorded(state);
  if (task) {
    // The second case is a call by the same function. A task that runs again is called from another
    // frame.
    bool waited = local.suspended != task || local.frame != __builtin_frame_address(0);
    local.suspended = NULL;
    perf_agent_task_resumed(key_of(task), waited);
    const char *name = task->flags & HAS_NAME && runtime.name ? runtime.name() : NULL;
    if (name) {
      perf_agent_task_named(key_of(task), name);
    }
  }
}

/// Records a new or a resumed task before the runtime puts it into a queue.
static void queue(const struct task *job, enum perfkit_task_wait kind) {
  if (!perf_agent_tasks_are_recorded() || (job->flags & JOB_KIND) != 0) {
    return;
  }
  if (local.maker) {
    perf_agent_task_made(key_of(job), local.maker);
    local.maker = 0;
  } else {
    perf_agent_task_ready(key_of(job), kind);
  }
}

static void hook_global(struct task *job, enqueue_original *original) {
  queue(job, PERFKIT_TASK_THREAD);
  if (runtime.enqueue_global) {
    runtime.enqueue_global(job, original);
  } else {
    original(job);
  }
}

static void hook_main(struct task *job, enqueue_original *original) {
  queue(job, PERFKIT_TASK_ACTOR);
  if (runtime.enqueue_main) {
    runtime.enqueue_main(job, original);
  } else {
    original(job);
  }
}

/// Called by programs for `Task {}`, tasks of groups and main.
INTERPOSED struct created swift_task_create(size_t flags, void *options, const void *type,
                                            void *closure, void *context) {
  begin();
  if (!perf_agent_tasks_are_recorded()) {
    return runtime.create(flags, options, type, closure, context);
  }
  local.maker = maker(__builtin_frame_address(0));
  struct created created = runtime.create(flags, options, type, closure, context);
  // A task of an actor was not seen by the hooks, or is not in a queue yet.
  if (local.maker) {
    perf_agent_task_made(key_of(created.task), local.maker);
    local.maker = 0;
  }
  return created;
}

/// Called by programs for `async let`.
INTERPOSED void swift_asyncLet_begin(void *let, void *options, const void *type, void *closure,
                                     void *context, void *result) {
  begin();
  if (perf_agent_tasks_are_recorded()) {
    local.maker = maker(__builtin_frame_address(0));
  }
  runtime.begin_let(let, options, type, closure, context, result);
  local.maker = 0;
}

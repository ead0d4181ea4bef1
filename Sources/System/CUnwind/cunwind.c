#include "cunwind.h"

#include <errno.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "prologue.h"

/// Exported by the generic library, declared in none of its installed headers.
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip,
                                              unw_dyn_info_t *table, unw_proc_info_t *info,
                                              int need_unwind_info, void *context);

/// Steps that libunwind remembers. Its default of 128 is less than what one program's hot paths
/// have; 4,096 take 1.5 MB.
#define CACHED_STEPS 4096

/// Bytes below the stack pointer that the innermost function may use; its callers cannot.
#if defined(__aarch64__)
#define RED_ZONE 0u
#else
#define RED_ZONE 128u
#endif

#if defined(__aarch64__)
#define SP_INDEX 31u
#define FRAME_POINTER_PLACE 10u  // Among the saved registers.
static const int saved_registers[CUNWIND_SAVED_COUNT] = {
    UNW_AARCH64_X19, UNW_AARCH64_X20, UNW_AARCH64_X21, UNW_AARCH64_X22,
    UNW_AARCH64_X23, UNW_AARCH64_X24, UNW_AARCH64_X25, UNW_AARCH64_X26,
    UNW_AARCH64_X27, UNW_AARCH64_X28, UNW_AARCH64_X29,
};
#else
#define SP_INDEX 7u
#define FRAME_POINTER_PLACE 1u  // Among the saved registers.
static const int saved_registers[CUNWIND_SAVED_COUNT] = {
    UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12,
    UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15,
};
#endif

#define PC_INDEX (CUNWIND_REGISTER_COUNT - 1)
#define EVERY_REGISTER ((UINT64_C(1) << CUNWIND_REGISTER_COUNT) - 1)

struct cunwind_space {
  unw_addr_space_t unwind;
  struct cunwind_module *modules;
  size_t module_count;
  struct cunwind_segment *segments;
  size_t segment_count;
  size_t last_segment;  ///< Where the last read was found: the next one is mostly there as well.
  cunwind_find_function find_function;
  void *find_context;
  const struct cunwind_sample *sample;
  /// The registers that a cursor begins with: the sample's, or a caller's that we found ourselves.
  uint64_t registers[CUNWIND_REGISTER_COUNT];
  uint64_t known;  ///< Bits of those whose values are known.
  bool beyond_stack;  ///< A read of this step fell behind the copied stack.
  bool no_info;       ///< Code of this step has no unwind information.
};

// MARK: - Memory

static struct cunwind_segment *find_segment(struct cunwind_space *space, uint64_t address) {
  if (space->segment_count == 0) {
    return NULL;
  }
  struct cunwind_segment *last = &space->segments[space->last_segment];
  if (address >= last->low && address < last->high) {
    return last;
  }
  size_t low = 0, high = space->segment_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (space->segments[middle].high <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == space->segment_count || address < space->segments[low].low) {
    return NULL;
  }
  space->last_segment = low;
  return &space->segments[low];
}

static bool is_code(struct cunwind_space *space, uint64_t address) {
  struct cunwind_segment *segment = find_segment(space, address);
  return segment != NULL && segment->executable;
}

/// Swift marks the frames of async functions by this bit of the frame pointer that they save. No
/// address of a program has it.
#define ASYNC_FRAME_BIT (UINT64_C(1) << 60)

/// Returns a word of the stack as a callee's caller finds it in its registers.
static uint64_t without_mark(const struct cunwind_sample *sample, uint64_t word) {
  uint64_t plain = word & ~ASYNC_FRAME_BIT;
  bool is_frame = word != plain && plain - sample->stack_address < (UINT64_C(1) << 32);
  return is_frame ? plain : word;
}

static int read_word(struct cunwind_space *space, uint64_t address, unw_word_t *value) {
  const struct cunwind_sample *sample = space->sample;
  // Unsigned differences: an address below the stack becomes a huge offset.
  uint64_t offset = address - sample->stack_address;
  if (offset < sample->stack_bytes && sample->stack_bytes - offset >= sizeof *value) {
    memcpy(value, sample->stack + offset, sizeof *value);
    *value = without_mark(sample, *value);
    return 0;
  }
  struct cunwind_segment *segment = find_segment(space, address);
  if (segment == NULL) {
    // Behind the copy, in the largest stack that there may be: the caller knows whether the copy
    // was whole.
    space->beyond_stack = offset >= sample->stack_bytes && offset < (UINT64_C(1) << 32);
    return -UNW_EINVAL;
  }
  *value = 0;
  if (address < segment->file_high) {
    uint64_t there = segment->file_high - address;
    // Where a segment has no bytes at all, `file_high` is `low`.
    memcpy(value, segment->bytes + (address - segment->low),
           there < sizeof *value ? (size_t)there : sizeof *value);
  }
  return 0;
}

// MARK: - Callbacks of libunwind

static int find_proc_info(unw_addr_space_t unwind, unw_word_t ip, unw_proc_info_t *info,
                          int need_unwind_info, void *context) {
  struct cunwind_space *space = context;
  size_t low = 0, high = space->module_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (space->modules[middle].high <= ip) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int result = -UNW_ENOINFO;
  if (low < space->module_count && ip >= space->modules[low].low &&
      space->modules[low].table_count > 0) {
    const struct cunwind_module *module = &space->modules[low];
    unw_dyn_info_t table;
    memset(&table, 0, sizeof table);
    table.start_ip = module->low;
    table.end_ip = module->high;
    table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
    table.u.rti.segbase = module->table_base;
    table.u.rti.table_data = module->table;
    // The unit of `table_len` is a word, and an entry has the size of one.
    table.u.rti.table_len = module->table_count;
    result = UNW_OBJ(dwarf_search_unwind_table)(unwind, ip, &table, info, need_unwind_info,
                                                context);
  }
  if (result < 0) {
    space->no_info = true;
    return -UNW_ENOINFO;
  }
  return result;
}

static void put_unwind_info(unw_addr_space_t unwind, unw_proc_info_t *info, void *context) {
  // What the search allocated, libunwind frees itself.
  (void)unwind, (void)info, (void)context;
}

static int no_dynamic_info(unw_addr_space_t unwind, unw_word_t *address, void *context) {
  (void)unwind, (void)address, (void)context;
  return -UNW_ENOINFO;
}

static int access_memory(unw_addr_space_t unwind, unw_word_t address, unw_word_t *value, int write,
                         void *context) {
  (void)unwind;
  return write ? -UNW_EINVAL : read_word(context, address, value);
}

static int access_register(unw_addr_space_t unwind, unw_regnum_t number, unw_word_t *value,
                           int write, void *context) {
  (void)unwind;
  struct cunwind_space *space = context;
  bool is_known = number >= 0 && number < (int)CUNWIND_REGISTER_COUNT &&
                  (space->known >> number & 1) != 0;
  if (write || !is_known) {
    return -UNW_EBADREG;
  }
  *value = space->registers[number];
  return 0;
}

static int access_float(unw_addr_space_t unwind, unw_regnum_t number, unw_fpreg_t *value, int write,
                        void *context) {
  (void)unwind, (void)number, (void)value, (void)write, (void)context;
  return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t unwind, unw_cursor_t *cursor, void *context) {
  (void)unwind, (void)cursor, (void)context;
  return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t unwind, unw_word_t address, char *buffer, size_t bytes,
                   unw_word_t *offset, void *context) {
  (void)unwind, (void)address, (void)buffer, (void)bytes, (void)offset, (void)context;
  return -UNW_ENOINFO;
}

// MARK: - Spaces

struct cunwind_space *cunwind_space_create(cunwind_find_function find_function, void *context) {
  struct cunwind_space *space = calloc(1, sizeof *space);
  if (space == NULL) {
    return NULL;
  }
  space->find_function = find_function;
  space->find_context = context;
  unw_accessors_t accessors = {
      .find_proc_info = find_proc_info,
      .put_unwind_info = put_unwind_info,
      .get_dyn_info_list_addr = no_dynamic_info,
      .access_mem = access_memory,
      .access_reg = access_register,
      .access_fpreg = access_float,
      .resume = no_resume,
      .get_proc_name = no_name,
  };
  space->unwind = unw_create_addr_space(&accessors, 0);
  if (space->unwind == NULL) {
    free(space);
    return NULL;
  }
  unw_set_caching_policy(space->unwind, UNW_CACHE_GLOBAL);
  // A library that refuses the size keeps its own: slower, not wrong.
  unw_set_cache_size(space->unwind, CACHED_STEPS, 0);
  return space;
}

static void clear_modules(struct cunwind_space *space) {
  free(space->modules);
  free(space->segments);
  space->modules = NULL;
  space->segments = NULL;
  space->module_count = 0;
  space->segment_count = 0;
  space->last_segment = 0;
  unw_flush_cache(space->unwind, 0, 0);
}

void cunwind_space_destroy(struct cunwind_space *space) {
  if (space == NULL) {
    return;
  }
  clear_modules(space);
  unw_destroy_addr_space(space->unwind);
  free(space);
}

int cunwind_space_set_modules(struct cunwind_space *space, const struct cunwind_module *modules,
                              size_t module_count, const struct cunwind_segment *segments,
                              size_t segment_count) {
  clear_modules(space);
  if (module_count == 0 || segment_count == 0) {
    return 0;
  }
  space->modules = calloc(module_count, sizeof *modules);
  space->segments = calloc(segment_count, sizeof *segments);
  if (space->modules == NULL || space->segments == NULL) {
    clear_modules(space);
    return -ENOMEM;
  }
  memcpy(space->modules, modules, module_count * sizeof *modules);
  memcpy(space->segments, segments, segment_count * sizeof *segments);
  space->module_count = module_count;
  space->segment_count = segment_count;
  return 0;
}

// MARK: - Walking

static void read_saved(unw_cursor_t *cursor, struct cunwind_frame *frame) {
  for (size_t i = 0; i < CUNWIND_SAVED_COUNT; i++) {
    unw_word_t value = 0;
    // A register that some caller left undefined stays 0, the same in every walk.
    frame->saved[i] = unw_get_reg(cursor, saved_registers[i], &value) < 0 ? 0 : value;
  }
}

/// Returns the earlier frame that equals `frame`, or NULL. `from` moves on monotonically: stack
/// pointers grow outwards in both walks.
static const struct cunwind_frame *find_earlier(const struct cunwind_sample *sample, uint64_t *from,
                                                const struct cunwind_frame *frame) {
  while (*from < sample->earlier_count && sample->earlier[*from].sp < frame->sp) {
    *from += 1;
  }
  for (uint64_t i = *from; i < sample->earlier_count && sample->earlier[i].sp == frame->sp; i++) {
    if (memcmp(&sample->earlier[i], frame, sizeof *frame) == 0) {
      return &sample->earlier[i];
    }
  }
  return NULL;
}

/// Copies the earlier walk from `match` on behind the frames found so far.
static void splice(const struct cunwind_sample *sample, const struct cunwind_frame *match,
                   struct cunwind_frame *frames, size_t capacity, struct cunwind_result *result) {
  size_t rest = sample->earlier_count - (size_t)(match - sample->earlier);
  size_t room = capacity - (size_t)result->count;
  result->end = rest > room ? CUNWIND_TOO_DEEP : sample->earlier_end;
  size_t taken = rest > room ? room : rest;
  memcpy(frames + result->count, match, taken * sizeof *match);
  result->count += taken;
  result->spliced = taken;
}

static bool read_for_prologue(void *context, uint64_t address, uint64_t *value) {
  unw_word_t word = 0;
  bool is_read = read_word(context, address, &word) == 0;
  *value = word;
  return is_read;
}

static bool has_info(void *context, uint64_t address) {
  struct cunwind_space *space = context;
  unw_proc_info_t info;
  return find_proc_info(space->unwind, address, &info, 0, space) >= 0;
}

/// Sets a new cursor up at a frame whose registers we have found ourselves.
static bool restart(struct cunwind_space *space, const struct cunwind_frame *frame,
                    unw_cursor_t *cursor) {
  bool is_partial = space->known != EVERY_REGISTER;
  if (is_partial) {
    space->known = UINT64_C(1) << SP_INDEX | UINT64_C(1) << PC_INDEX;
  }
  for (size_t i = 0; i < CUNWIND_SAVED_COUNT; i++) {
    space->registers[saved_registers[i]] = frame->saved[i];
    if (is_partial && frame->saved[i] != 0) {
      space->known |= UINT64_C(1) << saved_registers[i];
    }
  }
  space->registers[SP_INDEX] = frame->sp;
  uint64_t *ip = &space->registers[PC_INDEX];
  *ip = frame->ip;
  if (unw_init_remote(cursor, space->unwind, space) < 0) {
    return false;
  }
  // A new cursor takes its address for an interrupted instruction, so it gets one inside the call;
  // a signal handler's return address is the exception, which is the begin of the trampoline.
  if (frame->exact || unw_is_signal_frame(cursor) > 0) {
    return true;
  }
  *ip -= 1;
  return unw_init_remote(cursor, space->unwind, space) == 0;
}

/// Finds the frame pointer of a function of a thread of which only some registers are known.
static bool find_frame_pointer(struct cunwind_space *space, struct cunwind_frame *frame,
                               uint64_t start) {
  if (space->known == EVERY_REGISTER || frame->saved[FRAME_POINTER_PLACE] != 0 || start == 0) {
    return false;
  }
  uint64_t frame_pointer;
  bool is_found =
      cunwind_find_frame_pointer(frame, start, read_for_prologue, space, &frame_pointer);
  // A search may well look beyond the copied stack: that is not why it finds nothing.
  space->beyond_stack = false;
  if (is_found) {
    frame->saved[FRAME_POINTER_PLACE] = frame_pointer;
  }
  return is_found;
}

/// Finds the caller of a frame without unwind information and sets a new cursor up at it.
static bool step_without_info(struct cunwind_space *space, struct cunwind_frame *frame,
                              unw_cursor_t *cursor, struct cunwind_frame *next) {
  uint64_t inside = frame->exact ? frame->ip : frame->ip - 1;
  uint64_t start = space->find_function(space->find_context, inside);
  bool is_found;
  if (start != 0) {
    find_frame_pointer(space, frame, start);
    is_found = cunwind_step_by_prologue(frame, start, read_for_prologue, space, next);
  } else {
    is_found = cunwind_step_by_call(frame, read_for_prologue, has_info, space, next) ||
               cunwind_step_by_frame_pointer(frame, read_for_prologue, space, next);
    // A search may well look beyond the copied stack: that is not why it finds nothing.
    space->beyond_stack = false;
  }
  return is_found && is_code(space, next->ip) && restart(space, next, cursor);
}

/// Steps again from a frame whose caller takes a frame pointer to find that is not known.
static int step_with_frame_pointer(struct cunwind_space *space, struct cunwind_frame *frame,
                                   unw_cursor_t *cursor) {
  unw_proc_info_t info;
  uint64_t inside = frame->exact ? frame->ip : frame->ip - 1;
  if (find_proc_info(space->unwind, inside, &info, 0, space) < 0 ||
      !find_frame_pointer(space, frame, info.start_ip) || !restart(space, frame, cursor)) {
    return -UNW_EBADREG;
  }
  return unw_step(cursor);
}

/// Goes on to the caller; `next` gets its ip, sp and exactness. Returns false and why at the end.
static bool step_out(struct cunwind_space *space, struct cunwind_frame *frame, unw_cursor_t *cursor,
                     struct cunwind_frame *next, enum cunwind_end *end) {
  bool signal = unw_is_signal_frame(cursor) > 0;
  space->beyond_stack = false;
  space->no_info = false;
  int step = unw_step(cursor);
  if (step < 0 && !space->no_info && space->known != EVERY_REGISTER) {
    step = step_with_frame_pointer(space, frame, cursor);
  }
  unw_word_t ip = 0, sp = 0;
  unw_get_reg(cursor, UNW_REG_IP, &ip);
  unw_get_reg(cursor, UNW_REG_SP, &sp);
  next->ip = ip;
  next->sp = sp;
  next->exact = signal ? 1 : 0;
  // Without unwind information libunwind goes on by guessing; of its guesses only a linkage stub's
  // (nothing but the return address is on the stack) is as good as information.
  bool is_stub = step > 0 && sp == frame->sp + sizeof sp;
  if (space->no_info && !signal) {
    space->beyond_stack = false;
    if (step_without_info(space, frame, cursor, next)) {
      step = 1;
    } else if (space->beyond_stack) {
      *end = CUNWIND_TRUNCATED;
      return false;
    } else if (!is_stub) {
      *end = CUNWIND_NO_UNWIND_INFO;
      return false;
    }
  }
  if (step < 0) {
    *end = space->beyond_stack ? CUNWIND_TRUNCATED : CUNWIND_BAD_ADDRESS;
  } else if (step == 0 || next->ip == 0) {
    *end = CUNWIND_COMPLETE;
  } else if (!is_code(space, next->ip)) {
    *end = CUNWIND_BAD_ADDRESS;
  } else if (!signal &&
             (next->sp < frame->sp || (next->sp == frame->sp && next->ip == frame->ip))) {
    // After a signal frame the stack may be another one, lower or higher.
    *end = CUNWIND_LOOP;
  } else {
    return true;
  }
  return false;
}

struct cunwind_result cunwind_walk(struct cunwind_space *space,
                                   const struct cunwind_sample *sample,
                                   struct cunwind_frame *frames, size_t capacity) {
  struct cunwind_result result = {.count = 0, .spliced = 0, .end = CUNWIND_BAD_ADDRESS};
  space->sample = sample;
  space->known = sample->partial ? UINT64_C(1) << SP_INDEX | UINT64_C(1) << PC_INDEX
                                 : EVERY_REGISTER;
  memcpy(space->registers, sample->registers, sizeof space->registers);
  struct cunwind_frame *frame = &frames[0];
  frame->ip = sample->registers[CUNWIND_REGISTER_COUNT - 1];
  frame->sp = sample->registers[SP_INDEX];
  frame->exact = 1;

  unw_cursor_t cursor;
  if (unw_init_remote(&cursor, space->unwind, space) < 0) {
    memset(frame->saved, 0, sizeof frame->saved);
    result.count = 1;
    return result;
  }
  uint64_t from = 0;
  for (;;) {
    read_saved(&cursor, frame);
    uint64_t low = frame->sp - (frame->exact ? RED_ZONE : 0);
    if (low >= sample->shared_address) {
      const struct cunwind_frame *match = find_earlier(sample, &from, frame);
      if (match != NULL) {
        splice(sample, match, frames, capacity, &result);
        return result;
      }
    }
    result.count += 1;
    struct cunwind_frame next;
    if (!step_out(space, frame, &cursor, &next, &result.end)) {
      return result;
    }
    if (result.count == capacity) {
      result.end = CUNWIND_TOO_DEEP;
      return result;
    }
    frame = &frames[result.count];
    *frame = next;
  }
}

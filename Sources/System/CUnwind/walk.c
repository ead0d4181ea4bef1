#include <string.h>

#include "prologue.h"
#include "space.h"

/// Bytes below the stack pointer that the innermost function may use; its callers may not.
#if defined(__aarch64__)
#define RED_ZONE 0u
#else
#define RED_ZONE 128u
#endif

#if defined(__aarch64__)
const int cunwind_saved_registers[CUNWIND_SAVED_COUNT] = {
    UNW_AARCH64_X19, UNW_AARCH64_X20, UNW_AARCH64_X21, UNW_AARCH64_X22,
    UNW_AARCH64_X23, UNW_AARCH64_X24, UNW_AARCH64_X25, UNW_AARCH64_X26,
    UNW_AARCH64_X27, UNW_AARCH64_X28, UNW_AARCH64_X29,
};
#else
const int cunwind_saved_registers[CUNWIND_SAVED_COUNT] = {
    UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12, UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15,
};
#endif

// MARK: - Walking

static void read_saved(unw_cursor_t *cursor, struct cunwind_frame *frame) {
  for (size_t i = 0; i < CUNWIND_SAVED_COUNT; i++) {
    unw_word_t value = 0;
    // A register that a caller left undefined stays 0, the same in every walk.
    frame->saved[i] = unw_get_reg(cursor, cunwind_saved_registers[i], &value) < 0 ? 0 : value;
  }
}

/// Returns the earlier frame that equals `frame`, or NULL. `from` only grows, because stack
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

/// Appends the earlier walk from `match` on to the frames found so far.
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
  return cunwind_read_word(context, address, value);
}

static bool is_described(void *context, uint64_t address) {
  struct cunwind_space *space = context;
  unw_proc_info_t info;
  return cunwind_find_info(space, address, &info) ||
         space->find_function(space->find_context, address) != 0;
}

static bool is_begin(void *context, uint64_t address) {
  struct cunwind_space *space = context;
  return cunwind_function_at(space, address) == address ||
         space->find_function(space->find_context, address) == address;
}

/// Starts a new cursor at a frame that was found without libunwind.
static bool restart(struct cunwind_space *space, const struct cunwind_frame *frame,
                    unw_cursor_t *cursor) {
  bool is_partial = space->known != EVERY_REGISTER;
  if (is_partial) {
    space->known = UINT64_C(1) << SP_INDEX | UINT64_C(1) << PC_INDEX;
  }
  for (size_t i = 0; i < CUNWIND_SAVED_COUNT; i++) {
    space->registers[cunwind_saved_registers[i]] = frame->saved[i];
    if (is_partial && frame->saved[i] != 0) {
      space->known |= UINT64_C(1) << cunwind_saved_registers[i];
    }
  }
  space->registers[SP_INDEX] = frame->sp;
  uint64_t *ip = &space->registers[PC_INDEX];
  *ip = frame->ip;
  if (unw_init_remote(cursor, space->unwind, space) < 0) {
    return false;
  }
  // A new cursor treats its address as an interrupted instruction, so it gets one inside the call.
  // A signal trampoline was not called, but its information starts one byte earlier.
  if (frame->exact) {
    return true;
  }
  *ip -= 1;
  return unw_init_remote(cursor, space->unwind, space) == 0;
}

/// Finds the frame pointer of a function whose registers are only partly known.
static bool find_frame_pointer(struct cunwind_space *space, struct cunwind_frame *frame,
                               uint64_t start) {
  if (space->known == EVERY_REGISTER || frame->saved[FRAME_POINTER_PLACE] != 0 || start == 0) {
    return false;
  }
  uint64_t frame_pointer;
  bool is_found =
      cunwind_find_frame_pointer(frame, start, read_for_prologue, space, &frame_pointer);
  // A search may read above the copied stack; that is not the reason for its failure.
  space->beyond_stack = false;
  if (is_found) {
    frame->saved[FRAME_POINTER_PLACE] = frame_pointer;
  }
  return is_found;
}

/// Finds the caller of a frame without unwind information and starts a new cursor at it.
static bool step_without_info(struct cunwind_space *space, struct cunwind_frame *frame,
                              unw_cursor_t *cursor, struct cunwind_frame *next) {
  uint64_t inside = frame->exact ? frame->ip : frame->ip - 1;
  uint64_t start = space->find_function(space->find_context, inside);
  bool is_found;
  if (start != 0) {
    find_frame_pointer(space, frame, start);
    is_found = cunwind_step_by_prologue(frame, start, read_for_prologue, is_begin, space, next);
  } else {
    is_found = cunwind_step_by_return(frame, read_for_prologue, is_begin, space, next) ||
               cunwind_step_by_call(frame, read_for_prologue, is_described, space, next) ||
               cunwind_step_by_frame_pointer(frame, read_for_prologue, space, next);
    // A search may read above the copied stack; that is not the reason for its failure.
    space->beyond_stack = false;
  }
  return is_found && cunwind_is_code(space, next->ip) && restart(space, next, cursor);
}

/// Repeats a step that needs an unknown frame pointer, after finding that.
static int step_with_frame_pointer(struct cunwind_space *space, struct cunwind_frame *frame,
                                   unw_cursor_t *cursor) {
  unw_proc_info_t info;
  uint64_t inside = frame->exact ? frame->ip : frame->ip - 1;
  if (!cunwind_find_info(space, inside, &info) ||
      !find_frame_pointer(space, frame, info.start_ip) || !restart(space, frame, cursor)) {
    return -UNW_EBADREG;
  }
  return unw_step(cursor);
}

/// Checks a step's result. Returns false and sets `end` if it is no caller.
static bool accept(struct cunwind_space *space, const struct cunwind_frame *frame,
                   const struct cunwind_frame *next, enum cunwind_end *end) {
  if (next->ip == 0) {
    *end = CUNWIND_COMPLETE;
  } else if (!cunwind_is_code(space, next->ip)) {
    *end = CUNWIND_BAD_ADDRESS;
  } else if (!next->exact &&
             (next->sp < frame->sp || (next->sp == frame->sp && next->ip == frame->ip))) {
    // After a signal frame, the stack may be another one at a lower or higher address.
    *end = CUNWIND_LOOP;
  } else {
    return true;
  }
  return false;
}

/// Finds the caller by libunwind and fills `next`. Returns false and sets `end` at the end of the
/// walk.
static bool step_by_cursor(struct cunwind_space *space, struct cunwind_frame *frame,
                           unw_cursor_t *cursor, struct cunwind_frame *next,
                           enum cunwind_end *end) {
  // libunwind does not know this for a cursor that was just started.
  bool signal = unw_is_signal_frame(cursor) > 0 ||
                cunwind_is_signal_code(space, frame->exact ? frame->ip : frame->ip - 1);
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
  // Without unwind information libunwind guesses. Only its guess for a linkage stub, which has just
  // the return address on the stack, is reliable.
  bool is_stub = step > 0 && sp == frame->sp + sizeof sp;
  if (space->no_info && !signal) {
    space->beyond_stack = false;
    struct cunwind_frame caller;
    if (cunwind_is_outermost(frame, read_for_prologue, is_begin, space)) {
      *end = CUNWIND_COMPLETE;
      return false;
    }
    if (step_without_info(space, frame, cursor, &caller)) {
      *next = caller;
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
    return false;
  }
  if (step == 0) {
    *end = CUNWIND_COMPLETE;
    return false;
  }
  read_saved(cursor, next);
  return accept(space, frame, next, end);
}

/// The result of a step by a row.
enum row_step { ROW_CALLER, ROW_END, ROW_UNKNOWN };

/// Finds the caller by the row of the frame's code and fills `next`. Sets `end` at the end of the
/// walk.
static enum row_step step_by_row(struct cunwind_space *space, const struct cunwind_frame *frame,
                                 struct cunwind_frame *next, enum cunwind_end *end) {
  const struct cunwind_row *row = cunwind_row_at(space, frame->exact ? frame->ip : frame->ip - 1);
  if (row->kind == CUNWIND_ROW_OTHER) {
    return ROW_UNKNOWN;
  }
  if (row->kind == CUNWIND_ROW_OUTERMOST) {
    *end = CUNWIND_COMPLETE;
    return ROW_END;
  }
  uint64_t base = row->base == CUNWIND_BASE_SP ? frame->sp : frame->saved[row->base];
  if (base == 0 && space->known != EVERY_REGISTER) {
    return ROW_UNKNOWN;
  }
  uint64_t cfa = base + (uint64_t)(int64_t)row->cfa_offset;
  space->beyond_stack = false;
  if (!cunwind_read_word(space, cfa + (uint64_t)(int64_t)row->return_offset, &next->ip)) {
    *end = space->beyond_stack ? CUNWIND_TRUNCATED : CUNWIND_BAD_ADDRESS;
    return ROW_END;
  }
  next->sp = cfa;
  next->exact = 0;
  for (size_t place = 0; place < CUNWIND_SAVED_COUNT; place++) {
    uint64_t value = row->is_undefined >> place & 1 ? 0 : frame->saved[place];
    if (row->is_saved >> place & 1 &&
        !cunwind_read_word(space, cfa + (uint64_t)(int64_t)row->offsets[place], &value)) {
      value = 0;
    }
    next->saved[place] = value;
  }
  return accept(space, frame, next, end) ? ROW_CALLER : ROW_END;
}

/// Fills the innermost frame from a sample's registers.
static void begin(struct cunwind_space *space, const struct cunwind_sample *sample,
                  struct cunwind_frame *frame) {
  space->sample = sample;
  space->known =
      sample->partial ? UINT64_C(1) << SP_INDEX | UINT64_C(1) << PC_INDEX : EVERY_REGISTER;
  memcpy(space->registers, sample->registers, sizeof space->registers);
  frame->ip = sample->registers[PC_INDEX];
  frame->sp = sample->registers[SP_INDEX];
  frame->exact = 1;
  for (size_t place = 0; place < CUNWIND_SAVED_COUNT; place++) {
    frame->saved[place] = sample->partial ? 0 : sample->registers[cunwind_saved_registers[place]];
  }
}

struct cunwind_result cunwind_walk(struct cunwind_space *space, const struct cunwind_sample *sample,
                                   struct cunwind_frame *frames, size_t capacity) {
  struct cunwind_result result = {.count = 0, .spliced = 0, .end = CUNWIND_BAD_ADDRESS};
  struct cunwind_frame *frame = &frames[0];
  begin(space, sample, frame);
  unw_cursor_t cursor;
  bool has_cursor = false;  // Whether the cursor is at `frame`.
  uint64_t from = 0;
  for (;;) {
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
    enum row_step step = step_by_row(space, frame, &next, &result.end);
    if (step == ROW_UNKNOWN) {
      // A stack may be part of a program's data, or its copy may extend into a library.
      if (!cunwind_is_stack_apart(space) &&
          !cunwind_may_evaluate(space, frame->exact ? frame->ip : frame->ip - 1)) {
        return result;
      }
      space->reads_left = MOST_READS;
      // The first cursor uses all of the sample's registers.
      bool is_placed =
          has_cursor || (frame == &frames[0] ? unw_init_remote(&cursor, space->unwind, space) == 0
                                             : restart(space, frame, &cursor));
      if (!is_placed || !step_by_cursor(space, frame, &cursor, &next, &result.end)) {
        return result;
      }
    } else if (step == ROW_END) {
      return result;
    }
    has_cursor = step == ROW_UNKNOWN;
    if (result.count == capacity) {
      result.end = CUNWIND_TOO_DEEP;
      return result;
    }
    frame = &frames[result.count];
    *frame = next;
  }
}

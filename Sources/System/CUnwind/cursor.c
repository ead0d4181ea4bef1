#include "cursor.h"

#include "code.h"

static void read_saved(unw_cursor_t *cursor, struct cunwind_frame *frame) {
  for (size_t i = 0; i < CUNWIND_SAVED_COUNT; i++) {
    unw_word_t value = 0;
    // A register that a caller left undefined stays 0, the same in every walk.
    frame->saved[i] = unw_get_reg(cursor, cunwind_saved_registers[i], &value) < 0 ? 0 : value;
  }
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

bool cunwind_restart(struct cunwind_space *space, const struct cunwind_frame *frame,
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

bool cunwind_step_by_chain(struct cunwind_space *space, const struct cunwind_frame *frame,
                           struct cunwind_frame *next) {
  uint64_t pointer = frame->saved[FRAME_POINTER_PLACE];
  *next = *frame;
  next->exact = 0;
  next->sp = pointer + 2 * sizeof pointer;
  space->beyond_stack = false;
  if (pointer < frame->sp || pointer % sizeof pointer != 0 ||
      !cunwind_read_word(space, pointer, &next->saved[FRAME_POINTER_PLACE]) ||
      !cunwind_read_word(space, pointer + sizeof pointer, &next->ip)) {
    return false;
  }
  struct reader reader = {read_for_prologue, space};
  return cunwind_is_generated(space, next->ip) || cunwind_follows_call(reader, next->ip);
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
    if (!is_found && space->beyond_stack) {
      return false;
    }
  } else {
    is_found = cunwind_step_by_return(frame, read_for_prologue, is_begin, space, next) ||
               cunwind_step_by_call(frame, read_for_prologue, is_described, space, next) ||
               cunwind_step_by_frame_pointer(frame, read_for_prologue, space, next);
    // A search may read above the copied stack; that is not the reason for its failure.
    space->beyond_stack = false;
  }
  is_found = is_found || cunwind_step_by_chain(space, frame, next);
  return is_found && cunwind_is_code(space, next->ip) && cunwind_restart(space, next, cursor);
}

/// Repeats a step that needs an unknown frame pointer, after finding that.
static int step_with_frame_pointer(struct cunwind_space *space, struct cunwind_frame *frame,
                                   unw_cursor_t *cursor) {
  unw_proc_info_t info;
  uint64_t inside = frame->exact ? frame->ip : frame->ip - 1;
  if (!cunwind_find_info(space, inside, &info) ||
      !find_frame_pointer(space, frame, info.start_ip) || !cunwind_restart(space, frame, cursor)) {
    return -UNW_EBADREG;
  }
  return unw_step(cursor);
}

bool cunwind_accept(struct cunwind_space *space, const struct cunwind_frame *frame,
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

bool cunwind_step_by_cursor(struct cunwind_space *space, struct cunwind_frame *frame,
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
  return cunwind_accept(space, frame, next, end);
}

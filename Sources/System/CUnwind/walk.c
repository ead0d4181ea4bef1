#include <string.h>

#include "cursor.h"

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

/// Completes a stack whose copy ended, if the previous stack is complete and has its last frame.
static void take_callers(const struct cunwind_sample *sample, struct cunwind_frame *frames,
                         size_t capacity, struct cunwind_result *result) {
  if (result->end != CUNWIND_TRUNCATED || !sample->cut || sample->partial ||
      sample->earlier_end != CUNWIND_COMPLETE) {
    return;
  }
  uint64_t from = 0;
  const struct cunwind_frame *match = find_earlier(sample, &from, &frames[result->count - 1]);
  if (match != NULL) {
    result->count -= 1;
    splice(sample, match, frames, capacity, result);
  }
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
    uint64_t slot = cfa + (uint64_t)(int64_t)row->offsets[place];
    // At a return, LLVM's rows still name the slot from which the register was popped. It is below
    // the stack pointer, and the register has its value again.
    if (row->is_saved >> place & 1 && !cunwind_read_word(space, slot, &value) &&
        slot >= frame->sp) {
      value = 0;
    }
    next->saved[place] = value;
  }
  return cunwind_accept(space, frame, next, end) ? ROW_CALLER : ROW_END;
}

/// Finds the caller of generated code, which has no unwind information.
static enum row_step step_from_generated(struct cunwind_space *space,
                                         const struct cunwind_frame *frame,
                                         struct cunwind_frame *next, enum cunwind_end *end) {
  if (!cunwind_step_by_chain(space, frame, next)) {
    *end = space->beyond_stack ? CUNWIND_TRUNCATED : CUNWIND_NO_UNWIND_INFO;
    return ROW_END;
  }
  return cunwind_accept(space, frame, next, end) ? ROW_CALLER : ROW_END;
}

/// Finds the function that called an address without code, by a null or wild pointer.
static bool step_to_caller_of_nothing(struct cunwind_space *space,
                                      const struct cunwind_frame *frame,
                                      struct cunwind_frame *next) {
  *next = *frame;
  next->exact = 0;
#if defined(LINK_INDEX)
  next->ip = space->registers[LINK_INDEX];
#else
  if (!cunwind_read_word(space, frame->sp, &next->ip)) {
    return false;
  }
  next->sp = frame->sp + sizeof next->ip;
#endif
  return cunwind_is_code(space, next->ip - 1);
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

/// Walks as far as the copy of the stack leads.
static struct cunwind_result walk_copy(struct cunwind_space *space,
                                       const struct cunwind_sample *sample,
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
    if (step == ROW_UNKNOWN && cunwind_is_generated(space, frame->exact ? frame->ip : frame->ip - 1)) {
      step = step_from_generated(space, frame, &next, &result.end);
    }
    if (step == ROW_UNKNOWN && frame == &frames[0] && !cunwind_is_code(space, frame->ip) &&
        step_to_caller_of_nothing(space, frame, &next)) {
      step = ROW_CALLER;
    }
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
                                             : cunwind_restart(space, frame, &cursor));
      if (!is_placed || !cunwind_step_by_cursor(space, frame, &cursor, &next, &result.end)) {
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

struct cunwind_result cunwind_walk(struct cunwind_space *space, const struct cunwind_sample *sample,
                                   struct cunwind_frame *frames, size_t capacity) {
  struct cunwind_result result = walk_copy(space, sample, frames, capacity);
  take_callers(sample, frames, capacity, &result);
  return result;
}

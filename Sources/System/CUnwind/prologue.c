#include "prologue.h"

#include <string.h>

#include "code.h"

#if defined(__x86_64__)

/// Restores the registers that a prologue pushed after the frame pointer, up to `end`.
static void restore_pushed(struct reader reader, const uint8_t *code, const uint8_t *end,
                           uint64_t frame_pointer, struct cunwind_frame *next) {
  static const int extended[] = {R12, R13, R14, R15};
  for (uint64_t slot = frame_pointer - 8; code < end; slot -= 8) {
    int place;
    if (code[0] == 0x53) {  // push rbx
      place = RBX;
      code += 1;
    } else if (code[0] == 0x41 && code + 1 < end && code[1] >= 0x54 && code[1] <= 0x57) {
      place = extended[code[1] - 0x54];  // push r12 to r15
      code += 2;
    } else {
      return;
    }
    uint64_t value;
    if (reader.read(reader.context, slot, &value)) {
      next->saved[place] = value;
    }
  }
}

bool cunwind_step_by_prologue(const struct cunwind_frame *frame, uint64_t start, cunwind_read read,
                              cunwind_is_begin is_begin, void *context,
                              struct cunwind_frame *next) {
  struct reader reader = {read, context};
  *next = *frame;
  next->exact = 0;
  uint8_t head[24], here[8];
  // Start one byte before the instruction pointer to see the last executed instruction.
  if (!cunwind_read_bytes(reader, start, head, sizeof head) ||
      !cunwind_read_bytes(reader, frame->ip - 1, here, sizeof here)) {
    return cunwind_step_by_return(frame, read, is_begin, context, next);
  }
  const uint8_t *code = head;
  if (memcmp(code, cunwind_landing, sizeof cunwind_landing) == 0) {
    code += sizeof cunwind_landing;
    start += sizeof cunwind_landing;
  }
  uint64_t offset = frame->ip > start ? frame->ip - start : 0;
  bool is_jump = here[1] == 0xe9 || here[1] == 0xeb || here[1] == 0xff;
  bool popped_rbp = offset > 0 && here[0] == 0x5d;

  if (memcmp(code, cunwind_plain_prologue, sizeof cunwind_plain_prologue) == 0) {
    // Before the push, at the return, or at a jump to another function after the pop.
    if (frame->exact && (offset == 0 || here[1] == 0xc3 || (popped_rbp && is_jump))) {
      return cunwind_return_from(reader, frame, 0, next);
    }
    if (frame->exact && offset < sizeof cunwind_plain_prologue) {
      return reader.read(context, frame->sp, &next->saved[RBP]) &&
             cunwind_return_from(reader, frame, 1, next);
    }
    uint64_t frame_pointer = frame->saved[RBP];
    if (frame_pointer < frame->sp || frame_pointer % 8 != 0) {
      return false;
    }
    uint64_t executed = code - head + offset;
    const uint8_t *end = head + (executed < sizeof head ? executed : sizeof head);
    restore_pushed(reader, code + sizeof cunwind_plain_prologue, end, frame_pointer, next);
    struct cunwind_frame top = *frame;
    top.sp = frame_pointer;
    return reader.read(context, frame_pointer, &next->saved[RBP]) &&
           cunwind_return_from(reader, &top, 1, next);
  }
  if (code[0] == 0x50) {  // push rax, which only aligns the stack for calls
    bool is_popped = here[1] == 0xc3 || ((here[0] == 0x58 || here[0] == 0x59) && is_jump);
    bool is_bare = frame->exact && (offset == 0 || is_popped);
    return cunwind_return_from(reader, frame, is_bare ? 0 : 1, next);
  }
  if (cunwind_step_by_return(frame, read, is_begin, context, next)) {
    return true;
  }
  // A leaf calls nothing, so only the innermost frame can be a leaf, and it uses no stack.
  bool pushes = (code[0] >= 0x50 && code[0] <= 0x57) ||
                (code[0] == 0x41 && code[1] >= 0x50 && code[1] <= 0x57);
  bool lowers =
      code[0] == 0x48 && (code[1] == 0x81 || code[1] == 0x83) && code[2] == 0xec;  // sub rsp
  bool is_bare = frame->exact && (offset == 0 || (!pushes && !lowers));
  return is_bare && cunwind_return_from(reader, frame, 0, next);
}

#else

bool cunwind_step_by_prologue(const struct cunwind_frame *frame, uint64_t start, cunwind_read read,
                              cunwind_is_begin is_begin, void *context,
                              struct cunwind_frame *next) {
  // Code of this architecture is not decoded.
  (void)frame, (void)start, (void)read, (void)is_begin, (void)context, (void)next;
  return false;
}

#endif

#include "prologue.h"

#include <string.h>

#if defined(__x86_64__)

/// Places in `saved`.
enum { RBX = 0, RBP = 1, R12 = 2, R13 = 3, R14 = 4, R15 = 5 };

struct reader {
  cunwind_read read;
  void *context;
};

static bool read_bytes(struct reader reader, uint64_t address, uint8_t *bytes, size_t count) {
  for (size_t done = 0; done < count; done += 8) {
    uint64_t word;
    if (!reader.read(reader.context, address + done, &word)) {
      return false;
    }
    memcpy(bytes + done, &word, count - done < 8 ? count - done : 8);
  }
  return true;
}

/// Whether the instruction before a return address is a call.
static bool follows_call(struct reader reader, uint64_t address) {
  uint8_t before[8];
  if (address < 8 || !read_bytes(reader, address - 8, before, 8)) {
    return false;
  }
  if (before[3] == 0xe8) {  // call rel32
    return true;
  }
  // call through a register or memory, ff /2: 2, 3, 4, 6 or 7 bytes with their operand.
  static const int starts[] = {6, 5, 4, 2, 1};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    int at = starts[i];
    if (before[at] == 0xff && (before[at + 1] >> 3 & 7) == 2) {
      return true;
    }
  }
  return false;
}

/// Takes the return address from the top of the stack, after `popped` other words.
static bool return_from(struct reader reader, const struct cunwind_frame *frame, uint64_t popped,
                        struct cunwind_frame *next) {
  next->sp = frame->sp + 8 * (popped + 1);
  return reader.read(reader.context, frame->sp + 8 * popped, &next->ip) &&
         follows_call(reader, next->ip);
}

/// Restores what a prologue pushed behind the frame pointer, as far as `end`.
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
                              void *context, struct cunwind_frame *next) {
  struct reader reader = {read, context};
  *next = *frame;
  next->exact = 0;
  uint8_t head[24], here[8];
  // One byte before the instruction pointer, to see what was executed last.
  if (!read_bytes(reader, start, head, sizeof head) ||
      !read_bytes(reader, frame->ip - 1, here, sizeof here)) {
    return false;
  }
  static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};             // endbr64
  static const uint8_t with_frame_pointer[] = {0x55, 0x48, 0x89, 0xe5};  // push rbp; mov rbp, rsp
  const uint8_t *code = head;
  if (memcmp(code, landing, sizeof landing) == 0) {
    code += sizeof landing;
    start += sizeof landing;
  }
  uint64_t offset = frame->ip > start ? frame->ip - start : 0;
  bool is_jump = here[1] == 0xe9 || here[1] == 0xeb || here[1] == 0xff;
  bool popped_rbp = offset > 0 && here[0] == 0x5d;

  if (memcmp(code, with_frame_pointer, sizeof with_frame_pointer) == 0) {
    // Before the push, at the return, and at a jump to another function after the pop.
    if (frame->exact && (offset == 0 || here[1] == 0xc3 || (popped_rbp && is_jump))) {
      return return_from(reader, frame, 0, next);
    }
    if (frame->exact && offset < sizeof with_frame_pointer) {
      return reader.read(context, frame->sp, &next->saved[RBP]) &&
             return_from(reader, frame, 1, next);
    }
    uint64_t frame_pointer = frame->saved[RBP];
    if (frame_pointer < frame->sp || frame_pointer % 8 != 0) {
      return false;
    }
    uint64_t executed = code - head + offset;
    const uint8_t *end = head + (executed < sizeof head ? executed : sizeof head);
    restore_pushed(reader, code + sizeof with_frame_pointer, end, frame_pointer, next);
    struct cunwind_frame top = *frame;
    top.sp = frame_pointer;
    return reader.read(context, frame_pointer, &next->saved[RBP]) &&
           return_from(reader, &top, 1, next);
  }
  if (code[0] == 0x50) {  // push rax, to align the stack for calls and for nothing else
    bool is_popped = here[1] == 0xc3 || ((here[0] == 0x58 || here[0] == 0x59) && is_jump);
    bool is_bare = frame->exact && (offset == 0 || is_popped);
    return return_from(reader, frame, is_bare ? 0 : 1, next);
  }
  // A leaf: it calls nobody, so only the innermost frame can be one, and pushes nothing.
  bool pushes = (code[0] >= 0x50 && code[0] <= 0x57) ||
                (code[0] == 0x41 && code[1] >= 0x50 && code[1] <= 0x57);
  return frame->exact && !pushes && return_from(reader, frame, 0, next);
}

bool cunwind_step_by_frame_pointer(const struct cunwind_frame *frame, cunwind_read read,
                                   void *context, struct cunwind_frame *next) {
  struct reader reader = {read, context};
  *next = *frame;
  next->exact = 0;
  // A frame is moved down by a word, and then to a place aligned for the widest vectors.
  enum { ALIGNMENT = 8 + 64 };
  uint64_t pointer = frame->saved[RBP];
  if (!frame->exact || pointer < frame->sp || pointer % 8 != 0) {
    return false;
  }
  struct cunwind_frame top = *frame;
  top.sp = pointer;
  if (return_from(reader, &top, 1, next)) {  // push rbp; mov rbp, rsp
    return read(context, pointer, &next->saved[RBP]);
  }
  // push rbp; mov rax, rsp; and rsp, -32; mov [rsp], rax; mov rbp, rsp
  if (!read(context, pointer, &top.sp) || top.sp <= pointer || top.sp - pointer > ALIGNMENT) {
    return false;
  }
  return return_from(reader, &top, 1, next) && read(context, top.sp, &next->saved[RBP]);
}

#else

bool cunwind_step_by_frame_pointer(const struct cunwind_frame *frame, cunwind_read read,
                                   void *context, struct cunwind_frame *next) {
  (void)frame, (void)read, (void)context, (void)next;
  return false;
}

bool cunwind_step_by_prologue(const struct cunwind_frame *frame, uint64_t start, cunwind_read read,
                              void *context, struct cunwind_frame *next) {
  // Nobody has looked at what compilers write on this architecture.
  (void)frame, (void)start, (void)read, (void)context, (void)next;
  return false;
}

#endif

#include "prologue.h"

#include <string.h>

#include "code.h"

#if defined(__x86_64__)

/// The usual prologue with a frame pointer: push rbp; mov rbp, rsp.
static const uint8_t plain_prologue[] = {0x55, 0x48, 0x89, 0xe5};

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

  if (memcmp(code, plain_prologue, sizeof plain_prologue) == 0) {
    // Before the push, at the return, or at a jump to another function after the pop.
    if (frame->exact && (offset == 0 || here[1] == 0xc3 || (popped_rbp && is_jump))) {
      return cunwind_return_from(reader, frame, 0, next);
    }
    if (frame->exact && offset < sizeof plain_prologue) {
      return reader.read(context, frame->sp, &next->saved[RBP]) &&
             cunwind_return_from(reader, frame, 1, next);
    }
    uint64_t frame_pointer = frame->saved[RBP];
    if (frame_pointer < frame->sp || frame_pointer % 8 != 0) {
      return false;
    }
    uint64_t executed = code - head + offset;
    const uint8_t *end = head + (executed < sizeof head ? executed : sizeof head);
    restore_pushed(reader, code + sizeof plain_prologue, end, frame_pointer, next);
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

/// Bytes of stack to search, the largest function (libjpeg's largest has 6 KiB), and the largest
/// function that jumps to it.
enum { SEARCHED_STACK = 4096, LARGEST_FUNCTION = 16384, LARGEST_JUMPER = 64 };

/// Returns the target of a call or jump with the given opcode; 0 for another instruction.
static uint64_t destination(const uint8_t *bytes, uint8_t opcode, uint64_t address) {
  int32_t distance;
  memcpy(&distance, bytes + 1, sizeof distance);
  return bytes[0] == opcode ? address + 5 + (uint64_t)(int64_t)distance : 0;
}

struct search {
  struct reader reader;
  cunwind_is_described is_described;
  uint64_t ip;
};

/// Returns whether an address can be the start of the function at `ip`.
static bool can_be_begin(const struct search *search, uint64_t address) {
  return address != 0 && address <= search->ip && search->ip - address <= LARGEST_FUNCTION &&
         !search->is_described(search->reader.context, address);
}

/// Returns the start of the function at `ip` if a call of `target` leads to it; 0 otherwise.
static uint64_t find_begin(const struct search *search, uint64_t target) {
  if (can_be_begin(search, target)) {
    return target;
  }
  // A C function that only selects the assembly for this processor ends in a jump to it.
  uint8_t code[LARGEST_JUMPER];
  if (target == 0 || !cunwind_read_bytes(search->reader, target, code, sizeof code)) {
    return 0;
  }
  for (size_t i = 0; i + 5 <= sizeof code; i++) {
    uint64_t jumped = destination(code + i, 0xe9, target + i);
    if (can_be_begin(search, jumped)) {
      return jumped;
    }
  }
  return 0;
}

bool cunwind_step_by_call(const struct cunwind_frame *frame, cunwind_read read,
                          cunwind_is_described is_described, void *context,
                          struct cunwind_frame *next) {
  struct search search = {{read, context}, is_described, frame->ip};
  // Vector code may have moved the pointer by half a word in order to align it.
  uint64_t first = (frame->sp + 7) & ~UINT64_C(7);
  for (uint64_t slot = first; frame->exact && slot - first < SEARCHED_STACK; slot += 8) {
    uint64_t address;
    uint8_t call[5], head[1];
    if (!read(context, slot, &address)) {
      return false;
    }
    if (address < 5 || !cunwind_read_bytes(search.reader, address - 5, call, sizeof call)) {
      continue;
    }
    uint64_t begin = find_begin(&search, destination(call, 0xe8, address - 5));
    if (begin == 0 || !cunwind_read_bytes(search.reader, begin, head, sizeof head)) {
      continue;
    }
    *next = *frame;
    next->exact = 0;
    next->ip = address;
    next->sp = slot + 8;
    bool pushed_rbp = head[0] == 0x55 && frame->ip > begin && slot > frame->sp;
    return !pushed_rbp || read(context, slot - 8, &next->saved[RBP]);
  }
  return false;
}

/// Returns whether a function keeps a frame pointer, and how many bytes its prologue moves the
/// stack pointer below it.
static bool keeps_frame_pointer(const uint8_t *code, const uint8_t *end, uint64_t *bytes) {
  if (memcmp(code, cunwind_landing, sizeof cunwind_landing) == 0) {
    code += sizeof cunwind_landing;
  }
  if (memcmp(code, plain_prologue, sizeof plain_prologue) != 0) {
    return false;
  }
  code += sizeof plain_prologue;
  uint64_t pushed = 0;
  for (; code < end; pushed += 8) {
    if (code[0] >= 0x50 && code[0] <= 0x57) {  // push
      code += 1;
    } else if (code[0] == 0x41 && end - code >= 2 && code[1] >= 0x50 && code[1] <= 0x57) {
      code += 2;
    } else {
      break;
    }
  }
  int32_t room = 0;
  if (end - code >= 4 && code[0] == 0x48 && code[1] == 0x83 &&
      code[2] == 0xec) {  // sub rsp, 8 bits
    room = (int8_t)code[3];
  } else if (end - code >= 7 && code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xec) {
    memcpy(&room, code + 3, sizeof room);
  }
  *bytes = pushed + (uint64_t)(int64_t)room;
  return true;
}

/// Returns whether a call targets the start of a function.
static bool calls(struct reader reader, uint64_t return_address, uint64_t start) {
  uint8_t call[5];
  return return_address >= 5 && cunwind_read_bytes(reader, return_address - 5, call, sizeof call) &&
         destination(call, 0xe8, return_address - 5) == start;
}

bool cunwind_find_frame_pointer(const struct cunwind_frame *frame, uint64_t start,
                                cunwind_read read, void *context, uint64_t *frame_pointer) {
  struct reader reader = {read, context};
  uint8_t head[40];
  uint64_t address, bytes;
  if (!cunwind_read_bytes(reader, start, head, sizeof head) ||
      !keeps_frame_pointer(head, head + sizeof head, &bytes)) {
    return false;
  }
  *frame_pointer = frame->sp + bytes;
  if (read(context, *frame_pointer + 8, &address) && cunwind_follows_call(reader, address)) {
    return true;
  }
  // A frame starts at a multiple of 16, and its return address is a word above that.
  for (uint64_t place = (frame->sp + 15) & ~UINT64_C(15); place - frame->sp < SEARCHED_STACK;
       place += 16) {
    *frame_pointer = place;
    if (!read(context, place + 8, &address)) {
      return false;
    }
    if (calls(reader, address, start)) {
      return true;
    }
  }
  return false;
}

/// Other prologues that keep a frame pointer; the last instruction of each sets it.
static const uint8_t kept_prologue[] = {0x55, 0x48, 0x89, 0xe0, 0x48, 0x89, 0xe5};  // mov rax, rsp
// push rbp; mov rax, rsp; sub rsp, 4; and rsp, -16, -32 or -64; mov [rsp], rax; mov rbp, rsp
static const uint8_t aligned_prologue[] = {0x55, 0x48, 0x89, 0xe0, 0x48, 0x83, 0xec,
                                           0x04, 0x48, 0x83, 0xe4, 0xe0, 0x48, 0x89,
                                           0x04, 0x24, 0x48, 0x89, 0xe5};
/// The offset of the alignment in the aligned prologue, and of the next instruction.
enum { ALIGNED_TO = 11, ALIGNED_FROM = 12 };

static bool is_aligned_prologue(const uint8_t *code) {
  return memcmp(code, aligned_prologue, ALIGNED_TO) == 0 &&
         memcmp(code + ALIGNED_FROM, aligned_prologue + ALIGNED_FROM,
                sizeof aligned_prologue - ALIGNED_FROM) == 0;
}

/// The location of a function's saved rbp; the return address is above it.
enum saved_place {
  NOT_SAVED,        ///< rbp is not pushed yet, or already popped.
  AT_ADDRESS,       ///< At a known address.
  AT_POINTER,       ///< At the address in rbp.
  THROUGH_POINTER,  ///< rbp points to its address.
  UNKNOWN_PLACE,
};

/// Finds the location by the last prologue before an address.
static enum saved_place find_in_body(struct reader reader, uint64_t ip) {
  enum { CHUNK = 256, OVERLAP = sizeof aligned_prologue };
  uint8_t code[CHUNK + OVERLAP];
  for (uint64_t end = ip; ip - end < LARGEST_FUNCTION && end > CHUNK; end -= CHUNK) {
    // A prologue that starts in this chunk may end in the next one, but not after the address.
    uint64_t bytes = ip - (end - CHUNK) < sizeof code ? ip - (end - CHUNK) : sizeof code;
    memset(code, 0, sizeof code);
    if (!cunwind_read_bytes(reader, end - CHUNK, code, bytes)) {
      return UNKNOWN_PLACE;
    }
    for (int at = CHUNK - 1; at >= 0; at--) {
      if (code[at] != plain_prologue[0]) {
        continue;
      }
      if (is_aligned_prologue(code + at)) {
        return THROUGH_POINTER;
      }
      if (memcmp(code + at, plain_prologue, sizeof plain_prologue) == 0 ||
          memcmp(code + at, kept_prologue, sizeof kept_prologue) == 0) {
        return AT_POINTER;
      }
    }
  }
  return UNKNOWN_PLACE;
}

/// Finds the location by the next and the previous instructions, or by the last prologue.
static enum saved_place find_saved(struct reader reader, const struct cunwind_frame *frame,
                                   uint64_t *address) {
  enum { BEFORE = sizeof aligned_prologue };
  uint8_t code[BEFORE + sizeof kept_prologue];
  if (!cunwind_read_bytes(reader, frame->ip - BEFORE, code, sizeof code)) {
    return UNKNOWN_PLACE;
  }
  const uint8_t *next = code + BEFORE;
  if (next[0] == 0xc3 || memcmp(next, plain_prologue, sizeof plain_prologue) == 0 ||
      memcmp(next, kept_prologue, 4) == 0) {
    return NOT_SAVED;
  }
  *address = frame->sp;
  // At pop rbp; ret, or just after the push, before or after rsp has been copied.
  if ((next[0] == 0x5d && next[1] == 0xc3) ||
      memcmp(next - 1, plain_prologue, sizeof plain_prologue) == 0 ||
      memcmp(next - 1, kept_prologue, 4) == 0 || memcmp(next - 4, kept_prologue, 4) == 0) {
    return AT_ADDRESS;
  }
  if (memcmp(next - 8, aligned_prologue, 8) == 0) {  // rsp is already lowered by 4
    *address = (frame->sp + 7) & ~UINT64_C(7);
    return AT_ADDRESS;
  }
  if (memcmp(next - ALIGNED_FROM, aligned_prologue, ALIGNED_TO) == 0) {
    return UNKNOWN_PLACE;  // rsp is aligned, and only rax has its old value.
  }
  static const uint8_t epilogue[] = {0x5c, 0x5d, 0xc3};  // pop rsp; pop rbp; ret
  bool is_stored = memcmp(next - 16, aligned_prologue, ALIGNED_TO) == 0;
  if (is_stored || memcmp(next, epilogue, sizeof epilogue) == 0) {
    return reader.read(reader.context, frame->sp, address) ? AT_ADDRESS : UNKNOWN_PLACE;
  }
  return find_in_body(reader, frame->ip);
}

bool cunwind_step_by_frame_pointer(const struct cunwind_frame *frame, cunwind_read read,
                                   void *context, struct cunwind_frame *next) {
  struct reader reader = {read, context};
  *next = *frame;
  next->exact = 0;
  // A frame is lowered by a word and then aligned for the widest vectors.
  enum { ALIGNMENT = 8 + 64 };
  struct cunwind_frame top = *frame;
  enum saved_place place = frame->exact ? find_saved(reader, frame, &top.sp) : UNKNOWN_PLACE;
  uint64_t low = frame->sp;
  switch (place) {
    case UNKNOWN_PLACE: return false;
    case NOT_SAVED: return cunwind_return_from(reader, frame, 0, next);
    case AT_ADDRESS: break;
    case AT_POINTER:
    case THROUGH_POINTER:
      low = frame->saved[RBP];
      if (low < frame->sp || low % 8 != 0) {
        return false;
      }
      top.sp = low;
      if (place == THROUGH_POINTER && !read(context, low, &top.sp)) {
        return false;
      }
  }
  if (top.sp < low || top.sp - low > ALIGNMENT || top.sp % 8 != 0) {
    return false;
  }
  return cunwind_return_from(reader, &top, 1, next) && read(context, top.sp, &next->saved[RBP]);
}

#else

bool cunwind_find_frame_pointer(const struct cunwind_frame *frame, uint64_t start,
                                cunwind_read read, void *context, uint64_t *frame_pointer) {
  (void)frame, (void)start, (void)read, (void)context, (void)frame_pointer;
  return false;
}

bool cunwind_step_by_call(const struct cunwind_frame *frame, cunwind_read read,
                          cunwind_is_described is_described, void *context,
                          struct cunwind_frame *next) {
  (void)frame, (void)read, (void)is_described, (void)context, (void)next;
  return false;
}

bool cunwind_step_by_frame_pointer(const struct cunwind_frame *frame, cunwind_read read,
                                   void *context, struct cunwind_frame *next) {
  (void)frame, (void)read, (void)context, (void)next;
  return false;
}

bool cunwind_step_by_prologue(const struct cunwind_frame *frame, uint64_t start, cunwind_read read,
                              cunwind_is_begin is_begin, void *context,
                              struct cunwind_frame *next) {
  // Code of this architecture is not decoded.
  (void)frame, (void)start, (void)read, (void)is_begin, (void)context, (void)next;
  return false;
}

#endif

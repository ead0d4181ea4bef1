#include <string.h>

#include "code.h"

#if defined(__x86_64__)

/// An instruction's effects on the path to the return.
struct instruction {
  uint64_t length;
  /// Bytes that it pops from the stack; negative if it pushes.
  int64_t popped;
  /// The index in `saved` of the register that it pops, or -1.
  int restored;
  /// Whether it calls a function, which may never return.
  bool calls;
  /// The distance of a jump from the next instruction.
  int64_t distance;
  enum { GOES_ON, MAY_JUMP, JUMPS, RETURNS } way;
};

/// Returns the length of a ModR/M byte with the rest of its operand.
static uint64_t operand_length(const uint8_t *code) {
  unsigned mode = code[0] >> 6, operand = code[0] & 7;
  if (mode == 3) {
    return 1;
  }
  uint64_t index = operand == 4 ? 1 : 0;
  if (mode == 0) {
    bool has_address = operand == 5 || (index == 1 && (code[1] & 7) == 5);
    return 1 + index + (has_address ? 4 : 0);
  }
  return 1 + index + (mode == 1 ? 1 : 4);
}

/// Decodes an instruction with an operand: arithmetic, moves, tests and calls of general registers.
/// `code` starts at the opcode. Returns false if the instruction sets the stack pointer to an
/// unknown value.
static bool decode_operation(const uint8_t *code, bool is_wide, bool extends_register,
                             bool extends_operand, struct instruction *is) {
  uint8_t opcode = code[0];
  unsigned number = code[1] >> 3 & 7;
  bool is_to_sp = (code[1] & 0xc7) == 0xc4 && !extends_operand;  // The operand is rsp itself.
  bool is_from_sp = number == 4 && !extends_register;
  is->length = 1 + operand_length(code + 1);
  bool is_arithmetic = opcode < 0x40 && (opcode & 4) == 0;
  bool compares = is_arithmetic ? opcode >> 3 == 7 : opcode == 0x84 || opcode == 0x85;
  if (compares) {
    return true;
  }
  if (is_arithmetic || (opcode >= 0x88 && opcode <= 0x8b)) {
    return (opcode & 2) != 0 ? !is_from_sp : !is_to_sp;
  }
  switch (opcode) {
    case 0x63:
    case 0x8d: return !is_from_sp;  // movslq, lea
    case 0xc1: is->length += 1; return !is_to_sp;
    case 0xd1: return !is_to_sp;
    case 0xc6:
    case 0xc7: is->length += opcode == 0xc6 ? 1 : 4; return number == 0 && !is_to_sp;
    case 0xff:
      is->calls = number == 2;
      is->popped = number == 6 ? -8 : 0;
      return number == 2 || number == 6;  // call, push
    case 0x80:
    case 0x81:
    case 0x83: {
      is->length += opcode == 0x81 ? 4 : 1;
      if (number == 7 || !is_to_sp) {
        return true;
      }
      int32_t bytes = (int8_t)code[2];
      if (opcode == 0x81) {
        memcpy(&bytes, code + 2, sizeof bytes);
      }
      is->popped = number == 0 ? bytes : -(int64_t)bytes;
      return is_wide && opcode != 0x80 && (number == 0 || number == 5);  // add, sub
    }
    default: return false;
  }
}

/// Decodes an instruction that small functions of C and assembly contain; false for others.
///
/// Encoding: Intel 64 and IA-32 manual, volume 2. `code` has 16 bytes.
static bool decode(const uint8_t *code, struct instruction *is) {
  static const int places[] = {-1, -1, -1, RBX, -1,  RBP, -1,  -1,
                               -1, -1, -1, -1,  R12, R13, R14, R15};
  *is = (struct instruction){.restored = -1, .way = GOES_ON};
  if (memcmp(code, cunwind_landing, sizeof cunwind_landing) == 0) {
    is->length = sizeof cunwind_landing;
    return true;
  }
  uint8_t prefix = (code[0] & 0xf0) == 0x40 ? code[0] : 0;
  uint64_t before = prefix != 0 || (code[0] == 0xf3 && code[1] == 0xc3) ? 1 : 0;  // REX; rep ret
  code += before;
  uint8_t opcode = code[0];
  is->length = 1;
  bool is_decoded = true;
  if (opcode >= 0x50 && opcode <= 0x57) {  // push
    is->popped = -8;
  } else if (opcode >= 0x58 && opcode <= 0x5f) {  // pop
    is->popped = 8;
    unsigned number = (opcode & 7) + ((prefix & 1) != 0 ? 8 : 0);
    is->restored = places[number];
    is_decoded = number != 4;
  } else if (opcode == 0x68) {  // push a number
    is->length = 5;
    is->popped = -8;
  } else if (opcode == 0xc3) {
    is->way = RETURNS;
  } else if ((opcode & 0xf0) == 0x70 || opcode == 0xeb) {
    is->way = opcode == 0xeb ? JUMPS : MAY_JUMP;
    is->length = 2;
    is->distance = (int8_t)code[1];
  } else if (opcode == 0xe9 || (opcode == 0x0f && (code[1] & 0xf0) == 0x80)) {
    uint64_t operation = opcode == 0xe9 ? 1 : 2;
    int32_t distance;
    memcpy(&distance, code + operation, sizeof distance);
    is->way = opcode == 0xe9 ? JUMPS : MAY_JUMP;
    is->length = operation + sizeof distance;
    is->distance = distance;
  } else if (opcode == 0xe8) {
    is->length = 5;
    is->calls = true;
  } else {
    is_decoded =
        decode_operation(code, (prefix & 8) != 0, (prefix & 4) != 0, (prefix & 1) != 0, is);
  }
  is->length += before;
  return is_decoded;
}

/// A path to the return, as far as it was followed.
struct way {
  uint64_t ip;
  /// The stack pointer relative to the frame's, in bytes.
  int64_t depth;
  /// The largest `depth` so far. Values popped below it were pushed on this path and are not in the
  /// stack yet.
  int64_t released;
  /// The offsets from the frame's stack pointer at which registers of `saved` were restored; -1 for
  /// none.
  int64_t restored[CUNWIND_SAVED_COUNT];
};

/// The largest number of instructions on all paths together.
enum { MOST_INSTRUCTIONS = 48 };

/// All paths from one instruction.
struct ways {
  struct reader reader;
  cunwind_is_begin _Nonnull is_begin;
  /// The visited instructions and the depth at each.
  struct {
    uint64_t ip;
    int64_t depth;
  } met[MOST_INSTRUCTIONS];
  int met_count;
  /// The first path that reached a return.
  struct way found;
  bool is_found;
  /// Paths met or returned at different depths, so they cannot all be real.
  bool disagree;
};

/// Returns whether a stub continues in the loader, which removes both words that the stub has
/// pushed.
///
/// Linkers' first stub ends like this: push the library's handle, jump through a pointer.
static bool is_to_loader(struct reader reader, uint64_t ip) {
  uint8_t code[8];
  return cunwind_read_bytes(reader, ip - 6, code, sizeof code) && code[0] == 0xff &&
         code[1] == 0x35 && code[6] == 0xff && code[7] == 0x25;
}

/// Returns whether a path visits an instruction for the first time.
static bool meet(struct ways *ways, const struct way *way) {
  for (int i = 0; i < ways->met_count; i++) {
    if (ways->met[i].ip == way->ip) {
      ways->disagree |= ways->met[i].depth != way->depth;
      return false;
    }
  }
  if (ways->met_count == MOST_INSTRUCTIONS) {
    return false;
  }
  ways->met[ways->met_count].ip = way->ip;
  ways->met[ways->met_count].depth = way->depth;
  ways->met_count += 1;
  return true;
}

static void end_at_return(struct ways *ways, const struct way *way) {
  if (!ways->is_found) {
    ways->found = *way;
    ways->is_found = true;
  } else if (ways->found.depth != way->depth) {
    ways->disagree = true;
  }
}

/// Follows a path to its returns; at a branch first the next instruction, then the target.
///
/// All paths of a function release the same stack. A path that continues after a call that never
/// returns does not: it runs into another path or the next function.
static void follow(struct ways *ways, struct way way) {
  while (meet(ways, &way)) {
    uint8_t code[16] = {0};
    struct instruction is;
    // The last instructions of a segment have fewer bytes after them.
    uint64_t bytes = cunwind_read_bytes(ways->reader, way.ip, code, 16) ? 16 : 8;
    if (bytes == 8 && !cunwind_read_bytes(ways->reader, way.ip, code, 8)) {
      return;
    }
    bool is_stub = is_to_loader(ways->reader, way.ip);
    if (!is_stub && (!decode(code, &is) || is.length > bytes)) {
      return;
    }
    if (is_stub || is.way == RETURNS) {
      way.depth += is_stub ? 16 : 0;
      end_at_return(ways, &way);
      return;
    }
    if (is.restored >= 0 && way.depth >= way.released) {
      way.restored[is.restored] = way.depth;
    }
    way.depth += is.popped;
    way.released = way.depth > way.released ? way.depth : way.released;
    way.ip += is.length;
    if (is.calls && ways->is_begin(ways->reader.context, way.ip)) {
      return;
    }
    if (is.way == MAY_JUMP) {
      follow(ways, way);
    }
    way.ip += (uint64_t)is.distance;
  }
}

bool cunwind_step_by_return(const struct cunwind_frame *frame, cunwind_read read,
                            cunwind_is_begin is_begin, void *context, struct cunwind_frame *next) {
  // After the call of a function that never returns, the next function may start.
  if (!frame->exact && is_begin(context, frame->ip)) {
    return false;
  }
  struct ways ways = {.reader = {read, context}, .is_begin = is_begin};
  struct way begin = {.ip = frame->ip};
  for (size_t place = 0; place < CUNWIND_SAVED_COUNT; place++) {
    begin.restored[place] = -1;
  }
  follow(&ways, begin);
  const struct way *found = &ways.found;
  if (!ways.is_found || ways.disagree || found->depth < 0) {
    return false;
  }
  struct cunwind_frame top = *frame, caller = *frame;
  top.sp += (uint64_t)found->depth;
  caller.exact = 0;
  for (size_t place = 0; place < CUNWIND_SAVED_COUNT; place++) {
    uint64_t value;
    if (found->restored[place] >= 0 &&
        read(context, frame->sp + (uint64_t)found->restored[place], &value)) {
      caller.saved[place] = value;
    }
  }
  if (!cunwind_return_from(ways.reader, &top, 0, &caller)) {
    return false;
  }
  *next = caller;
  return true;
}

bool cunwind_is_outermost(const struct cunwind_frame *frame, cunwind_read read,
                          cunwind_is_begin is_begin, void *context) {
  struct reader reader = {read, context};
  if (frame->exact) {
    return false;
  }
  if (is_begin(context, frame->ip) && !cunwind_follows_call(reader, frame->ip)) {
    return true;
  }
  // lea rdx, [rip + distance to _dl_fini]; mov rsp, r13; jmp r12
  static const uint8_t lea[] = {0x48, 0x8d, 0x15};
  static const uint8_t jump[] = {0x4c, 0x89, 0xec, 0x41, 0xff, 0xe4};
  enum { JUMP_AT = sizeof lea + 4 };
  uint8_t code[JUMP_AT + sizeof jump];
  return cunwind_read_bytes(reader, frame->ip, code, sizeof code) &&
         memcmp(code, lea, sizeof lea) == 0 && memcmp(code + JUMP_AT, jump, sizeof jump) == 0;
}

#else

bool cunwind_step_by_return(const struct cunwind_frame *frame, cunwind_read read,
                            cunwind_is_begin is_begin, void *context, struct cunwind_frame *next) {
  // Code of this architecture is not decoded.
  (void)frame, (void)read, (void)is_begin, (void)context, (void)next;
  return false;
}

bool cunwind_is_outermost(const struct cunwind_frame *frame, cunwind_read read,
                          cunwind_is_begin is_begin, void *context) {
  (void)frame, (void)read, (void)is_begin, (void)context;
  return false;
}

#endif

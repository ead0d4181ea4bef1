#include "instruction.h"

#include <string.h>

#if defined(__x86_64__)

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

bool cunwind_decode(const uint8_t *code, struct instruction *is) {
  static const int places[] = {-1, -1, -1, RBX, -1,  RBP, -1,  -1,
                               -1, -1, -1, -1,  R12, R13, R14, R15};
  *is = (struct instruction){.restored = -1, .flow = CONTINUES};
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
    is->flow = RETURNS;
  } else if ((opcode & 0xf0) == 0x70 || opcode == 0xeb) {
    is->flow = opcode == 0xeb ? JUMPS : BRANCHES;
    is->length = 2;
    is->distance = (int8_t)code[1];
  } else if (opcode == 0xe9 || (opcode == 0x0f && (code[1] & 0xf0) == 0x80)) {
    uint64_t operation = opcode == 0xe9 ? 1 : 2;
    int32_t distance;
    memcpy(&distance, code + operation, sizeof distance);
    is->flow = opcode == 0xe9 ? JUMPS : BRANCHES;
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

#endif

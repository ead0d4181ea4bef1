#include <string.h>

#include "code.h"

#if defined(__x86_64__)

/// The bytes of stack to search, and the largest size of a function that jumps to another one.
enum { SEARCHED_STACK = 4096, LARGEST_JUMPER = 64 };

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
  if (memcmp(code, cunwind_plain_prologue, sizeof cunwind_plain_prologue) != 0) {
    return false;
  }
  code += sizeof cunwind_plain_prologue;
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

#endif

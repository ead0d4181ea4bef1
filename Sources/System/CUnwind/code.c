#include "code.h"

#include <string.h>

#if defined(__x86_64__)

const uint8_t cunwind_landing[4] = {0xf3, 0x0f, 0x1e, 0xfa};
const uint8_t cunwind_plain_prologue[4] = {0x55, 0x48, 0x89, 0xe5};

bool cunwind_read_bytes(struct reader reader, uint64_t address, uint8_t *bytes, size_t count) {
  for (size_t done = 0; done < count; done += 8) {
    uint64_t word;
    if (!reader.read(reader.context, address + done, &word)) {
      return false;
    }
    memcpy(bytes + done, &word, count - done < 8 ? count - done : 8);
  }
  return true;
}

bool cunwind_follows_call(struct reader reader, uint64_t address) {
  uint8_t before[8];
  if (address < 8 || !cunwind_read_bytes(reader, address - 8, before, 8)) {
    return false;
  }
  if (before[3] == 0xe8) {  // call rel32
    return true;
  }
  // A call through a register or memory, ff /2, has 2, 3, 4, 6 or 7 bytes with its operand.
  static const int starts[] = {6, 5, 4, 2, 1};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    int at = starts[i];
    if (before[at] == 0xff && (before[at + 1] >> 3 & 7) == 2) {
      return true;
    }
  }
  return false;
}

bool cunwind_return_from(struct reader reader, const struct cunwind_frame *frame, uint64_t popped,
                         struct cunwind_frame *next) {
  next->sp = frame->sp + 8 * (popped + 1);
  return reader.read(reader.context, frame->sp + 8 * popped, &next->ip) &&
         cunwind_follows_call(reader, next->ip);
}

#else

bool cunwind_follows_call(struct reader reader, uint64_t address) {
  uint64_t before;
  if (address < 8 || !reader.read(reader.context, address - 8, &before)) {
    return false;
  }
  uint32_t instruction = (uint32_t)(before >> 32);
  // bl or blr
  return (instruction & 0xfc000000) == 0x94000000 || (instruction & 0xfffffc1f) == 0xd63f0000;
}

#endif

/// Decodes the x86-64 instructions of small functions.
#ifndef CUNWIND_INSTRUCTION_H
#define CUNWIND_INSTRUCTION_H

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
  enum { CONTINUES, BRANCHES, JUMPS, RETURNS } flow;
};

/// Decodes an instruction that small functions of C and assembly contain; false for others.
///
/// Encoding: Intel 64 and IA-32 manual, volume 2. `code` has 16 bytes.
bool cunwind_decode(const uint8_t *_Nonnull code, struct instruction *_Nonnull is);

#endif

#endif

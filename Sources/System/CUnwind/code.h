/// Reads the code of the measured process where it has no unwind information.
#ifndef CUNWIND_CODE_H
#define CUNWIND_CODE_H

#include "prologue.h"

/// A function that reads the measured process's memory, with its context.
struct reader {
  cunwind_read _Nonnull read;
  void *_Nonnull context;
};

/// Returns whether the instruction before a return address is a call.
bool cunwind_follows_call(struct reader reader, uint64_t address);

#if defined(__x86_64__)

/// Indices in `saved`.
enum { RBX = 0, RBP = 1, R12 = 2, R13 = 3, R14 = 4, R15 = 5 };

/// endbr64, with which a function may start.
extern const uint8_t cunwind_landing[4];

/// The usual prologue with a frame pointer: push rbp; mov rbp, rsp.
extern const uint8_t cunwind_plain_prologue[4];

/// The largest size of a function in bytes (libjpeg's largest has 6 KiB).
enum { LARGEST_FUNCTION = 16384 };

/// Reads `count` bytes; false if a word of them cannot be read.
bool cunwind_read_bytes(struct reader reader, uint64_t address, uint8_t *_Nonnull bytes,
                        size_t count);

/// Reads the return address from the stack, above `popped` other words.
///
/// Returns false if it does not follow a call.
bool cunwind_return_from(struct reader reader, const struct cunwind_frame *_Nonnull frame,
                         uint64_t popped, struct cunwind_frame *_Nonnull next);

#endif

#endif

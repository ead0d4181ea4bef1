/// Reading the code of the measured process where it has no unwind information.
#ifndef CUNWIND_CODE_H
#define CUNWIND_CODE_H

#include "prologue.h"

/// How the measured process's memory is read.
struct reader {
  cunwind_read _Nonnull read;
  void *_Nonnull context;
};

#if defined(__x86_64__)

/// Places in `saved`.
enum { RBX = 0, RBP = 1, R12 = 2, R13 = 3, R14 = 4, R15 = 5 };

/// What a function may begin with: endbr64.
extern const uint8_t cunwind_landing[4];

/// Reads bytes, as long as all their words can be read; `bytes` gets no more than `count`.
bool cunwind_read_bytes(struct reader reader, uint64_t address, uint8_t *_Nonnull bytes,
                        size_t count);

/// Whether the instruction before a return address is a call.
bool cunwind_follows_call(struct reader reader, uint64_t address);

/// Takes the return address from the top of the stack, after `popped` other words.
///
/// Returns false when it does not follow a call.
bool cunwind_return_from(struct reader reader, const struct cunwind_frame *_Nonnull frame,
                         uint64_t popped, struct cunwind_frame *_Nonnull next);

#endif

#endif

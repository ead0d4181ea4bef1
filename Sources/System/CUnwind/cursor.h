/// Steps by libunwind, and through functions without unwind information.
#ifndef CUNWIND_CURSOR_H
#define CUNWIND_CURSOR_H

#include "space.h"

/// Starts a new cursor at a frame that was found without libunwind.
bool cunwind_restart(struct cunwind_space *space, const struct cunwind_frame *frame,
                     unw_cursor_t *cursor);

/// Checks a step's result. Returns false and sets `end` if it is no caller.
bool cunwind_accept(struct cunwind_space *space, const struct cunwind_frame *frame,
                    const struct cunwind_frame *next, enum cunwind_end *end);

/// Finds the caller by the frame pointer alone, which points to the caller's frame pointer with the
/// return address behind it (System V ABI for AMD64, figure 3.3; Procedure Call Standard for the Arm
/// 64-bit Architecture, section 6.4.6).
///
/// The return address must follow a call or be in generated code. Code that has not pushed its frame
/// pointer yet, or keeps none, loses its caller, but not the callers of that. Returns false and sets
/// `beyond_stack` if the frame is above the copied stack.
bool cunwind_step_by_chain(struct cunwind_space *space, const struct cunwind_frame *frame,
                           struct cunwind_frame *next);

/// Finds the caller by libunwind and fills `next`. Returns false and sets `end` at the end of the
/// walk.
bool cunwind_step_by_cursor(struct cunwind_space *space, struct cunwind_frame *frame,
                            unw_cursor_t *cursor, struct cunwind_frame *next,
                            enum cunwind_end *end);

#endif

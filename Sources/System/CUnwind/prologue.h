/// Steps through functions that have no unwind information.
///
/// The Swift compiler writes none for derived functions, such as value witnesses, metadata
/// accessors and deallocating initializers: 8,478 of the 23,257 functions of libswiftCore. They start with few different prologues, so their first instructions determine their frames.
#ifndef CUNWIND_PROLOGUE_H
#define CUNWIND_PROLOGUE_H

#include "cunwind.h"

/// Reads 8 bytes of the measured process's memory; false if they cannot be read.
typedef bool (*cunwind_read)(void *_Nonnull context, uint64_t address, uint64_t *_Nonnull value);

/// Returns whether a function starts at an address.
typedef bool (*cunwind_is_begin)(void *_Nonnull context, uint64_t address);

/// Finds the caller of a frame in a function that starts at `start`.
///
/// `frame` contains its registers, known or not; `next` receives the caller's, with the return
/// address as `ip`. Returns false if the prologue is unknown. The caller checks that the return
/// address is code.
bool cunwind_step_by_prologue(const struct cunwind_frame *_Nonnull frame, uint64_t start,
                              cunwind_read _Nonnull read, cunwind_is_begin _Nonnull is_begin,
                              void *_Nonnull context, struct cunwind_frame *_Nonnull next);

/// Finds the caller of a frame by following its code to the return and counting the stack that it
/// releases.
///
/// This covers functions without unwind information that every program gets from the compiler's
/// files: `__do_global_dtors_aux`, which calls C++ destructors, `_init`, `_fini` and others, also
/// in stripped files, and the stubs of lld. It knows only the instructions that such code contains,
/// and follows at most 48. Returns false if no path reaches a return, if two paths disagree (e.g.
/// after a call that never returns), or if the return address does not follow a call.
bool cunwind_step_by_return(const struct cunwind_frame *_Nonnull frame, cunwind_read _Nonnull read,
                            cunwind_is_begin _Nonnull is_begin, void *_Nonnull context,
                            struct cunwind_frame *_Nonnull next);

/// Returns whether a frame without unwind information has no caller.
///
/// That is the case if its address is the start of a function and does not follow a call:
/// makecontext(3) makes a context's first function return to the start of `__start_context`. It is
/// also the case in glibc's loader where the kernel starts it: it calls `_dl_start`, which loads the
/// libraries, then their constructors, and jumps to the program's entry point with the kernel's
/// stack. glibc 2.31 and 2.36 use the same instructions. Other loaders are not recognized.
bool cunwind_is_outermost(const struct cunwind_frame *_Nonnull frame, cunwind_read _Nonnull read,
                          cunwind_is_begin _Nonnull is_begin, void *_Nonnull context);

/// Finds the caller of an innermost frame in code without unwind information and symbol, such as
/// stripped assembly: the vector code of libjpeg-turbo uses a tenth of a scroll's CPU time.
///
/// It knows two ways to keep a frame pointer: the usual one, and a second one, which aligns the stack and stores the old pointer at the aligned address. The last prologue before the frame's address
/// decides between them. In a prologue and in an epilogue the surrounding instructions decide,
/// except when the stack has just been aligned. The return address must follow a call. All
/// registers but rbp count as unchanged. In other code, such as a function without a frame pointer
/// after one with it, a caller may be skipped. The caller checks that the return address is code.
bool cunwind_step_by_frame_pointer(const struct cunwind_frame *_Nonnull frame,
                                   cunwind_read _Nonnull read, void *_Nonnull context,
                                   struct cunwind_frame *_Nonnull next);

/// Finds the frame pointer of a frame whose stack pointer alone is known, in a function that starts
/// at `start` and keeps a frame pointer.
///
/// The prologue determines the distance from stack pointer to frame pointer. If the function has
/// moved the stack pointer since, the first return address on the stack whose call leads to `start`
/// determines it. Either way, the word above the frame pointer must be a return address.
bool cunwind_find_frame_pointer(const struct cunwind_frame *_Nonnull frame, uint64_t start,
                                cunwind_read _Nonnull read, void *_Nonnull context,
                                uint64_t *_Nonnull frame_pointer);

/// Returns whether code has unwind information or a symbol.
typedef bool (*cunwind_is_described)(void *_Nonnull context, uint64_t address);

/// Finds the caller of an innermost frame in code without unwind information and symbol: the first
/// return address on the stack whose call leads to the frame's function.
///
/// This works even if rbp is used for another purpose. It needs a call with a fixed target, or a
/// function in between that jumps to the code; it does not find calls through pointers. All
/// registers but rbp count as unchanged. Returns false for other frames, and if 4 KiB of stack
/// contain no such call.
bool cunwind_step_by_call(const struct cunwind_frame *_Nonnull frame, cunwind_read _Nonnull read,
                          cunwind_is_described _Nonnull is_described, void *_Nonnull context,
                          struct cunwind_frame *_Nonnull next);

#endif

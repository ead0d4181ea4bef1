/// Steps through functions that have no unwind information.
///
/// The Swift compiler writes none for what it derives itself: value witnesses, metadata accessors,
/// deallocating initialisers; 8,478 of the 23,257 functions of libswiftCore have none. They begin
/// with one of few prologues, so their frames can be told from their first instructions.
#ifndef CUNWIND_PROLOGUE_H
#define CUNWIND_PROLOGUE_H

#include "cunwind.h"

/// Reads memory of the measured process: 8 bytes at an address, 0 where it cannot be read.
typedef bool (*cunwind_read)(void *_Nonnull context, uint64_t address, uint64_t *_Nonnull value);

/// Tells whether a function begins at an address.
typedef bool (*cunwind_is_begin)(void *_Nonnull context, uint64_t address);

/// Finds the caller of a frame in a function that begins at `start`.
///
/// `frame` has its registers, known or not; `next` gets the caller's, with the return address as
/// `ip`. Returns false where the function's beginning is none of those that are known. The caller
/// checks that the return address is code.
bool cunwind_step_by_prologue(const struct cunwind_frame *_Nonnull frame, uint64_t start,
                              cunwind_read _Nonnull read, cunwind_is_begin _Nonnull is_begin,
                              void *_Nonnull context, struct cunwind_frame *_Nonnull next);

/// Finds the caller of a frame by following its code to the return, with what that takes off the stack.
///
/// So are the functions left that every program and library gets from the compiler's own files without
/// unwind information: `__do_global_dtors_aux`, below which the destructors of C++ run, `_init`, `_fini`
/// and those beside them, in stripped files as well, and the stubs that lld writes. Only instructions
/// that such code has are known, and 48 are looked at at most. Returns false where every way meets others,
/// where two ways contradict each other, as behind a call that never returns, and where what is found does
/// not follow a call.
bool cunwind_step_by_return(const struct cunwind_frame *_Nonnull frame, cunwind_read _Nonnull read,
                            cunwind_is_begin _Nonnull is_begin, void *_Nonnull context,
                            struct cunwind_frame *_Nonnull next);

/// Whether nobody has called a frame without unwind information: its address is the begin of a function, behind no
/// call, or it is where glibc's loader, as a program starts, has the constructors of libraries called.
///
/// makecontext(3) has a context's first function return to the begin of another one, `__start_context`.
/// `_dl_start_user` goes on behind that call to the program's begin, which it has in a register, with the stack
/// that the kernel gave it, by the same instructions in glibc 2.31 and 2.36. Other loaders' are not known.
bool cunwind_is_outermost(const struct cunwind_frame *_Nonnull frame, cunwind_read _Nonnull read,
                          cunwind_is_begin _Nonnull is_begin, void *_Nonnull context);

/// Finds the caller of an innermost frame in code that has neither unwind information nor a symbol,
/// as stripped assembly: the vector code of libjpeg-turbo is a tenth of a scroll's CPU time.
///
/// Two ways to keep a frame pointer are known: the plain one, and the one that aligns the stack and
/// keeps its old pointer at the aligned place. The last prologue before the frame's address says which it
/// is; in the prologue and at the end the instructions around do, but of one that has just aligned the
/// stack. The return address must follow a call. Registers but rbp are taken for unchanged. The caller of
/// other code, as of a function that keeps no frame pointer behind one that does, may be passed over.
/// Whether the return address is code is not checked here.
bool cunwind_step_by_frame_pointer(const struct cunwind_frame *_Nonnull frame,
                                   cunwind_read _Nonnull read, void *_Nonnull context,
                                   struct cunwind_frame *_Nonnull next);

/// Finds the frame pointer of a frame of which only the stack pointer is known, in a function that
/// begins at `start` and keeps one.
///
/// Its prologue says how far below the frame pointer the stack pointer is; where the function has
/// moved that further since, the first return address on the stack whose call leads to `start` says
/// it as well. What is above the frame pointer must be a return address in either case.
bool cunwind_find_frame_pointer(const struct cunwind_frame *_Nonnull frame, uint64_t start,
                                cunwind_read _Nonnull read, void *_Nonnull context,
                                uint64_t *_Nonnull frame_pointer);

/// Tells whether code has unwind information or a symbol.
typedef bool (*cunwind_is_described)(void *_Nonnull context, uint64_t address);

/// Finds the caller of an innermost frame in code that has neither unwind information nor a symbol
/// by the first return address on the stack whose call leads to where the frame is.
///
/// That is as good as a symbol, and works where rbp is used for something else, but it takes a call
/// that names its target, or a function in between that jumps there; calls through pointers do not.
/// Registers but rbp are taken for unchanged. Returns false for other frames, and where no such call is
/// found in 4 KiB of stack.
bool cunwind_step_by_call(const struct cunwind_frame *_Nonnull frame, cunwind_read _Nonnull read,
                          cunwind_is_described _Nonnull is_described, void *_Nonnull context,
                          struct cunwind_frame *_Nonnull next);

#endif

/// Steps through functions that have no unwind information, by their instructions (x86-64 only).
///
/// The Swift compiler writes none for derived functions, such as value witnesses, metadata
/// accessors and deallocating initializers: 8,478 of the 23,257 functions of libswiftCore. They
/// start with few different prologues, so their first instructions determine their frames.
#ifndef CUNWIND_CODE_H
#define CUNWIND_CODE_H

#include "space.h"

#if defined(__x86_64__)

// MARK: - Code

/// Indices in `saved`.
enum { RBX = 0, RBP = 1, R12 = 2, R13 = 3, R14 = 4, R15 = 5 };

/// endbr64, with which a function may start.
extern const uint8_t cunwind_landing[4];

/// The usual prologue with a frame pointer: push rbp; mov rbp, rsp.
extern const uint8_t cunwind_plain_prologue[4];

/// The largest size of a function in bytes (libjpeg's largest has 6 KiB).
enum { LARGEST_FUNCTION = 16384 };

/// Reads `count` bytes; false if a word of them cannot be read.
bool cunwind_read_bytes(struct cunwind_space *space, uint64_t address, uint8_t *bytes,
                        size_t count);

/// Returns whether a function starts at an address.
bool cunwind_is_begin(struct cunwind_space *space, uint64_t address);

/// Returns whether the instruction before a return address is a call.
bool cunwind_follows_call(struct cunwind_space *space, uint64_t address);

/// Reads the return address from the stack, above `popped` other words.
///
/// Returns false if it does not follow a call.
bool cunwind_return_from(struct cunwind_space *space, const struct cunwind_frame *frame,
                         uint64_t popped, struct cunwind_frame *next);

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
bool cunwind_decode(const uint8_t *code, struct instruction *is);

// MARK: - Steps

/// Finds the caller of a frame in a function that starts at `start`.
///
/// `frame` contains its registers, known or not; `next` receives the caller's, with the return
/// address as `ip`. Returns false if the prologue is unknown. The caller checks that the return
/// address is code.
bool cunwind_step_by_prologue(struct cunwind_space *space, const struct cunwind_frame *frame,
                              uint64_t start, struct cunwind_frame *next);

/// Finds the caller of a frame by following its code to the return and counting the stack that it
/// releases.
///
/// This covers functions without unwind information that every program gets from the compiler's
/// files: `__do_global_dtors_aux`, which calls C++ destructors, `_init`, `_fini` and others, also
/// in stripped files, and the stubs of lld. It knows only the instructions that such code contains,
/// and follows at most 48. Returns false if no path reaches a return, if two paths disagree (e.g.
/// after a call that never returns), or if the return address does not follow a call.
bool cunwind_step_by_return(struct cunwind_space *space, const struct cunwind_frame *frame,
                            struct cunwind_frame *next);

/// Returns whether a frame without unwind information has no caller.
///
/// That is the case if its address is the start of a function and does not follow a call:
/// makecontext(3) makes a context's first function return to the start of `__start_context`. It is
/// also the case in `_dl_start_user`, where glibc's loader calls the constructors of libraries and
/// then jumps to the program's entry point with the kernel's stack; glibc 2.31 and 2.36 use the
/// same instructions. Other loaders are not recognized.
bool cunwind_is_outermost(struct cunwind_space *space, const struct cunwind_frame *frame);

/// Finds the caller of an innermost frame in code without unwind information and symbol, such as
/// stripped assembly: the vector code of libjpeg-turbo uses a tenth of a scroll's CPU time.
///
/// It knows two ways to keep a frame pointer: the usual one, and a second one, which aligns the
/// stack and stores the old pointer at the aligned address. The last prologue before the frame's
/// address decides between them. In a prologue and in an epilogue the surrounding instructions
/// decide, except when the stack has just been aligned. The return address must follow a call. All
/// registers but rbp count as unchanged. In other code, such as a function without a frame pointer
/// after one with it, a caller may be skipped. The caller checks that the return address is code.
bool cunwind_step_by_frame_pointer(struct cunwind_space *space, const struct cunwind_frame *frame,
                                   struct cunwind_frame *next);

/// Finds the frame pointer of a frame whose stack pointer alone is known, in a function that starts
/// at `start` and keeps a frame pointer.
///
/// The prologue determines the distance from stack pointer to frame pointer. If the function has
/// moved the stack pointer since, the first return address on the stack whose call leads to `start`
/// determines it. Either way, the word above the frame pointer must be a return address.
bool cunwind_find_frame_pointer(struct cunwind_space *space, const struct cunwind_frame *frame,
                                uint64_t start, uint64_t *frame_pointer);

/// Finds the caller of an innermost frame in code without unwind information and symbol: the first
/// return address on the stack whose call leads to the frame's function.
///
/// This works even if rbp is used for another purpose. It needs a call with a fixed target, or a
/// function in between that jumps to the code; it does not find calls through pointers. All
/// registers but rbp count as unchanged. Returns false for other frames, and if 4 KiB of stack
/// contain no such call.
bool cunwind_step_by_call(struct cunwind_space *space, const struct cunwind_frame *frame,
                          struct cunwind_frame *next);

#else

// Code of other architectures is not decoded.
#define cunwind_step_by_prologue(...) false
#define cunwind_step_by_return(...) false
#define cunwind_is_outermost(...) false
#define cunwind_step_by_frame_pointer(...) false
#define cunwind_find_frame_pointer(...) false
#define cunwind_step_by_call(...) false

#endif

#endif

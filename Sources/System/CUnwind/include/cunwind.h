/// Offline unwinding of copied stacks: rows decoded from `.eh_frame` (rows.h) for simple frames,
/// and the remote interface of libunwind for all others.
///
/// libunwind's interface consists of macros and callbacks, which Swift cannot import; this target
/// wraps it. The caller provides the registers and a copy of the stack of a sample, and the loaded
/// modules as memory; nothing here reads a file or another process.
///
/// None of these functions is async-signal-safe. A space and its data belong to one thread at a
/// time; different spaces are independent.
#ifndef CUNWIND_H
#define CUNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of registers of a sample, in DWARF order with the program counter last (see
/// perf_format.h), and the number of registers that a called function must preserve.
#if defined(__aarch64__)
#define CUNWIND_REGISTER_COUNT 33u
#define CUNWIND_SAVED_COUNT 11u
#else
#define CUNWIND_REGISTER_COUNT 17u
#define CUNWIND_SAVED_COUNT 6u
#endif

/// The reason why a walk ended.
enum cunwind_end {
  CUNWIND_COMPLETE = 0,        ///< The outermost frame of the thread is reached.
  CUNWIND_TRUNCATED = 1,       ///< The copied stack ended.
  CUNWIND_NO_UNWIND_INFO = 2,  ///< The next code has no unwind information.
  CUNWIND_BAD_ADDRESS = 3,     ///< A return address is outside of code, or memory is unknown.
  CUNWIND_LOOP = 4,            ///< The stack pointer did not grow.
  CUNWIND_TOO_DEEP = 5,        ///< The caller's array of frames is full.
};

/// A frame. Two frames of one thread have the same callers if they are equal and the stack above
/// them is equal.
struct cunwind_frame {
  uint64_t ip;  ///< The sampled or interrupted instruction, or the return address.
  uint64_t sp;  ///< The frame's stack pointer; the next call's frame is below it.
  uint64_t saved[CUNWIND_SAVED_COUNT];  ///< Callee-saved registers; 0 if unknown.
  uint64_t exact;  ///< 1: `ip` is an instruction itself; 0: the one after a call.
};

/// A part of a module's memory as the loader maps it.
struct cunwind_segment {
  uint64_t low;        ///< The first address in the measured process.
  uint64_t file_high;  ///< The end of the bytes in `bytes`.
  uint64_t high;       ///< The end of the segment; zeros follow `file_high`.
  const uint8_t *_Nullable bytes;
  bool executable;
  bool generated;  ///< Code without a file and without unwind information, such as a JIT compiler's.
};

/// A loaded module: its range, and the binary search table of its `.eh_frame_hdr`.
struct cunwind_module {
  uint64_t low;
  uint64_t high;
  uint64_t table_base;   ///< The address that the table's entries are relative to.
  uint64_t table;        ///< The address of the first entry; 0: the module has no table.
  uint64_t table_count;  ///< The number of entries of 8 bytes.
};

/// A stack to walk.
struct cunwind_sample {
  const uint64_t *_Nonnull registers;  ///< CUNWIND_REGISTER_COUNT values.
  const uint8_t *_Nullable stack;      ///< The copy; its first byte was at `stack_address`.
  uint64_t stack_address;
  uint64_t stack_bytes;
  bool cut;                 ///< The stack extends beyond the copy.
  bool partial;             ///< Only the stack pointer and the program counter are known.
  /// From here up the stack equals that of `earlier`; UINT64_MAX if that is unknown.
  uint64_t shared_address;
  /// Frames of the thread's previous walk with the same modules, innermost first.
  const struct cunwind_frame *_Nullable earlier;
  uint64_t earlier_count;
  enum cunwind_end earlier_end;
};

/// The result of a walk.
struct cunwind_result {
  uint64_t count;    ///< Frames written, innermost first; at least 1.
  uint64_t spliced;  ///< The number of frames copied from the earlier walk.
  enum cunwind_end end;
};

/// The memory of a measured process: its modules.
struct cunwind_space;

/// Returns the start of the function at an address, by its symbol; 0 if unknown.
typedef uint64_t (*cunwind_find_function)(void *_Nullable context, uint64_t address);

/// Returns an empty space, or NULL if there is no memory.
///
/// `find_function` is called with `context` for code that has no unwind information.
struct cunwind_space *_Nullable cunwind_space_create(cunwind_find_function _Nonnull find_function,
                                                     void *_Nullable context);

/// Frees a space. The segments' bytes still belong to the caller.
void cunwind_space_destroy(struct cunwind_space *_Nullable space);

/// Makes libunwind do every step from now on, for measurements and tests.
void cunwind_space_forgo_rows(struct cunwind_space *_Nonnull space);

/// Replaces the modules of a space and discards everything derived from the previous ones.
///
/// Both lists are copied; the segments' bytes are not, and must live as long as the space uses
/// them. Both must ascend by `low` without overlap.
///
/// Returns 0, or -ENOMEM, which leaves the space empty.
int cunwind_space_set_modules(struct cunwind_space *_Nonnull space,
                              const struct cunwind_module *_Nullable modules, size_t module_count,
                              const struct cunwind_segment *_Nullable segments,
                              size_t segment_count);

/// Returns the start of the function at an address, by unwind information; 0 if there is none.
uint64_t cunwind_function_at(struct cunwind_space *_Nonnull space, uint64_t address);

/// Walks a sample's stack from its innermost frame outwards.
///
/// If the copy ends before the stack does, and the previous walk was complete and has the outermost
/// frame, the callers of that frame are taken from there. The frames are the same activation of a
/// function if the stack pointer, the return address and all saved registers are equal.
///
/// `frames` has room for `capacity` frames, at least 1, and must not overlap `sample->earlier`.
struct cunwind_result cunwind_walk(struct cunwind_space *_Nonnull space,
                                   const struct cunwind_sample *_Nonnull sample,
                                   struct cunwind_frame *_Nonnull frames, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif

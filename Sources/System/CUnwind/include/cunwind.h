/// Unwinding of copied stacks, offline: plain frames by the rows of `.eh_frame` that we remember
/// ourselves (rows.h), all others by the remote interface of libunwind.
///
/// libunwind's interface is made of macros and callbacks, which Swift cannot import; this fence is
/// the smallest one around them. The caller gives the registers and a copy of the stack of a
/// sample, and the loaded modules as memory; nothing here reads a file or another process.
///
/// None of these functions is async-signal-safe. A space and what it was given belong to one thread
/// at a time; different spaces are independent.
#ifndef CUNWIND_H
#define CUNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Registers of a sample, in DWARF order with the program counter last (see perf_format.h), and how
/// many of them a called function must preserve.
#if defined(__aarch64__)
#define CUNWIND_REGISTER_COUNT 33u
#define CUNWIND_SAVED_COUNT 11u
#else
#define CUNWIND_REGISTER_COUNT 17u
#define CUNWIND_SAVED_COUNT 6u
#endif

/// Why a walk ended.
enum cunwind_end {
  CUNWIND_COMPLETE = 0,        ///< At the outermost frame of the thread.
  CUNWIND_TRUNCATED = 1,       ///< The copied stack ended first.
  CUNWIND_NO_UNWIND_INFO = 2,  ///< The innermost code not walked has no unwind information.
  CUNWIND_BAD_ADDRESS = 3,     ///< A return address outside of code, or memory that nobody has.
  CUNWIND_LOOP = 4,            ///< The stack pointer did not grow.
  CUNWIND_TOO_DEEP = 5,        ///< More frames than the caller has room for.
};

/// One frame. Two frames of one thread that are equal in everything, and above which the stack is
/// equal as well, have the same callers.
struct cunwind_frame {
  uint64_t ip;     ///< The sampled or interrupted instruction, or the return address.
  uint64_t sp;     ///< The frame's stack pointer: the address that the next call's frame is below.
  uint64_t saved[CUNWIND_SAVED_COUNT];  ///< Callee-saved registers; 0 where unknown.
  uint64_t exact;  ///< 1: `ip` is an instruction itself; 0: the one after a call.
};

/// A piece of a module's memory as the loader maps it.
struct cunwind_segment {
  uint64_t low;        ///< First address in the measured process.
  uint64_t file_high;  ///< Past the last byte that `bytes` holds.
  uint64_t high;       ///< Past the last address; between the two there are zeros.
  const uint8_t *_Nullable bytes;
  bool executable;
};

/// A loaded module: its range, and the binary search table of its `.eh_frame_hdr`.
struct cunwind_module {
  uint64_t low;
  uint64_t high;
  uint64_t table_base;    ///< What the table's entries are relative to.
  uint64_t table;         ///< Address of the first entry; 0: the module has no table.
  uint64_t table_count;   ///< Entries of 8 bytes.
};

/// A stack to be walked.
struct cunwind_sample {
  const uint64_t *_Nonnull registers;  ///< CUNWIND_REGISTER_COUNT of them.
  const uint8_t *_Nullable stack;  ///< The copy; its first byte was at `stack_address`.
  uint64_t stack_address;
  uint64_t stack_bytes;
  bool partial;  ///< Only the stack pointer and the program counter of `registers` are known.
  uint64_t shared_address;  ///< From here up the stack equals the one that `earlier` came from.
  const struct cunwind_frame *_Nullable earlier;  ///< Frames of an earlier walk, innermost first.
  uint64_t earlier_count;
  enum cunwind_end earlier_end;
};

/// What a walk found.
struct cunwind_result {
  uint64_t count;    ///< Frames written, innermost first; at least 1.
  uint64_t spliced;  ///< How many of them were taken over from the earlier walk.
  enum cunwind_end end;
};

/// The memory of a measured process as far as its modules make it up.
struct cunwind_space;

/// Returns where the function begins that an address belongs to, by its symbol; 0 when unknown.
typedef uint64_t (*cunwind_find_function)(void *_Nullable context, uint64_t address);

/// Returns an empty space, or NULL when memory is short.
///
/// `find_function` is asked with `context` about code that has no unwind information.
struct cunwind_space *_Nullable cunwind_space_create(cunwind_find_function _Nonnull find_function,
                                                     void *_Nullable context);

/// Frees a space. The segments' bytes stay the caller's.
void cunwind_space_destroy(struct cunwind_space *_Nullable space);

/// Has libunwind do every step from now on, to measure and to check by.
void cunwind_space_forgo_rows(struct cunwind_space *_Nonnull space);

/// Replaces the modules of a space and forgets everything derived from the old ones.
///
/// Both lists are copied; the segments' bytes are not, and must live as long as the space uses
/// them. Both must ascend by `low` without overlap.
///
/// Returns 0, or -ENOMEM, which leaves the space empty.
int cunwind_space_set_modules(struct cunwind_space *_Nonnull space,
                              const struct cunwind_module *_Nullable modules, size_t module_count,
                              const struct cunwind_segment *_Nullable segments,
                              size_t segment_count);

/// Returns where the function begins that an address belongs to by the unwind information; 0 when
/// there is none.
uint64_t cunwind_function_at(struct cunwind_space *_Nonnull space, uint64_t address);

/// Walks a sample's stack from its innermost frame outwards.
///
/// `frames` has room for `capacity` frames, at least 1, and must not overlap `sample->earlier`.
struct cunwind_result cunwind_walk(struct cunwind_space *_Nonnull space,
                                   const struct cunwind_sample *_Nonnull sample,
                                   struct cunwind_frame *_Nonnull frames, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif

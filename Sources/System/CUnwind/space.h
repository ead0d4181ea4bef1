/// Shared by the files of this target: a space and its memory.
#ifndef CUNWIND_SPACE_H
#define CUNWIND_SPACE_H

#include <libunwind.h>

#include "cunwind.h"
#include "rows.h"

/// The indices of registers in a sample, and of the frame pointer in the saved registers.
#if defined(__aarch64__)
#define SP_INDEX 31u
#define FRAME_POINTER_PLACE 10u
#else
#define SP_INDEX 7u
#define FRAME_POINTER_PLACE 1u
#endif
#define PC_INDEX (CUNWIND_REGISTER_COUNT - 1)
#define EVERY_REGISTER ((UINT64_C(1) << CUNWIND_REGISTER_COUNT) - 1)

/// The callee-saved registers by libunwind's numbers, which are DWARF's.
extern const int cunwind_saved_registers[CUNWIND_SAVED_COUNT];

/// The number of cached rows, twice as many as the hot paths of a program need; half a megabyte.
#define ROW_COUNT 8192u

/// The largest number of libunwind's reads per step, far more than a function's unwind information
/// has bytes.
#define MOST_READS (UINT64_C(1) << 20)

struct cunwind_space {
  unw_addr_space_t unwind;
  struct cunwind_module *modules;
  size_t module_count;
  struct cunwind_segment *segments;
  size_t segment_count;
  size_t last_segment;       ///< The segment of the last read, which the next one mostly uses too.
  struct cunwind_row *rows;  ///< NULL: libunwind does every step.
  cunwind_find_function find_function;
  void *find_context;
  const struct cunwind_sample *sample;
  /// The registers at the start of a cursor: the sample's, or a caller's, found without libunwind.
  uint64_t registers[CUNWIND_REGISTER_COUNT];
  uint64_t known;       ///< Bits of the registers with known values.
  uint64_t reads_left;  ///< The reads that libunwind may still do in this step.
  bool beyond_stack;    ///< A read of this step was above the copied stack.
  bool no_info;         ///< Code of this step has no unwind information.
};

/// Returns the segment at an address, or NULL.
struct cunwind_segment *cunwind_find_segment(struct cunwind_space *space, uint64_t address);

/// Returns the module at an address if it has a search table, or NULL.
const struct cunwind_module *cunwind_find_module(const struct cunwind_space *space, uint64_t ip);

/// Returns the bytes of a module's file from an address on; `context` is the space.
struct cunwind_bytes cunwind_bytes_at(void *context, uint64_t address);

/// Returns the functions through which libunwind reads a space (accessors.c).
unw_accessors_t cunwind_accessors(void);

/// Reads a word of the sample's stack or of a module; false if it is unknown.
bool cunwind_read_word(struct cunwind_space *space, uint64_t address, uint64_t *value);

bool cunwind_is_code(struct cunwind_space *space, uint64_t address);

/// Returns whether the sample's stack overlaps no byte of a module's file. If it does, libunwind
/// may read stack in place of unwind information.
bool cunwind_is_stack_apart(const struct cunwind_space *space);

/// Returns whether libunwind can safely evaluate the unwind information of an address, or there is
/// none.
bool cunwind_may_evaluate(struct cunwind_space *space, uint64_t code);

/// Returns the row of an address of code.
const struct cunwind_row *cunwind_row_at(struct cunwind_space *space, uint64_t code);

/// Returns whether code is the return address of signal handlers, by its unwind information.
bool cunwind_is_signal_code(struct cunwind_space *space, uint64_t code);

/// Finds the function at an address by unwind information.
///
/// Returns false and sets `no_info` if there is none.
bool cunwind_find_info(struct cunwind_space *space, uint64_t address, unw_proc_info_t *info);

#endif

/// What the files of this fence share: a space, and how its memory is read.
#ifndef CUNWIND_SPACE_H
#define CUNWIND_SPACE_H

#include <libunwind.h>

#include "cunwind.h"
#include "rows.h"

/// Places of registers among a sample's, and of the frame pointer among the saved ones.
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

/// Rows that are remembered, by a hash of their address: what one program's hot paths have, twice
/// over. They take half a megabyte.
#define ROW_COUNT 8192u

/// Reads of libunwind for one step, many more than a function's unwind information has bytes.
#define MOST_READS (UINT64_C(1) << 20)

struct cunwind_space {
  unw_addr_space_t unwind;
  struct cunwind_module *modules;
  size_t module_count;
  struct cunwind_segment *segments;
  size_t segment_count;
  size_t last_segment;  ///< Where the last read was found: the next one is mostly there as well.
  struct cunwind_row *rows;  ///< NULL: libunwind does every step.
  cunwind_find_function find_function;
  void *find_context;
  const struct cunwind_sample *sample;
  /// The registers that a cursor begins with: the sample's, or a caller's that we found ourselves.
  uint64_t registers[CUNWIND_REGISTER_COUNT];
  uint64_t known;  ///< Bits of those whose values are known.
  uint64_t reads_left;  ///< Reads that libunwind may still make for this step.
  bool beyond_stack;  ///< A read of this step fell behind the copied stack.
  bool no_info;       ///< Code of this step has no unwind information.
};

/// Reads a word of the sample's stack or of a module. Returns false where nobody has it.
bool cunwind_read_word(struct cunwind_space *space, uint64_t address, uint64_t *value);

bool cunwind_is_code(struct cunwind_space *space, uint64_t address);

/// Whether the sample's stack covers no byte of a module's file. If it does, libunwind may read the stack in
/// place of unwind information, also where it remembers where that is.
bool cunwind_is_stack_apart(const struct cunwind_space *space);

/// Whether libunwind can evaluate the unwind information of an address, or has none to evaluate.
bool cunwind_may_evaluate(struct cunwind_space *space, uint64_t code);

/// Returns the row of an address of code.
const struct cunwind_row *cunwind_row_at(struct cunwind_space *space, uint64_t code);

/// Whether code is what signal handlers return to, by its unwind information.
bool cunwind_is_signal_code(struct cunwind_space *space, uint64_t code);

/// Finds the function that an address belongs to by the unwind information.
///
/// Returns false, and says so in `no_info`, when there is none.
bool cunwind_find_info(struct cunwind_space *space, uint64_t address, unw_proc_info_t *info);

#endif

/// How a function's caller is found from its registers: a row of the table that `.eh_frame` stands
/// for, read without libunwind.
///
/// libunwind remembers its rows, too, but blocks all signals and takes a lock to look at one, which
/// is two system calls a frame. What is plain is read and remembered here (nearly all code:
/// registers that lie at fixed distances from the canonical frame address); what is not stays
/// libunwind's.
#ifndef CUNWIND_ROWS_H
#define CUNWIND_ROWS_H

#include "eh_frame.h"

/// What a row says of an address of code.
enum cunwind_row_kind {
  CUNWIND_ROW_OTHER = 0,  ///< No information, or more than a row can say: ask libunwind.
  CUNWIND_ROW_PLAIN,
  CUNWIND_ROW_OUTERMOST,  ///< The function has no caller.
};

/// The stack pointer as the base of a row.
#define CUNWIND_BASE_SP CUNWIND_SAVED_COUNT

/// A row. Offsets are from the canonical frame address (CFA), which is the caller's stack pointer.
struct cunwind_row {
  uint64_t code;           ///< The address that it holds for.
  int32_t cfa_offset;      ///< From the base register's value.
  int32_t return_offset;   ///< Of the return address.
  int32_t offsets[CUNWIND_SAVED_COUNT];  ///< Of saved registers.
  uint16_t is_saved;      ///< Bits of the registers that `offsets` is of; the others keep theirs.
  uint16_t is_undefined;  ///< Bits of those that are lost.
  uint8_t base;           ///< Place among the saved registers, or CUNWIND_BASE_SP.
  uint8_t kind;           ///< enum cunwind_row_kind
};

/// Reads the row of an address of `module`'s code from its unwind information.
///
/// The instructions are those of DWARF 5, 6.4.
void cunwind_row_read(const struct cunwind_module *_Nonnull module, uint64_t code,
                      cunwind_get_bytes _Nonnull get_bytes, void *_Nonnull context,
                      struct cunwind_row *_Nonnull row);

#endif

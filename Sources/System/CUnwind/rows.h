/// Rows of the table that `.eh_frame` encodes: how a function's registers give its caller.
///
/// libunwind caches its rows too, but blocks all signals and takes a lock for a look-up, which is
/// two system calls per frame. This file decodes and caches simple rows, in which registers are at
/// fixed distances from the canonical frame address: nearly all code. libunwind does the rest.
#ifndef CUNWIND_ROWS_H
#define CUNWIND_ROWS_H

#include "eh_frame.h"

/// The kind of a row.
enum cunwind_row_kind {
  CUNWIND_ROW_OTHER = 0,  ///< No information, or more than a row can express: use libunwind.
  CUNWIND_ROW_PLAIN,
  CUNWIND_ROW_OUTERMOST,  ///< The function has no caller.
};

/// The stack pointer as the base of a row.
#define CUNWIND_BASE_SP CUNWIND_SAVED_COUNT

/// A row. Offsets are from the canonical frame address (CFA), which is the caller's stack pointer.
struct cunwind_row {
  uint64_t code;                         ///< The address of code.
  int32_t cfa_offset;                    ///< From the base register's value.
  int32_t return_offset;                 ///< The offset of the return address.
  int32_t offsets[CUNWIND_SAVED_COUNT];  ///< The offsets of saved registers.
  uint16_t is_saved;      ///< Bits of the registers in `offsets`; the others are unchanged.
  uint16_t is_undefined;  ///< Bits of lost registers.
  uint8_t base;           ///< An index of saved registers, or CUNWIND_BASE_SP.
  uint8_t kind;           ///< enum cunwind_row_kind
};

/// Reads the row of an address of `module`'s code from its unwind information.
///
/// Instructions: DWARF 5, 6.4.
void cunwind_row_read(const struct cunwind_module *_Nonnull module, uint64_t code,
                      cunwind_get_bytes _Nonnull get_bytes, void *_Nonnull context,
                      struct cunwind_row *_Nonnull row);

#endif

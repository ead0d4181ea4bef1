/// Reads the entries of `.eh_frame`.
///
/// Formats: Linux Standard Base, core, 10.5 (encodings of pointers) and 10.6 (entries).
#ifndef CUNWIND_EH_FRAME_H
#define CUNWIND_EH_FRAME_H

#include "cunwind.h"

/// A range of a measured process's memory.
struct cunwind_bytes {
  const uint8_t *_Nullable at;
  uint64_t count;    ///< 0: the memory is unknown.
  uint64_t address;  ///< The address of the first byte.
};

/// Returns the memory from an address to the end of its segment.
typedef struct cunwind_bytes (*cunwind_get_bytes)(void *_Nonnull context, uint64_t address);

/// Reads consecutive numbers. After the end, and for a number that exceeds 64 bits, it returns
/// zeros and sets `is_past_end`.
struct cunwind_reader {
  struct cunwind_bytes bytes;
  uint64_t offset;
  bool is_past_end;
};

uint64_t cunwind_read_fixed(struct cunwind_reader *_Nonnull reader, unsigned count);
uint8_t cunwind_read_byte(struct cunwind_reader *_Nonnull reader);
uint64_t cunwind_read_unsigned(struct cunwind_reader *_Nonnull reader);  ///< ULEB128
int64_t cunwind_read_signed(struct cunwind_reader *_Nonnull reader);     ///< SLEB128
/// Skips bytes; false if there are fewer.
bool cunwind_skip(struct cunwind_reader *_Nonnull reader, uint64_t count);

/// The contents of a common information entry.
struct cunwind_common {
  struct cunwind_reader program;
  uint64_t code_alignment;
  int64_t data_alignment;
  uint64_t return_column;
  uint8_t pointer_encoding;
  bool has_augmentation;  ///< The entries that refer to it have augmentation data.
  bool is_signal_frame;
};

/// Finds the unwind program of the function at `code`, and the start of the function.
///
/// Returns false if there is none or compilers do not write its form. libunwind finds the
/// same program.
bool cunwind_find_program(const struct cunwind_module *_Nonnull module, uint64_t code,
                          cunwind_get_bytes _Nonnull get_bytes, void *_Nonnull context,
                          struct cunwind_common *_Nonnull common,
                          struct cunwind_reader *_Nonnull program, uint64_t *_Nonnull begin);

#endif

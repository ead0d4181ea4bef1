#include "eh_frame.h"

#include <string.h>

// MARK: - Bytes

uint64_t cunwind_read_fixed(struct cunwind_reader *reader, unsigned count) {
  uint64_t value = 0;
  if (reader->bytes.count - reader->offset < count) {
    reader->is_past_end = true;
    reader->offset = reader->bytes.count;
    return 0;
  }
  memcpy(&value, reader->bytes.at + reader->offset, count);
  reader->offset += count;
  return value;
}

uint8_t cunwind_read_byte(struct cunwind_reader *reader) {
  return (uint8_t)cunwind_read_fixed(reader, 1);
}

static uint64_t read_leb(struct cunwind_reader *reader, bool is_signed) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = cunwind_read_byte(reader);
    if (shift < 64) {
      value |= (uint64_t)(byte & 0x7f) << shift;
    } else {
      reader->is_past_end = true;
    }
    shift += 7;
  } while (byte & 0x80);
  if (is_signed && shift < 64 && byte & 0x40) {
    value |= ~UINT64_C(0) << shift;
  }
  return value;
}

uint64_t cunwind_read_unsigned(struct cunwind_reader *reader) {
  return read_leb(reader, false);
}

int64_t cunwind_read_signed(struct cunwind_reader *reader) {
  return (int64_t)read_leb(reader, true);
}

bool cunwind_skip(struct cunwind_reader *reader, uint64_t count) {
  if (count > reader->bytes.count - reader->offset) {
    reader->is_past_end = true;
    return false;
  }
  reader->offset += count;
  return true;
}

/// Reads a pointer of 4 or 8 bytes that is absolute or relative to itself, as compilers write them;
/// false for other encodings.
static bool read_pointer(struct cunwind_reader *reader, uint8_t encoding, uint64_t *value) {
  uint64_t place = reader->bytes.address + reader->offset;
  switch (encoding & 0x0f) {
    case 0x00:  // DW_EH_PE_absptr
    case 0x04:  // DW_EH_PE_udata8
    case 0x0c:  // DW_EH_PE_sdata8
      *value = cunwind_read_fixed(reader, 8);
      break;
    case 0x03:  // DW_EH_PE_udata4
      *value = cunwind_read_fixed(reader, 4);
      break;
    case 0x0b:  // DW_EH_PE_sdata4
      *value = (uint64_t)(int64_t)(int32_t)cunwind_read_fixed(reader, 4);
      break;
    default: return false;
  }
  if ((encoding & 0x70) == 0x10) {  // DW_EH_PE_pcrel
    *value += place;
  } else if ((encoding & 0x70) != 0) {
    return false;
  }
  return (encoding & 0x80) == 0 && !reader->is_past_end;
}

// MARK: - Entries

/// The largest size of an entry, far more than any function needs: every address in it reads it
/// from its start.
#define MOST_ENTRY_BYTES (UINT64_C(1) << 20)

/// Reads the length of an entry and limits the reader to its end; false for an empty entry and for
/// the 64-bit form, which no compiler writes.
static bool enter(struct cunwind_reader *reader) {
  uint64_t length = cunwind_read_fixed(reader, 4);
  if (reader->is_past_end || length < 4 || length > MOST_ENTRY_BYTES ||
      length > reader->bytes.count - reader->offset) {
    return false;
  }
  reader->bytes.count = reader->offset + length;
  return true;
}

/// Reads the augmentation data. Returns false if libunwind would continue at another offset: it
/// knows four letters, none after an unknown letter, and ignores the length of the data.
static bool read_augmentation(struct cunwind_reader *reader, const char *letters,
                              struct cunwind_common *common) {
  if (letters[0] == 0) {
    return true;
  }
  if (letters[0] != 'z') {
    return false;
  }
  common->has_augmentation = true;
  uint64_t bytes = cunwind_read_unsigned(reader);
  if (bytes > reader->bytes.count - reader->offset) {
    return false;
  }
  uint64_t end = reader->offset + bytes;
  for (const char *letter = letters + 1; *letter != 0; letter++) {
    uint64_t personality;
    uint8_t encoding;
    if (letter - letters >= 4 && *letter != 'B') {
      return false;
    }
    switch (*letter) {
      case 'R': common->pointer_encoding = cunwind_read_byte(reader); break;
      case 'L': cunwind_read_byte(reader); break;
      case 'P':
        // Only the length of the pointer matters.
        encoding = cunwind_read_byte(reader);
        if ((encoding & 0x70) == 0x50 ||  // DW_EH_PE_aligned
            !read_pointer(reader, encoding & 0x0f, &personality)) {
          return false;
        }
        break;
      case 'S': common->is_signal_frame = true; break;
      case 'B':  // arm64: return addresses are signed with the other key.
        if (letter[1] != 0) {
          return false;
        }
        break;
      default: return false;
    }
  }
  return reader->offset == end && !reader->is_past_end;
}

static bool read_common(struct cunwind_reader reader, struct cunwind_common *common) {
  memset(common, 0, sizeof *common);
  if (!enter(&reader) || cunwind_read_fixed(&reader, 4) != 0) {
    return false;
  }
  uint8_t version = cunwind_read_byte(&reader);
  if (version != 1 && version != 3) {
    return false;
  }
  char letters[8];
  size_t count = 0;
  do {
    letters[count] = (char)cunwind_read_byte(&reader);
  } while (letters[count] != 0 && ++count < sizeof letters);
  if (count == sizeof letters) {
    return false;
  }
  common->code_alignment = cunwind_read_unsigned(&reader);
  common->data_alignment = cunwind_read_signed(&reader);
  common->return_column =
      version == 1 ? cunwind_read_byte(&reader) : cunwind_read_unsigned(&reader);
  if (!read_augmentation(&reader, letters, common)) {
    return false;
  }
  common->program = reader;
  return !reader.is_past_end;
}

/// Finds the entry of the binary search table with the largest start that is not after `code`;
/// false if there is none.
static bool search(const struct cunwind_module *module, uint64_t code, cunwind_get_bytes get_bytes,
                   void *context, uint64_t *description) {
  struct cunwind_bytes table = get_bytes(context, module->table);
  int64_t wanted = (int64_t)(code - module->table_base);
  uint64_t low = 0, high = module->table_count;
  // Distances in the table have 32 bits.
  if (table.count / 8 < high || wanted != (int32_t)wanted) {
    return false;
  }
  int32_t entry[2];
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    memcpy(entry, table.at + 8 * middle, sizeof entry);
    if (entry[0] <= wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) {
    return false;
  }
  memcpy(entry, table.at + 8 * (low - 1), sizeof entry);
  *description = module->table_base + (uint64_t)(int64_t)entry[1];
  return true;
}

bool cunwind_find_program(const struct cunwind_module *module, uint64_t code,
                          cunwind_get_bytes get_bytes, void *context, struct cunwind_common *common,
                          struct cunwind_reader *program, uint64_t *begin) {
  uint64_t description;
  if (!search(module, code, get_bytes, context, &description)) {
    return false;
  }
  struct cunwind_reader reader = {.bytes = get_bytes(context, description)};
  if (!enter(&reader)) {
    return false;
  }
  uint64_t place = description + reader.offset;
  uint64_t distance = (uint64_t)(int64_t)(int32_t)cunwind_read_fixed(&reader, 4);
  uint64_t common_address = place - distance;
  struct cunwind_reader common_reader = {.bytes = get_bytes(context, common_address)};
  uint64_t length;
  if (!read_common(common_reader, common) ||
      !read_pointer(&reader, common->pointer_encoding, begin) ||
      !read_pointer(&reader, common->pointer_encoding & 0x0f, &length) || code < *begin ||
      code - *begin >= length) {
    return false;
  }
  if (common->has_augmentation && !cunwind_skip(&reader, cunwind_read_unsigned(&reader))) {
    return false;
  }
  *program = reader;
  return !reader.is_past_end;
}

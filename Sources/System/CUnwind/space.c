#include "space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// The number of steps that libunwind caches; 4,096 steps take 1.5 MB. The default of 128 is less
/// than the hot paths of a program need.
#define CACHED_STEPS 4096

// MARK: - Memory

/// Returns the index of the first segment that ends after an address.
static size_t segment_place(const struct cunwind_space *space, uint64_t address) {
  size_t low = 0, high = space->segment_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (space->segments[middle].high <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

struct cunwind_segment *cunwind_find_segment(struct cunwind_space *space, uint64_t address) {
  if (space->segment_count == 0) {
    return NULL;
  }
  struct cunwind_segment *last = &space->segments[space->last_segment];
  if (address >= last->low && address < last->high) {
    return last;
  }
  size_t place = segment_place(space, address);
  if (place == space->segment_count || address < space->segments[place].low) {
    return NULL;
  }
  space->last_segment = place;
  return &space->segments[place];
}

bool cunwind_is_stack_apart(const struct cunwind_space *space) {
  uint64_t low = space->sample->stack_address;
  uint64_t high = low + space->sample->stack_bytes;
  if (high <= low) {
    return high == low;
  }
  for (size_t i = segment_place(space, low);
       i < space->segment_count && space->segments[i].low < high; i++) {
    if (low < space->segments[i].file_high) {
      return false;
    }
  }
  return true;
}

bool cunwind_is_code(struct cunwind_space *space, uint64_t address) {
  struct cunwind_segment *segment = cunwind_find_segment(space, address);
  return segment != NULL && segment->executable;
}

bool cunwind_is_generated(struct cunwind_space *space, uint64_t address) {
  struct cunwind_segment *segment = cunwind_find_segment(space, address);
  return segment != NULL && segment->generated;
}

/// Swift marks async frames with this bit of the saved frame pointer. No address of a program has
/// it.
#define ASYNC_FRAME_BIT (UINT64_C(1) << 60)

/// Returns a word of the stack without Swift's mark.
static uint64_t without_mark(const struct cunwind_sample *sample, uint64_t word) {
  uint64_t plain = word & ~ASYNC_FRAME_BIT;
  bool is_frame = word != plain && plain - sample->stack_address < (UINT64_C(1) << 32);
  return is_frame ? plain : word;
}

bool cunwind_read_word(struct cunwind_space *space, uint64_t address, uint64_t *value) {
  const struct cunwind_sample *sample = space->sample;
  // Unsigned difference: an address below the stack becomes a huge offset.
  uint64_t offset = address - sample->stack_address;
  if (offset < sample->stack_bytes && sample->stack_bytes - offset >= sizeof *value) {
    memcpy(value, sample->stack + offset, sizeof *value);
    *value = without_mark(sample, *value);
    return true;
  }
  struct cunwind_segment *segment = cunwind_find_segment(space, address);
  if (segment == NULL) {
    // The address is above the copy but may be in the stack; the caller knows whether the copy was
    // complete.
    space->beyond_stack = offset >= sample->stack_bytes && offset < (UINT64_C(1) << 32);
    return false;
  }
  *value = 0;
  if (address < segment->file_high) {
    uint64_t there = segment->file_high - address;
    // If a segment has no bytes at all, `file_high` is `low`.
    memcpy(value, segment->bytes + (address - segment->low),
           there < sizeof *value ? (size_t)there : sizeof *value);
  }
  return true;
}

// MARK: - Unwind information

const struct cunwind_module *cunwind_find_module(const struct cunwind_space *space, uint64_t ip) {
  size_t low = 0, high = space->module_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (space->modules[middle].high <= ip) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool is_found = low < space->module_count && ip >= space->modules[low].low &&
                  space->modules[low].table_count > 0;
  return is_found ? &space->modules[low] : NULL;
}

struct cunwind_bytes cunwind_bytes_at(void *context, uint64_t address) {
  struct cunwind_segment *segment = cunwind_find_segment(context, address);
  if (segment == NULL || address >= segment->file_high) {
    return (struct cunwind_bytes){.at = NULL, .count = 0, .address = address};
  }
  return (struct cunwind_bytes){.at = segment->bytes + (address - segment->low),
                                .count = segment->file_high - address,
                                .address = address};
}

const struct cunwind_row *cunwind_row_at(struct cunwind_space *space, uint64_t code) {
  static const struct cunwind_row other = {.kind = CUNWIND_ROW_OTHER};
  if (space->rows == NULL) {
    return &other;
  }
  // Fibonacci hashing with the upper bits.
  struct cunwind_row *row = &space->rows[(code * UINT64_C(0x9E3779B97F4A7C15) >> 32) % ROW_COUNT];
  if (row->code != code) {
    const struct cunwind_module *module = cunwind_find_module(space, code);
    if (module == NULL) {
      return &other;
    }
    cunwind_row_read(module, code, cunwind_bytes_at, space, row);
  }
  return row;
}

uint64_t cunwind_function_at(struct cunwind_space *space, uint64_t address) {
  const struct cunwind_module *module = cunwind_find_module(space, address);
  struct cunwind_common common;
  struct cunwind_reader program;
  uint64_t begin = 0;
  bool is_found = module != NULL && cunwind_find_program(module, address, cunwind_bytes_at, space,
                                                         &common, &program, &begin);
  return is_found ? begin : 0;
}

bool cunwind_is_signal_code(struct cunwind_space *space, uint64_t code) {
  const struct cunwind_module *module = cunwind_find_module(space, code);
  struct cunwind_common common;
  struct cunwind_reader program;
  uint64_t begin;
  return module != NULL &&
         cunwind_find_program(module, code, cunwind_bytes_at, space, &common, &program, &begin) &&
         common.is_signal_frame;
}

// MARK: - Spaces

struct cunwind_space *cunwind_space_create(cunwind_find_function find_function, void *context) {
  struct cunwind_space *space = calloc(1, sizeof *space);
  if (space == NULL) {
    return NULL;
  }
  space->find_function = find_function;
  space->find_context = context;
  // Without rows libunwind does every step, which is slower but correct.
  space->rows = calloc(ROW_COUNT, sizeof *space->rows);
  unw_accessors_t accessors = cunwind_accessors();
  space->unwind = unw_create_addr_space(&accessors, 0);
  if (space->unwind == NULL) {
    free(space->rows);
    free(space);
    return NULL;
  }
  unw_set_caching_policy(space->unwind, UNW_CACHE_GLOBAL);
  // A library that refuses this size keeps its default, which is slower but correct.
  unw_set_cache_size(space->unwind, CACHED_STEPS, 0);
  return space;
}

static void clear_modules(struct cunwind_space *space) {
  free(space->modules);
  free(space->segments);
  space->modules = NULL;
  space->segments = NULL;
  space->module_count = 0;
  space->segment_count = 0;
  space->last_segment = 0;
  if (space->rows != NULL) {
    memset(space->rows, 0, ROW_COUNT * sizeof *space->rows);
  }
  unw_flush_cache(space->unwind, 0, 0);
}

void cunwind_space_destroy(struct cunwind_space *space) {
  if (space == NULL) {
    return;
  }
  clear_modules(space);
  free(space->rows);
  unw_destroy_addr_space(space->unwind);
  free(space);
}

void cunwind_space_forgo_rows(struct cunwind_space *space) {
  free(space->rows);
  space->rows = NULL;
}

int cunwind_space_set_modules(struct cunwind_space *space, const struct cunwind_module *modules,
                              size_t module_count, const struct cunwind_segment *segments,
                              size_t segment_count) {
  clear_modules(space);
  if (module_count == 0 || segment_count == 0) {
    return 0;
  }
  space->modules = calloc(module_count, sizeof *modules);
  space->segments = calloc(segment_count, sizeof *segments);
  if (space->modules == NULL || space->segments == NULL) {
    clear_modules(space);
    return -ENOMEM;
  }
  memcpy(space->modules, modules, module_count * sizeof *modules);
  memcpy(space->segments, segments, segment_count * sizeof *segments);
  space->module_count = module_count;
  space->segment_count = segment_count;
  return 0;
}

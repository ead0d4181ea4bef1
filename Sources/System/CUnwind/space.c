#include "space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "safety.h"

/// The generic library exports this function; no installed header declares it.
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip,
                                              unw_dyn_info_t *table, unw_proc_info_t *info,
                                              int need_unwind_info, void *context);

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

static struct cunwind_segment *find_segment(struct cunwind_space *space, uint64_t address) {
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
  struct cunwind_segment *segment = find_segment(space, address);
  return segment != NULL && segment->executable;
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
  struct cunwind_segment *segment = find_segment(space, address);
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

static const struct cunwind_module *find_module(const struct cunwind_space *space, uint64_t ip) {
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

static struct cunwind_bytes bytes_at(void *context, uint64_t address) {
  struct cunwind_segment *segment = find_segment(context, address);
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
    const struct cunwind_module *module = find_module(space, code);
    if (module == NULL) {
      return &other;
    }
    cunwind_row_read(module, code, bytes_at, space, row);
  }
  return row;
}

uint64_t cunwind_function_at(struct cunwind_space *space, uint64_t address) {
  const struct cunwind_module *module = find_module(space, address);
  struct cunwind_common common;
  struct cunwind_reader program;
  uint64_t begin = 0;
  bool is_found = module != NULL &&
                  cunwind_find_program(module, address, bytes_at, space, &common, &program, &begin);
  return is_found ? begin : 0;
}

bool cunwind_is_signal_code(struct cunwind_space *space, uint64_t code) {
  const struct cunwind_module *module = find_module(space, code);
  struct cunwind_common common;
  struct cunwind_reader program;
  uint64_t begin;
  return module != NULL &&
         cunwind_find_program(module, code, bytes_at, space, &common, &program, &begin) &&
         common.is_signal_frame;
}

// MARK: - Callbacks of libunwind

/// Returns the bytes that libunwind reads at an address. It reads aligned words, so it would get
/// other bytes in an unaligned segment, and it prefers the stack to a file at the same address.
static struct cunwind_bytes words_at(void *context, uint64_t address) {
  const struct cunwind_space *space = context;
  struct cunwind_bytes bytes = bytes_at(context, address);
  const struct cunwind_segment *segment = find_segment(context, address);
  uint64_t low = space->sample->stack_address;
  bool is_stack = address - low < space->sample->stack_bytes;
  if (is_stack || (segment != NULL && segment->low % sizeof(uint64_t) != 0)) {
    bytes.count = 0;
  } else if (address < low && low - address < bytes.count) {
    bytes.count = low - address;
  }
  return bytes;
}

bool cunwind_may_evaluate(struct cunwind_space *space, uint64_t code) {
  const struct cunwind_module *module = find_module(space, code);
  return module == NULL || cunwind_is_safe(module, code, words_at, space);
}

static int find_proc_info(unw_addr_space_t unwind, unw_word_t ip, unw_proc_info_t *info,
                          int need_unwind_info, void *context) {
  struct cunwind_space *space = context;
  const struct cunwind_module *module = find_module(space, ip);
  int result = -UNW_ENOINFO;
  bool is_refused = false;
  if (module != NULL) {
    // libunwind does not evaluate information that it does not get.
    is_refused = need_unwind_info && !cunwind_may_evaluate(space, ip);
    unw_dyn_info_t table;
    memset(&table, 0, sizeof table);
    table.start_ip = module->low;
    table.end_ip = module->high;
    table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
    table.u.rti.segbase = module->table_base;
    table.u.rti.table_data = module->table;
    // `table_len` counts words, and an entry has the size of a word.
    table.u.rti.table_len = module->table_count;
    result = UNW_OBJ(dwarf_search_unwind_table)(unwind, ip, &table, info,
                                                need_unwind_info && !is_refused, context);
  }
  if (result < 0) {
    space->no_info = true;
    return -UNW_ENOINFO;
  }
  return is_refused ? -UNW_EINVAL : result;
}

bool cunwind_find_info(struct cunwind_space *space, uint64_t address, unw_proc_info_t *info) {
  // This search is no part of a step and evaluates nothing.
  space->reads_left = MOST_READS;
  return find_proc_info(space->unwind, address, info, 0, space) >= 0;
}

static void put_unwind_info(unw_addr_space_t unwind, unw_proc_info_t *info, void *context) {
  // libunwind itself frees the memory of the search.
  (void)unwind, (void)info, (void)context;
}

static int no_dynamic_info(unw_addr_space_t unwind, unw_word_t *address, void *context) {
  (void)unwind, (void)address, (void)context;
  return -UNW_ENOINFO;
}

static int access_memory(unw_addr_space_t unwind, unw_word_t address, unw_word_t *value, int write,
                         void *context) {
  (void)unwind;
  struct cunwind_space *space = context;
  if (write || space->reads_left == 0) {
    return -UNW_EINVAL;
  }
  space->reads_left -= 1;
  uint64_t word = 0;
  if (!cunwind_read_word(space, address, &word)) {
    return -UNW_EINVAL;
  }
  *value = word;
  return 0;
}

static int access_register(unw_addr_space_t unwind, unw_regnum_t number, unw_word_t *value,
                           int write, void *context) {
  (void)unwind;
  struct cunwind_space *space = context;
  bool is_known =
      number >= 0 && number < (int)CUNWIND_REGISTER_COUNT && (space->known >> number & 1) != 0;
  if (write || !is_known) {
    return -UNW_EBADREG;
  }
  *value = space->registers[number];
  return 0;
}

static int access_float(unw_addr_space_t unwind, unw_regnum_t number, unw_fpreg_t *value, int write,
                        void *context) {
  (void)unwind, (void)number, (void)value, (void)write, (void)context;
  return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t unwind, unw_cursor_t *cursor, void *context) {
  (void)unwind, (void)cursor, (void)context;
  return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t unwind, unw_word_t address, char *buffer, size_t bytes,
                   unw_word_t *offset, void *context) {
  (void)unwind, (void)address, (void)buffer, (void)bytes, (void)offset, (void)context;
  return -UNW_ENOINFO;
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
  unw_accessors_t accessors = {
      .find_proc_info = find_proc_info,
      .put_unwind_info = put_unwind_info,
      .get_dyn_info_list_addr = no_dynamic_info,
      .access_mem = access_memory,
      .access_reg = access_register,
      .access_fpreg = access_float,
      .resume = no_resume,
      .get_proc_name = no_name,
  };
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

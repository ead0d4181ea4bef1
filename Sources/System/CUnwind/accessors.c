#include <string.h>

#include "safety.h"
#include "space.h"

/// The generic library exports this function; no installed header declares it.
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip,
                                              unw_dyn_info_t *table, unw_proc_info_t *info,
                                              int need_unwind_info, void *context);

/// Returns the bytes that libunwind reads at an address. It reads aligned words, so it would get
/// other bytes in an unaligned segment, and it prefers the stack to a file at the same address.
static struct cunwind_bytes words_at(void *context, uint64_t address) {
  const struct cunwind_space *space = context;
  struct cunwind_bytes bytes = cunwind_bytes_at(context, address);
  const struct cunwind_segment *segment = cunwind_find_segment(context, address);
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
  const struct cunwind_module *module = cunwind_find_module(space, code);
  return module == NULL || cunwind_is_safe(module, code, words_at, space);
}

static int find_proc_info(unw_addr_space_t unwind, unw_word_t ip, unw_proc_info_t *info,
                          int need_unwind_info, void *context) {
  struct cunwind_space *space = context;
  const struct cunwind_module *module = cunwind_find_module(space, ip);
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

unw_accessors_t cunwind_accessors(void) {
  return (unw_accessors_t){
      .find_proc_info = find_proc_info,
      .put_unwind_info = put_unwind_info,
      .get_dyn_info_list_addr = no_dynamic_info,
      .access_mem = access_memory,
      .access_reg = access_register,
      .access_fpreg = access_float,
      .resume = no_resume,
      .get_proc_name = no_name,
  };
}

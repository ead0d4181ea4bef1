#include <string.h>

#include "space.h"

/// The generic library exports this function; no installed header declares it.
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip,
                                              unw_dyn_info_t *table, unw_proc_info_t *info,
                                              int need_unwind_info, void *context);

static int find_proc_info(unw_addr_space_t unwind, unw_word_t ip, unw_proc_info_t *info,
                          int need_unwind_info, void *context) {
  struct cunwind_space *space = context;
  const struct cunwind_module *module = cunwind_find_module(space, ip);
  int result = -UNW_ENOINFO;
  bool is_refused = false;
  if (module != NULL) {
    // libunwind does not evaluate information that it does not get.
    is_refused = need_unwind_info && !cunwind_is_safe(space, module, ip);
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

unw_accessors_t cunwind_accessors(void) {
  // The others serve floating-point registers, names and unw_resume, which no walk uses.
  return (unw_accessors_t){
      .find_proc_info = find_proc_info,
      .put_unwind_info = put_unwind_info,
      .get_dyn_info_list_addr = no_dynamic_info,
      .access_mem = access_memory,
      .access_reg = access_register,
  };
}

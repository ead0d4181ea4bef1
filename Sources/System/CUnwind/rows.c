#include "rows.h"

#include <string.h>

#if defined(__aarch64__)
#define SP_COLUMN 31u
/// Returns the index of a column in the saved registers, x19 to x29, or -1.
static int saved_place(uint64_t column) {
  return column >= 19 && column <= 29 ? (int)column - 19 : -1;
}
#else
#define SP_COLUMN 7u
/// Returns the index of a column in the saved registers, rbx, rbp and r12 to r15, or -1.
static int saved_place(uint64_t column) {
  static const int8_t places[16] = {-1, -1, -1, 0, -1, -1, 1, -1, -1, -1, -1, -1, 2, 3, 4, 5};
  return column < 16 ? places[column] : -1;
}
#endif

// MARK: - Instructions

/// The location of a register of the caller.
struct rule {
  enum { SAME, UNDEFINED, AT_CFA, ELSEWHERE } kind;
  int64_t offset;
};

#define RETURN_PLACE CUNWIND_SAVED_COUNT
#define SP_PLACE (CUNWIND_SAVED_COUNT + 1)

struct state {
  uint64_t cfa_column;
  int64_t cfa_offset;
  bool is_cfa_computed;  ///< An expression computes it.
  struct rule rules[CUNWIND_SAVED_COUNT + 2];
};

/// The largest number of remembered states; compilers need one.
#define MOST_REMEMBERED 4

struct machine {
  const struct cunwind_common *common;
  struct state now;
  struct state initial;
  struct state remembered[MOST_REMEMBERED];
  unsigned remembered_count;
};

/// Returns the index of a column's rule; -1 for an unused register.
static int rule_place(const struct machine *machine, uint64_t column) {
  if (column == machine->common->return_column) {
    return (int)RETURN_PLACE;
  }
  return column == SP_COLUMN ? (int)SP_PLACE : saved_place(column);
}

static void set_rule(struct machine *machine, uint64_t column, struct rule rule) {
  int place = rule_place(machine, column);
  if (place >= 0) {
    machine->now.rules[place] = rule;
  }
}

static void restore_rule(struct machine *machine, uint64_t column) {
  int place = rule_place(machine, column);
  if (place >= 0) {
    machine->now.rules[place] = machine->initial.rules[place];
  }
}

static void set_offset(struct machine *machine, uint64_t column, int64_t factored) {
  struct rule rule = {AT_CFA, factored * machine->common->data_alignment};
  set_rule(machine, column, rule);
}

static void set_cfa(struct machine *machine, uint64_t column, int64_t offset) {
  machine->now.cfa_column = column;
  machine->now.cfa_offset = offset;
  machine->now.is_cfa_computed = false;
}

/// Executes an instruction that does not change the location; false for an unknown one.
static bool execute(struct machine *machine, struct cunwind_reader *reader, uint8_t instruction) {
  const struct rule elsewhere = {ELSEWHERE, 0};
  uint64_t column;
  switch (instruction) {
    case 0x00:  // DW_CFA_nop
      return true;
    case 0x05:  // DW_CFA_offset_extended
      column = cunwind_read_unsigned(reader);
      set_offset(machine, column, (int64_t)cunwind_read_unsigned(reader));
      return true;
    case 0x06:  // DW_CFA_restore_extended
      restore_rule(machine, cunwind_read_unsigned(reader));
      return true;
    case 0x07:  // DW_CFA_undefined
      set_rule(machine, cunwind_read_unsigned(reader), (struct rule){UNDEFINED, 0});
      return true;
    case 0x08:  // DW_CFA_same_value
      set_rule(machine, cunwind_read_unsigned(reader), (struct rule){SAME, 0});
      return true;
    case 0x09:  // DW_CFA_register
    case 0x14:  // DW_CFA_val_offset
      set_rule(machine, cunwind_read_unsigned(reader), elsewhere);
      cunwind_read_unsigned(reader);
      return true;
    case 0x15:  // DW_CFA_val_offset_sf
      set_rule(machine, cunwind_read_unsigned(reader), elsewhere);
      cunwind_read_signed(reader);
      return true;
    case 0x10:  // DW_CFA_expression
    case 0x16:  // DW_CFA_val_expression
      set_rule(machine, cunwind_read_unsigned(reader), elsewhere);
      return cunwind_skip(reader, cunwind_read_unsigned(reader));
    case 0x0a:  // DW_CFA_remember_state
      if (machine->remembered_count == MOST_REMEMBERED) {
        return false;
      }
      machine->remembered[machine->remembered_count++] = machine->now;
      return true;
    case 0x0b:  // DW_CFA_restore_state
      if (machine->remembered_count == 0) {
        return false;
      }
      machine->now = machine->remembered[--machine->remembered_count];
      return true;
    case 0x0c:  // DW_CFA_def_cfa
      column = cunwind_read_unsigned(reader);
      set_cfa(machine, column, (int64_t)cunwind_read_unsigned(reader));
      return true;
    case 0x0d:  // DW_CFA_def_cfa_register
      set_cfa(machine, cunwind_read_unsigned(reader), machine->now.cfa_offset);
      return true;
    case 0x0e:  // DW_CFA_def_cfa_offset
      set_cfa(machine, machine->now.cfa_column, (int64_t)cunwind_read_unsigned(reader));
      return true;
    case 0x0f:  // DW_CFA_def_cfa_expression
      machine->now.is_cfa_computed = true;
      return cunwind_skip(reader, cunwind_read_unsigned(reader));
    case 0x11:  // DW_CFA_offset_extended_sf
      column = cunwind_read_unsigned(reader);
      set_offset(machine, column, cunwind_read_signed(reader));
      return true;
    case 0x12:  // DW_CFA_def_cfa_sf
      column = cunwind_read_unsigned(reader);
      set_cfa(machine, column, cunwind_read_signed(reader) * machine->common->data_alignment);
      return true;
    case 0x13:  // DW_CFA_def_cfa_offset_sf
      set_cfa(machine, machine->now.cfa_column,
              cunwind_read_signed(reader) * machine->common->data_alignment);
      return true;
    case 0x2e:  // DW_CFA_GNU_args_size
      cunwind_read_unsigned(reader);
      return true;
    case 0x2f:  // DW_CFA_GNU_negative_offset_extended
      column = cunwind_read_unsigned(reader);
      set_offset(machine, column, -(int64_t)cunwind_read_unsigned(reader));
      return true;
    default:  // Including signed return addresses of arm64 (0x2d).
      return false;
  }
}

/// Runs a program up to `distance` bytes into the function.
static bool run(struct machine *machine, struct cunwind_reader reader, uint64_t distance) {
  uint64_t location = 0;
  while (reader.offset < reader.bytes.count && !reader.is_past_end) {
    uint8_t instruction = cunwind_read_byte(&reader);
    uint8_t operand = instruction & 0x3f;
    uint64_t step = 0;
    switch (instruction & 0xc0) {
      case 0x40:  // DW_CFA_advance_loc
        step = operand;
        break;
      case 0x80:  // DW_CFA_offset
        set_offset(machine, operand, (int64_t)cunwind_read_unsigned(&reader));
        continue;
      case 0xc0:  // DW_CFA_restore
        restore_rule(machine, operand);
        continue;
      default:
        if (instruction >= 0x02 && instruction <= 0x04) {  // DW_CFA_advance_loc1, 2, 4
          step = cunwind_read_fixed(&reader, 1u << (instruction - 2));
        } else if (execute(machine, &reader, instruction)) {
          continue;
        } else {
          return false;
        }
    }
    location += step * machine->common->code_alignment;
    if (location > distance) {
      break;
    }
  }
  return !reader.is_past_end;
}

// MARK: - Rows

static bool fits(int64_t offset) {
  return offset >= INT32_MIN && offset <= INT32_MAX;
}

/// Fills a row from a state; false if the state does not fit into a row.
static bool fill(const struct state *state, struct cunwind_row *row) {
  const struct rule *back = &state->rules[RETURN_PLACE];
  if (back->kind == UNDEFINED) {
    row->kind = CUNWIND_ROW_OUTERMOST;
    return true;
  }
  int base = state->cfa_column == SP_COLUMN ? (int)CUNWIND_BASE_SP : saved_place(state->cfa_column);
  if (base < 0 || state->is_cfa_computed || back->kind != AT_CFA ||
      state->rules[SP_PLACE].kind != SAME || !fits(state->cfa_offset) || !fits(back->offset)) {
    return false;
  }
  row->base = (uint8_t)base;
  row->cfa_offset = (int32_t)state->cfa_offset;
  row->return_offset = (int32_t)back->offset;
  for (size_t place = 0; place < CUNWIND_SAVED_COUNT; place++) {
    const struct rule *rule = &state->rules[place];
    if (rule->kind == ELSEWHERE || !fits(rule->offset)) {
      return false;
    }
    row->is_saved |= (uint16_t)((rule->kind == AT_CFA) << place);
    row->is_undefined |= (uint16_t)((rule->kind == UNDEFINED) << place);
    row->offsets[place] = (int32_t)rule->offset;
  }
  row->kind = CUNWIND_ROW_PLAIN;
  return true;
}

void cunwind_row_read(const struct cunwind_module *module, uint64_t code,
                      cunwind_get_bytes get_bytes, void *context, struct cunwind_row *row) {
  struct cunwind_common common;
  struct cunwind_reader program;
  uint64_t begin;
  memset(row, 0, sizeof *row);
  row->code = code;
  if (!cunwind_find_program(module, code, get_bytes, context, &common, &program, &begin) ||
      common.is_signal_frame) {
    return;
  }
  struct machine machine = {.common = &common};
  if (!run(&machine, common.program, UINT64_MAX)) {
    return;
  }
  machine.initial = machine.now;
  if (run(&machine, program, code - begin) && fill(&machine.now, row)) {
    return;
  }
  memset(row, 0, sizeof *row);
  row->code = code;
}

#include "safety.h"

// MARK: - Expressions

/// Skips an operator and its operands; false for divisions, jumps and operators that libunwind does
/// not know.
static bool pass_operator(struct cunwind_reader *reader) {
  uint8_t operation = cunwind_read_byte(reader);
  if (operation >= 0x30 && operation <= 0x6f) {  // DW_OP_lit0 to DW_OP_reg31
    return true;
  }
  if (operation >= 0x70 && operation <= 0x8f) {  // DW_OP_breg0 to DW_OP_breg31
    cunwind_read_signed(reader);
    return true;
  }
  switch (operation) {
    case 0x06:  // DW_OP_deref
    case 0x12:  // DW_OP_dup
    case 0x13:  // DW_OP_drop
    case 0x14:  // DW_OP_over
    case 0x16:  // DW_OP_swap
    case 0x17:  // DW_OP_rot
    case 0x19:  // DW_OP_abs
    case 0x1a:  // DW_OP_and
    case 0x1c:  // DW_OP_minus
    case 0x1e:  // DW_OP_mul
    case 0x1f:  // DW_OP_neg
    case 0x20:  // DW_OP_not
    case 0x21:  // DW_OP_or
    case 0x22:  // DW_OP_plus
    case 0x24:  // DW_OP_shl
    case 0x25:  // DW_OP_shr
    case 0x26:  // DW_OP_shra
    case 0x27:  // DW_OP_xor
    case 0x29:  // DW_OP_eq
    case 0x2a:  // DW_OP_ge
    case 0x2b:  // DW_OP_gt
    case 0x2c:  // DW_OP_le
    case 0x2d:  // DW_OP_lt
    case 0x2e:  // DW_OP_ne
    case 0x96:  // DW_OP_nop
      return true;
    case 0x08:  // DW_OP_const1u
    case 0x09:  // DW_OP_const1s
    case 0x15:  // DW_OP_pick
    case 0x94:  // DW_OP_deref_size
      return cunwind_skip(reader, 1);
    case 0x0a:  // DW_OP_const2u
    case 0x0b:  // DW_OP_const2s
      return cunwind_skip(reader, 2);
    case 0x0c:  // DW_OP_const4u
    case 0x0d:  // DW_OP_const4s
      return cunwind_skip(reader, 4);
    case 0x03:  // DW_OP_addr
    case 0x0e:  // DW_OP_const8u
    case 0x0f:  // DW_OP_const8s
      return cunwind_skip(reader, 8);
    case 0x10:  // DW_OP_constu
    case 0x11:  // DW_OP_consts
    case 0x23:  // DW_OP_plus_uconst
    case 0x90:  // DW_OP_regx
      cunwind_read_unsigned(reader);
      return true;
    case 0x92:  // DW_OP_bregx
      cunwind_read_unsigned(reader);
      cunwind_read_signed(reader);
      return true;
    default:  // DW_OP_div (0x1b), DW_OP_mod (0x1d), DW_OP_bra (0x28) and DW_OP_skip (0x2f) among
              // them.
      return false;
  }
}

static bool pass_expression(struct cunwind_reader *reader) {
  uint64_t bytes = cunwind_read_unsigned(reader);
  struct cunwind_reader inside = *reader;
  if (!cunwind_skip(reader, bytes)) {
    return false;
  }
  inside.bytes.count = reader->offset;
  while (inside.offset < inside.bytes.count) {
    if (!pass_operator(&inside)) {
      return false;
    }
  }
  return !inside.is_past_end;
}

// MARK: - Instructions

/// Skips an instruction and its operands; false for unsafe instructions, and for those whose
/// operands libunwind does not skip, such as DW_CFA_val_offset (0x14).
///
/// `has_cfa` is whether the canonical frame address is defined. libunwind takes an undefined one
/// for an expression at address 0, so it must be defined before any state is used or remembered.
static bool pass_instruction(struct cunwind_reader *reader, bool *has_cfa) {
  uint8_t instruction = cunwind_read_byte(reader);
  switch (instruction & 0xc0) {
    case 0x40:  // DW_CFA_advance_loc
      return *has_cfa;
    case 0xc0:  // DW_CFA_restore
      return true;
    case 0x80:  // DW_CFA_offset
      cunwind_read_unsigned(reader);
      return true;
  }
  switch (instruction) {
    case 0x00:  // DW_CFA_nop
    case 0x0b:  // DW_CFA_restore_state
    case 0x2d:  // DW_CFA_AARCH64_negate_ra_state
      return true;
    case 0x0a:  // DW_CFA_remember_state
      return *has_cfa;
    case 0x02:  // DW_CFA_advance_loc1
    case 0x03:  // DW_CFA_advance_loc2
    case 0x04:  // DW_CFA_advance_loc4
      return *has_cfa && cunwind_skip(reader, UINT64_C(1) << (instruction - 2));
    case 0x0d:  // DW_CFA_def_cfa_register
      *has_cfa = true;
      cunwind_read_unsigned(reader);
      return true;
    case 0x06:  // DW_CFA_restore_extended
    case 0x07:  // DW_CFA_undefined
    case 0x08:  // DW_CFA_same_value
    case 0x0e:  // DW_CFA_def_cfa_offset
    case 0x13:  // DW_CFA_def_cfa_offset_sf
    case 0x2e:  // DW_CFA_GNU_args_size
      cunwind_read_unsigned(reader);
      return true;
    case 0x0c:  // DW_CFA_def_cfa
    case 0x12:  // DW_CFA_def_cfa_sf
      *has_cfa = true;
      cunwind_read_unsigned(reader);
      cunwind_read_unsigned(reader);
      return true;
    case 0x05:  // DW_CFA_offset_extended
    case 0x11:  // DW_CFA_offset_extended_sf
    case 0x2f:  // DW_CFA_GNU_negative_offset_extended
      cunwind_read_unsigned(reader);
      cunwind_read_unsigned(reader);
      return true;
    case 0x09:  // DW_CFA_register: libunwind looks the second one up whatever it is.
      cunwind_read_unsigned(reader);
      return cunwind_read_unsigned(reader) < CUNWIND_REGISTER_COUNT;
    case 0x10:  // DW_CFA_expression
    case 0x16:  // DW_CFA_val_expression
      cunwind_read_unsigned(reader);
      return pass_expression(reader);
    case 0x0f:  // DW_CFA_def_cfa_expression
      *has_cfa = true;
      return pass_expression(reader);
    default: return false;
  }
}

static bool is_program_safe(struct cunwind_reader reader, bool *has_cfa) {
  while (reader.offset < reader.bytes.count) {
    if (!pass_instruction(&reader, has_cfa)) {
      return false;
    }
  }
  return !reader.is_past_end;
}

bool cunwind_is_safe(const struct cunwind_module *module, uint64_t code,
                     cunwind_get_bytes get_bytes, void *context) {
  struct cunwind_common common;
  struct cunwind_reader program;
  uint64_t begin;
  bool has_cfa = false;
  return cunwind_find_program(module, code, get_bytes, context, &common, &program, &begin) &&
         common.return_column < CUNWIND_REGISTER_COUNT &&
         is_program_safe(common.program, &has_cfa) && is_program_safe(program, &has_cfa) && has_cfa;
}

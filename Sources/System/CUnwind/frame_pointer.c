#include <string.h>

#include "code.h"

#if defined(__x86_64__)

/// Other prologues that keep a frame pointer; the last instruction of each sets it.
static const uint8_t kept_prologue[] = {0x55, 0x48, 0x89, 0xe0, 0x48, 0x89, 0xe5};  // mov rax, rsp
// push rbp; mov rax, rsp; sub rsp, 4; and rsp, -16, -32 or -64; mov [rsp], rax; mov rbp, rsp
static const uint8_t aligned_prologue[] = {0x55, 0x48, 0x89, 0xe0, 0x48, 0x83, 0xec,
                                           0x04, 0x48, 0x83, 0xe4, 0xe0, 0x48, 0x89,
                                           0x04, 0x24, 0x48, 0x89, 0xe5};
/// The offset of the alignment in the aligned prologue, and of the next instruction.
enum { ALIGNED_TO = 11, ALIGNED_FROM = 12 };

static bool is_aligned_prologue(const uint8_t *code) {
  return memcmp(code, aligned_prologue, ALIGNED_TO) == 0 &&
         memcmp(code + ALIGNED_FROM, aligned_prologue + ALIGNED_FROM,
                sizeof aligned_prologue - ALIGNED_FROM) == 0;
}

/// The location of a function's saved rbp; the return address is above it.
enum saved_place {
  NOT_SAVED,        ///< rbp is not pushed yet, or already popped.
  AT_ADDRESS,       ///< At a known address.
  AT_POINTER,       ///< At the address in rbp.
  THROUGH_POINTER,  ///< rbp points to its address.
  UNKNOWN_PLACE,
};

/// Finds the location by the last prologue before an address.
static enum saved_place find_in_body(struct reader reader, uint64_t ip) {
  enum { CHUNK = 256, OVERLAP = sizeof aligned_prologue };
  uint8_t code[CHUNK + OVERLAP];
  for (uint64_t end = ip; ip - end < LARGEST_FUNCTION && end > CHUNK; end -= CHUNK) {
    // A prologue that starts in this chunk may end in the next one, but not after the address.
    uint64_t bytes = ip - (end - CHUNK) < sizeof code ? ip - (end - CHUNK) : sizeof code;
    memset(code, 0, sizeof code);
    if (!cunwind_read_bytes(reader, end - CHUNK, code, bytes)) {
      return UNKNOWN_PLACE;
    }
    for (int at = CHUNK - 1; at >= 0; at--) {
      if (code[at] != cunwind_plain_prologue[0]) {
        continue;
      }
      if (is_aligned_prologue(code + at)) {
        return THROUGH_POINTER;
      }
      if (memcmp(code + at, cunwind_plain_prologue, sizeof cunwind_plain_prologue) == 0 ||
          memcmp(code + at, kept_prologue, sizeof kept_prologue) == 0) {
        return AT_POINTER;
      }
    }
  }
  return UNKNOWN_PLACE;
}

/// Finds the location by the next and the previous instructions, or by the last prologue.
static enum saved_place find_saved(struct reader reader, const struct cunwind_frame *frame,
                                   uint64_t *address) {
  enum { BEFORE = sizeof aligned_prologue };
  uint8_t code[BEFORE + sizeof kept_prologue];
  if (!cunwind_read_bytes(reader, frame->ip - BEFORE, code, sizeof code)) {
    return UNKNOWN_PLACE;
  }
  const uint8_t *next = code + BEFORE;
  if (next[0] == 0xc3 || memcmp(next, cunwind_plain_prologue, sizeof cunwind_plain_prologue) == 0 ||
      memcmp(next, kept_prologue, 4) == 0) {
    return NOT_SAVED;
  }
  *address = frame->sp;
  // At pop rbp; ret, or just after the push, before or after rsp has been copied.
  if ((next[0] == 0x5d && next[1] == 0xc3) ||
      memcmp(next - 1, cunwind_plain_prologue, sizeof cunwind_plain_prologue) == 0 ||
      memcmp(next - 1, kept_prologue, 4) == 0 || memcmp(next - 4, kept_prologue, 4) == 0) {
    return AT_ADDRESS;
  }
  if (memcmp(next - 8, aligned_prologue, 8) == 0) {  // rsp is already lowered by 4
    *address = (frame->sp + 7) & ~UINT64_C(7);
    return AT_ADDRESS;
  }
  if (memcmp(next - ALIGNED_FROM, aligned_prologue, ALIGNED_TO) == 0) {
    return UNKNOWN_PLACE;  // rsp is aligned, and only rax has its old value.
  }
  static const uint8_t epilogue[] = {0x5c, 0x5d, 0xc3};  // pop rsp; pop rbp; ret
  bool is_stored = memcmp(next - 16, aligned_prologue, ALIGNED_TO) == 0;
  if (is_stored || memcmp(next, epilogue, sizeof epilogue) == 0) {
    return reader.read(reader.context, frame->sp, address) ? AT_ADDRESS : UNKNOWN_PLACE;
  }
  return find_in_body(reader, frame->ip);
}

bool cunwind_step_by_frame_pointer(const struct cunwind_frame *frame, cunwind_read read,
                                   void *context, struct cunwind_frame *next) {
  struct reader reader = {read, context};
  *next = *frame;
  next->exact = 0;
  // A frame is lowered by a word and then aligned for the widest vectors.
  enum { ALIGNMENT = 8 + 64 };
  struct cunwind_frame top = *frame;
  enum saved_place place = frame->exact ? find_saved(reader, frame, &top.sp) : UNKNOWN_PLACE;
  uint64_t low = frame->sp;
  switch (place) {
    case UNKNOWN_PLACE: return false;
    case NOT_SAVED: return cunwind_return_from(reader, frame, 0, next);
    case AT_ADDRESS: break;
    case AT_POINTER:
    case THROUGH_POINTER:
      low = frame->saved[RBP];
      if (low < frame->sp || low % 8 != 0) {
        return false;
      }
      top.sp = low;
      if (place == THROUGH_POINTER && !read(context, low, &top.sp)) {
        return false;
      }
  }
  if (top.sp < low || top.sp - low > ALIGNMENT || top.sp % 8 != 0) {
    return false;
  }
  return cunwind_return_from(reader, &top, 1, next) && read(context, top.sp, &next->saved[RBP]);
}

#else

bool cunwind_step_by_frame_pointer(const struct cunwind_frame *frame, cunwind_read read,
                                   void *context, struct cunwind_frame *next) {
  (void)frame, (void)read, (void)context, (void)next;
  return false;
}

#endif

#include <string.h>

#include "instruction.h"

#if defined(__x86_64__)

/// The state of a path from the instruction pointer to the return.
struct path {
  uint64_t ip;
  /// The stack pointer relative to the frame's, in bytes.
  int64_t depth;
  /// The largest `depth` so far. Values popped below it were pushed on this path and are not in the
  /// stack yet.
  int64_t released;
  /// The offsets from the frame's stack pointer at which registers of `saved` were restored; -1 for
  /// none.
  int64_t restored[CUNWIND_SAVED_COUNT];
};

/// The largest number of instructions on all paths together.
enum { MOST_INSTRUCTIONS = 48 };

/// All paths from one instruction.
struct paths {
  struct reader reader;
  cunwind_is_begin _Nonnull is_begin;
  /// The visited instructions and the depth at each.
  struct {
    uint64_t ip;
    int64_t depth;
  } visited[MOST_INSTRUCTIONS];
  int visited_count;
  /// The first path that reached a return.
  struct path found;
  bool is_found;
  /// Paths met or returned at different depths, so they cannot all be real.
  bool disagree;
};

/// Returns whether a stub continues in the loader, which removes both words that the stub has
/// pushed.
///
/// Linkers' first stub ends like this: push the library's handle, jump through a pointer.
static bool is_to_loader(struct reader reader, uint64_t ip) {
  uint8_t code[8];
  return cunwind_read_bytes(reader, ip - 6, code, sizeof code) && code[0] == 0xff &&
         code[1] == 0x35 && code[6] == 0xff && code[7] == 0x25;
}

/// Returns whether a path visits an instruction for the first time.
static bool visit(struct paths *paths, const struct path *path) {
  for (int i = 0; i < paths->visited_count; i++) {
    if (paths->visited[i].ip == path->ip) {
      paths->disagree |= paths->visited[i].depth != path->depth;
      return false;
    }
  }
  if (paths->visited_count == MOST_INSTRUCTIONS) {
    return false;
  }
  paths->visited[paths->visited_count].ip = path->ip;
  paths->visited[paths->visited_count].depth = path->depth;
  paths->visited_count += 1;
  return true;
}

static void end_at_return(struct paths *paths, const struct path *path) {
  if (!paths->is_found) {
    paths->found = *path;
    paths->is_found = true;
  } else if (paths->found.depth != path->depth) {
    paths->disagree = true;
  }
}

/// Follows a path to its returns; at a branch first the next instruction, then the target.
///
/// All paths of a function release the same stack. A path that continues after a call that never
/// returns does not: it runs into another path or the next function.
static void follow(struct paths *paths, struct path path) {
  while (visit(paths, &path)) {
    uint8_t code[16] = {0};
    struct instruction is;
    // The last instructions of a segment have fewer bytes after them.
    uint64_t bytes = cunwind_read_bytes(paths->reader, path.ip, code, 16) ? 16 : 8;
    if (bytes == 8 && !cunwind_read_bytes(paths->reader, path.ip, code, 8)) {
      return;
    }
    bool is_stub = is_to_loader(paths->reader, path.ip);
    if (!is_stub && (!cunwind_decode(code, &is) || is.length > bytes)) {
      return;
    }
    if (is_stub || is.flow == RETURNS) {
      path.depth += is_stub ? 16 : 0;
      end_at_return(paths, &path);
      return;
    }
    if (is.restored >= 0 && path.depth >= path.released) {
      path.restored[is.restored] = path.depth;
    }
    path.depth += is.popped;
    path.released = path.depth > path.released ? path.depth : path.released;
    path.ip += is.length;
    if (is.calls && paths->is_begin(paths->reader.context, path.ip)) {
      return;
    }
    if (is.flow == BRANCHES) {
      follow(paths, path);
    }
    path.ip += (uint64_t)is.distance;
  }
}

bool cunwind_step_by_return(const struct cunwind_frame *frame, cunwind_read read,
                            cunwind_is_begin is_begin, void *context, struct cunwind_frame *next) {
  // After the call of a function that never returns, the next function may start.
  if (!frame->exact && is_begin(context, frame->ip)) {
    return false;
  }
  struct paths paths = {.reader = {read, context}, .is_begin = is_begin};
  struct path begin = {.ip = frame->ip};
  for (size_t place = 0; place < CUNWIND_SAVED_COUNT; place++) {
    begin.restored[place] = -1;
  }
  follow(&paths, begin);
  const struct path *found = &paths.found;
  if (!paths.is_found || paths.disagree || found->depth < 0) {
    return false;
  }
  struct cunwind_frame top = *frame, caller = *frame;
  top.sp += (uint64_t)found->depth;
  caller.exact = 0;
  for (size_t place = 0; place < CUNWIND_SAVED_COUNT; place++) {
    uint64_t value;
    if (found->restored[place] >= 0 &&
        read(context, frame->sp + (uint64_t)found->restored[place], &value)) {
      caller.saved[place] = value;
    }
  }
  if (!cunwind_return_from(paths.reader, &top, 0, &caller)) {
    return false;
  }
  *next = caller;
  return true;
}

bool cunwind_is_outermost(const struct cunwind_frame *frame, cunwind_read read,
                          cunwind_is_begin is_begin, void *context) {
  struct reader reader = {read, context};
  if (frame->exact) {
    return false;
  }
  if (is_begin(context, frame->ip) && !cunwind_follows_call(reader, frame->ip)) {
    return true;
  }
  // mov rdi, rsp; call _dl_start; mov r12, rax
  static const uint8_t start[] = {0x48, 0x89, 0xe7, 0xe8};
  static const uint8_t keep[] = {0x49, 0x89, 0xc4};
  enum { KEEP_AT = sizeof start + 4 };
  uint8_t first[KEEP_AT + sizeof keep];
  if (cunwind_read_bytes(reader, frame->ip - KEEP_AT, first, sizeof first) &&
      memcmp(first, start, sizeof start) == 0 && memcmp(first + KEEP_AT, keep, sizeof keep) == 0) {
    return true;
  }
  // lea rdx, [rip + distance to _dl_fini]; mov rsp, r13; jmp r12
  static const uint8_t lea[] = {0x48, 0x8d, 0x15};
  static const uint8_t jump[] = {0x4c, 0x89, 0xec, 0x41, 0xff, 0xe4};
  enum { JUMP_AT = sizeof lea + 4 };
  uint8_t code[JUMP_AT + sizeof jump];
  return cunwind_read_bytes(reader, frame->ip, code, sizeof code) &&
         memcmp(code, lea, sizeof lea) == 0 && memcmp(code + JUMP_AT, jump, sizeof jump) == 0;
}

#else

bool cunwind_step_by_return(const struct cunwind_frame *frame, cunwind_read read,
                            cunwind_is_begin is_begin, void *context, struct cunwind_frame *next) {
  // Code of this architecture is not decoded.
  (void)frame, (void)read, (void)is_begin, (void)context, (void)next;
  return false;
}

bool cunwind_is_outermost(const struct cunwind_frame *frame, cunwind_read read,
                          cunwind_is_begin is_begin, void *context) {
  (void)frame, (void)read, (void)is_begin, (void)context;
  return false;
}

#endif

#define _GNU_SOURCE
#include <string.h>

#include "rings.h"

/// The most bytes of a name; longer names are cut.
#define NAME_BYTES_MAX 1024u

uint32_t perf_agent_version(void) {
  return perf_agent_own_segment() ? PERFKIT_FORMAT_VERSION : 0;
}

uint32_t perf_agent_name(const char *text, size_t bytes) {
  struct perfkit_segment *segment = perf_agent_own_segment();
  if (!segment || bytes == 0) {
    return 0;
  }
  if (bytes > NAME_BYTES_MAX) {
    bytes = NAME_BYTES_MAX;
  }
  uint32_t needed = (uint32_t)(sizeof(_Atomic uint32_t) + bytes + 7) & ~7u;
  uint32_t offset = atomic_load_explicit(&segment->names_used, memory_order_relaxed);
  do {
    if (needed > segment->names_bytes - offset) {
      return 0;
    }
  } while (!atomic_compare_exchange_weak_explicit(&segment->names_used, &offset, offset + needed,
                                                  memory_order_relaxed, memory_order_relaxed));
  struct perfkit_name *name = (void *)((char *)segment + segment->names_offset + offset);
  memcpy(name->text, text, bytes);
  // Release: pairs with the harness's acquire, after which the text is complete.
  atomic_store_explicit(&name->bytes, (uint32_t)bytes, memory_order_release);
  return offset / 8 + 1;
}

/// Writes a mark into the calling thread's ring if there is one with room. Inlined, so that the copy
/// has a constant size.
static inline __attribute__((always_inline)) void write_mark(const void *mark, uint32_t bytes) {
  struct perfkit_ring *ring = perf_agent_own_ring();
  if (!ring) {
    return;
  }
  struct perf_agent_slot slot = perf_agent_reserve_mark(ring, bytes);
  if (slot.record) {
    memcpy(slot.record, mark, bytes);
    perf_agent_publish(slot, bytes);
  }
}

// MARK: - Frames

void perf_agent_interval_begin(uint32_t interval, uint32_t name, uint64_t refresh_mhz, int paced,
                               uint64_t first_vsync_ns) {
  const struct perfkit_interval mark = {
      {sizeof mark, PERFKIT_RECORD_INTERVAL, paced ? PERFKIT_INTERVAL_PACED : 0, first_vsync_ns},
      name,
      interval,
      refresh_mhz};
  write_mark(&mark, sizeof mark);
}

void perf_agent_interval_end(uint32_t interval, uint64_t time_ns) {
  const struct perfkit_interval mark = {
      {sizeof mark, PERFKIT_RECORD_INTERVAL_END, 0, time_ns}, 0, interval, 0};
  write_mark(&mark, sizeof mark);
}

void perf_agent_frame_enter(uint32_t index) {
  struct perfkit_segment *segment = perf_agent_own_segment();
  if (segment) {
    atomic_store_explicit(&segment->current_frame, index + 1, memory_order_relaxed);
  }
}

void perf_agent_frame_exit(uint32_t interval, uint32_t index, uint64_t vsync, uint64_t woken_ns,
                           uint64_t began_ns, uint64_t ended_ns, uint64_t cpu_ns) {
  struct perfkit_segment *segment = perf_agent_own_segment();
  if (!segment) {
    return;
  }
  atomic_store_explicit(&segment->current_frame, 0, memory_order_relaxed);
  const struct perfkit_frame mark = {{sizeof mark, PERFKIT_RECORD_FRAME, 0, ended_ns},
                                     interval,
                                     index,
                                     vsync,
                                     woken_ns,
                                     began_ns,
                                     cpu_ns};
  write_mark(&mark, sizeof mark);
}

// MARK: - Spans

#define DEPTH_MAX (sizeof perf_agent_local.frames / sizeof perf_agent_local.frames[0])

/// Makes a name the innermost one and returns the previous one. Remembers the frame in which the
/// span begins; spans that are nested too deeply get none.
static uint32_t span_enter(uint32_t *innermost, uint32_t name) {
  struct perf_agent_local *local = &perf_agent_local;
  struct perfkit_segment *segment = perf_agent.segment;
  if (segment && local->depth < DEPTH_MAX) {
    local->frames[local->depth] =
        atomic_load_explicit(&segment->current_frame, memory_order_relaxed);
    local->entered_ns[local->depth] =
        segment->flags & PERFKIT_FLAG_TIMES_SPANS ? perf_agent_clock(CLOCK_MONOTONIC) : 0;
  }
  local->depth++;
  uint32_t previous = *innermost;
  *innermost = name;
  return previous;
}

/// Returns whether the thread entered a span only to end it: nearer to its end than to its begin.
///
/// A thread enters its own span right after `began_ns` was read.
static bool is_detached(uint64_t began_ns, uint64_t entered_ns, uint64_t ended_ns) {
  return entered_ns > began_ns &&
         (ended_ns < entered_ns || ended_ns - entered_ns < entered_ns - began_ns);
}

static void span_exit(uint16_t kind, uint32_t name, uint64_t began_ns, uint64_t ended_ns) {
  struct perf_agent_local *local = &perf_agent_local;
  if (local->depth > 0) {
    local->depth--;
  }
  bool is_kept = local->depth < DEPTH_MAX;
  uint32_t frame = is_kept ? local->frames[local->depth] : 0;
  uint64_t entered_ns = is_kept ? local->entered_ns[local->depth] : 0;
  uint16_t flags = is_detached(began_ns, entered_ns, ended_ns) ? PERFKIT_SPAN_DETACHED : 0;
  const struct perfkit_span mark = {{sizeof mark, kind, flags, ended_ns}, name, frame, began_ns};
  write_mark(&mark, sizeof mark);
}

uint32_t perf_agent_phase_enter(uint32_t name) {
  return span_enter(&perf_agent_local.phase, name);
}

void perf_agent_phase_exit(uint32_t name, uint32_t previous, uint64_t began_ns, uint64_t ended_ns) {
  perf_agent_local.phase = previous;
  span_exit(PERFKIT_RECORD_PHASE, name, began_ns, ended_ns);
}

uint32_t perf_agent_signpost_enter(uint32_t name) {
  return span_enter(&perf_agent_local.signpost, name);
}

void perf_agent_signpost_exit(uint32_t name, uint32_t previous, uint64_t began_ns,
                              uint64_t ended_ns) {
  perf_agent_local.signpost = previous;
  span_exit(PERFKIT_RECORD_SIGNPOST, name, began_ns, ended_ns);
}

// MARK: - Values

void perf_agent_counter(uint32_t name, double number, uint64_t time_ns) {
  const struct perfkit_value mark = {
      {sizeof mark, PERFKIT_RECORD_COUNTER, 0, time_ns}, name, 0, number};
  write_mark(&mark, sizeof mark);
}

void perf_agent_event(uint32_t name, double number, uint64_t time_ns) {
  const struct perfkit_value mark = {
      {sizeof mark, PERFKIT_RECORD_EVENT, 0, time_ns}, name, 0, number};
  write_mark(&mark, sizeof mark);
}

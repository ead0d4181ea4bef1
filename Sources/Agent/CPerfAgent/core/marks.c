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

/// Begins a record in the calling thread's ring. `record` is NULL if there is no ring or no room.
static struct perf_agent_slot begin(uint16_t kind, uint16_t flags, uint64_t time_ns,
                                    uint32_t bytes) {
  struct perfkit_ring *ring = perf_agent_own_ring();
  if (!ring) {
    return (struct perf_agent_slot){0};
  }
  struct perf_agent_slot slot = perf_agent_reserve_mark(ring, bytes);
  struct perfkit_record *record = slot.record;
  if (record) {
    *record = (struct perfkit_record){bytes, kind, flags, time_ns};
  }
  return slot;
}

// MARK: - Frames

void perf_agent_interval_begin(uint32_t interval, uint32_t name, uint64_t refresh_mhz, int paced,
                               uint64_t first_vsync_ns) {
  struct perf_agent_slot slot = begin(PERFKIT_RECORD_INTERVAL, paced ? PERFKIT_INTERVAL_PACED : 0,
                                      first_vsync_ns, sizeof(struct perfkit_interval));
  struct perfkit_interval *record = slot.record;
  if (!record) {
    return;
  }
  record->name = name;
  record->interval = interval;
  record->refresh_mhz = refresh_mhz;
  perf_agent_publish(slot, sizeof *record);
}

void perf_agent_interval_end(uint32_t interval, uint64_t time_ns) {
  struct perf_agent_slot slot =
      begin(PERFKIT_RECORD_INTERVAL_END, 0, time_ns, sizeof(struct perfkit_interval));
  struct perfkit_interval *record = slot.record;
  if (!record) {
    return;
  }
  record->name = 0;
  record->interval = interval;
  record->refresh_mhz = 0;
  perf_agent_publish(slot, sizeof *record);
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
  struct perf_agent_slot slot =
      begin(PERFKIT_RECORD_FRAME, 0, ended_ns, sizeof(struct perfkit_frame));
  struct perfkit_frame *record = slot.record;
  if (!record) {
    return;
  }
  record->interval = interval;
  record->index = index;
  record->vsync = vsync;
  record->woken_ns = woken_ns;
  record->began_ns = began_ns;
  record->cpu_ns = cpu_ns;
  perf_agent_publish(slot, sizeof *record);
}

// MARK: - Spans

#define DEPTH_MAX (sizeof perf_agent_local.frames / sizeof perf_agent_local.frames[0])

/// Remembers the frame in which a span begins; spans that are nested too deeply get none.
static void span_begin(void) {
  struct perf_agent_local *local = &perf_agent_local;
  struct perfkit_segment *segment = perf_agent.segment;
  if (segment && local->depth < DEPTH_MAX) {
    local->frames[local->depth] =
        atomic_load_explicit(&segment->current_frame, memory_order_relaxed);
  }
  local->depth++;
}

static void span_end(uint16_t kind, uint32_t name, uint64_t began_ns, uint64_t ended_ns) {
  struct perf_agent_local *local = &perf_agent_local;
  if (local->depth > 0) {
    local->depth--;
  }
  struct perf_agent_slot slot = begin(kind, 0, ended_ns, sizeof(struct perfkit_span));
  struct perfkit_span *record = slot.record;
  if (!record) {
    return;
  }
  record->name = name;
  record->frame = local->depth < DEPTH_MAX ? local->frames[local->depth] : 0;
  record->began_ns = began_ns;
  perf_agent_publish(slot, sizeof *record);
}

uint32_t perf_agent_phase_enter(uint32_t name) {
  uint32_t previous = perf_agent_local.phase;
  span_begin();
  perf_agent_local.phase = name;
  return previous;
}

void perf_agent_phase_exit(uint32_t name, uint32_t previous, uint64_t began_ns, uint64_t ended_ns) {
  perf_agent_local.phase = previous;
  span_end(PERFKIT_RECORD_PHASE, name, began_ns, ended_ns);
}

uint32_t perf_agent_signpost_enter(uint32_t name) {
  uint32_t previous = perf_agent_local.signpost;
  span_begin();
  perf_agent_local.signpost = name;
  return previous;
}

void perf_agent_signpost_exit(uint32_t name, uint32_t previous, uint64_t began_ns,
                              uint64_t ended_ns) {
  perf_agent_local.signpost = previous;
  span_end(PERFKIT_RECORD_SIGNPOST, name, began_ns, ended_ns);
}

// MARK: - Values

static void value(uint16_t kind, uint32_t name, double number, uint64_t time_ns) {
  struct perf_agent_slot slot = begin(kind, 0, time_ns, sizeof(struct perfkit_value));
  struct perfkit_value *record = slot.record;
  if (!record) {
    return;
  }
  record->name = name;
  record->reserved = 0;
  record->value = number;
  perf_agent_publish(slot, sizeof *record);
}

void perf_agent_counter(uint32_t name, double number, uint64_t time_ns) {
  value(PERFKIT_RECORD_COUNTER, name, number, time_ns);
}

void perf_agent_event(uint32_t name, double number, uint64_t time_ns) {
  value(PERFKIT_RECORD_EVENT, name, number, time_ns);
}

#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/stat.h>

#include "core.h"

static bool is_power_of_two(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

/// Returns whether a header describes a segment that fits its file and that this agent can write
/// into.
static bool is_usable(const struct perfkit_segment *header, uint64_t file_bytes) {
  if (header->magic != PERFKIT_FORMAT_MAGIC || header->version != PERFKIT_FORMAT_VERSION) {
    return false;
  }
  if (header->segment_bytes > file_bytes || header->segment_bytes < sizeof *header) {
    return false;
  }
  if (header->filled_bytes > header->segment_bytes) {
    return false;
  }
  if (header->names_offset < sizeof *header || header->names_offset % 8 != 0 ||
      header->names_offset > header->segment_bytes ||
      header->names_bytes > header->segment_bytes - header->names_offset) {
    return false;
  }
  if (!is_power_of_two(header->sample_capacity) || !is_power_of_two(header->mark_capacity)) {
    return false;
  }
  uint64_t areas = (uint64_t)header->sample_capacity + header->mark_capacity;
  if (header->ring_bytes < areas + sizeof(struct perfkit_ring) || header->ring_bytes % 64 != 0) {
    return false;
  }
  if (header->ring_count == 0 || header->rings_offset < sizeof *header ||
      header->rings_offset % 64 != 0 || header->rings_offset > header->segment_bytes ||
      (header->segment_bytes - header->rings_offset) / header->ring_bytes < header->ring_count) {
    return false;
  }
  const uint64_t counters = PERFKIT_ALLOCATION_SLOTS * sizeof(struct perfkit_allocations);
  if (header->allocations_offset != 0 &&
      (header->allocations_offset < sizeof *header || header->allocations_offset % 64 != 0 ||
       header->allocations_offset > header->segment_bytes ||
       header->segment_bytes - header->allocations_offset < counters)) {
    return false;
  }
  // An empty ring must have room for the largest record at any offset; a module's record takes up
  // to a page.
  uint64_t largest = sizeof(struct perfkit_sample) + header->stack_bytes;
  if (header->stack_bytes % 8 != 0 || header->stack_bytes > 65536 ||
      header->sample_capacity < 2 * largest || header->mark_capacity < 4096) {
    return false;
  }
  // 0, or from 1 Hz to 100 kHz.
  if (header->interval_ns != 0 &&
      (header->interval_ns < 10000 || header->interval_ns > 1000000000)) {
    return false;
  }
  return header->signal > 0 && header->signal <= 64;
}

struct perfkit_segment *perf_agent_segment_map(int file, bool populates) {
  // The descriptor may be another file's by now, so the header is read before the file is mapped.
  struct stat status;
  struct perfkit_segment header;
  if (fstat(file, &status) != 0 || status.st_size <= 0) {
    return NULL;
  }
  if (pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header) {
    return NULL;
  }
  if (!is_usable(&header, (uint64_t)status.st_size)) {
    return NULL;
  }
  // A child inherits the descriptor, but must not use its parent's segment. The same process after
  // exec continues with it.
  uint32_t owner = atomic_load(&header.agent_pid);
  uint32_t self = (uint32_t)getpid();
  if (owner != 0 && owner != self) {
    return NULL;
  }
  const int access = PROT_READ | PROT_WRITE;
  void *address = mmap(NULL, header.segment_bytes, access, MAP_SHARED, file, 0);
  if (address == MAP_FAILED) {
    return NULL;
  }
  // Only this part: populating the rest of the file would give it memory.
  if (populates && header.filled_bytes > 0 &&
      mmap(address, header.filled_bytes, access, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) ==
          MAP_FAILED) {
    munmap(address, header.segment_bytes);
    return NULL;
  }
  struct perfkit_segment *segment = address;
  owner = 0;
  if (!atomic_compare_exchange_strong(&segment->agent_pid, &owner, self) && owner != self) {
    munmap(address, header.segment_bytes);
    return NULL;
  }
  return segment;
}

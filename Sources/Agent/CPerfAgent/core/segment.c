#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/stat.h>

#include "core.h"

/// Returns whether a file begins with the header of a segment for this process and this agent.
static bool is_usable(const struct perfkit_segment *header, uint64_t file_bytes) {
  if (header->magic != PERFKIT_FORMAT_MAGIC || header->version != PERFKIT_FORMAT_VERSION ||
      header->segment_bytes > file_bytes) {
    return false;
  }
  // A child inherits the descriptor, but must not use its parent's segment. The same process after
  // exec continues with it.
  uint32_t owner = atomic_load(&header->agent_pid);
  return owner == 0 || owner == (uint32_t)getpid();
}

struct perfkit_segment *perf_agent_segment_map(int file, bool populates) {
  // The descriptor may be another file's by now, so the header is read before the file is mapped.
  struct stat status;
  struct perfkit_segment header;
  if (fstat(file, &status) != 0 ||
      pread(file, &header, sizeof header, 0) != (ssize_t)sizeof header ||
      !is_usable(&header, (uint64_t)status.st_size)) {
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
  uint32_t owner = 0, self = (uint32_t)getpid();
  if (!atomic_compare_exchange_strong(&segment->agent_pid, &owner, self) && owner != self) {
    munmap(address, header.segment_bytes);
    return NULL;
  }
  return segment;
}

/// The pool of rings, and writing records into them.
#ifndef PERF_AGENT_RINGS_H
#define PERF_AGENT_RINGS_H

#include "core.h"

/// Room for a record that is being written; the harness does not see it before it is published.
struct perf_agent_slot {
  void *_Nullable record;  ///< NULL: there is no room, which is counted.
  struct perfkit_area *_Nonnull area;
  uint64_t start;  ///< The offset of `record`.
};

/// Reserves room for a record of at most `bytes` (a multiple of 8). The area's producer;
/// async-signal-safe.
struct perf_agent_slot perf_agent_reserve_sample(struct perfkit_ring *_Nonnull ring,
                                                 uint32_t bytes);
struct perf_agent_slot perf_agent_reserve_mark(struct perfkit_ring *_Nonnull ring, uint32_t bytes);

/// Publishes a record of `bytes`, at most as many as were reserved. The area's producer;
/// async-signal-safe.
void perf_agent_publish(struct perf_agent_slot slot, uint32_t bytes);

/// Returns ring 0, which the ticker writes.
struct perfkit_ring *_Nonnull perf_agent_ticker_ring(void);

/// Returns the calling thread's ring, claiming one at the first call; NULL if the thread is not
/// known, the pool is empty, or the process has no segment. The thread or its handler;
/// async-signal-safe.
struct perfkit_ring *_Nullable perf_agent_own_ring(void);

/// Ends the use of a ring by its thread.
void perf_agent_ring_close(struct perfkit_ring *_Nonnull ring);

/// Closes the rings of an earlier program of this process (exec).
void perf_agent_rings_close_all(void);

#endif

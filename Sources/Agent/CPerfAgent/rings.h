/// The pool of rings, and writing records into them.
#ifndef PERF_AGENT_RINGS_H
#define PERF_AGENT_RINGS_H

#include "agent.h"

/// Room for a record that is being written; nobody sees it before it is published.
struct perf_agent_slot {
  void *_Nullable record;  ///< NULL: there is no room, and the drop is counted.
  struct perfkit_area *_Nonnull area;
  uint64_t start;  ///< The offset of `record`.
};

/// Makes room for a record of at most `bytes` (a multiple of 8). The area's producer;
/// async-signal-safe.
struct perf_agent_slot perf_agent_reserve_sample(struct perfkit_ring *_Nonnull ring, uint32_t bytes);
struct perf_agent_slot perf_agent_reserve_mark(struct perfkit_ring *_Nonnull ring, uint32_t bytes);

/// Lets the harness see a record of `bytes`, at most what was reserved. The area's producer;
/// async-signal-safe.
void perf_agent_publish(struct perf_agent_slot slot, uint32_t bytes);

/// Ring 0, the ticker's own.
struct perfkit_ring *_Nonnull perf_agent_ticker_ring(void);

/// The calling thread's ring; claims one at the first call. NULL for threads that are not known or
/// for which there is none, and without a segment of the process's own. The thread or its handler;
/// async-signal-safe.
struct perfkit_ring *_Nullable perf_agent_own_ring(void);

/// Ends the use of a ring by its thread.
void perf_agent_ring_close(struct perfkit_ring *_Nonnull ring);

/// Closes the rings that an earlier program of this process has left behind (exec).
void perf_agent_rings_close_all(void);

#endif

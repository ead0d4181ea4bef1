/// The functions that libperfkit-agent.so offers to workloads.
///
/// They are declared weak: a program that runs without the agent links and runs all the same, and
/// the `perf_mark_*` wrappers below do nothing there.
#ifndef PERF_AGENT_H
#define PERF_AGENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERF_AGENT_WEAK __attribute__((weak, visibility("default")))

/// Returns PERF_FORMAT_VERSION. Any thread.
PERF_AGENT_WEAK extern uint32_t perf_agent_version(void);
/// Enters a text into the names area and returns its id, 0 when there is no room. Any thread; takes
/// a lock-free slot, never blocks. Equal texts may get different ids.
PERF_AGENT_WEAK extern uint32_t perf_agent_name(const char *_Nonnull text, size_t bytes);
/// Marks the begin of an animated interval whose first vsync is at `first_vsync_ns`.
PERF_AGENT_WEAK extern void perf_agent_interval_begin(uint32_t interval, uint32_t name,
                                                      uint64_t refresh_mhz, int paced,
                                                      uint64_t first_vsync_ns);
PERF_AGENT_WEAK extern void perf_agent_interval_end(uint32_t interval, uint64_t time_ns);
/// Says that frame `index` is being made from now on.
PERF_AGENT_WEAK extern void perf_agent_frame_enter(uint32_t index);
/// Marks the end of a frame and that none is being made.
PERF_AGENT_WEAK extern void perf_agent_frame_exit(uint32_t interval, uint32_t index, uint64_t vsync,
                                                  uint64_t woken_ns, uint64_t began_ns,
                                                  uint64_t ended_ns, uint64_t cpu_ns);
/// Makes `name` the calling thread's phase and returns the one before.
PERF_AGENT_WEAK extern uint32_t perf_agent_phase_enter(uint32_t name);
/// Ends a phase, restores the one before, and writes its span.
PERF_AGENT_WEAK extern void perf_agent_phase_exit(uint32_t name, uint32_t previous,
                                                  uint64_t began_ns, uint64_t ended_ns);
PERF_AGENT_WEAK extern uint32_t perf_agent_signpost_enter(uint32_t name);
PERF_AGENT_WEAK extern void perf_agent_signpost_exit(uint32_t name, uint32_t previous,
                                                     uint64_t began_ns, uint64_t ended_ns);
/// Records an absolute value of a counter at a time.
PERF_AGENT_WEAK extern void perf_agent_counter(uint32_t name, double value, uint64_t time_ns);
PERF_AGENT_WEAK extern void perf_agent_event(uint32_t name, double value, uint64_t time_ns);

#ifdef __cplusplus
}
#endif

#endif

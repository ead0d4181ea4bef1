/// The functions that libperfkit-agent.so offers to workloads.
///
/// They are declared weak, so that a program links and runs without the agent. Call them through
/// the `perf_mark_*` wrappers below, which then do nothing.
#ifndef PERF_AGENT_H
#define PERF_AGENT_H

#include <stddef.h>
#include <stdint.h>

// Nullability qualifiers are an extension of clang.
#if !defined(__clang__)
#define _Nonnull
#define _Nullable
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PERF_AGENT_WEAK __attribute__((weak, visibility("default")))

/// Returns PERFKIT_FORMAT_VERSION, or 0 if there is no capture segment. Any thread.
PERF_AGENT_WEAK extern uint32_t perf_agent_version(void);
/// Writes a text into the names area and returns its id; 0 if there is no room. Any thread; never
/// blocks. Equal texts may get different ids.
PERF_AGENT_WEAK extern uint32_t perf_agent_name(const char *_Nonnull text, size_t bytes);
/// Makes `name` the calling thread's phase and returns the previous phase.
PERF_AGENT_WEAK extern uint32_t perf_agent_phase_enter(uint32_t name);
PERF_AGENT_WEAK extern uint32_t perf_agent_signpost_enter(uint32_t name);
/// Counts the program's allocations since the agent attached, and their bytes. Returns 0 if
/// allocations are not counted. Any thread; concurrent allocations of other threads may be included
/// or not.
PERF_AGENT_WEAK extern int perf_agent_allocations(uint64_t *_Nonnull allocations,
                                                  uint64_t *_Nonnull bytes);

// MARK: - Wrappers that do nothing without the agent

/// Returns whether the agent is loaded and has a capture segment.
static inline int perf_mark_is_active(void) {
  return perf_agent_version && perf_agent_version() != 0;
}

static inline uint32_t perf_mark_name(const char *_Nonnull text, size_t bytes) {
  return perf_agent_name ? perf_agent_name(text, bytes) : 0;
}

static inline uint32_t perf_mark_phase_enter(uint32_t name) {
  return perf_agent_phase_enter ? perf_agent_phase_enter(name) : 0;
}

static inline uint32_t perf_mark_signpost_enter(uint32_t name) {
  return perf_agent_signpost_enter ? perf_agent_signpost_enter(name) : 0;
}

static inline int perf_mark_allocations(uint64_t *_Nonnull allocations, uint64_t *_Nonnull bytes) {
  *allocations = *bytes = 0;
  return perf_agent_allocations ? perf_agent_allocations(allocations, bytes) : 0;
}

/// Declares a function of the agent and its wrapper.
#define PERF_AGENT_MARK(name, parameters, arguments)                                               \
  PERF_AGENT_WEAK extern void perf_agent_##name parameters;                                        \
  static inline void perf_mark_##name parameters {                                                 \
    if (perf_agent_##name) {                                                                       \
      perf_agent_##name arguments;                                                                 \
    }                                                                                              \
  }

/// Marks the begin of an animated interval with its first vsync at `first_vsync_ns`.
PERF_AGENT_MARK(interval_begin,
                (uint32_t interval, uint32_t name, uint64_t refresh_mhz, int paced,
                 uint64_t first_vsync_ns),
                (interval, name, refresh_mhz, paced, first_vsync_ns))
PERF_AGENT_MARK(interval_end, (uint32_t interval, uint64_t time_ns), (interval, time_ns))
/// Makes frame `index` the current one.
PERF_AGENT_MARK(frame_enter, (uint32_t index), (index))
/// Marks the end of a frame; afterwards there is no current one.
PERF_AGENT_MARK(frame_exit,
                (uint32_t interval, uint32_t index, uint64_t vsync, uint64_t woken_ns,
                 uint64_t began_ns, uint64_t ended_ns, uint64_t cpu_ns),
                (interval, index, vsync, woken_ns, began_ns, ended_ns, cpu_ns))
/// Ends a phase, restores the previous one, and writes its span.
PERF_AGENT_MARK(phase_exit,
                (uint32_t name, uint32_t previous, uint64_t began_ns, uint64_t ended_ns),
                (name, previous, began_ns, ended_ns))
PERF_AGENT_MARK(signpost_exit,
                (uint32_t name, uint32_t previous, uint64_t began_ns, uint64_t ended_ns),
                (name, previous, began_ns, ended_ns))
/// Records an absolute value of a counter at a time.
PERF_AGENT_MARK(counter, (uint32_t name, double value, uint64_t time_ns), (name, value, time_ns))
PERF_AGENT_MARK(event, (uint32_t name, double value, uint64_t time_ns), (name, value, time_ns))

#ifdef __cplusplus
}
#endif

#endif

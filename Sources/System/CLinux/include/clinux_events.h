/// Sampling by the kernel: perf_event_open(2) with the software clock of a task.
#ifndef CLINUX_EVENTS_H
#define CLINUX_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The registers of a sample in DWARF order, then the program counter, as in perf_records.h.
#if defined(__aarch64__)
#define CLINUX_EVENT_REGISTERS 33u
#else
#define CLINUX_EVENT_REGISTERS 17u
#endif

/// What an event samples.
struct clinux_event_settings {
  uint64_t interval_ns;  ///< CPU time between two samples of a thread.
  uint32_t stack_bytes;  ///< Bytes of the user stack that are copied; a multiple of 8, below 64 KiB.
  bool samples_kernel;   ///< Also time in the kernel, with the kernel's call chain.
  /// Samples a thread where it stops running, every so many times, in place of its CPU time; 0: its CPU
  /// time.
  uint32_t switch_period;
  bool records_switches;  ///< Records each time at which a thread stops and goes on.
  bool begins_at_exec;  ///< Sampling begins when a child of the thread executes a program.
};

/// The ring of one CPU.
struct clinux_event_ring {
  int descriptor;
  void *_Nullable pages;  ///< The control page and the data; NULL before the ring is mapped.
  size_t bytes;           ///< Bytes of the data; a power of two.
};

/// Opens the event of a thread, and of all threads and processes that it starts, on a CPU. The ring is
/// not mapped yet.
///
/// `thread` 0 is the calling thread, which is not sampled itself if `begins_at_exec` is set. Returns 0
/// or -errno.
int clinux_event_open(struct clinux_event_settings settings, int thread, int cpu,
                      struct clinux_event_ring *_Nonnull ring);

/// Maps the ring of an open event with `bytes` of data, a power of two. Returns 0 or -errno.
///
/// The kernel returns -EPERM if this user may not lock so much memory (perf_mmap in
/// kernel/events/core.c of Linux).
int clinux_event_map(struct clinux_event_ring *_Nonnull ring, size_t bytes);

/// Releases the memory of a ring, which may be mapped again with another size.
void clinux_event_unmap(struct clinux_event_ring *_Nonnull ring);

/// Opens the event of another thread on the CPU of a ring, whose records go to that ring.
///
/// Returns a descriptor or -errno.
int clinux_event_join(struct clinux_event_settings settings, int thread, int cpu,
                      const struct clinux_event_ring *_Nonnull ring);

/// Returns the number that marks the records of an event, or 0.
uint64_t clinux_event_identifier(int descriptor);

/// Starts or stops an event and its inherited ones. Returns 0 or -errno.
int clinux_event_enable(int descriptor, bool is_enabled);

/// Closes the event and releases the ring.
void clinux_event_close(struct clinux_event_ring *_Nonnull ring);

/// Returns the position after the last complete record. What precedes it may be read.
uint64_t clinux_event_head(const struct clinux_event_ring *_Nonnull ring);

/// Returns the position of the first record that was not released.
uint64_t clinux_event_tail(const struct clinux_event_ring *_Nonnull ring);

/// Releases all records before a position.
void clinux_event_release(const struct clinux_event_ring *_Nonnull ring, uint64_t position);

/// Returns the first byte of the data.
const void *_Nonnull clinux_event_data(const struct clinux_event_ring *_Nonnull ring);

/// Copies the registers of a record into DWARF order.
void clinux_event_registers(const uint64_t *_Nonnull recorded,
                            uint64_t registers[_Nonnull CLINUX_EVENT_REGISTERS]);

/// Returns the number of CPUs that the system may have, for one ring each.
int clinux_configured_cpus(void);

/// The kinds of records (`enum perf_event_type`).
enum clinux_event_kind {
  CLINUX_EVENT_LOST = 2,
  CLINUX_EVENT_COMM = 3,
  CLINUX_EVENT_EXIT = 4,
  CLINUX_EVENT_THROTTLE = 5,
  CLINUX_EVENT_FORK = 7,
  CLINUX_EVENT_SAMPLE = 9,
  CLINUX_EVENT_MMAP2 = 10,
  CLINUX_EVENT_LOST_SAMPLES = 13,
  CLINUX_EVENT_SWITCH = 14,
};

/// Flags of a record's header.
enum clinux_event_flags {
  CLINUX_EVENT_IS_EXEC = 1 << 13,       ///< COMM: the process executed a program.
  CLINUX_EVENT_HAS_BUILD_ID = 1 << 14,  ///< MMAP2: a build id replaces the file's number.
  CLINUX_EVENT_IS_OUT = 1 << 13,        ///< SWITCH: the thread stops running.
  CLINUX_EVENT_IS_PREEMPTED = 1 << 14,  ///< SWITCH: it could go on, but lost its CPU.
};

#endif

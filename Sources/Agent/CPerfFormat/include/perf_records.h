/// The records in the rings of the capture segment (perf_format.h).
#ifndef PERFKIT_RECORDS_H
#define PERFKIT_RECORDS_H

#include <stdint.h>

/// The registers of a sample in DWARF order, then the program counter.
/// x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip. arm64: x0..x30 sp pc.
#if defined(__aarch64__)
#define PERFKIT_REGISTER_COUNT 33u
#define PERFKIT_STACK_POINTER 31u
#else
#define PERFKIT_REGISTER_COUNT 17u
#define PERFKIT_STACK_POINTER 7u
#endif

/// The most logical callers (async contexts) of one sample.
#define PERFKIT_ASYNC_MAX 32u

enum perfkit_record_kind {
  /// Skip to the start of the area. May be 8 bytes long, without a time.
  PERFKIT_RECORD_PAD = 0,
  // Areas of samples
  PERFKIT_RECORD_SAMPLE = 1,      ///< A running thread. Written by its signal handler.
  PERFKIT_RECORD_WAITING = 2,     ///< A waiting thread. Written by the ticker (ring 0).
  PERFKIT_RECORD_ALLOCATION = 3,  ///< An allocation. Written by its thread.
  PERFKIT_RECORD_FREE =
      4,  ///< The end of a recorded allocation. Written by the thread that frees it.
  PERFKIT_RECORD_CRASH = 5,  ///< A thread that a signal ends. Written by its signal handler.
  // Ring 0, area of marks
  PERFKIT_RECORD_THREAD_START = 16,
  PERFKIT_RECORD_THREAD_END = 17,
  PERFKIT_RECORD_MODULE = 18,  ///< A loaded module; a list starts with PERFKIT_MODULE_FIRST.
  // Areas of marks of threads
  PERFKIT_RECORD_INTERVAL = 32,  ///< An animated interval begins.
  PERFKIT_RECORD_INTERVAL_END = 33,
  PERFKIT_RECORD_FRAME = 34,
  PERFKIT_RECORD_PHASE = 35,
  PERFKIT_RECORD_SIGNPOST = 36,
  PERFKIT_RECORD_COUNTER = 37,
  PERFKIT_RECORD_EVENT = 38,
};

/// The header of every record. `bytes` is a multiple of 8 and includes this header.
struct perfkit_record {
  uint32_t bytes;
  uint16_t kind;
  uint16_t flags;
  uint64_t time_ns;
};

enum perfkit_sample_flags {
  PERFKIT_SAMPLE_TRUNCATED = 1u,  ///< The stack continues beyond the copy.
  PERFKIT_SAMPLE_ALTSTACK = 2u,   ///< Taken on an alternate or unknown stack.
  PERFKIT_SAMPLE_PARTIAL = 4u,    ///< Waiting: all registers but sp and pc are unknown, and 0.
  /// The pairs are return addresses of frames beyond the copied stack, by frame pointers. The first one
  /// belongs to the copy, or is the program counter; the last word may be 0.
  PERFKIT_SAMPLE_CALLERS = 8u,
  /// The thread was woken before the tick and waited for a CPU; its stack is that of its sleep.
  PERFKIT_SAMPLE_WOKEN = 16u,
};

/// PERFKIT_RECORD_SAMPLE, PERFKIT_RECORD_WAITING, PERFKIT_RECORD_ALLOCATION and PERFKIT_RECORD_CRASH: followed by
/// `async_count` pairs of {context, resume address} (16 bytes each), or of return addresses, then `stack_bytes` bytes of
/// stack, then padding.
///
/// A waiting thread is recorded once, when the ticker finds it waiting; it stays there until its
/// next sample of either kind. The stack of an allocation begins inside of the agent.
struct perfkit_sample {
  /// `time_ns`: when the handler ran, the ticker found the thread waiting, or the memory was
  /// returned.
  struct perfkit_record record;
  union {
    uint64_t tick_ns;     ///< When the ticker sent the signal, or read the state.
    uint64_t allocation;  ///< The allocation's number in this segment, from 1.
    uint64_t signal;      ///< The signal of a crash.
  };
  union {
    uint64_t thread_cpu_ns;    ///< The thread's CPU clock, read by the ticker before that.
    uint64_t allocated_bytes;  ///< Bytes that were requested.
    uint64_t fault_address;    ///< `si_addr` of a crash.
  };
  uint32_t tid;
  uint32_t serial;
  uint32_t frame;       ///< Index + 1 of the process's current frame; 0: none.
  uint32_t phase;       ///< Name id of the thread's innermost phase; 0: none.
  uint32_t signpost;    ///< Name id of the thread's innermost signpost; 0: none.
  uint32_t handler_ns;  ///< Duration of the handler up to publishing.
  int32_t system_call;  ///< The number of a waiting thread's system call; -1: none.
  uint16_t async_count;
  /// Later ticks at which the thread ran, up to the handler, saturated: while a thread is inside of a
  /// system call, or blocks the signal, its signal waits.
  uint16_t ticks_merged;
  uint64_t merged_cpu_ns;  ///< The thread's CPU clock at the last of these ticks.
  uint64_t stack_address;  ///< Address of the first copied byte, at or below the stack pointer.
  uint32_t stack_bytes;
  uint32_t stack_missing;  ///< Bytes of stack beyond the copy, saturated; 0 if it is complete.
  uint64_t registers[PERFKIT_REGISTER_COUNT];
};

enum perfkit_free_flags {
  PERFKIT_FREE_ALL = 1u,  ///< exec: all allocations up to this number are gone.
};

/// PERFKIT_RECORD_FREE.
struct perfkit_free {
  struct perfkit_record record;  ///< `time_ns`: just before; `flags`: `enum perfkit_free_flags`.
  uint64_t allocation;           ///< Number of the allocation.
};

/// PERFKIT_RECORD_THREAD_START and _END.
///
/// `cpu_ns` is 0 at the start of a thread that began while sampling was on, and the CPU time so far
/// of an older thread. The difference between end and start is the CPU time spent while sampling
/// was on. Threads are often named after their start, so the name at the end is preferred.
struct perfkit_thread {
  struct perfkit_record record;
  uint32_t tid;
  uint32_t serial;
  uint64_t cpu_ns;     ///< The thread's CPU clock at `time_ns`.
  uint64_t stack_low;  ///< Bounds of its stack; 0 if unknown.
  uint64_t stack_high;
  char name[16];  ///< Not terminated if it has 16 bytes.
};

#define PERFKIT_MODULE_FIRST                                                                       \
  1u  ///< Flag: the first module of a list, which replaces the previous list.
#define PERFKIT_BUILD_ID_MAX 32u

/// PERFKIT_RECORD_MODULE: followed by the path's bytes.
struct perfkit_module {
  struct perfkit_record record;
  uint64_t bias;       ///< dlpi_addr.
  uint64_t low;        ///< First address of its load segments.
  uint64_t high;       ///< The first address after them.
  uint64_t before_ns;  ///< When the previous list was last seen to be valid; for the first list its
                       ///< own time.
  uint64_t adds;       ///< Modules loaded before the list was made (dlpi_adds).
  uint64_t subs;       ///< Modules unloaded before (dlpi_subs).
  uint32_t build_id_bytes;
  uint32_t path_bytes;
  uint8_t build_id[PERFKIT_BUILD_ID_MAX];
};

#define PERFKIT_INTERVAL_PACED 1u  ///< Flag: the loop waits for each vsync.

/// PERFKIT_RECORD_INTERVAL and _END. `time_ns` of INTERVAL is s_0, the first vsync.
struct perfkit_interval {
  struct perfkit_record record;
  uint32_t name;
  uint32_t interval;     ///< Number of the interval in this process, from 0.
  uint64_t refresh_mhz;  ///< Refresh rate in millihertz.
};

/// PERFKIT_RECORD_FRAME: written when the frame ends; `time_ns` is the end.
struct perfkit_frame {
  struct perfkit_record record;
  uint32_t interval;
  uint32_t index;     ///< The frame's number in its process, from 0.
  uint64_t vsync;     ///< The index of its ideal slot in the interval's grid.
  uint64_t woken_ns;  ///< When the loop woke for it.
  uint64_t began_ns;
  uint64_t cpu_ns;  ///< Thread CPU time of the frame's work.
};

/// Flag: the thread was not inside of the span between its two times, e.g. as it is an async function's.
#define PERFKIT_SPAN_DETACHED 1u

/// PERFKIT_RECORD_PHASE and PERFKIT_RECORD_SIGNPOST: written when it ends; `time_ns` is the end.
struct perfkit_span {
  struct perfkit_record record;
  uint32_t name;
  uint32_t frame;  ///< Index + 1 of the frame in which it began; 0: none.
  uint64_t began_ns;
};

/// PERFKIT_RECORD_COUNTER (an absolute value at a time) and PERFKIT_RECORD_EVENT (the program
/// chooses `value`).
struct perfkit_value {
  struct perfkit_record record;
  uint32_t name;
  uint32_t reserved;
  double value;
};

#endif

#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clinux_events.h"

// The header repeats these numbers so that its readers need no kernel header.
_Static_assert((int)CLINUX_EVENT_LOST == (int)PERF_RECORD_LOST, "");
_Static_assert((int)CLINUX_EVENT_COMM == (int)PERF_RECORD_COMM, "");
_Static_assert((int)CLINUX_EVENT_EXIT == (int)PERF_RECORD_EXIT, "");
_Static_assert((int)CLINUX_EVENT_THROTTLE == (int)PERF_RECORD_THROTTLE, "");
_Static_assert((int)CLINUX_EVENT_FORK == (int)PERF_RECORD_FORK, "");
_Static_assert((int)CLINUX_EVENT_SAMPLE == (int)PERF_RECORD_SAMPLE, "");
_Static_assert((int)CLINUX_EVENT_MMAP2 == (int)PERF_RECORD_MMAP2, "");
_Static_assert((int)CLINUX_EVENT_LOST_SAMPLES == (int)PERF_RECORD_LOST_SAMPLES, "");
_Static_assert((int)CLINUX_EVENT_IS_EXEC == (int)PERF_RECORD_MISC_COMM_EXEC, "");
_Static_assert((int)CLINUX_EVENT_HAS_BUILD_ID == (int)PERF_RECORD_MISC_MMAP_BUILD_ID, "");

_Static_assert((int)CLINUX_EVENT_SWITCH == (int)PERF_RECORD_SWITCH, "");
_Static_assert((int)CLINUX_EVENT_IS_OUT == (int)PERF_RECORD_MISC_SWITCH_OUT, "");
_Static_assert((int)CLINUX_EVENT_IS_PREEMPTED == (int)PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, "");

#if defined(__x86_64__)
#include <asm/perf_regs.h>
#define REGISTERS                                                                                  \
  ((1ull << PERF_REG_X86_AX) | (1ull << PERF_REG_X86_BX) | (1ull << PERF_REG_X86_CX) |             \
   (1ull << PERF_REG_X86_DX) | (1ull << PERF_REG_X86_SI) | (1ull << PERF_REG_X86_DI) |             \
   (1ull << PERF_REG_X86_BP) | (1ull << PERF_REG_X86_SP) | (1ull << PERF_REG_X86_IP) |             \
   (0xffull << PERF_REG_X86_R8))
#elif defined(__aarch64__)
#include <asm/perf_regs.h>
#define REGISTERS ((1ull << PERF_REG_ARM64_MAX) - 1)
#else
#error "Sampling supports x86-64 and arm64."
#endif

void clinux_event_registers(const uint64_t *recorded,
                            uint64_t registers[CLINUX_EVENT_REGISTERS]) {
#if defined(__x86_64__)
  // Recorded in the order of PERF_REG_X86: ax bx cx dx si di bp sp ip r8...r15.
  static const unsigned char places[CLINUX_EVENT_REGISTERS] = {0, 3,  2,  1,  4,  5,  6,  7, 9,
                                                               10, 11, 12, 13, 14, 15, 16, 8};
  for (unsigned index = 0; index < CLINUX_EVENT_REGISTERS; index++) {
    registers[index] = recorded[places[index]];
  }
#else
  // Recorded in the order of PERF_REG_ARM64: x0...x30 sp pc.
  memcpy(registers, recorded, CLINUX_EVENT_REGISTERS * sizeof *registers);
#endif
}

static int open_event(struct clinux_event_settings settings, int thread, int cpu) {
  bool is_of_switches = settings.switch_period > 0;
  struct perf_event_attr event = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof event,
      .config = is_of_switches ? PERF_COUNT_SW_CONTEXT_SWITCHES : PERF_COUNT_SW_TASK_CLOCK,
      .sample_period = is_of_switches ? settings.switch_period : settings.interval_ns,
      .context_switch = settings.records_switches,
      // With PERF_SAMPLE_PERIOD, a software event would sample each switch, whatever the period
      // (perf_swevent_event in kernel/events/core.c of Linux).
      .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                     PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
      .sample_regs_user = REGISTERS,
      .sample_stack_user = settings.stack_bytes,
      .disabled = 1,
      .inherit = 1,
      .enable_on_exec = settings.begins_at_exec,
      .exclude_kernel = !settings.samples_kernel,
      .exclude_hv = 1,
      .mmap = !is_of_switches,
      .mmap2 = !is_of_switches,
      .comm = !is_of_switches,
      .comm_exec = !is_of_switches,
      .task = !is_of_switches,
      .sample_id_all = 1,
      .use_clockid = 1,
      .clockid = CLOCK_MONOTONIC,
      .build_id = 1,
  };
  long result = syscall(SYS_perf_event_open, &event, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (result < 0 && errno == EINVAL) {
    // Linux 5.11 and earlier.
    event.build_id = 0;
    result = syscall(SYS_perf_event_open, &event, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  }
  return result < 0 ? -errno : (int)result;
}

int clinux_event_open(struct clinux_event_settings settings, int thread, int cpu,
                      struct clinux_event_ring *ring) {
  int descriptor = open_event(settings, thread, cpu);
  if (descriptor < 0) {
    return descriptor;
  }
  *ring = (struct clinux_event_ring){descriptor, NULL, 0};
  return 0;
}

int clinux_event_map(struct clinux_event_ring *ring, size_t bytes) {
  size_t all = bytes + (size_t)sysconf(_SC_PAGESIZE);
  void *pages = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, ring->descriptor, 0);
  if (pages == MAP_FAILED) {
    return -errno;
  }
  ring->pages = pages;
  ring->bytes = bytes;
  return 0;
}

void clinux_event_unmap(struct clinux_event_ring *ring) {
  if (ring->pages) {
    munmap(ring->pages, ring->bytes + (size_t)sysconf(_SC_PAGESIZE));
  }
  ring->pages = NULL;
  ring->bytes = 0;
}

int clinux_event_join(struct clinux_event_settings settings, int thread, int cpu,
                      const struct clinux_event_ring *ring) {
  int descriptor = open_event(settings, thread, cpu);
  if (descriptor >= 0 && ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, ring->descriptor) != 0) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  return descriptor;
}

uint64_t clinux_event_identifier(int descriptor) {
  uint64_t identifier = 0;
  return ioctl(descriptor, PERF_EVENT_IOC_ID, &identifier) == 0 ? identifier : 0;
}

int clinux_event_enable(int descriptor, bool is_enabled) {
  int result =
      ioctl(descriptor, is_enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
  return result == 0 ? 0 : -errno;
}

void clinux_event_close(struct clinux_event_ring *ring) {
  clinux_event_unmap(ring);
  close(ring->descriptor);
}

static struct perf_event_mmap_page *control(const struct clinux_event_ring *ring) {
  return ring->pages;
}

uint64_t clinux_event_head(const struct clinux_event_ring *ring) {
  // Acquire: the records are read after it (perf_event_mmap_page in <linux/perf_event.h>).
  return __atomic_load_n(&control(ring)->data_head, __ATOMIC_ACQUIRE);
}

uint64_t clinux_event_tail(const struct clinux_event_ring *ring) {
  return control(ring)->data_tail;
}

void clinux_event_release(const struct clinux_event_ring *ring, uint64_t position) {
  __atomic_store_n(&control(ring)->data_tail, position, __ATOMIC_RELEASE);
}

const void *clinux_event_data(const struct clinux_event_ring *ring) {
  return (const char *)ring->pages + sysconf(_SC_PAGESIZE);
}

int clinux_configured_cpus(void) {
  return (int)sysconf(_SC_NPROCESSORS_CONF);
}

#define _GNU_SOURCE
#include "capture.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "perf_format.h"

#define CLAIM(condition) ((condition) ? (void)0 : _exit(99))

static struct perfkit_segment *segment;
static unsigned limit;
static volatile int vdso_done, stepping;
static uint64_t vdso_low, vdso_high;

static struct perfkit_ring *ring(unsigned index) {
  return (void *)((char *)segment + segment->rings_offset + index * segment->ring_bytes);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void publish(struct perfkit_area *area, char *base, uint64_t capacity,
                    const struct perfkit_record *record, const void *tail, size_t tail_offset,
                    size_t tail_bytes) {
  uint64_t head = atomic_load(&area->head);
  uint64_t offset = head & (capacity - 1);
  if (offset + record->bytes > capacity) {
    struct perfkit_record pad = {.kind = PERFKIT_RECORD_PAD};
    memcpy(base + offset, &pad, 8);
    head += capacity - offset;
    offset = 0;
  }
  memcpy(base + offset, record, tail_offset);
  memcpy(base + offset + tail_offset, tail, tail_bytes);
  atomic_store(&area->head, head + record->bytes);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  int *first = context;
  struct perfkit_module module = {.bias = info->dlpi_addr, .low = UINT64_MAX};
  char path[4096];
  strcpy(path, info->dlpi_name);
  if (*first) {
    CLAIM(readlink("/proc/self/exe", memset(path, 0, sizeof path), sizeof path - 1) > 0);
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uint64_t low = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD) {
      module.low = low < module.low ? low : module.low;
      module.high = low + header->p_memsz > module.high ? low + header->p_memsz : module.high;
    } else if (header->p_type == PT_NOTE) {
      const ElfW(Nhdr) *note = (const void *)low;
      const char *end = (const char *)low + header->p_memsz;
      while ((const char *)(note + 1) <= end) {
        const char *value = (const char *)(note + 1) + ((note->n_namesz + 3) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= PERFKIT_BUILD_ID_MAX) {
          module.build_id_bytes = note->n_descsz;
          memcpy(module.build_id, value, note->n_descsz);
        }
        note = (const void *)(value + ((note->n_descsz + 3) & ~3u));
      }
    }
  }
  if (strstr(path, "vdso")) {
    vdso_low = module.low;
    vdso_high = module.high;
  }
  module.path_bytes = (uint32_t)strlen(path);
  module.record = (struct perfkit_record){
      .bytes = (uint32_t)((sizeof module + module.path_bytes + 7) & ~7u),
      .kind = PERFKIT_RECORD_MODULE,
      .flags = *first ? PERFKIT_MODULE_FIRST : 0,
      .time_ns = now(),
  };
  *first = 0;
  char *base = (char *)ring(0) + segment->ring_bytes - segment->mark_capacity;
  publish(&ring(0)->marks, base, segment->mark_capacity, &module.record, path, sizeof module,
          module.path_bytes);
  return 0;
}

void capture_modules(void) {
  int first = 1;
  dl_iterate_phdr(add_module, &first);
}

static void sample(const ucontext_t *context) {
  static char record[sizeof(struct perfkit_sample) + 65536];
  struct perfkit_sample head = {.tid = (uint32_t)getpid(), .serial = 1, .handler_ns = 500};
#if defined(__aarch64__)
  memcpy(head.registers, context->uc_mcontext.regs, 31 * 8);
  head.registers[31] = context->uc_mcontext.sp;
  head.registers[32] = context->uc_mcontext.pc;
  uint64_t sp = head.registers[31];
#else
  static const int order[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (int i = 0; i < 17; i++) {
    head.registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
  }
  uint64_t sp = head.registers[7];
  // The agent copies the red zone too: an epilogue has popped words that unwind information still
  // uses.
  if (stepping) {
    sp -= 128;
  }
#endif
  pthread_attr_t attributes;
  void *low;
  size_t size;
  CLAIM(pthread_getattr_np(pthread_self(), &attributes) == 0);
  CLAIM(pthread_attr_getstack(&attributes, &low, &size) == 0);
  pthread_attr_destroy(&attributes);
  stack_t other;
  CLAIM(sigaltstack(NULL, &other) == 0);
  bool is_other = sp - (uint64_t)other.ss_sp < other.ss_size;
  if (is_other) {
    low = other.ss_sp;
    size = other.ss_size;
  }
  uint64_t whole = (uint64_t)low + size - sp;
  uint64_t bytes = whole < limit ? whole : limit;
  bytes &= ~UINT64_C(7);
  head.stack_address = sp;
  head.stack_bytes = (uint32_t)bytes;
  head.stack_missing = (uint32_t)(whole - bytes);
  head.record = (struct perfkit_record){
      .bytes = (uint32_t)(sizeof head + bytes),
      .kind = PERFKIT_RECORD_SAMPLE,
      .flags =
          (whole > bytes ? PERFKIT_SAMPLE_TRUNCATED : 0) | (is_other ? PERFKIT_SAMPLE_ALTSTACK : 0),
      .time_ns = now(),
  };
  head.tick_ns = head.record.time_ns - 1000;
  memcpy(record, &head, sizeof head);
  char *base =
      (char *)ring(1) + segment->ring_bytes - segment->mark_capacity - segment->sample_capacity;
  publish(&ring(1)->samples, base, segment->sample_capacity, &head.record, (const void *)sp,
          sizeof head, bytes);
}

static void on_trap(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  sample(context);
#if defined(__aarch64__)
  ((ucontext_t *)context)->uc_mcontext.pc += 4;
#else
  // The processor's trap flag: it traps again after the next instruction.
  greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
  *flags = stepping ? *flags | 0x100 : *flags & ~0x100;
#endif
}

static void on_tick(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
#if defined(__aarch64__)
  uint64_t pc = ((ucontext_t *)context)->uc_mcontext.pc;
#else
  uint64_t pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#endif
  if (!vdso_done && pc >= vdso_low && pc < vdso_high) {
    sample(context);
    vdso_done = 1;
  }
}

void capture_attach(void) {
  const char *text = getenv(PERFKIT_ENV_SEGMENT_FD);
  CLAIM(text != NULL);
  int file = atoi(text);
  struct perfkit_segment head;
  CLAIM(pread(file, &head, sizeof head, 0) == sizeof head);
  CLAIM(head.magic == PERFKIT_FORMAT_MAGIC && head.version == PERFKIT_FORMAT_VERSION);
  segment = mmap(NULL, head.segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CLAIM(segment != MAP_FAILED);
  limit = segment->stack_bytes;
  atomic_store(&segment->agent_version, PERFKIT_FORMAT_VERSION);
  atomic_store(&ring(1)->serial, 1);
  atomic_store(&ring(1)->state, PERFKIT_RING_ACTIVE);
  capture_modules();
  struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART};
  CLAIM(sigaction(SIGTRAP, &action, NULL) == 0);
}

void capture_step(int on) {
  stepping = on;
}

void capture_limit(unsigned bytes) {
  limit = bytes;
}

void capture_vdso_begin(void) {
  struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
  CLAIM(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval every = {{0, 500}, {0, 500}};
  CLAIM(setitimer(ITIMER_REAL, &every, NULL) == 0);
}

int capture_vdso_done(void) {
  return vdso_done;
}

// Generates functions with frame pointers and names them in a perf map, as JIT compilers do, or in a
// jitdump if argv[1] is a folder for it. One function is in anonymous memory, one in a file without a
// name. Each calls back into the program.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void called_back(void) {
  for (long i = 0; i < 1000000; i++) sum += i;
}

// push rbp; mov rbp, rsp; mov rcx, 4000000; 1: dec rcx; jnz 1b; mov rax, FUNCTION; call rax; pop rbp; ret
static size_t generate(unsigned char *code) {
  static const unsigned char begin[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xc7, 0xc1, 0x00, 0x09, 0x3d, 0x00,
                                        0x48, 0xff, 0xc9, 0x75, 0xfb, 0x48, 0xb8};
  static const unsigned char end[] = {0xff, 0xd0, 0x5d, 0xc3};
  void (*function)(void) = called_back;
  memcpy(code, begin, sizeof begin);
  memcpy(code + sizeof begin, &function, 8);
  memcpy(code + sizeof begin + 8, end, sizeof end);
  return sizeof begin + 8 + sizeof end;
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void write_map(unsigned char *codes[2], const char *names[2], size_t bytes) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE *map = fopen(path, "w");
  fprintf(map, "%lx %zx %s\n0x%lx 0x%zx %s\n", (long)codes[0], bytes, names[0], (long)codes[1],
          bytes, names[1]);
  fclose(map);
}

// Writes the file as tools/perf/Documentation/jitdump-specification.txt of Linux describes it.
static int write_dump(const char *folder, unsigned char *codes[2], const char *names[2], size_t bytes) {
  char path[4096];
  snprintf(path, sizeof path, "%s/jit-%d.dump", folder, getpid());
  FILE *dump = fopen(path, "w+");
  struct {
    uint32_t magic, version, bytes, machine, unused, process;
    uint64_t time, flags;
  } header = {0x4a695444, 1, sizeof header, 62, 0, (uint32_t)getpid(), 1, 0};
  if (!dump || fwrite(&header, sizeof header, 1, dump) != 1) return 0;
  for (int index = 0; index < 2; index++) {
    struct {
      uint32_t kind, bytes;
      uint64_t time;
      uint32_t process, thread;
      uint64_t virtual_address, address, size, number;
    } loaded = {0, 0, 1, (uint32_t)getpid(), (uint32_t)getpid(), 0, 0, bytes, (uint64_t)index};
    size_t name_bytes = strlen(names[index]) + 1;
    loaded.bytes = (uint32_t)(sizeof loaded + name_bytes + bytes);
    loaded.virtual_address = loaded.address = (uint64_t)(uintptr_t)codes[index];
    if (fwrite(&loaded, sizeof loaded, 1, dump) != 1 ||
        fwrite(names[index], name_bytes, 1, dump) != 1 || fwrite(codes[index], bytes, 1, dump) != 1) {
      return 0;
    }
  }
  // A sampler finds the file by this mapping.
  void *mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
  return fclose(dump) == 0 && mark != MAP_FAILED;
}

int main(int count, char **words) {
  unsigned char *anonymous =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int file = memfd_create("code", 0);
  if (ftruncate(file, 4096) != 0) return 1;
  unsigned char *writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  size_t bytes = generate(anonymous);
  generate(writable);
  unsigned char *shared = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  unsigned char *codes[2] = {anonymous, shared};
  const char *names[2] = {"anonymous_code", "shared_code"};
  if (count < 2) {
    write_map(codes, names, bytes);
  } else if (!write_dump(words[1], codes, names, bytes)) {
    return 1;
  }
  while (seconds() < 1) {
    ((void (*)(void))(uintptr_t)anonymous)();
    ((void (*)(void))(uintptr_t)shared)();
  }
  return 0;
}

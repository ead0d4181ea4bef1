// Generates functions with frame pointers and names them in a perf map, as JIT compilers do. One is in
// anonymous memory, one in a file without a name. Each calls back into the program.
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

int main(void) {
  unsigned char *anonymous =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int file = memfd_create("code", 0);
  if (ftruncate(file, 4096) != 0) return 1;
  unsigned char *writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  size_t bytes = generate(anonymous);
  generate(writable);
  unsigned char *shared = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
  FILE *map = fopen(path, "w");
  fprintf(map, "%lx %zx anonymous_code\n0x%lx 0x%zx shared_code\n", (long)anonymous, bytes, (long)shared,
          bytes);
  fclose(map);
  while (seconds() < 1) {
    ((void (*)(void))(uintptr_t)anonymous)();
    ((void (*)(void))(uintptr_t)shared)();
  }
  return 0;
}

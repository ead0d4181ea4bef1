/// Executes known numbers of instructions.
///
///   counted turns N      a loop of N turns, two instructions each
///   counted calls N      N calls of a function
///   counted thread N     the loop in another thread
///   counted child N      the loop in a forked process
///   counted generated N  the loop in code that is written at run time
///   counted unknown 0    an instruction of AVX-512, which valgrind 3.19 does not know
///   counted exit N       exits with N
///   counted wait 0       waits indefinitely
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define TURNS(count) __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(count) : : "cc")
#elif defined(__aarch64__)
#define TURNS(count) __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(count) : : "cc")
#endif

/// Has no instructions of its own but the loop.
__attribute__((always_inline)) static inline void turn(unsigned long count) {
  TURNS(count);
}

__attribute__((noinline)) static void spin(unsigned long count) {
  // Callgrind takes a jump to the first instruction of a function for a call.
  __asm__ volatile("nop");
  turn(count);
}

__attribute__((noinline)) static unsigned long leaf(unsigned long value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}

static void *spin_in_thread(void *count) {
  spin((unsigned long)count);
  return NULL;
}

static void generate(unsigned long count) {
#if defined(__x86_64__)
  // dec %rdi; jnz -5; ret
  static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#else
  // subs x0, x0, #1; b.ne -4; ret
  static const unsigned code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#endif
  int rights = PROT_READ | PROT_WRITE | PROT_EXEC;
  void *page = mmap(NULL, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, code, sizeof code);
  __builtin___clear_cache((char *)page, (char *)page + sizeof code);
  ((void (*)(unsigned long))page)(count);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    return 2;
  }
  unsigned long count = strtoul(argv[2], NULL, 10);
  if (strcmp(argv[1], "turns") == 0) {
    spin(count);
  } else if (strcmp(argv[1], "calls") == 0) {
    for (unsigned long call = 0; call < count; call++) {
      leaf(call);
    }
  } else if (strcmp(argv[1], "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, spin_in_thread, (void *)count);
    pthread_join(thread, NULL);
  } else if (strcmp(argv[1], "child") == 0) {
    if (fork() == 0) {
      spin(count);
      _exit(0);
    }
    wait(NULL);
  } else if (strcmp(argv[1], "generated") == 0) {
    generate(count);
  } else if (strcmp(argv[1], "unknown") == 0) {
#if defined(__x86_64__)
    __asm__ volatile(".byte 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1");  // vaddps %zmm1, %zmm0, %zmm0
#endif
  } else if (strcmp(argv[1], "wait") == 0) {
    pause();
  } else {
    return (int)count;
  }
  return 0;
}

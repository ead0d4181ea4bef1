/// Two threads load and unload libraries and use the heap. A signal handler that takes the lock of
/// the loader or the heap hangs here within a second.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "torture.h"

#define BLOCKS 64

struct block {
  unsigned char *bytes;
  size_t count;
  unsigned char content;
};

static void use_heap(struct block blocks[BLOCKS], uint64_t *random) {
  for (unsigned step = 0; step < BLOCKS; step++) {
    uint64_t choice = torture_random(random);
    struct block *block = &blocks[choice % BLOCKS];
    for (size_t index = 0; index < block->count; index++) {
      CHECK(block->bytes[index] == block->content);
    }
    free(block->bytes);
    block->count = (choice >> 8) % 4096;
    block->content = (unsigned char)(choice >> 32);
    block->bytes = malloc(block->count);
    CHECK(block->bytes || block->count == 0);
    memset(block->bytes, block->content, block->count);
  }
}

static void *load_and_allocate(void *argument) {
  uint64_t random = (uint64_t)(uintptr_t)argument;
  struct block blocks[BLOCKS] = {0};
  uintptr_t rounds = 0;
  for (; torture_goes_on(); rounds++) {
    bool is_first = torture_random(&random) & 1;
    void *library = dlopen(is_first ? "libplugin3.so" : "libplugin5.so", RTLD_NOW);
    CHECK(library);
    uint64_t (*ask)(uint64_t, uint64_t *);
    *(void **)&ask = dlsym(library, "plugin_answer");
    CHECK(ask);
    uint64_t count = 0;
    CHECK(ask(rounds, &count) == rounds * (is_first ? 3 : 5));
    CHECK(count >= 1 && count <= rounds + 1);
    use_heap(blocks, &random);
    CHECK(dlclose(library) == 0);
  }
  for (unsigned index = 0; index < BLOCKS; index++) {
    free(blocks[index].bytes);
  }
  return (void *)rounds;
}

int torture_loader(void) {
  unsigned long other = torture_start(load_and_allocate, (void *)1, 0);
  uintptr_t rounds = (uintptr_t)load_and_allocate((void *)2);
  rounds += (uintptr_t)torture_join(other);
  torture_say("rounds", (double)rounds);
  return 0;
}

/// An allocator that aborts the program if it gets memory that it has not allocated.
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

/// The header of each block.
struct head {
  uint64_t magic;
  void *block;
  size_t bytes;
  uint64_t unused;
};
#define MAGIC UINT64_C(0x6d656d6f72792121)

static void *allocate(size_t alignment, size_t bytes) {
  if (alignment < 16) {
    alignment = 16;
  }
  if (bytes > SIZE_MAX / 2) {
    errno = ENOMEM;
    return NULL;
  }
  void *block = __libc_malloc(bytes + alignment + sizeof(struct head));
  if (!block) {
    return NULL;
  }
  uintptr_t address = ((uintptr_t)block + sizeof(struct head) + alignment - 1) & ~(alignment - 1);
  struct head *head = (struct head *)address - 1;
  *head = (struct head){MAGIC, block, bytes, 0};
  return (void *)address;
}

static struct head *head_of(void *memory) {
  struct head *head = (struct head *)memory - 1;
  if (head->magic != MAGIC) {
    abort();
  }
  return head;
}

void *malloc(size_t bytes) {
  return allocate(16, bytes);
}

void free(void *memory) {
  if (!memory) {
    return;
  }
  struct head *head = head_of(memory);
  head->magic = 0;
  __libc_free(head->block);
}

void *calloc(size_t count, size_t bytes) {
  size_t product;
  if (__builtin_mul_overflow(count, bytes, &product)) {
    return NULL;
  }
  void *memory = allocate(16, product);
  return memory ? memset(memory, 0, product) : NULL;
}

void *realloc(void *memory, size_t bytes) {
  void *result = allocate(16, bytes);
  if (!result || !memory) {
    return result;
  }
  size_t before = head_of(memory)->bytes;
  memcpy(result, memory, before < bytes ? before : bytes);
  free(memory);
  return result;
}

void *memalign(size_t alignment, size_t bytes) {
  return allocate(alignment, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  return allocate(alignment, bytes);
}
void *valloc(size_t bytes) {
  return allocate(4096, bytes);
}
void *pvalloc(size_t bytes) {
  return allocate(4096, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  void *result = allocate(alignment, bytes);
  if (!result) {
    return ENOMEM;
  }
  *memory = result;
  return 0;
}

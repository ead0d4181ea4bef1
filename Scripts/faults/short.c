// Lets each larger write write half of its bytes, as a socket or a full disk may (write(2)).
#define _GNU_SOURCE
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Writes of up to so many bytes are whole; event descriptors take no part of a number.
#define WHOLE 512

static size_t part(size_t bytes) {
  return bytes > WHOLE ? bytes / 2 : bytes;
}

ssize_t write(int file, const void *from, size_t bytes) {
  return syscall(SYS_write, file, from, part(bytes));
}

ssize_t pwrite(int file, const void *from, size_t bytes, off_t offset) {
  return syscall(SYS_pwrite64, file, from, part(bytes), offset);
}

ssize_t pwrite64(int file, const void *from, size_t bytes, off64_t offset) {
  return syscall(SYS_pwrite64, file, from, part(bytes), offset);
}

ssize_t send(int file, const void *from, size_t bytes, int flags) {
  return syscall(SYS_sendto, file, from, part(bytes), flags, NULL, 0);
}

/// Calls that glibc declares only under _GNU_SOURCE, so that Swift's Glibc module lacks them.
#ifndef CLINUX_H
#define CLINUX_H

#include <spawn.h>

/// memfd_create with MFD_CLOEXEC. Returns a descriptor, or -errno.
int clinux_memory_file(const char *_Nonnull name);

/// Makes a spawned child start in a folder. Returns 0 or an error number.
int clinux_spawn_in_directory(posix_spawn_file_actions_t *_Nonnull actions,
                              const char *_Nonnull directory);

/// Names the calling thread (at most 15 bytes).
void clinux_name_thread(const char *_Nonnull name);

/// Gives the blocks of a byte range of a file back, so that it reads as zeros. Returns 0 or -errno.
int clinux_punch_hole(int descriptor, long offset, long bytes);

/// Gives the free pages of all heaps back to the system: malloc_trim(3) with no pad.
void clinux_trim_heaps(void);

#endif

/// Calls that glibc declares only under _GNU_SOURCE, so that Swift's Glibc module lacks them.
#ifndef CLINUX_H
#define CLINUX_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>

/// memfd_create with MFD_CLOEXEC and MFD_ALLOW_SEALING. Returns a descriptor, or -errno.
int clinux_memory_file(const char *_Nonnull name);

/// Fixes the size of a memory file for ever, so that who has it mapped can never meet SIGBUS.
/// Returns 0 or -errno.
int clinux_seal_size(int descriptor);

/// A descriptor that becomes readable when a process ends: pidfd_open(2), Linux 5.3. Returns it, or
/// -errno.
int clinux_process_descriptor(int process);

/// Lets a process that posix_spawn makes begin in another folder:
/// posix_spawn_file_actions_addchdir_np(3), glibc 2.29. Returns 0 or an error number.
int clinux_spawn_in(posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull folder);

/// Limits the address space and the written files of a process to `bytes` each, and its CPU time to
/// `seconds`: prlimit(2). Has no effect if the process has ended.
void clinux_limit_process(int process, unsigned long bytes, unsigned long seconds);

/// Whether a file gives capabilities to the process that executes it (capabilities(7)); 1 or 0.
int clinux_has_capabilities(const char *_Nonnull path);

/// Names the calling thread (at most 15 bytes).
void clinux_name_thread(const char *_Nonnull name);

/// Gives the blocks of a byte range of a file back, so that it reads as zeros. Returns 0 or -errno.
int clinux_punch_hole(int descriptor, long offset, long bytes);

/// Gives the free pages of all heaps back to the system: malloc_trim(3) with no pad.
void clinux_trim_heaps(void);

/// Gives blocks of at least so many bytes pages of their own for good: mallopt(3), M_MMAP_THRESHOLD.
/// By default glibc raises that limit to 32 MiB as large blocks are freed, and keeps those pages.
void clinux_map_blocks_from(int bytes);

/// How many of the CPUs that are online the calling thread may run on, as taskset(1) and cpuset(7) say:
/// sched_getaffinity(2). Returns the number or -errno.
int clinux_allowed_cpus(void);

/// Makes the calling thread one that does not take the CPU from the thread that wakes it:
/// SCHED_BATCH, see sched(7). Its nice value stays. Returns 0 or -errno.
int clinux_be_batch(void);

/// Moves the calling thread to another CPU if a process's first thread runs, or waits to run, on its
/// own. Returns whether it has moved. 5 us, or 20 when it has.
bool clinux_step_aside(int process);

/// Listens on an abstract address (unix(7)) for whoever connects with SOCK_SEQPACKET. Returns a
/// descriptor that never blocks, or -errno.
int clinux_listen(const char *_Nonnull name);

/// Takes the next connection and says which process and user made it. Returns a descriptor, or -errno.
int clinux_accept(int listener, int *_Nonnull process, unsigned *_Nonnull user);

/// Answers with one byte and a copy of a descriptor, without one when it is negative; never blocks.
/// Returns 0 or -errno.
int clinux_send_descriptor(int connection, int descriptor);

/// The number of the calling thread among those that have asked, from 0; the same for its whole life.
unsigned clinux_thread_number(void);

/// The name of a system call that a thread may wait in; NULL for all others.
const char *_Nullable clinux_system_call_name(long number);

/// Nanoseconds of CPU time that a signal takes from its thread: half of the signals took from `low` to
/// `high`.
struct clinux_signal_cost {
  unsigned long low, median, high;
};

/// Measures what a signal takes from a thread that works, with a handler that does nothing, by 15 to 50
/// signals.
///
/// Takes 20 ms, and 0.2 s at most. It uses SIGRTMAX. Returns 0; -EBUSY when this process uses that signal;
/// -ETIME when the machine is too busy; -EAGAIN when no thread can be started.
int clinux_signal_cost(struct clinux_signal_cost *_Nonnull cost);

/// Has reads of a mapped file find zeros where somebody cuts it off meanwhile, instead of SIGBUS.
///
/// The first call installs a handler, which passes on whatever is not ours. Returns the number of the
/// guard, or -ENOSPC when 4,096 mappings are guarded.
int clinux_guard_mapping(const void *_Nonnull start, size_t bytes);

/// Whether zeros were found in a guarded mapping.
bool clinux_is_cut_off(int guard);

/// Lets a guard go; its mapping must not be read any more.
void clinux_release_mapping(int guard);

#endif

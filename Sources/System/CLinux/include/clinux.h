/// Linux calls that Swift's Glibc module lacks, because glibc declares them only under _GNU_SOURCE
/// or Swift cannot import them.
#ifndef CLINUX_H
#define CLINUX_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>

#include "clinux_events.h"

/// Calls memfd_create with MFD_CLOEXEC and MFD_ALLOW_SEALING. Returns a descriptor or -errno.
int clinux_memory_file(const char *_Nonnull name);

/// Fixes the size of a memory file permanently, so that readers of its mapping never get SIGBUS.
/// Returns 0 or -errno.
int clinux_seal_size(int descriptor);

/// Returns a descriptor that becomes readable when a process ends, or -errno: pidfd_open(2), Linux
/// 5.3.
int clinux_process_descriptor(int process);

/// Sets the working directory of a process started by posix_spawn:
/// posix_spawn_file_actions_addchdir_np(3), glibc 2.29. Returns 0 or an error number.
int clinux_spawn_in(posix_spawn_file_actions_t *_Nonnull actions, const char *_Nonnull folder);

/// Starts a guard: a process that waits for the end of this process, however it ends, and then kills
/// the guarded process groups and all processes that have a variable whose text NAME=VALUE begins
/// with `mark`.
///
/// Returns a descriptor that this process must keep open, or -errno. Variables that a process has
/// changed since its start do not count, and neither do processes of other users.
int clinux_start_guard(const char *_Nonnull mark);

/// Lets the guard kill a process group too, whose id is greater than 1; without effect if no guard
/// was started, or if 64 groups are guarded.
void clinux_guard_group(int group);

/// Ends the effect of `clinux_guard_group`: call it before the group's id can be used again.
void clinux_release_group(int group);

/// Finds processes that started with a variable whose text NAME=VALUE begins with `mark`.
///
/// Returns the number of processes that were written to `found`, at most `most`.
int clinux_processes_with(const char *_Nonnull mark, int *_Nonnull found, int most);

/// Limits the address space and the written files of a process to `bytes` each, and its CPU time to
/// `seconds`: prlimit(2). Has no effect if the process has ended.
void clinux_limit_process(int process, unsigned long bytes, unsigned long seconds);

/// Returns 1 if a file gives capabilities to the process that executes it (capabilities(7)), else
/// 0.
int clinux_has_capabilities(const char *_Nonnull path);

/// Names the calling thread (at most 15 bytes).
void clinux_name_thread(const char *_Nonnull name);

/// Releases a byte range of a file, which then reads as zeros. Returns 0 or -errno.
int clinux_punch_hole(int descriptor, long offset, long bytes);

/// Returns the free pages of all heaps to the system: malloc_trim(3) without padding.
void clinux_trim_heaps(void);

/// Makes glibc map blocks of at least this size separately, permanently: mallopt(3),
/// M_MMAP_THRESHOLD. By default glibc raises the threshold up to 32 MiB as large blocks are freed,
/// and keeps their pages.
void clinux_map_blocks_from(int bytes);

/// Returns the number of online CPUs on which the calling thread may run, as set by taskset(1) and
/// cpuset(7), or -errno: sched_getaffinity(2).
int clinux_allowed_cpus(void);

/// Gives the calling thread the policy SCHED_BATCH, so that it does not preempt the thread that
/// wakes it; see sched(7). Its nice value is unchanged. Returns 0 or -errno.
int clinux_be_batch(void);

/// Moves the calling thread to another CPU if a process's first thread runs or waits on its CPU.
/// Returns whether it moved the thread. Takes 5 us, or 20 us for a move.
bool clinux_step_aside(int process);

/// Listens on an abstract address (unix(7)) for SOCK_SEQPACKET connections. Returns a nonblocking
/// descriptor or -errno.
int clinux_listen(const char *_Nonnull name);

/// Accepts a connection and sets the process and the user of its other end. Returns a descriptor or
/// -errno.
int clinux_accept(int listener, int *_Nonnull process, unsigned *_Nonnull user);

/// Sends one byte and a copy of a descriptor, or no descriptor if it is negative; never blocks.
/// Returns 0 or -errno.
int clinux_send_descriptor(int connection, int descriptor);

/// Returns the number of the calling thread in the order of first calls, from 0; constant for each
/// thread.
unsigned clinux_thread_number(void);

/// Returns the name of a system call in which a thread may wait; NULL for other calls.
const char *_Nullable clinux_system_call_name(long number);

/// CPU time that a signal costs its thread, in nanoseconds; half of the signals cost from `low` to
/// `high`.
struct clinux_signal_cost {
  unsigned long low, median, high;
};

/// Measures the cost of signals with an empty handler on a busy thread, by 15 to 50 signals.
///
/// Takes 20 ms, at most 0.2 s. Uses SIGRTMAX. Returns 0; -EBUSY if this process uses that signal;
/// -ETIME if the machine is too busy; -EAGAIN if no thread can be started.
int clinux_signal_cost(struct clinux_signal_cost *_Nonnull cost);

/// Makes reads of a mapped file return zeros instead of raising SIGBUS if the file is truncated.
///
/// The first call installs a handler, which forwards other signals. Returns the number of the
/// guard, or -ENOSPC if 4,096 mappings are guarded.
int clinux_guard_mapping(const void *_Nonnull start, size_t bytes);

/// Returns whether a read of a guarded mapping found the file truncated.
bool clinux_is_cut_off(int guard);

/// Releases a guard; its mapping must not be read afterwards.
void clinux_release_mapping(int guard);

#endif

#include "clinux.h"

#include <stddef.h>
#include <sys/syscall.h>

struct call {
  long number;
  const char *name;
};

#define CALL(name)                                                                                 \
  { SYS_##name, #name }

/// Calls in which a thread can wait; the sampler does not see others.
static const struct call calls[] = {
    CALL(futex),
    CALL(ppoll),
    CALL(pselect6),
    CALL(epoll_pwait),
    CALL(read),
    CALL(write),
    CALL(readv),
    CALL(writev),
    CALL(pread64),
    CALL(pwrite64),
    CALL(preadv),
    CALL(pwritev),
    CALL(recvfrom),
    CALL(recvmsg),
    CALL(recvmmsg),
    CALL(sendto),
    CALL(sendmsg),
    CALL(sendmmsg),
    CALL(accept),
    CALL(accept4),
    CALL(connect),
    CALL(nanosleep),
    CALL(clock_nanosleep),
    CALL(wait4),
    CALL(waitid),
    CALL(rt_sigtimedwait),
    CALL(rt_sigsuspend),
    CALL(fsync),
    CALL(fdatasync),
    CALL(sync),
    CALL(syncfs),
    CALL(sync_file_range),
    CALL(msync),
    CALL(flock),
    CALL(fcntl),
    CALL(ioctl),
    CALL(openat),
    CALL(close),
    CALL(unlinkat),
    CALL(mkdirat),
    CALL(getdents64),
    CALL(statx),
    CALL(fstat),
    CALL(ftruncate),
    CALL(fallocate),
    CALL(sendfile),
    CALL(splice),
    CALL(copy_file_range),
    CALL(io_getevents),
    CALL(io_uring_enter),
    CALL(semop),
    CALL(semtimedop),
    CALL(msgrcv),
    CALL(msgsnd),
    CALL(mq_timedreceive),
    CALL(mq_timedsend),
    CALL(clone),
    CALL(clone3),
    CALL(execve),
    CALL(exit_group),
    CALL(mmap),
    CALL(munmap),
    CALL(mprotect),
    CALL(madvise),
    CALL(mremap),
    CALL(brk),
    CALL(membarrier),
    CALL(process_vm_readv),
    CALL(restart_syscall),
    CALL(sched_yield),
    CALL(getrandom),
    CALL(ptrace),
#if defined(SYS_poll)  // Older calls, which newer architectures lack.
    CALL(poll),
    CALL(select),
    CALL(epoll_wait),
    CALL(pause),
    CALL(open),
    CALL(unlink),
    CALL(rename),
    CALL(stat),
    CALL(lstat),
    CALL(mkdir),
    CALL(rmdir),
    CALL(access),
    CALL(fork),
    CALL(vfork),
    CALL(renameat),
    CALL(newfstatat),
#endif
#if defined(SYS_epoll_pwait2)
    CALL(epoll_pwait2),
#endif
#if defined(SYS_futex_waitv)
    CALL(futex_waitv),
#endif
};

const char *clinux_system_call_name(long number) {
  for (size_t index = 0; index < sizeof calls / sizeof calls[0]; index++) {
    if (calls[index].number == number) {
      return calls[index].name;
    }
  }
  return NULL;
}

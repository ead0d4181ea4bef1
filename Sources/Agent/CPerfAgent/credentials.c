#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent.h"
#include "interpose.h"

// The kernel knows users and groups by the thread. glibc changes those of all threads of a process, and
// aborts when one of them may and another may not. A program with one thread is free to keep or drop
// capabilities for that one (prctl, capset); the ticker would still have its old ones. So it is replaced
// before such a change by one that is made by the calling thread, whose rights it inherits.
//
// Some namespaces are for processes with one thread alone.

static struct {
  int (*setuid)(uid_t);
  int (*setgid)(gid_t);
  int (*seteuid)(uid_t);
  int (*setegid)(gid_t);
  int (*setreuid)(uid_t, uid_t);
  int (*setregid)(gid_t, gid_t);
  int (*setresuid)(uid_t, uid_t, uid_t);
  int (*setresgid)(gid_t, gid_t, gid_t);
  int (*setgroups)(size_t, const gid_t *);
  int (*initgroups)(const char *, gid_t);
  int (*unshare)(int);
  int (*setns)(int, int);
} real;

/// What a thread may, as far as it is not by its user.
struct rights {
  struct __user_cap_data_struct capabilities[_LINUX_CAPABILITY_U32S_3];
  int secure_bits;  ///< Whether they are kept when the user changes, among others.
};

/// Those of the ticker. Written by the thread that starts it.
static struct rights tickers;

static struct rights own_rights(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct rights rights;
  memset(&rights, 0, sizeof rights);
  syscall(SYS_capget, &header, rights.capabilities);
  rights.secure_bits = prctl(PR_GET_SECUREBITS);
  return rights;
}

void perf_agent_credentials_note(void) { tickers = own_rights(); }

void perf_agent_credentials_prepare(void) {
  FIND_NEXT(real, setuid);
  FIND_NEXT(real, setgid);
  FIND_NEXT(real, seteuid);
  FIND_NEXT(real, setegid);
  FIND_NEXT(real, setreuid);
  FIND_NEXT(real, setregid);
  FIND_NEXT(real, setresuid);
  FIND_NEXT(real, setresgid);
  FIND_NEXT(real, setgroups);
  FIND_NEXT(real, initgroups);
  FIND_NEXT(real, unshare);
  FIND_NEXT(real, setns);
}

/// Gives the ticker the rights of the calling thread.
static void share_rights(void) {
  if (!perf_agent_has_own_ticker()) return;
  struct rights rights = own_rights();
  if (memcmp(&rights, &tickers, sizeof rights) == 0) return;
  if (perf_agent_ticker_retire()) perf_agent_ticker_resume();
}

/// Calls a function when the ticker has the rights of the calling thread: what they lose or win by it,
/// both do.
#define SHARING(name, ...)                                            \
  do {                                                                \
    REQUIRE_NEXT(real, name, perf_agent_credentials_prepare());       \
    share_rights();                                                   \
    int result = real.name(__VA_ARGS__);                              \
    int code = errno;                                                 \
    if (perf_agent_has_own_ticker()) tickers = own_rights();          \
    errno = code;                                                     \
    return result;                                                    \
  } while (0)

INTERPOSED int setuid(uid_t user) { SHARING(setuid, user); }
INTERPOSED int setgid(gid_t group) { SHARING(setgid, group); }
INTERPOSED int seteuid(uid_t user) { SHARING(seteuid, user); }
INTERPOSED int setegid(gid_t group) { SHARING(setegid, group); }
INTERPOSED int setreuid(uid_t user, uid_t effective) { SHARING(setreuid, user, effective); }
INTERPOSED int setregid(gid_t group, gid_t effective) { SHARING(setregid, group, effective); }

INTERPOSED int setresuid(uid_t user, uid_t effective, uid_t saved) {
  SHARING(setresuid, user, effective, saved);
}

INTERPOSED int setresgid(gid_t group, gid_t effective, gid_t saved) {
  SHARING(setresgid, group, effective, saved);
}

INTERPOSED int setgroups(size_t count, const gid_t *groups) { SHARING(setgroups, count, groups); }

INTERPOSED int initgroups(const char *user, gid_t group) { SHARING(initgroups, user, group); }

// MARK: - Namespaces

/// Ends the ticker when the kernel may have refused a call for it: nobody enters a user's namespace who is
/// one of several threads, nor one of mounts who shares a folder and root with another. Returns
/// whether it has, and `resume` is to be called.
static bool withdraw(void) {
  if ((errno != EINVAL && errno != EUSERS) || !perf_agent_has_own_ticker()) return false;
  return perf_agent_ticker_retire();
}

/// Begins the next ticker. In a process whose children are to be in another namespace of processes there
/// can be none.
static void resume(void) {
  int code = errno;
  perf_agent_ticker_resume();
  errno = code;
}

/// Calls a function, and once more without a ticker.
#define ALONE(name, ...)                                              \
  do {                                                                \
    REQUIRE_NEXT(real, name, perf_agent_credentials_prepare());       \
    int result = real.name(__VA_ARGS__);                              \
    if (result == 0 || !withdraw()) return result;                    \
    result = real.name(__VA_ARGS__);                                  \
    resume();                                                         \
    return result;                                                    \
  } while (0)

INTERPOSED int unshare(int flags) { ALONE(unshare, flags); }

INTERPOSED int setns(int file, int kind) { ALONE(setns, file, kind); }

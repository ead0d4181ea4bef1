#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "compat.h"

// A child of a sampled process asks the harness for a segment over the socket that PERFKIT_FOLLOW
// names (PROTOCOL.md).

/// How long a child waits for the connection, and then for the answer, in microseconds. On a busy machine the harness
/// may get no CPU for a tenth of a second; when it has ended, the connection fails at once.
#define PATIENCE_US 500000

/// The socket's address when the program began; its length is 0 without one.
static struct sockaddr_un address;
static socklen_t address_bytes;

void perf_agent_follow_prepare(void) {
  const char *name = perf_environment(PERFKIT_ENV_FOLLOW);
  size_t bytes = name ? strlen(name) : 0;
  if (bytes == 0 || bytes >= sizeof address.sun_path) {
    return;
  }
  address.sun_family = AF_UNIX;
  // An abstract address: its first byte is 0, and its length counts.
  memcpy(address.sun_path + 1, name, bytes);
  address_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
}

bool perf_agent_may_follow(void) {
  return address_bytes != 0 && !atomic_load(&perf_agent.is_filtered);
}

/// Returns the descriptor in a message; -1 if there is none.
static int descriptor_in(struct msghdr *message) {
  struct cmsghdr *control = CMSG_FIRSTHDR(message);
  if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS ||
      control->cmsg_len != CMSG_LEN(sizeof(int))) {
    return -1;
  }
  int file;
  memcpy(&file, CMSG_DATA(control), sizeof file);
  return file;
}

/// Asks for a segment. Returns its descriptor; -1 if there is none.
static int ask(void) {
  int channel = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (channel < 0) {
    return -1;
  }
  const struct timeval patience = {0, PATIENCE_US};
  setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char byte;
  struct iovec contents = {&byte, 1};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  struct msghdr message = {.msg_iov = &contents,
                           .msg_iovlen = 1,
                           .msg_control = control,
                           .msg_controllen = sizeof control};
  int file = -1;
  // A signal of the program may interrupt both calls, e.g. glibc's when a process with several threads
  // changes its user. The harness identifies the process by SO_PEERCRED.
  int connected;
  do {
    connected = connect(channel, (const struct sockaddr *)&address, address_bytes);
  } while (connected != 0 && errno == EINTR);
  ssize_t received = -1;
  while (connected == 0 && (received = recvmsg(channel, &message, MSG_CMSG_CLOEXEC)) < 0 &&
         errno == EINTR) {
  }
  if (received >= 0) {
    file = descriptor_in(&message);
  }
  close(channel);
  return file;
}

struct perfkit_segment *perf_agent_map_followed(void) {
  int file = perf_agent_may_follow() ? ask() : -1;
  if (file < 0) {
    return NULL;
  }
  // Most children end before they have touched a hundredth of the pages.
  struct perfkit_segment *segment = perf_agent_segment_map(file, false);
  close(file);
  return segment;
}

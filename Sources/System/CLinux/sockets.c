#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int clinux_listen(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t bytes = strlen(name);
  if (bytes == 0 || bytes >= sizeof address.sun_path) {
    return -EINVAL;
  }
  // An abstract address starts with 0, and its length counts.
  memcpy(address.sun_path + 1, name, bytes);
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
  int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) {
    return -errno;
  }
  if (bind(listener, (const struct sockaddr *)&address, length) == 0 &&
      listen(listener, 128) == 0) {
    return listener;
  }
  int code = errno;
  close(listener);
  return -code;
}

int clinux_accept(int listener, int *process, unsigned *user) {
  int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (connection < 0) {
    return -errno;
  }
  struct ucred peer;
  socklen_t bytes = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) {
    int code = errno;
    close(connection);
    return -code;
  }
  *process = peer.pid;
  *user = peer.uid;
  return connection;
}

int clinux_send_descriptor(int connection, int descriptor) {
  char byte = 0;
  struct iovec contents = {&byte, 1};
  struct msghdr message = {.msg_iov = &contents, .msg_iovlen = 1};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {0};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  return sendmsg(connection, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

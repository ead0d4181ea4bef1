/// A library whose constructor runs before the agent's and forks, as some libraries do to test for
/// crashes.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t _Fork(void);

__attribute__((constructor)) static void begin(void) {
  pid_t child = _Fork();
  if (child == 0) {
    _exit(7);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) {
    abort();
  }
}

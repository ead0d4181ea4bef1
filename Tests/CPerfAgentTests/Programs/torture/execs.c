/// Replaces itself repeatedly while its threads work.
///
/// The state is passed on the command line. A pending signal of the agent would kill the next
/// program.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "torture.h"

extern char **environ;

static void *work(void *argument) {
  for (;;) {
    CHECK(torture_mix((uint64_t)(uintptr_t)argument, 1000) != 0);
  }
}

/// Replaces the program; returns if that failed.
static void go_on(unsigned way, const char *path, char **words) {
  switch (way) {
    case 0: execv(path, words); break;
    case 1: execve(path, words, environ); break;
    case 2: execvp(path, words); break;
    case 3: execvpe(path, words, environ); break;
    case 4: execl(path, words[0], words[1], words[2], words[3], words[4], words[5], NULL); break;
    case 5: execlp(path, words[0], words[1], words[2], words[3], words[4], words[5], NULL); break;
    case 6:
      execle(path, words[0], words[1], words[2], words[3], words[4], words[5], NULL, environ);
      break;
    default: {
      int file = open(path, O_RDONLY | O_CLOEXEC);
      if (file >= 0) {
        fexecve(file, words, environ);
      }
      if (file >= 0) {
        close(file);
      }
    }
  }
}

/// Words: torture execs SECONDS ROUND END PROCESS; the last three from the second program on.
int torture_execs(void) {
  uint64_t round = 0;
  if (torture_words[3]) {
    round = strtoull(torture_words[3], NULL, 10);
    torture_end_ns = strtoull(torture_words[4], NULL, 10);
    CHECK(strtol(torture_words[5], NULL, 10) == getpid());
  }
  uint64_t expected = torture_mix(round, 100000);
  CHECK(torture_mix(round, 100000) == expected);
  if (!torture_goes_on()) {
    torture_say("rounds", (double)round);
    return 0;
  }
  if (round % 2) {
    torture_start(work, (void *)1, 0);
  }
  char next[24], end[24], process[24];
  snprintf(next, sizeof next, "%llu", (unsigned long long)round + 1);
  snprintf(end, sizeof end, "%llu", (unsigned long long)torture_end_ns);
  snprintf(process, sizeof process, "%d", (int)getpid());
  char *words[] = {torture_words[0], "execs", "0", next, end, process, NULL};
  unsigned way = (unsigned)(round % 8);
  // A failed exec changes nothing.
  if (round % 5 == 0) {
    go_on(way, "/nonexistent/nowhere", words);
    CHECK(errno == ENOENT || way == 7);
    CHECK(torture_mix(round, 100000) == expected);
  }
  go_on(way, "/proc/self/exe", words);
  CHECK(!"the next program began");
  return 1;
}

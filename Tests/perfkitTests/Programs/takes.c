/// Takes the sampling signal in the way that its argument names.
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
int main(int count, char **words) {
  volatile unsigned long x = 0;
  sigset_t set;
  if (strcmp(words[1], "own") == 0) {
    signal(SIGPROF, SIG_IGN);
  }
  for (long i = 0; i < 300000000; i++) {
    x += i;
  }
  sigemptyset(&set);
  sigaddset(&set, SIGPROF);
  if (strcmp(words[1], "ignore") == 0) {
    signal(SIGPROF, SIG_IGN);
  }
  if (strcmp(words[1], "read") == 0) {
    signalfd(-1, &set, 0);
  }
  for (long i = 0; i < 100000000; i++) {
    x += i;
  }
  return 0;
}

/// Forks a child whose first thread ends while another one outlives the parent.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void rest(long ms) {
  const struct timespec pause = {0, ms * 1000000};
  nanosleep(&pause, NULL);
}
static pid_t parent;
static void *behind(void *unused) {
  while (getppid() == parent) {
    rest(1);
  }
  rest(500);
  return unused;
}
int main(int count, char **words) {
  volatile long x = 0;
  for (long n = 0; n < 50000000; n++) {
    x += n;
  }
  parent = getpid();
  if (fork() != 0) {
    // So long there is somebody who follows the child.
    rest(100);
    return 0;
  }
  FILE *out = fopen(words[1], "w");
  fputs("ended", out);
  pthread_t thread;
  pthread_create(&thread, NULL, behind, NULL);
  pthread_exit(NULL);
}

/// Ends the first thread before the others, and reports the signal mask at the end.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static long work(long n) {
  volatile long x = 0;
  while (n--) {
    x += n;
  }
  return x;
}
static void *other(void *unused) {
  work(200000000);
  return unused;
}
static void end(void) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  printf("ended, %s\n", sigismember(&mask, SIGTERM) ? "blocked" : "open");
}
int main(int count, char **words) {
  pthread_t thread;
  atexit(end);
  if (count > 1) {
    pthread_create(&thread, NULL, other, NULL);
  }
  work(100000000);
  pthread_exit(NULL);
}

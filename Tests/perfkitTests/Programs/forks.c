/// Forks a child whose first thread ends before another one; with an argument after some work.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static long spin(long n) {
  volatile long x = 0;
  while (n--) {
    x += n;
  }
  return x;
}
static void *before(void *unused) {
  spin(100000000);
  return unused;
}
static void *behind(void *unused) {
  spin(400000000);
  printf("worked, ");
  return unused;
}
int main(int count, char **words) {
  pid_t child = fork();
  int status = 0;
  if (child != 0) {
    return waitpid(child, &status, 0) == child ? status : 3;
  }
  pthread_t thread;
  if (count > 1) {
    before(NULL);
  }
  pthread_create(&thread, NULL, behind, NULL);
  printf("began, ");
  pthread_exit(NULL);
}
__attribute__((destructor)) static void end(void) {
  printf("ended\n");
}

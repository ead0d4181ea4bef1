/// Works until SIGTERM, and then in another function; creates the file that its argument names when it works.
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t is_stopped;
static volatile unsigned long sum;

static void stop(int number) {
  (void)number;
  is_stopped = 1;
}

__attribute__((noinline)) static void work_on(void) {
  while (!is_stopped) {
    sum++;
  }
}

__attribute__((noinline)) static void finish_work(void) {
  for (long i = 0; i < 100000000; i++) {
    sum += i;
  }
}

int main(int count, char **words) {
  signal(SIGTERM, stop);
  FILE *mark = count > 1 ? fopen(words[1], "w") : NULL;
  if (mark != NULL) {
    fclose(mark);
  }
  work_on();
  finish_work();
  return 0;
}

// Dies by a signal, or handles it itself, as the first argument says.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long steps;

__attribute__((noinline)) static void inner(const char *way) {
  if (strcmp(way, "early") == 0) *(volatile int *)16 = 1;
  // Some samples, so that the launch has a profile as well.
  for (long i = 0; i < 50000000; i++) steps += i;
  if (strcmp(way, "segv") == 0 || strcmp(way, "own") == 0) *(volatile int *)16 = 1;
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "trap") == 0) __builtin_trap();
  if (strcmp(way, "raise") == 0) raise(SIGSEGV);
}

__attribute__((noinline)) static void outer(const char *way) {
  inner(way);
  steps++;
}

static void handle(int number) {
  (void)number;
  _exit(3);
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "segv";
  if (strcmp(way, "own") == 0) signal(SIGSEGV, handle);
  if (strcmp(way, "look") == 0) {
    struct sigaction action;
    sigaction(SIGSEGV, NULL, &action);
    return action.sa_handler == SIG_DFL && signal(SIGBUS, handle) == SIG_DFL ? 0 : 4;
  }
  outer(way);
  return 0;
}

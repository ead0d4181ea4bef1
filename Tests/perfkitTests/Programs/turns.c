/// Loads and unloads two libraries in turns; only one of them works.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
int main(int count, char **words) {
  const struct timespec pause = {0, 3000000};
  uintptr_t places[2] = {0, 0};
  for (int round = 0; round < 60; round++) {
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) {
      return 1;
    }
    places[0] = (uintptr_t)dlsym(library, "idle");
    nanosleep(&pause, NULL);
    dlclose(library);
    library = dlopen(words[2], RTLD_NOW);
    long (*work)(long) = library ? dlsym(library, "busy") : NULL;
    if (!work) {
      return 1;
    }
    places[1] = (uintptr_t)work;
    // Short stays, which come and go between two lists of modules, and long ones, which no
    // machine is too busy to list.
    work(round % 4 == 3 ? 100000000 : 10000000);
    dlclose(library);
  }
  // The one is where the other was, or this test tests nothing.
  return places[0] == places[1] ? 0 : 2;
}

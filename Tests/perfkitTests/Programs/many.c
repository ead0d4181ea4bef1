/// Loads as many libraries as its second argument says, and works in the last one.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  void *library = NULL;
  for (int index = 0; index < atoi(words[2]); index++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%d.so", words[1], index);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  long (*work)(long) = library ? dlsym(library, "last") : NULL;
  if (!work) {
    return 1;
  }
  work(1500000000);
  return 0;
}

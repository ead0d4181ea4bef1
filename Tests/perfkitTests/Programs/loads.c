/// Loads pairs of a library and a function, works in the function, and unloads the library.
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  for (int index = 1; index + 1 < count; index += 2) {
    void *library = dlopen(words[index], RTLD_NOW);
    long (*work)(long) = library ? dlsym(library, words[index + 1]) : NULL;
    if (!work) {
      return 1;
    }
    printf("%p\n", (void *)work);
    fflush(stdout);
    work(300000000);
    if (dlclose(library) != 0) {
      return 1;
    }
  }
  return 0;
}

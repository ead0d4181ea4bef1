// Works in a function of a library that only another namespace of the loader contains.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int main(int count, char **words) {
  void *library = count == 3 ? dlmopen(LM_ID_NEWLM, words[1], RTLD_NOW) : NULL;
  long (*work)(long) = library ? (long (*)(long))dlsym(library, words[2]) : NULL;
  return work ? (int)work(500000000) & 1 : 3;
}

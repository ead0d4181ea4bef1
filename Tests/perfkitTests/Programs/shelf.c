/// Copies a title in each of 200,000 operations; with an argument a second time, for another caller.
#include <stdlib.h>
static char *volatile title;
static volatile long books, shelves;
__attribute__((noinline)) static void copy_title(void) {
  title = malloc(64);
  free(title);
  title = NULL;
}
__attribute__((noinline)) static void read_book(void) {
  copy_title();
  books++;
}
__attribute__((noinline)) static void sort_shelf(void) {
  copy_title();
  shelves++;
}
int main(int count, char **words) {
  (void)words;
  for (int i = 0; i < 200000; i++) {
    read_book();
    if (count > 1) {
      sort_shelf();
    }
  }
  return 0;
}

/// A capture below std::sort with a comparison of its own, inlined into it or not.
#include <algorithm>
#include <vector>

#include "capture.h"

namespace shelves {
struct Book {
  int year;
  long pages;
};

struct ByYear {
  __attribute__((noinline)) bool operator()(const Book &a, const Book &b) const {
    static int calls;
    if (++calls == 40) {
      CAPTURE_HERE();
    }
    return a.year < b.year;
  }
};
}  // namespace shelves

int main() {
  capture_attach();
  std::vector<shelves::Book> books;
  for (int i = 0; i < 200; i++) {
    books.push_back({(i * 7919) % 1000, i});
  }
  std::sort(books.begin(), books.end(), shelves::ByYear());
  return books[0].year < 0;
}

/// Takes a sample in a constructor of the program's library.
#include "capture.h"

void begun(void) {
  capture_attach();
  CAPTURE_HERE();
}

int main(void) {
  return 0;
}

/// Takes a sample as a library of the program is made ready.
#include "capture.h"

void begun(void) {
  capture_attach();
  CAPTURE_HERE();
}

int main(void) { return 0; }

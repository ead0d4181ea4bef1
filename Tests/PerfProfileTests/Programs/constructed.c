/// A function of the program, called before the program starts.
void begun(void);

static volatile int sink;

__attribute__((constructor)) static void construct(void) {
  begun();
  sink += 1;  // not at the end, where a jump would take this function off the stack
}

/// Tiny, so that its caller spends as much time in the stub as here.
int tiny(int value) {
  return value + 1;
}

/// A library with a short function.
int tiny(int value) {
  return value + 1;
}

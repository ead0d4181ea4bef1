/// A library with a function that works; NAME is the function's name.
__attribute__((noinline)) long NAME(long n) {
  volatile long x = 0;
  while (n--) {
    x += n;
  }
  return x;
}

#if defined(ROUNDS)
int main(void) {
  return (int)NAME(ROUNDS) & 1;
}
#endif

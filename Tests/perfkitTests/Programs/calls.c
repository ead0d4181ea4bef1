/// Calls a function of a library through its stub.
int tiny(int value);
int main(void) {
  int sum = 0;
  for (long i = 0; i < 300000000; i++) {
    sum = tiny(sum);
  }
  return sum == 0;
}

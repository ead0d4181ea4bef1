static volatile unsigned long sum;
__attribute__((noinline)) static void work(long rounds) {
  for (long i = 0; i < rounds; i++) {
    sum += i * i;
  }
}
int main(void) {
  for (int k = 0; k < 300; k++) {
    work(1000000);
  }
  return 0;
}

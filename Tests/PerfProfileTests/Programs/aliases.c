// Functions with additional names, as the C library has them for internal calls.

#define CALLED_BY_ITSELF(function)                                                                 \
  extern __typeof(function) __GI_##function                                                        \
      __attribute__((alias(#function), visibility("hidden")));                                     \
  extern __typeof(function) __GI___##function                                                      \
      __attribute__((alias(#function), visibility("hidden")))

__attribute__((noinline, visibility("default"))) long exported(long n) {
  volatile long x = n;
  return x;
}
CALLED_BY_ITSELF(exported);

static __attribute__((noinline, used)) long inner(long n) {
  volatile long x = n + 1;
  return x;
}
CALLED_BY_ITSELF(inner);

int main(void) {
  return (int)(__GI_exported(1) + __GI_inner(2)) == 4 ? 0 : 1;
}

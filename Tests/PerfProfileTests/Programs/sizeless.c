/// Assembly without the size of its function, and a function right after it.
__asm__(".text\n"
        ".globl sizeless\n"
        ".type sizeless, @function\n"
        "sizeless:\n nop\n ret\n");
void sizeless(void);

__attribute__((noinline, used)) static int hidden(volatile int *value) {
  return *value * 3;
}

int main(void) {
  volatile int value = 1;
  sizeless();
  return hidden(&value) - 3;
}

/// The functions of stacks.c with missing or unusual unwind information; x86-64 only.

#if defined(__x86_64__)
/// Functions as the Swift compiler writes them without unwind information: one with a frame pointer
/// that ends in a jump, one that only aligns the stack, and a leaf.
__asm__(".text\n"
        ".type framed_bare, @function\n"
        "framed_bare:\n push %rbp\n mov %rsp, %rbp\n push %r15\n push %rbx\n sub $32, %rsp\n"
        " mov %rdi, %rbx\n mov $7, %r15d\n call aligned_bare\n.Lbehind_call:\n add %rbx, %rax\n"
        " add $32, %rsp\n pop %rbx\n pop %r15\n pop %rbp\n jmp leaf_bare\n"
        ".size framed_bare, . - framed_bare\n"
        ".type aligned_bare, @function\n"
        "aligned_bare:\n push %rax\n call leaf_bare\n pop %rcx\n ret\n"
        ".size aligned_bare, . - aligned_bare\n"
        ".type leaf_bare, @function\n"
        "leaf_bare:\n mov %rdi, %rax\n add $1, %rax\n ret\n"
        ".size leaf_bare, . - leaf_bare\n");
int framed_bare(int value);

/// A signal trampoline as in the C library: its unwind information starts one byte before it. The
/// stack pointer, which is the canonical frame address, and the registers are in the context that
/// it points to, at 40 and 8 for each of ucontext.h's numbers: DW_CFA_def_cfa_expression and
/// DW_CFA_expression of DW_OP_breg7.
#define RESTORED(number, low, high) " .cfi_escape 0x10, " #number ", 3, 0x77, " #low ", " #high "\n"
__asm__(".text\n"
        ".type before_restore, @function\n"
        "before_restore:\n ret\n"
        " .cfi_startproc simple\n .cfi_signal_frame\n .cfi_escape 0x0f, 4, 0x77, 0xa0, 1, "
        "0x06\n" RESTORED(3, 0x80, 1) RESTORED(6, 0xf8, 0) RESTORED(12, 0xc8, 0)
            RESTORED(13, 0xd0, 0) RESTORED(14, 0xd8, 0) RESTORED(15, 0xe0, 0)
                RESTORED(16, 0xa8, 1) " nop\n"
                                      ".size before_restore, . - before_restore\n"
                                      ".type restore, @function\n"
                                      "restore:\n mov $15, %rax\n syscall\n .cfi_endproc\n"
                                      ".size restore, . - restore\n");
void restore(void);

APART void restored(void) {
  // The kernel's structure: handler, SA_RESTORER, trampoline and no blocked signals.
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } action = {handle, 0x04000000, restore, 0};
  syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, sizeof action.mask);
  raise(SIGUSR1);
  sink += 1;
}

/// A function that pops what it pushed and continues in one that pushes another register there, and
/// one that says nothing of its pop, like the functions of LLVM; only that register determines the
/// caller's frame.
__asm__(".text\n"
        ".type based, @function\n"
        "based:\n .cfi_startproc\n push %rbx\n .cfi_def_cfa_offset 16\n .cfi_offset %rbx, -16\n"
        " mov %rsp, %rbx\n .cfi_def_cfa_register %rbx\n call reusing_bare\n call popping\n"
        " pop %rbx\n .cfi_def_cfa %rsp, 8\n .cfi_restore %rbx\n ret\n .cfi_endproc\n"
        ".size based, . - based\n"
        ".type reusing_bare, @function\n"
        "reusing_bare:\n push %r14\n mov %rdi, %r14\n pop %r14\n jmp pushing_bare\n"
        ".size reusing_bare, . - reusing_bare\n"
        ".type pushing_bare, @function\n"
        "pushing_bare:\n push %rbx\n mov %rdi, %rbx\n mov %rbx, %rax\n pop %rbx\n ret\n"
        ".size pushing_bare, . - pushing_bare\n"
        ".type popping, @function\n"
        "popping:\n .cfi_startproc\n push %rbx\n .cfi_def_cfa_offset 16\n .cfi_offset %rbx, -16\n"
        " mov %rdi, %rbx\n mov %rbx, %rax\n pop %rbx\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n"
        ".size popping, . - popping\n");
int based(int value);

/// Functions that call a function which never returns. After the call follow the next function and
/// the path of those without stack; the word where a wrong return address would be found follows a
/// call.
__asm__(".text\n"
        ".type leaving, @function\n"
        "leaving:\n .cfi_startproc\n add $32, %rsp\n ret\n .cfi_endproc\n"
        ".size leaving, . - leaving\n"
        ".type ending_bare, @function\n"
        "ending_bare:\n sub $24, %rsp\n lea .Lbehind_call(%rip), %rax\n mov %rax, (%rsp)\n"
        " call leaving\n"
        ".size ending_bare, . - ending_bare\n"
        ".type behind_bare, @function\n"
        "behind_bare:\n mov %rdi, %rax\n ret\n"
        ".size behind_bare, . - behind_bare\n"
        ".type parting_bare, @function\n"
        "parting_bare:\n sub $24, %rsp\n lea .Lbehind_call(%rip), %rax\n mov %rax, (%rsp)\n"
        " test %rdi, %rdi\n jne 1f\n call leaving\n2:\n mov %rdi, %rax\n ret\n"
        "1:\n add $24, %rsp\n jmp 2b\n"
        ".size parting_bare, . - parting_bare\n");
int ending_bare(int value);
int parting_bare(int value);

/// Stripped assembly like the vector code of libjpeg-turbo: it has neither unwind information nor a
/// symbol (`.L` keeps it out of the table), and stores the old stack pointer at the aligned
/// address.
__asm__(".text\n"
        ".size before_vector, 1\n"
        "before_vector:\n nop\n"
        ".p2align 4\n"
        ".Lvector:\n push %rbp\n mov %rsp, %rax\n sub $4, %rsp\n and $-32, %rsp\n"
        " mov %rax, (%rsp)\n mov %rsp, %rbp\n sub $32, %rsp\n"
        " mov %rdi, -8(%rbp)\n mov -8(%rbp), %rcx\n add %rcx, %rcx\n"
        " mov %rcx, %rax\n mov %rbp, %rsp\n pop %rsp\n pop %rbp\n ret\n"
        ".p2align 4\n"
        ".Lplain:\n push %rbp\n mov %rsp, %rax\n mov %rsp, %rbp\n"
        " mov %rdi, -8(%rbp)\n mov -8(%rbp), %rax\n pop %rbp\n ret\n"
        ".data\n"
        "vector: .quad .Lvector\n"
        "plain: .quad .Lplain\n"
        ".text\n");
extern int (*vector)(int value);
extern int (*plain)(int value);

/// Leaves return addresses at two places that the next function never writes; the alignment of the
/// stack decides which one is right above its rbp.
__asm__(".text\n"
        ".type litter, @function\n"
        "litter:\n .cfi_startproc\n sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n call leaf_bare\n"
        " sub $16, %rsp\n .cfi_adjust_cfa_offset 16\n call leaf_bare\n"
        " add $24, %rsp\n .cfi_adjust_cfa_offset -24\n ret\n .cfi_endproc\n"
        ".size litter, . - litter\n");
int litter(int value);

APART void stripped(void) {
  capture_step(1);
  CAPTURE_HERE();
  sink = litter(3);
  sink = vector(3);
  sink = plain(3);
  capture_step(0);
  sink += 1;
}

// The jump is written as bytes, because the assembler would make it short; linkers make long ones.
__asm__(".text\n"
        ".type chooser, @function\n"
        "chooser:\n .cfi_startproc\n mov $3, %edi\n .byte 0xe9\n .long .Lvector - . - 4\n"
        " .cfi_endproc\n"
        ".size chooser, . - chooser\n");

/// The same by a call of a function that jumps there, and by a call with a fixed target.
APART void stripped_direct(void) {
  capture_step(1);
  CAPTURE_HERE();
  int value;
  __asm__ volatile("mov $3, %%edi\n call .Lvector" : "=a"(value)::"rcx", "rdi", "memory", "cc");
  sink = value;
  __asm__ volatile("call chooser" : "=a"(value)::"rcx", "rdi", "memory", "cc");
  sink = value;
  capture_step(0);
  sink += 1;
}

/// Functions that the compiler adds to every program without unwind information: frame_dummy,
/// __do_global_dtors_aux and their callees, and both ends of the sections .init and .fini.
extern void (*__init_array_start[])(void), (*__fini_array_start[])(void);
void _init(void);
void _fini(void);

APART void ended(void) {
  capture_step(1);
  CAPTURE_HERE();
  __init_array_start[0]();
  __fini_array_start[0]();
  _init();
  _fini();
  capture_step(0);
  sink += 1;
}

/// The first call of a library function, which must be resolved, and the second.
APART void called(void) {
  capture_step(1);
  CAPTURE_HERE();
  sink = tiny(3);
  sink = tiny(4);
  capture_step(0);
  sink += 1;
}

/// The canonical frame address is an expression that jumps back to its start:
/// DW_CFA_def_cfa_expression of three bytes, DW_OP_skip by -3.
__asm__(".text\n"
        ".type endless, @function\n"
        "endless:\n .cfi_startproc\n .cfi_escape 0x0f, 0x03, 0x2f, 0xfd, 0xff\n int3\n ret\n"
        " .cfi_endproc\n"
        ".size endless, . - endless\n");
void endless(void);

/// The smallest number divided by -1: DW_OP_const8u, DW_OP_consts, DW_OP_div.
__asm__(".text\n"
        ".type dividing, @function\n"
        "dividing:\n .cfi_startproc\n"
        " .cfi_escape 0x0f, 0x0c, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x11, 0x7f, 0x1b\n int3\n ret\n"
        " .cfi_endproc\n"
        ".size dividing, . - dividing\n");
void dividing(void);

/// The same in bytes that only a jump reaches: the operand of DW_OP_const1u, after DW_OP_skip by 1.
__asm__(
    ".text\n"
    ".type hiding, @function\n"
    "hiding:\n .cfi_startproc\n"
    " .cfi_escape 0x0f, 0x10, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x11, 0x7f, 0x2f, 1, 0, 0x08, 0x1b\n"
    " int3\n ret\n .cfi_endproc\n"
    ".size hiding, . - hiding\n");
void hiding(void);

/// Its rbx is in register 2^31 - 1: DW_CFA_register.
__asm__(".text\n"
        ".type misplacing, @function\n"
        "misplacing:\n .cfi_startproc\n"
        " .cfi_escape 0x09, 0x03, 0xff, 0xff, 0xff, 0xff, 0x07\n int3\n ret\n .cfi_endproc\n"
        ".size misplacing, . - misplacing\n");
void misplacing(void);

/// Its return address is in register 200.
__asm__(".text\n"
        ".type returning, @function\n"
        "returning:\n .cfi_startproc\n .cfi_return_column 200\n int3\n ret\n .cfi_endproc\n"
        ".size returning, . - returning\n");
void returning(void);

APART void stepped(void) {
  capture_step(1);
  CAPTURE_HERE();
  sink = framed_bare(3);
  sink = based(3);
  capture_step(0);
  sink += 1;  // not at the end, where a jump would take this function off the stack
}

APART void unreturned(void) {
  capture_step(1);
  CAPTURE_HERE();
  sink = ending_bare(3);
  sink = parting_bare(3);
  capture_step(0);
  sink += 1;
}
#else
APART void called(void) {
  sink = tiny(3);
}
APART void restored(void) {}
APART void stepped(void) {}
APART void unreturned(void) {}
APART void ended(void) {}
APART void endless(void) {}
APART void dividing(void) {}
APART void hiding(void) {}
APART void misplacing(void) {}
APART void returning(void) {}
APART void stripped(void) {}
APART void stripped_direct(void) {}
#endif

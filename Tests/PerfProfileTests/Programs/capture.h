/// A stand-in for the agent: it writes the calling thread's registers and stack into the segment at
/// each trap instruction, so that a test knows the expected stack exactly.
#ifndef CAPTURE_H
#define CAPTURE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Attaches to the segment and writes the list of modules. Ends the process on failure.
void capture_attach(void);
/// Writes the list of modules again, as after a dlopen.
void capture_modules(void);
/// From now on samples timer ticks in code of the kernel's page, and returns whether one has
/// happened.
void capture_vdso_begin(void);
int capture_vdso_done(void);
/// After the next trap, samples at each instruction until it is switched off; x86-64 only.
void capture_step(int on);
/// Limits the copied stack to `bytes`.
void capture_limit(unsigned bytes);

#if defined(__aarch64__)
#define CAPTURE_HERE() __asm__ volatile("brk #0" ::: "memory")
#else
#define CAPTURE_HERE() __asm__ volatile("int3" ::: "memory")
#endif

#ifdef __cplusplus
}
#endif

#endif

/// A stand-in for the agent: dumps the calling thread's registers and stack into the segment at
/// each trap instruction, so that a test knows exactly which stack it is to find.
#ifndef CAPTURE_H
#define CAPTURE_H

#ifdef __cplusplus
extern "C" {
#endif

/// Attaches to the segment and writes the list of modules. Ends the process when it cannot.
void capture_attach(void);
/// Writes the list of modules again, as after a dlopen.
void capture_modules(void);
/// Samples on timer ticks from now on, those that meet code of the kernel's page only, and returns
/// whether one has met it.
void capture_vdso_begin(void);
int capture_vdso_done(void);
/// From the next trap on, samples at each single instruction until it is switched off; x86-64 only.
void capture_step(int on);
/// Pretends that only `bytes` of the stack can be copied.
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

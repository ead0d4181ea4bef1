/// The system calls of event loops and waits, some of which Swift's Glibc module lacks.
#ifndef CEVENTLOOP_H
#define CEVENTLOOP_H

/// Makes each call of libdispatch's event loop and of PerfKit's waits, also for children, once.
///
/// Returns the kernel's name of the first call that fails, and sets the error number; NULL if all
/// succeed. Takes some microseconds and leaves no descriptor.
const char *_Nullable ceventloop_failing_call(int *_Nonnull error);

#endif

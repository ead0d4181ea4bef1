/// The system calls of event loops, which Swift's Glibc module lacks in part.
#ifndef CEVENTLOOP_H
#define CEVENTLOOP_H

/// Makes each call of libdispatch's event loop and of PerfKit's waits once.
///
/// Returns the kernel's name of the first call that fails, and sets the error number; NULL if all
/// succeed. Takes some microseconds and leaves no descriptor.
const char *_Nullable ceventloop_failing_call(int *_Nonnull error);

#endif

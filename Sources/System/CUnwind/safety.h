/// Checks unwind information before libunwind evaluates it.
///
/// libunwind does not check it: a division of the smallest number by -1 or an unknown register ends
/// the process by a signal, and a jump leads to unchecked bytes. Compilers write none of these.
/// Formats: DWARF 5, 6.4.2 and 7.7.1.
#ifndef CUNWIND_SAFETY_H
#define CUNWIND_SAFETY_H

#include "eh_frame.h"

/// Returns whether libunwind can safely evaluate the unwind information of an address of `module`'s
/// code.
///
/// Returns false if there is none or compilers do not write its form. `get_bytes` must
/// return the bytes that libunwind reads.
bool cunwind_is_safe(const struct cunwind_module *_Nonnull module, uint64_t code,
                     cunwind_get_bytes _Nonnull get_bytes, void *_Nonnull context);

#endif

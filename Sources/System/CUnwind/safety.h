/// What libunwind may be given to evaluate.
///
/// It believes what unwind information says. The smallest number divided by -1 ends the process by a
/// signal, so does a register that there is not, and a jump leads to bytes that nobody has looked at.
/// Compilers write nothing of this. The formats are those of DWARF 5, 6.4.2 and 7.7.1.
#ifndef CUNWIND_SAFETY_H
#define CUNWIND_SAFETY_H

#include "eh_frame.h"

/// Whether libunwind can evaluate the unwind information of an address of `module`'s code.
///
/// False as well where there is none, and where it is of a form that compilers do not write.
/// `get_bytes` must give the bytes that libunwind reads.
bool cunwind_is_safe(const struct cunwind_module *_Nonnull module, uint64_t code,
                     cunwind_get_bytes _Nonnull get_bytes, void *_Nonnull context);

#endif

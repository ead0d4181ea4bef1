/// Paths and build ids of loaded modules.
#ifndef PERF_AGENT_MODULES_H
#define PERF_AGENT_MODULES_H

#include <link.h>

#include "core.h"

/// Copies a module's build id, the linker's note of its contents, and returns its bytes; 0 if there
/// is none.
uint32_t perf_agent_find_build_id(const struct dl_phdr_info *_Nonnull info,
                                  uint8_t id[_Nonnull PERFKIT_BUILD_ID_MAX]);
/// Returns the path of the file that is mapped at an address of the program; empty if it is
/// unknown. The ticker.
const char *_Nonnull perf_agent_program_path(uint64_t address);

#endif

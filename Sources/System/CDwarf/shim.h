// elfutils: debug information (libdw) and ELF files in memory (libelf).
#pragma once
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

// elfutils: debug information (libdw).
#pragma once
#include <dwarf.h>
#include <elfutils/libdw.h>

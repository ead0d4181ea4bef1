#ifndef CPOSTGRES_SHIM_H
#define CPOSTGRES_SHIM_H
// Debian's folder is known to pkg-config alone.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
#endif

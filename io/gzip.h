// Files packed by gzip (RFC 1952): x.vtu.gz is read as x.vtu.
#ifndef SNAG_IO_GZIP_H
#define SNAG_IO_GZIP_H

#include "bounds.h"

// Where source->name ends in ".gz": unpacks its data, which *unpacked then holds until the caller frees it, and lets the source
// show it. Else it does nothing. What a file becomes is bounded by the limits of its reading.
snag_status snag__gzip_open(snag__source *source, char **unpacked);

#endif

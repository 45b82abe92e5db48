// Gzip-compressed files (RFC 1952): x.vtu.gz is read as x.vtu.
#ifndef SNAG_IO_GZIP_H
#define SNAG_IO_GZIP_H

#include "bounds.h"

// If source->name ends in ".gz", unpacks its data into *unpacked, which the caller frees, and points the source to it.
// Otherwise does nothing. The limits of the reading bound the unpacked size.
snag_status snag__gzip_open(snag__source *source, char **unpacked);

#endif

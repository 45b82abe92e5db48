// Groups of elements that become bodies of their own (snag_io_read_options.split).
#ifndef SNAG_IO_GROUPS_H
#define SNAG_IO_GROUPS_H

#include "mesh.h"

// Whether elements are to be split in this way, so that the reader says which group they belong to.
bool snag__builder_splits(const snag__builder *builder, snag_io_split split);

// What follows belongs to the group of this name, in a file whose elements are split so; length 0: to none.
snag_status snag__builder_group(snag__builder *builder, const char *name, size_t length);

// At the end: makes an object of each group, or of what hangs together. Groups that share vertices get vertices of their own.
snag_status snag__builder_split(snag__builder *builder, const snag__source *source);

#endif

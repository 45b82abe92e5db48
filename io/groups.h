// Element groups that become bodies (snag_io_read_options.split).
#ifndef SNAG_IO_GROUPS_H
#define SNAG_IO_GROUPS_H

#include "mesh.h"

// Whether elements are split or labelled in this way; the reader must then report the group of each.
bool snag__builder_groups_by(const snag__builder *builder, snag_io_split split);
// Whether elements are split in this way.
bool snag__builder_splits(const snag__builder *builder, snag_io_split split);

// The following elements belong to the group with this name, if the file is split in this way; length 0: no group.
snag_status snag__builder_group(snag__builder *builder, const char *name, size_t length);

// Call at the end, before split: keeps the group of each element as its label, if labels are asked for.
snag_status snag__builder_label(snag__builder *builder, const snag__source *source);

// Call at the end: makes each group, or each connected component, an object. Groups that share vertices get copies.
snag_status snag__builder_split(snag__builder *builder, const snag__source *source);

#endif

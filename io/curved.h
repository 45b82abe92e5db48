// Cells of second order, cut at their mid-nodes (snag_io_read_options.curved).
#ifndef SNAG_IO_CURVED_H
#define SNAG_IO_CURVED_H

#include "cells.h"

// Adds a cell of second order cut at its mid-nodes, and says so in *done; a cell without mid-nodes, of a higher order or in an unknown order of
// nodes is not added. All vertices must exist.
snag_status snag__curved_cell(snag__builder *builder, snag__cell kind, snag__node_order order, const uint32_t *nodes, size_t count,
                              bool *done);

// Adds a polygon as triangles: mids[i] is on the side after corners[i], or SNAG__NO_NODE.
snag_status snag__curved_polygon(snag__builder *builder, const uint32_t *corners, const uint32_t *mids, size_t count,
                                 uint32_t centre);

#endif

// Which parts of surfaces a search of `regularity` looked at, to draw them (Fig. 8 to 10 of the paper).
#ifndef SNAG_METHOD_REGULARITY_VISITS_H
#define SNAG_METHOD_REGULARITY_VISITS_H

#include "bound/surface_tree.h"
#include "query/kind.h"

// Lists the smallest patch that was looked at for every triangle, in ask->lab. `looked`: by patch of all trees, one after the other from
// first_patch on.
snag_status snag__patch_visits_list(snag__ask *ask, snag__buffer *memory, const snag__surface_tree *trees,
                                    const uint32_t *first_patch, const uint8_t *looked);

#endif

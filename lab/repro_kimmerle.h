// Experiments of the active pairs paper, in three files: repro_kimmerle.c has the paper itself, repro_kimmerle_walk.c the catwalk,
// repro_kimmerle_plain.c the parameters that only a plain implementation of the paper has.
#ifndef SNAG_LAB_REPRO_KIMMERLE_H
#define SNAG_LAB_REPRO_KIMMERLE_H

#include "papers/garment_runs.h"
#include "repro.h"

// Three cells: milliseconds of a step in all, of the update, and of finding overlapping volumes.
void kimmerle_put_stages(page *p, const figure_run *run, int steps);

// Table 3 and Figure 6.
int kimmerle_catwalk(repro *r);
// Section 5: triangles in a leaf.
int kimmerle_leaves(repro *r);
// Section 3: the recursive search of clusters of earlier work.
int kimmerle_clusters(repro *r);

#endif

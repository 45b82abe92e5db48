// Two experiments of Kimmerle, Nesme, Faure 2004 that need a plain implementation of the paper.
#ifndef SNAG_LAB_REPRO_KIMMERLE_PLAIN_H
#define SNAG_LAB_REPRO_KIMMERLE_PLAIN_H

#include "repro.h"

// Leaf size; recursive search of clusters.
int kimmerle_leaves(repro *r);
int kimmerle_clusters(repro *r);

#endif

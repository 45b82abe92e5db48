// Element types of Gmsh by their numbers.
#ifndef SNAG_IO_MSH_TYPES_H
#define SNAG_IO_MSH_TYPES_H

#include "cells.h"

// Nodes of an element, 0 for an unknown type: needed to step over it in a binary file.
size_t snag__msh_nodes_of_type(int64_t type);
// Elements of every order begin with their corners.
snag__cell snag__msh_kind_of_type(int64_t type);
int64_t snag__msh_dimension_of_type(int64_t type);

#endif

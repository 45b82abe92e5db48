// Gmsh element types, by number.
#ifndef SNAG_IO_MSH_TYPES_H
#define SNAG_IO_MSH_TYPES_H

#include "cells.h"

// Number of nodes of an element, needed to skip it in a binary file; 0: unknown type.
size_t snag__msh_nodes_of_type(int64_t type);
// Elements of every order list their corners first.
snag__cell snag__msh_kind_of_type(int64_t type);
int64_t snag__msh_dimension_of_type(int64_t type);

#endif

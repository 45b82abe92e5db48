// Figures of the papers as files for ParaView, beside the page: FOLDER/figures/NAME.vtu.
#ifndef SNAG_LAB_FIGURES_H
#define SNAG_LAB_FIGURES_H

#include "page.h"
#include "repro.h"
#include "snag/lab.h"

// Spheres as icosahedra with the fields `body`, `depth` and `leaf`. EXIT_CLEAN, or EXIT_ERROR after saying why.
int figure_write_spheres(const repro *r, const char *name, const snag_tree_sphere *spheres, size_t count);
// A surface with a number for each triangle.
int figure_write_surface(const repro *r, const char *name, const page_surface *surface, size_t vertex_count, const char *field,
                         const int32_t *values);

#endif

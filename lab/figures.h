// Figures of the papers: panels of a picture on the page, and files for ParaView beside it, FOLDER/figures/NAME.vtu.
#ifndef SNAG_LAB_FIGURES_H
#define SNAG_LAB_FIGURES_H

#include "page.h"
#include "repro.h"
#include "snag/lab.h"
#include "snag/shapes.h"
#include "snag/sim.h"

// Makes FOLDER/figures and sees whether files can be made in it: to be called before the first figure is written.
int figure_check_folder(const char *out, words *w);

// The bodies of a simulation as they are now, each in its colour.
void figure_panel_sim(const repro *r, const char *title, const snag_sim *sim);
// Tetrahedral shapes, each in its colour. EXIT_CLEAN, or EXIT_ERROR after saying that memory is out.
int figure_panel_tets(const repro *r, const char *title, const snag_shape *const *shapes, size_t count);

// Spheres as icosahedra with the fields `body`, `depth` and `leaf`. EXIT_CLEAN, or EXIT_ERROR after saying why.
int figure_write_spheres(const repro *r, const char *name, const snag_tree_sphere *spheres, size_t count);
// A surface with a number for each triangle.
int figure_write_surface(const repro *r, const char *name, const page_surface *surface, size_t vertex_count, const char *field,
                         const int32_t *values);

#endif

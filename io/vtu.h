// Pieces of VTK XML files.
#ifndef SNAG_IO_VTU_H
#define SNAG_IO_VTU_H

#include "mesh.h"

// Adds all pieces of a VTU or VTP file. `parallel`: the pieces are parts of one mesh, so they do not become objects, and
// ghost cells are skipped.
snag_status snag__vtu_pieces(const snag__source *source, bool parallel, snag__builder *builder);

#endif

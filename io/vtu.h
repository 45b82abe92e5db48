// Pieces of VTK's XML files.
#ifndef SNAG_IO_VTU_H
#define SNAG_IO_VTU_H

#include "mesh.h"

// Adds all pieces of a VTU or VTP file. `parallel`: they are parts of one mesh, so that they are no objects, and cells that another
// part holds as well are passed over.
snag_status snag__vtu_pieces(const snag__source *source, bool parallel, snag__builder *builder);

#endif

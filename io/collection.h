// Lists of VTK's XML files: PVTU and PVTP name the parts of one mesh, PVD the files of each time step.
#ifndef SNAG_IO_COLLECTION_H
#define SNAG_IO_COLLECTION_H

#include "mesh.h"

// A file that a list names, with its time; of PVTU and PVTP all have the same.
typedef struct snag__listed {
    char *path;  // from the folder of the list
    double time;
} snag__listed;

// The files that a list names, in the order of their times and then of the list. To be given back by snag__collection_free.
snag_status snag__collection_read(const snag__source *source, snag__listed **files, size_t *count);
void snag__collection_free(snag__listed *files, size_t count);

#endif

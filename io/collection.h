// VTK XML files that list other files: PVTU and PVTP list the parts of one mesh, PVD the files of each time step.
#ifndef SNAG_IO_COLLECTION_H
#define SNAG_IO_COLLECTION_H

#include "mesh.h"

// A listed file with its time; in PVTU and PVTP all times are equal.
typedef struct snag__listed {
    char *path;  // with the folder of the list
    double time;
} snag__listed;

// The listed files, sorted by time, then in the order of the list. Free with snag__collection_free.
snag_status snag__collection_read(const snag__source *source, snag__listed **files, size_t *count);
void snag__collection_free(snag__listed *files, size_t count);

#endif

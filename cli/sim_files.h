// Output files of a simulation: a folder with a mesh file and a cache for each body, or one cache of all bodies with a mesh file
// beside it. Of a scene that tears or cuts bodies, whose triangles change: a folder with a mesh file for each frame.
#ifndef SNAG_CLI_SIM_FILES_H
#define SNAG_CLI_SIM_FILES_H

#include "demo_folder.h"
#include "snag/io.h"
#include "snag/sim.h"

typedef struct sim_files {
    demo_folder folder;  // the files written; its path is the folder or the cache file
    bool one_cache;
    snag_io_pc2 **caches;  // one for each body, or one
    size_t cache_count;
    float *xyz;  // of all bodies
    size_t vertex_count;
    size_t mesh_count, meshes_written;  // mesh files, if there is one for each frame
} sim_files;

// Writes the mesh at its current positions and opens the caches. `frames` not 0: as many mesh files instead, written later. On failure prints the reason; close in any case.
int sim_files_open(sim_files *files, const char *out, const snag_sim *sim, size_t frames, words *w);
// Writes the current positions as a frame.
int sim_files_write(sim_files *files, const snag_sim *sim, words *w);
// `keep` false: the caches are removed; mesh files stay.
int sim_files_close(sim_files *files, bool keep, words *w);

#endif

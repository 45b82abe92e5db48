// snag fix: the frames that were fixed, what is said about them, and the files they are written to.
#ifndef SNAG_CLI_FIX_H
#define SNAG_CLI_FIX_H

#include "scene.h"
#include "snag/response.h"

// The outcome of one frame.
typedef struct fixed_frame {
    size_t frame;
    snag_fix_report report;  // its places are `places`
    snag_fix_place *places;
    uint32_t (*bodies)[2];  // by place: the two bodies, in the order of the scene
    size_t unrounded;  // contacts before positions were rounded to floats; only with `rounded`
    bool rounded;  // something is left, and the output stores floats
} fixed_frame;

typedef struct fix_run {
    const options *o;
    words *w;
    scene scene;
    snag_world *world;
    snag_response *response;
    bool *pinned, *rigid;  // by body
    snag_body_id *rigid_ids;
    size_t rigid_count;
    snag_response_body *bodies;  // by body, with arrays of their own
    double **start;  // by body: the positions of the frame
    double **change;  // by body: how the last frame was changed; faded in each frame
    double **ones;  // by body: inverse masses; NULL for pinned ones
    uint32_t **welded;  // by body: the vertex whose position each has; NULL: not welded
    size_t body_count;
    bool single;  // the output stores floats
    fixed_frame *frames;
    size_t frame_count, frame_capacity;
    size_t inverted;  // tetrahedra that were turned over, in all frames
    bool stopped;  // --limit
} fix_run;

// ---- fix.c ----

// Puts the bodies of the world where run->bodies are; `at_start`: where the input has them.
int fix_place(fix_run *run, bool at_start);
// Counts the intersections of a world.
int fix_count(const fix_run *run, snag_world *world, size_t *count);

// ---- fix_files.c: the output ----

typedef enum fix_form { FIX_MESH, FIX_CACHE, FIX_FOLDER } fix_form;

typedef struct fix_files {
    fix_form form;
    const char *out;
    bool numbered;  // several frames: FILE_0000.obj
    char **made, **wanted;  // files under temporary names, and the names they get
    size_t count, capacity;
    snag_io_pc2 **caches;  // by body, or one
    size_t cache_count;
    float *xyz;  // of all bodies
} fix_files;

// Whether files of this name store floats.
bool fix_files_are_floats(const char *out);
// Refuses names that cannot be written or would overwrite an input. On failure prints the reason; close in any case.
int fix_files_open(fix_files *files, fix_run *run, size_t frames);
// Writes the positions of run->bodies as a frame; the first gives the mesh beside caches.
int fix_files_write(fix_files *files, fix_run *run, size_t frame);
// Reads everything back, compares its intersections with the reports, and gives the files their names. With `keep` false nothing is left of
// them. The wanted names stay until fix_files_free.
int fix_files_close(fix_files *files, fix_run *run, bool keep);
void fix_files_free(fix_files *files);

// ---- fix_words.c: text and JSON ----

void fix_print(const fix_run *run, const fix_files *files);
void fix_print_json(const fix_run *run, const fix_files *files);

#endif

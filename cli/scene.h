// Turns inputs into bodies and frames: which files are bodies, what moves them, and the positions in each frame. Positions are
// read one frame at a time and not kept.
#ifndef SNAG_CLI_SCENE_H
#define SNAG_CLI_SCENE_H

#include "options.h"
#include "snag/io.h"
#include "words.h"

#define SCENE_NONE SIZE_MAX

typedef struct scene_file {
    char *path;
    snag_io_mesh mesh;  // of an animated file: owned by the motion
    snag_io_motion *motion;  // NULL: the file has no animation
    size_t animation;  // which one is played
    size_t frame_count;  // of the motion; at least 1
    const double *times;  // of the frames of a result file, owned by the motion; NULL: by the rate
    double begin;  // time of the first frame
    double rate;  // frames per second
    bool on_disk;  // a .snag file of blocks, which stays on disk
    snag_io_chunked *chunked;  // of such a file, until a world owns it
} scene_file;

typedef struct scene_cache {
    char *path;
    snag_io_cache *cache;
    size_t vertex_count, frame_count;
    size_t held_count;  // frames in the file; fewer than frame_count: truncated
    float *xyz;  // the frame read last
} scene_cache;

// What a body is made of.
typedef struct scene_kinds {
    bool faces, tets, thin;  // thin: rods or points
} scene_kinds;

typedef struct scene_body {
    char *name;  // unique: "cloth", "cloth.2"
    size_t file;
    const snag_io_body *source;
    size_t cache;  // SCENE_NONE: static
    bool whole_file;  // the cache has the vertices of the whole file, not only this body's
    float *gathered;  // this body's part of such a cache
    double *posed;  // positions from the file's own animation
    snag_positions now;  // positions since the last scene_go or scene_visit
    double radius;  // half of --thickness
    scene_kinds later;  // of a body that only later frames have: what it is made of where it first appears
    snag_body_id id;  // once added to a world
    snag_body_info info;
} scene_body;

typedef struct scene {
    const options *options;  // options it was opened with
    scene_file *files;
    size_t file_count, file_capacity;
    scene_cache *caches;
    size_t cache_count, cache_capacity;
    scene_body *bodies;
    size_t body_count, body_capacity;
    size_t own_count;  // bodies of the first frame of a sequence; those after them are first in later frames
    char **frame_paths;  // --sequence: the mesh file of each frame
    size_t frame_path_count;
    size_t reference;  // the frame that is files[0]: the first readable one, whose faces all others must have
    snag_io_mesh frame_mesh;  // the frame read last
    // The faces may change between frames. The bodies' sources are then in this mesh; else in files[0].
    snag_io_mesh changed_mesh;
    bool changed;  // the last scene_go replaced the bodies because the faces changed: their ids and infos are new
    bool is_first;  // the faces are still those of files[0]
    bool may_change;  // during scene_go
    size_t frame_count;  // at least 1
    char up;  // 'y' or 'z' if the inputs define it; else 0
} scene;

// Opens all inputs of the options. `lone_caches`: also accept a cache without a mesh before it.
// On failure prints the reason; close the scene in any case.
int scene_open(const options *o, bool lone_caches, words *w, scene *s);
void scene_close(scene *s);

// Reads a mesh from standard input; its first bytes tell the format. Only for scene.c.
int scene_read_stdin(scene_file *file, const options *o, words *w);

// Opens a file that may be animated and chooses its animation; evaluates the pose of a frame. Only for scene.c.
int scene_open_motion(scene_file *file, const options *o, words *w);
int scene_pose_motion(scene_file *file, size_t frame, words *w);

// Makes bodies of those of a file from `first` on. Only for scene.c and scene_late.c.
int scene_take_bodies(scene *s, size_t file, size_t first, words *w);

// Creates a world with the number of threads from the options.
int scene_create_world(const options *o, snag_world **world, words *w);

// Adds one body to a world, welded if the options say so. Errors as for snag_world_add.
snag_status scene_add_body(snag_world *world, const scene_body *body, const options *o, snag_body_id *id);

// Adds all bodies to a world at the positions in their files.
int scene_add(scene *s, const options *o, snag_world *world, words *w);

// Callback for the positions of a body in a frame, valid during the call; `path` is the file they come from.
typedef int scene_taker(void *context, const scene_body *body, snag_positions positions, size_t frame, const char *path);

// Passes the positions of all moving bodies in a frame to a callback; with `resting` also bodies whose cache has ended.
int scene_visit(scene *s, size_t frame, bool resting, scene_taker *take, void *context, words *w);

// Moves all bodies to a frame, or teleports them with `place`. On failure some of them may be there already, and
// words->no_memory tells whether it makes sense to try another frame. If the faces change in a sequence, the bodies are removed
// from the world and added again (s->changed), unless --strict.
int scene_go(scene *s, snag_world *world, size_t frame, bool place, words *w);

// The first frame missing from a truncated cache, with a message in `reason`; SIZE_MAX: none.
size_t scene_first_missing(const scene *s, char *reason, size_t reason_size);

// The file name of a frame for messages, without folder; NULL if frames have no file of their own.
const char *scene_frame_file(const scene *s, size_t frame);

// Whether the path is a .snag file of blocks; whether any body of the scene is in one.
bool scene_is_chunked(const char *path);
bool scene_is_on_disk(const scene *s);

// Whether the path is one of the scene's input files.
bool scene_reads(const scene *s, const char *path);

bool scene_has_tets(const scene *s);
// Whether a body has rods or points.
bool scene_is_thin(const scene_body *body);
// What a body is made of, now or where it first appears.
scene_kinds scene_kinds_of(const scene_body *body);

// Whether a path ends in this, in any case, after at least one other character.
bool scene_ends_in(const char *path, const char *ending);

// The part of a path after its last slash.
const char *scene_base_name(const char *path);

#endif

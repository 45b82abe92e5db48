// From inputs to bodies and frames: which files are bodies, what moves them, and the positions of each frame, which are
// read when the frame is asked for and not kept.
#ifndef SNAG_CLI_SCENE_H
#define SNAG_CLI_SCENE_H

#include "options.h"
#include "snag/io.h"
#include "words.h"

#define SCENE_NONE SIZE_MAX

typedef struct scene_file {
    char *path;
    snag_io_mesh mesh;  // with a motion: that of the motion
    snag_io_motion *motion;  // NULL: the file holds a mesh alone
    size_t animation;  // the one that is played
    size_t frame_count;  // of the motion; at least 1
    double rate;  // frames in a second
    bool on_disk;  // a file of blocks, which stays there
    snag_io_chunked *chunked;  // of such a file, until it is in a world, which then owns it
} scene_file;

typedef struct scene_cache {
    char *path;
    snag_io_cache *cache;
    size_t vertex_count, frame_count;
    size_t held_count;  // fewer than frame_count: the file is truncated
    float *xyz;  // the frame that was read last
} scene_cache;

typedef struct scene_body {
    char *name;  // told apart from all others: "cloth", "cloth.2"
    size_t file;
    const snag_io_body *source;
    size_t cache;  // SCENE_NONE: rests
    bool whole_file;  // the cache counts vertices through the whole file, not this body's alone
    float *gathered;  // this body's part of such a cache
    double *posed;  // where the file's own motion has moved it
    snag_positions now;  // where it stands since the last scene_go or scene_visit
    snag_body_id id;  // once it is in a world
    snag_body_info info;
} scene_body;

typedef struct scene {
    const options *options;  // that it was opened with
    scene_file *files;
    size_t file_count, file_capacity;
    scene_cache *caches;
    size_t cache_count, cache_capacity;
    scene_body *bodies;
    size_t body_count, body_capacity;
    char **frame_paths;  // --sequence: the mesh file of each frame
    size_t frame_path_count;
    size_t reference;  // which of them is files[0], whose faces all others must have: the first that can be read
    snag_io_mesh frame_mesh;  // the one that was read last
    // Frames may have other faces than those before them. The bodies' sources are then in this mesh; else in files[0].
    snag_io_mesh changed_mesh;
    bool changed;  // the last scene_go has put other faces into the world: ids and infos of bodies are new
    bool is_first;  // the faces are those of files[0]
    bool may_change;  // during scene_go
    size_t frame_count;  // at least 1
    char up;  // 'y' or 'z', where the inputs say it; else 0
} scene;

// Opens all inputs of the options. `lone_caches`: a cache without a mesh before it is kept too, moving nothing.
// On failure it has said why; close the scene in any case.
int scene_open(const options *o, bool lone_caches, words *w, scene *s);
void scene_close(scene *s);

// Reads the mesh that comes by the standard input, whose first bytes say what it is. For scene.c alone.
int scene_read_stdin(scene_file *file, const options *o, words *w);

// Opens a file that may hold motion and chooses its animation; takes one frame's pose of it. For scene.c alone.
int scene_open_motion(scene_file *file, const options *o, words *w);
int scene_pose_motion(scene_file *file, size_t frame, words *w);

// A world with the threads of the options.
int scene_create_world(const options *o, snag_world **world, words *w);

// Adds all bodies to a world, where their files put them.
int scene_add(scene *s, const options *o, snag_world *world, words *w);

// Who takes the positions of a body in a frame; `path` is the file they come from. They are valid during the call.
typedef int scene_taker(void *context, const scene_body *body, snag_positions positions, size_t frame, const char *path);

// Hands out the positions of all bodies that move in a frame. Those whose cache has ended rest, and take part only with
// `resting`.
int scene_visit(scene *s, size_t frame, bool resting, scene_taker *take, void *context, words *w);

// Brings all bodies to a frame: as a move from where they are, or, with `place`, put there. On failure some of them may be
// there already, and words->no_memory tells whether going on with another frame makes sense. Where a frame of a sequence has
// other faces than the one before, bodies are taken out of the world and added anew (s->changed), unless the user is strict.
int scene_go(scene *s, snag_world *world, size_t frame, bool place, words *w);

// From which frame on no frame can be read, because a cache is truncated, and in *reason which one; SIZE_MAX: there is none.
size_t scene_first_missing(const scene *s, char *reason, size_t reason_size);

// The file of a frame for words, without its folder; NULL where frames have no file of their own.
const char *scene_frame_file(const scene *s, size_t frame);

// Whether the path is that of a file of blocks; whether any body of the scene stays in one.
bool scene_is_chunked(const char *path);
bool scene_is_on_disk(const scene *s);

// Whether the path is one of the files that the scene reads.
bool scene_reads(const scene *s, const char *path);

bool scene_has_tets(const scene *s);

// The part of a path after its last slash.
const char *scene_base_name(const char *path);

#endif

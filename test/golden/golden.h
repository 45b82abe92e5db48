// Golden hashes: the answers of version 0.1, kept so that later versions can prove that they give the same bytes.
//
// A scene is a set of bodies and their positions in each frame. It is played through a world once for each combination of method,
// threads and instruction set, and in each frame the world is asked every variant of every question. What it answers is hashed
// field by field, so that layouts and names of structs may change while answers may not.
//
// All calls of the world are in golden_api.c, those of response and simulator in golden_moves.c: when the API changes, these change
// and nothing else does.
#ifndef SNAG_TEST_GOLDEN_H
#define SNAG_TEST_GOLDEN_H

#include "snag/io.h"
#include "snag/shapes.h"
#include "snag/question.h"

// Sanitizers and builds without optimisation take minutes: there each method is asked once, and real data is left out.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { GOLDEN_SLOW_BUILD = 1 };
#else
enum { GOLDEN_SLOW_BUILD = 0 };
#endif

// Set for emulated processors: each method is asked once with each instruction set, without variants of its options.
extern bool golden_brief;

// ---- hashing ----

typedef struct golden_stream {
    uint64_t hash;
    size_t contacts;
    size_t degenerate;
    // Ids of tracked contacts in the order in which they first appeared: hashed by that order, not by value.
    uint64_t *ids;
    size_t id_count, id_room;
} golden_stream;

void golden_begin(golden_stream *stream);
void golden_add(golden_stream *stream, uint64_t value);
void golden_add_double(golden_stream *stream, double value);
void golden_add_doubles(golden_stream *stream, const double *values, size_t count);
void golden_add_id(golden_stream *stream, uint64_t id);
void golden_end(golden_stream *stream);

// ---- the recorded lines ----

// Compares a stream with the recorded line of this key ("SCENE QUESTION VARIANT", no other spaces), or records it. The first
// mismatch of each key is printed, with the witness: who computed it.
void golden_line(const char *key, const golden_stream *stream, const char *witness);

// ---- scenes ----

enum { GOLDEN_BODIES = 24, GOLDEN_FRAMES = 64 };

// How much is asked of a scene: by size, since brute is quadratic.
typedef enum golden_depth {
    GOLDEN_ALL,  // every variant by every method with every option
    GOLDEN_MOST,  // the same without brute, but for intersections, and without options of methods
    GOLDEN_CORE,  // the plain questions by the fast methods
} golden_depth;

typedef struct golden_body {
    snag_shape shape;  // of scenes made here
    const snag_io_body *io;  // of scenes read from files; else NULL
    size_t vertex_count;
} golden_body;

typedef struct golden_scene {
    char name[64];
    golden_body bodies[GOLDEN_BODIES];
    size_t body_count;
    snag_io_mesh meshes[2];  // what `io` of the bodies points into
    double *frames[GOLDEN_FRAMES];  // positions of all bodies, one after the other
    size_t frame_count;
    snag_scalar scalar;
    double edge;  // the mean edge of the first frame: lengths in questions are parts of it
    double near;  // proximities: the distance, as a part of it
    golden_depth depth;
    uint32_t questions;  // bits of those that are asked; 0: all
} golden_scene;

// Runs `visit` on each scene. Those of files are left out, with a line that says so, if SNAG_DATA does not name the folder.
void golden_made_scenes(void (*visit)(const golden_scene *scene));
void golden_file_scenes(void (*visit)(const golden_scene *scene));

// ---- playing a scene (golden_api.c) ----

// Plays a scene through worlds of all kinds and hands each line to golden_line.
void golden_play(const golden_scene *scene);
// Which method `auto` chooses while a smooth surface is asked about again and again.
void golden_auto_choices(void);

// ---- response and simulator (golden_moves.c) ----

void golden_responses(void);
void golden_simulations(void);

#endif

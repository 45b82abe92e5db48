// One interface to other libraries. Each adapter takes a triangle mesh once and then, step by step, its new positions, and answers
// one question: which pairs of triangles intersect by snag's rule (docs/words.md), or how far apart two bodies are. Some can also
// list proximity candidates: pairs of triangles without a shared vertex whose boxes overlap after growing by half the distance.
// Others answer about tetrahedra: which vertices lie inside them. Valid C and C++.
//
// A step has two parts, timed together and separately: `update` takes the positions, `search` answers. `create` builds the data
// kept between steps and is not timed.
#ifndef SNAG_BENCH_PEER_H
#define SNAG_BENCH_PEER_H

#include "../../sim/posed/surface_scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

// All bodies of a scene as one mesh, with the positions of the current step.
typedef struct peer_mesh {
    const double (*positions)[3];
    size_t vertex_count;
    const uint32_t (*triangles)[3];
    size_t triangle_count;
    const uint32_t (*tets)[4];  // penetrations: instead of triangles
    size_t tet_count;
    const surface_body *bodies;
    size_t body_count;
    double inflate;  // how much boxes grow on each side; more than 0: list candidates
} peer_mesh;

// A peer's answer. It is in the peer's memory and valid until the next call.
typedef struct peer_answer {
    const uint32_t (*pairs)[2];  // in any order; penetrations: vertex and tetrahedron
    size_t count;
    size_t candidates;  // tested exactly; 0: unknown
    double distance;  // distance
} peer_answer;

typedef struct peer {
    snag_question question;
    const char *name;  // as in the rows
    const char *version;  // of the library, at build time
    const char *words;  // description
    bool threads;  // can use more than one thread
    bool candidates;  // can list proximity candidates
    // NULL: it cannot handle this mesh. The mesh keeps its address and topology.
    void *(*create)(const peer_mesh *mesh, uint32_t threads);
    void (*update)(void *state);
    peer_answer (*search)(void *state);
    // Memory that the library did not allocate with malloc; NULL: none.
    size_t (*bytes)(void *state);
    void (*destroy)(void *state);
} peer;

// Not all of them are built: see peers.c.
extern const peer peer_embree, peer_embree_rebuild;
extern const peer peer_cgal, peer_cgal_mesh;
extern const peer peer_fcl, peer_fcl_distance;
extern const peer peer_bullet, peer_gts;
extern const peer peer_embree_tets, peer_cgal_tets, peer_bullet_tets;

enum { PEER_WAYS = 3 };

// A library that may be built in.
typedef struct peer_entry {
    const char *package;  // the Debian package
    const peer *peers[PEER_WAYS];  // the first is NULL: not installed at build time; others NULL: fewer variants
} peer_entry;

extern const peer_entry peer_table[];
extern const size_t peer_table_count;

#ifdef __cplusplus
}
#endif

#endif

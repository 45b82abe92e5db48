// One interface to other libraries: each adapter takes a triangle mesh once and then, step by step, its new positions, and
// answers one question: which pairs of triangles intersect by snag's rule (docs/words.md), or how far apart two bodies
// are. Some can also list candidates of proximities: pairs of triangles without a shared vertex whose boxes overlap when
// they are grown by half the distance. Others answer about tetrahedra: which vertices lie in them. C and C++ clean.
//
// A step has two parts, timed together and separately: `update` takes the positions, `search` answers. `create`, which builds the
// data kept between steps, is not timed.
#ifndef SNAG_BENCH_PEER_H
#define SNAG_BENCH_PEER_H

#include "../../sim/posed/surface_scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

// All bodies of a scene as one mesh. The positions are those of the present step.
typedef struct peer_mesh {
    const double (*positions)[3];
    size_t vertex_count;
    const uint32_t (*triangles)[3];
    size_t triangle_count;
    const uint32_t (*tets)[4];  // penetrations: instead of triangles
    size_t tet_count;
    const surface_body *bodies;
    size_t body_count;
    double inflate;  // by how much boxes are grown on each side; more than 0: candidates are asked for
} peer_mesh;

// What a peer found, in its memory, valid until its next call.
typedef struct peer_answer {
    const uint32_t (*pairs)[2];  // in any order; penetrations: vertex and tetrahedron
    size_t count;
    size_t candidates;  // that reached the exact test; 0: unknown
    double distance;  // distance
} peer_answer;

typedef struct peer {
    snag_question question;
    const char *name;  // as in the rows
    const char *version;  // of the library, when this was built
    const char *words;  // description
    bool threads;  // whether it can use more than one
    bool candidates;  // whether it can list candidates of proximities
    // NULL: it cannot handle this mesh. The mesh keeps its address and topology.
    void *(*create)(const peer_mesh *mesh, uint32_t threads);
    void (*update)(void *state);
    peer_answer (*search)(void *state);
    // Memory that the library did not take from malloc; NULL: none.
    size_t (*bytes)(void *state);
    void (*destroy)(void *state);
} peer;

// Those of them that were built: see peers.c.
extern const peer peer_embree, peer_embree_rebuild;
extern const peer peer_cgal, peer_cgal_mesh;
extern const peer peer_fcl, peer_fcl_distance;
extern const peer peer_bullet, peer_gts;
extern const peer peer_embree_tets, peer_cgal_tets, peer_bullet_tets;

enum { PEER_WAYS = 3 };

// A library that may have been built in.
typedef struct peer_entry {
    const char *package;  // Debian's
    const peer *peers[PEER_WAYS];  // the first is NULL: it was not installed when this was built; others: it has fewer ways
} peer_entry;

extern const peer_entry peer_table[];
extern const size_t peer_table_count;

#ifdef __cplusplus
}
#endif

#endif

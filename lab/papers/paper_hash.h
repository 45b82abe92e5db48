// Plain implementation of the spatial hashing paper: the baseline for `hash`, and an oracle in tests. Teschner, Heidelberger,
// Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable Objects, VMV 2003. Two passes, a
// table of chains with time stamps, cells of the mean edge length, the barycentric test. Variants: the half-space test, and a
// single pass over tetrahedra only, plain or with care that each pair is tested and listed once.
#ifndef SNAG_LAB_PAPER_HASH_H
#define SNAG_LAB_PAPER_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum paper_variant {
    PAPER_BARYCENTRIC,
    PAPER_HALF_SPACES,
    PAPER_ONE_PASS,
    PAPER_ONE_PASS_ONCE,
    PAPER_VARIANTS
} paper_variant;

// All bodies as one mesh.
typedef struct paper_mesh {
    const double (*x)[3];
    size_t vertex_count;
    const uint32_t (*tets)[4];
    size_t tet_count;
} paper_mesh;

typedef struct paper_pair {
    uint32_t vertex, tet;
} paper_pair;

typedef struct paper_hash paper_hash;

// Mean edge length of the tetrahedra: the paper's cell size.
double paper_mean_edge(const paper_mesh *mesh);

// `cell` and `table_size` 0: the mean edge length of the mesh in its current pose, and the prime above twice its vertices.
// NULL: out of memory.
paper_hash *paper_hash_new(const paper_mesh *mesh, double cell, uint32_t table_size);
void paper_hash_free(paper_hash *hash);

// Finds the vertices in tetrahedra. The pairs are owned by `hash` and are unsorted; all variants but PAPER_ONE_PASS_ONCE may list one
// twice, the plain one-pass variant many times. Tetrahedra have positive volume, or the half-space test finds nothing in them.
// False: out of memory.
bool paper_hash_step(paper_hash *hash, const paper_mesh *mesh, paper_variant variant, const paper_pair **pairs, size_t *count);

// Sorts pairs, removes duplicates and returns the new count: a cell visited twice because of a hash collision lists its pairs
// twice.
size_t paper_pairs_sort(paper_pair *pairs, size_t count);

#endif

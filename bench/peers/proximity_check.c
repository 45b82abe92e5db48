// Checks that candidates include all contacts.
#include "proximity_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Triangles at each vertex of the mesh: those of v are triangles[start[v]] .. triangles[start[v + 1] - 1].
typedef struct fans {
    uint32_t *start, *triangles;
} fans;

static fans fans_of(const peer_mesh *mesh)
{
    fans f = {calloc(mesh->vertex_count + 2, sizeof *f.start), calloc(3 * mesh->triangle_count + 1, sizeof *f.triangles)};
    if (!f.start || !f.triangles) {
        fputs("bench_peers: out of memory\n", stderr);
        exit(2);
    }
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        f.start[mesh->triangles[i / 3][i % 3] + 2]++;
    for (size_t v = 2; v < mesh->vertex_count + 2; v++)
        f.start[v] += f.start[v - 1];
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++)
        f.triangles[f.start[mesh->triangles[i / 3][i % 3] + 1]++] = (uint32_t)(i / 3);
    return f;
}

static bool has_vertex(const uint32_t *triangle, uint32_t v)
{
    return triangle[0] == v || triangle[1] == v || triangle[2] == v;
}

typedef struct search {
    const peer_mesh *mesh;
    fans fans;
    const snag_world *world;
    const snag_body_id *ids;
} search;

// The triangles around an element of a body: those in the list that have the vertex `other`.
typedef struct ring {
    uint32_t own;  // for a triangle: itself
    const uint32_t *triangles;
    size_t count;
    uint32_t other;
} ring;

static void ring_of(const search *s, uint32_t number, uint8_t kind, uint32_t index, ring *r)
{
    const peer_mesh *mesh = s->mesh;
    const fans *f = &s->fans;
    const surface_body *body = &mesh->bodies[number - 1];
    uint32_t first = (uint32_t)body->first_vertex, ends[2] = {index, index};
    snag_body_info info;
    if (kind == SNAG_TRIANGLE) {
        r->own = (uint32_t)body->first_triangle + index;
        r->triangles = &r->own;
        r->count = 1;
        r->other = mesh->triangles[r->own][0];
        return;
    }
    if (kind == SNAG_EDGE && snag_world_body(s->world, s->ids[number - 1], &info) == SNAG_OK)
        memcpy(ends, info.edges + 2 * (size_t)index, sizeof ends);
    uint32_t v = first + ends[0];
    r->triangles = f->triangles + f->start[v];
    r->count = f->start[v + 1] - f->start[v];
    r->other = first + ends[1];
}

static int by_pair(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool is_held(const peer_mesh *mesh, uint32_t s, uint32_t t, const uint64_t *pairs, size_t pair_count)
{
    for (int i = 0; i < 3; i++)
        if (has_vertex(mesh->triangles[s], mesh->triangles[t][i]))
            return true;
    uint64_t pair = s < t ? (uint64_t)s << 32 | t : (uint64_t)t << 32 | s;
    return bsearch(&pair, pairs, pair_count, sizeof pair, by_pair) != NULL;
}

static bool contact_is_held(const search *s, const snag_pair *c, const uint64_t *pairs, size_t pair_count)
{
    const peer_mesh *mesh = s->mesh;
    ring a, b;
    ring_of(s, c->body_a, c->kind_a, c->a, &a);
    ring_of(s, c->body_b, c->kind_b, c->b, &b);
    for (size_t i = 0; i < a.count; i++)
        for (size_t k = 0; k < b.count && has_vertex(mesh->triangles[a.triangles[i]], a.other); k++)
            if (has_vertex(mesh->triangles[b.triangles[k]], b.other) &&
                is_held(mesh, a.triangles[i], b.triangles[k], pairs, pair_count))
                return true;
    return false;
}

size_t proximity_check(const peer_mesh *mesh, const snag_world *world, const snag_body_id *ids, const snag_answer *answer,
                       const uint64_t *pairs, size_t pair_count, const char *name)
{
    search s = {mesh, fans_of(mesh), world, ids};
    size_t lost = 0;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_pair *c = &answer->pairs[i];
        if (contact_is_held(&s, c, pairs, pair_count))
            continue;
        if (lost++ == 0)
            printf("    %s misses the contact of %s with elements %u and %u\n", name,
                   snag_contact_kind_name((snag_contact_kind)c->kind), c->a, c->b);
    }
    free(s.fans.start);
    free(s.fans.triangles);
    return lost;
}

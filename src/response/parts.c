// Finding the parts of bodies: by union of the corners of each triangle. Which parts are closed is decided by how often their edges
// are walked each way; whether one could be faced consistently by a union of triangles with parities.
#include "response/parts.h"

#include "base/roots.h"
#include "response/vector.h"

#include <string.h>

#define NONE UINT32_MAX

uint32_t snag__find_edge(const snag_body_info *info, uint32_t low, uint32_t high)
{
    size_t from = 0, to = info->edge_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const uint32_t *e = &info->edges[2 * middle];
        if (e[0] < low || (e[0] == low && e[1] < high))
            from = middle + 1;
        else
            to = middle;
    }
    return from < info->edge_count && info->edges[2 * from] == low && info->edges[2 * from + 1] == high ? (uint32_t)from : NONE;
}

// Scratch for one body: its edges and triangles.
typedef struct walk {
    uint32_t *uses;  // per edge: how many triangles it has
    int32_t *balance;  // per edge: how much more often it is walked from its lower vertex
    uint32_t *first;  // per edge: 3 * triangle + corner of its first use
    uint32_t *parent;  // per triangle, of its union
    uint8_t *flipped;  // per triangle: against its parent
} walk;

// The root of a triangle, and whether the triangle faces against it.
static uint32_t facing_root(walk *w, uint32_t t, uint8_t *against)
{
    uint8_t sum = 0;
    uint32_t root = t;
    for (; w->parent[root] != root; root = w->parent[root])
        sum ^= w->flipped[root];
    // Shorten the way for the next one.
    uint8_t rest = sum;
    while (w->parent[t] != root && t != root) {
        uint32_t next = w->parent[t];
        uint8_t own = w->flipped[t];
        w->parent[t] = root;
        w->flipped[t] = rest;
        rest ^= own;
        t = next;
    }
    *against = sum;
    return root;
}

// Joins two triangles at an edge that they walk the same way (`same`) or opposite ways. False if that contradicts earlier joins.
static bool face_alike(walk *w, uint32_t a, uint32_t b, bool same)
{
    uint8_t turn_a, turn_b;
    uint32_t root_a = facing_root(w, a, &turn_a), root_b = facing_root(w, b, &turn_b);
    if (root_a == root_b)
        return (turn_a ^ turn_b) == same;
    w->parent[root_b] = root_a;
    w->flipped[root_b] = (uint8_t)(turn_a ^ turn_b ^ same);
    return true;
}

// Walks all triangle sides of a body. Parts with an edge that contradicts a consistent facing become one-sided.
static void walk_edges(const snag__group *group, uint32_t body, walk *w, snag__parts *parts)
{
    const snag_body_info *info = &group->infos[body];
    memset(w->uses, 0, info->edge_count * sizeof *w->uses);
    memset(w->balance, 0, info->edge_count * sizeof *w->balance);
    for (uint32_t t = 0; t < info->triangle_count; t++)
        w->parent[t] = t, w->flipped[t] = 0;
    for (uint32_t t = 0; t < info->triangle_count; t++) {
        const uint32_t *corner = &info->triangles[3 * (size_t)t];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t p = corner[k], q = corner[(k + 1) % 3];
            uint32_t e = snag__find_edge(info, p < q ? p : q, p < q ? q : p);
            if (e == NONE)
                continue;
            if (w->uses[e]++ == 0) {
                w->first[e] = 3 * t + k;
            } else if (w->uses[e] == 2) {
                uint32_t other = w->first[e] / 3;
                bool same = info->triangles[w->first[e]] == p;
                if (!face_alike(w, other, t, same))
                    parts->items[parts->of_vertex[group->first_vertex[body] + p]].one_sided = true;
            }
            w->balance[e] += p < q ? 1 : -1;
        }
    }
}

static void judge_edges(const snag__group *group, uint32_t body, const walk *w, snag__parts *parts)
{
    const snag_body_info *info = &group->infos[body];
    uint32_t first = group->first_vertex[body];
    for (size_t e = 0; e < info->edge_count; e++) {
        if (w->uses[e] == 0)
            continue;
        uint32_t p = first + info->edges[2 * e], q = first + info->edges[2 * e + 1];
        snag__part *part = &parts->items[parts->of_vertex[p]];
        double edge[3];
        snag__subtract(group->x[q], group->x[p], edge);
        part->closed = part->closed && w->balance[e] == 0;
        part->one_sided = part->one_sided && w->uses[e] == 2;
        // Each edge of a part lies at w->uses triangles, which have three sides each: the weighted sum counts sides.
        part->mean_edge += w->uses[e] * snag__length(edge);
    }
}

// Six times the volume that a triangle and the origin of its body enclose.
static double volume_below(const double a[3], const double b[3], const double c[3], const double origin[3])
{
    double p[3], q[3], r[3], cross[3];
    snag__subtract(a, origin, p);
    snag__subtract(b, origin, q);
    snag__subtract(c, origin, r);
    snag__cross(q, r, cross);
    return snag__dot(p, cross);
}

// `volumes` has room for all parts.
static void judge_facing(const snag__group *group, double *volumes, snag__parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++)
        volumes[i] = 0;
    for (uint32_t b = 0; b < group->body_count; b++) {
        const snag_body_info *info = &group->infos[b];
        double(*x)[3] = group->x + group->first_vertex[b];
        for (size_t t = 0; t < info->triangle_count; t++) {
            const uint32_t *corner = &info->triangles[3 * t];
            uint32_t part = parts->of_vertex[group->first_vertex[b] + corner[0]];
            volumes[part] += volume_below(x[corner[0]], x[corner[1]], x[corner[2]], x[0]);
        }
    }
    for (uint32_t i = 0; i < parts->count; i++)
        parts->items[i].inward = parts->items[i].closed && volumes[i] < 0;
}

// Numbers the parts and counts their triangles. `root` is the union of corners.
static void number_parts(const snag__group *group, uint32_t *root, snag__parts *parts)
{
    for (uint32_t v = 0; v < group->vertex_count; v++)
        root[v] = v;
    for (uint32_t b = 0; b < group->body_count; b++) {
        const snag_body_info *info = &group->infos[b];
        for (size_t t = 0; t < info->triangle_count; t++) {
            const uint32_t *corner = &info->triangles[3 * t];
            for (int k = 1; k < 3; k++) {
                uint32_t p = snag__root_of(root, group->first_vertex[b] + corner[0]);
                uint32_t q = snag__root_of(root, group->first_vertex[b] + corner[k]);
                root[p < q ? q : p] = p < q ? p : q;
            }
        }
    }
    parts->count = 0;
    for (uint32_t b = 0; b < group->body_count; b++) {
        for (uint32_t v = group->first_vertex[b]; v < group->first_vertex[b + 1]; v++) {
            uint32_t own = snag__root_of(root, v);
            if (own == v) {
                parts->items[parts->count] = (snag__part){.body = b, .closed = true};
                parts->of_vertex[v] = parts->count++;
            } else {
                parts->of_vertex[v] = parts->of_vertex[own];
            }
        }
        const snag_body_info *info = &group->infos[b];
        for (size_t t = 0; t < info->triangle_count; t++)
            parts->items[parts->of_vertex[group->first_vertex[b] + info->triangles[3 * t]]].triangle_count++;
    }
}

snag_status snag__parts_find(snag_response *response, const snag__group *group, snag__parts *parts)
{
    size_t vertices = group->vertex_count + (size_t)1, edges = 1, triangles = 1;
    for (uint32_t b = 0; b < group->body_count; b++) {
        edges = group->infos[b].edge_count >= edges ? group->infos[b].edge_count + 1 : edges;
        triangles = group->infos[b].triangle_count >= triangles ? group->infos[b].triangle_count + 1 : triangles;
    }
    uint32_t *root;
    double *volumes;
    walk w;
    const snag__room rooms[] = {
        {NULL, &parts->items, vertices, sizeof *parts->items},
        {NULL, &parts->of_vertex, vertices, sizeof *parts->of_vertex},
        {NULL, &root, vertices, sizeof *root},
        {NULL, &volumes, vertices, sizeof *volumes},
        {NULL, &w.uses, edges, sizeof *w.uses},
        {NULL, &w.balance, edges, sizeof *w.balance},
        {NULL, &w.first, edges, sizeof *w.first},
        {NULL, &w.parent, triangles, sizeof *w.parent},
        {NULL, &w.flipped, triangles, sizeof *w.flipped},
    };
    snag_status status = snag__response_carve(response, &response->parts, rooms, sizeof rooms / sizeof *rooms);
    if (status != SNAG_OK)
        return status;
    number_parts(group, root, parts);
    for (uint32_t b = 0; b < group->body_count; b++) {
        walk_edges(group, b, &w, parts);
        judge_edges(group, b, &w, parts);
    }
    for (uint32_t i = 0; i < parts->count; i++) {
        snag__part *part = &parts->items[i];
        part->closed = part->closed && part->triangle_count > 0;
        part->mean_edge = part->triangle_count > 0 ? part->mean_edge / (3.0 * part->triangle_count) : 0;
    }
    judge_facing(group, volumes, parts);
    return SNAG_OK;
}

// Corrections are partly propagated to neighbouring elements, as by stiffness and damping (Kimmerle 2004, section 3).
#include "response/spread.h"

#include "response/vector.h"

// Gives to vertex v, if it is of no rank yet or already in this ring, what u of the ring before hands on.
static void hand_on(const snag__group *group, uint32_t u, uint32_t v, uint32_t ring, uint32_t *rank, uint32_t *counts,
                    double (*vectors)[3])
{
    if (rank[u] != ring - 1 || rank[v] < ring || group->inverse[v] == 0)
        return;
    if (rank[v] != ring) {
        rank[v] = ring;
        counts[v] = 0;
    }
    counts[v]++;
    snag__add_scaled(vectors[v], 1, vectors[u]);
}

static void hand_on_both(const snag__group *group, uint32_t u, uint32_t v, uint32_t ring, uint32_t *rank, uint32_t *counts,
                         double (*vectors)[3])
{
    hand_on(group, u, v, ring, rank, counts, vectors);
    hand_on(group, v, u, ring, rank, counts, vectors);
}

// Along the edges of triangles and, inside volumes, of tetrahedra (an edge counts once for each tetrahedron at it).
static void hand_on_body(const snag__group *group, uint32_t body, uint32_t ring, uint32_t *rank, uint32_t *counts,
                         double (*vectors)[3])
{
    const snag_body_info *info = &group->infos[body];
    uint32_t first = group->first_vertex[body];
    for (size_t e = 0; e < info->edge_count; e++)
        hand_on_both(group, first + info->edges[2 * e], first + info->edges[2 * e + 1], ring, rank, counts, vectors);
    for (size_t k = 0; k < info->tet_count; k++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++)
                hand_on_both(group, first + info->tets[4 * k + (size_t)j], first + info->tets[4 * k + (size_t)i], ring, rank,
                             counts, vectors);
}

void snag__spread(const snag__group *group, double part, uint32_t rings, uint32_t *rank, uint32_t *counts, double (*vectors)[3])
{
    for (uint32_t ring = 1; ring <= rings; ring++) {
        for (uint32_t body = 0; body < group->body_count; body++)
            hand_on_body(group, body, ring, rank, counts, vectors);
        for (uint32_t v = 0; v < group->vertex_count; v++)
            if (rank[v] == ring)
                for (int k = 0; k < 3; k++)
                    vectors[v][k] *= part / counts[v];
    }
}

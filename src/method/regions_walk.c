// From vertices to features: the paper's part III (DV). See regions_walk.h.
#include "method/regions_walk.h"

enum {
    STEPS_OF_A_WALK = 4096,
    EDGES_AROUND = 24,  // of a vertex with more edges the first ones are tried
    TRIANGLES_AROUND = 32,
};

// Goes on to the neighbour of v that is nearest to a point, if it is nearer than v.
static bool step_nearer(const snag__mesh *mesh, uint32_t *v, const double to[3], double *squared)
{
    const snag__csr *star = &mesh->vertex_triangles;
    uint32_t nearest = *v;
    for (uint32_t k = star->start[*v]; k < star->start[*v + 1]; k++)
        for (int corner = 0; corner < 3; corner++) {
            uint32_t w = mesh->triangles[star->items[k]][corner];
            double d = snag__region_squared(mesh->x_t1[w], to);
            if (d < *squared) {
                *squared = d;
                nearest = w;
            }
        }
    bool moved = nearest != *v;
    *v = nearest;
    return moved;
}

void snag__region_walk(const snag__mesh *const mesh[2], uint32_t v[2])
{
    double squared = snag__region_squared(mesh[0]->x_t1[v[0]], mesh[1]->x_t1[v[1]]);
    int still = 0;
    for (int step = 0; step < STEPS_OF_A_WALK && still < 2; step++) {
        int side = step & 1;
        still = step_nearer(mesh[side], &v[side], mesh[!side]->x_t1[v[!side]], &squared) ? 0 : still + 1;
    }
}

// Edges at a vertex. Returns how many.
static uint32_t edges_around(const snag__mesh *mesh, uint32_t v, uint32_t edges[EDGES_AROUND])
{
    const snag__csr *star = &mesh->vertex_triangles;
    uint32_t count = 0;
    for (uint32_t k = star->start[v]; k < star->start[v + 1]; k++)
        for (int side = 0; side < 3; side++) {
            uint32_t e = mesh->triangle_edges[star->items[k]][side];
            // Of the two triangles at an edge the lower one brings it.
            if (e == SNAG__NO_EDGE || count == EDGES_AROUND || (mesh->edges[e][0] != v && mesh->edges[e][1] != v) ||
                mesh->edge_triangles.items[mesh->edge_triangles.start[e]] != star->items[k])
                continue;
            edges[count++] = e;
        }
    return count;
}

void snag__region_offer_around(const snag__near_bodies *bodies, const snag__mesh *const mesh[2], const uint32_t v[2],
                               snag__nearest *best)
{
    snag__near_bodies body_pair = *bodies;
    for (int side = 0; side < 2; side++) {
        // Step 0: triangles of the first body, vertices of the second.
        snag__nearest_pass(&body_pair, side, best);
        const snag__csr *star = &mesh[side]->vertex_triangles;
        uint32_t first = star->start[v[side]], last = star->start[v[side] + 1];
        for (uint32_t k = first; k < last && k < first + TRIANGLES_AROUND; k++)
            snag__nearest_offer(&body_pair, star->items[k], v[!side], best);
    }
    // Of the pairs of edges most are farther apart than what is known by now.
    uint32_t edges[2][EDGES_AROUND], count[2], pairs[EDGES_AROUND * EDGES_AROUND][2], near[EDGES_AROUND * EDGES_AROUND];
    size_t pair_count = 0;
    for (int side = 0; side < 2; side++)
        count[side] = edges_around(mesh[side], v[side], edges[side]);
    for (uint32_t i = 0; i < count[0]; i++)
        for (uint32_t k = 0; k < count[1]; k++) {
            pairs[pair_count][0] = edges[0][i];
            pairs[pair_count++][1] = edges[1][k];
        }
    snag__nearest_pass(&body_pair, 2, best);
    const snag__edge_edges batch = {(const double(*)[3])mesh[0]->x_t1,    (const double(*)[3])mesh[1]->x_t1,
                                    (const uint32_t(*)[2])mesh[0]->edges, (const uint32_t(*)[2])mesh[1]->edges,
                                    (const uint32_t(*)[2])pairs,          pair_count};
    double reach = (double)snag__nearest_reach(&body_pair, best);
    bool sieved = reach < (double)FLT_MAX;
    size_t left = sieved ? snag__distance_kernels_for(body_pair.ask->isa)->edge_edges_near(&batch, reach, near) : pair_count;
    for (size_t i = 0; i < left; i++) {
        const uint32_t *pair = pairs[sieved ? near[i] : i];
        snag__nearest_offer(&body_pair, pair[0], pair[1], best);
    }
}

// Finding the piercings, crossings and contours of intersections.
#include "response/tangle.h"

#include "base/clamp.h"
#include "base/counting_sort.h"
#include "base/roots.h"
#include "response/vector.h"

#include <string.h>

// The end of a segment is where an edge meets the other triangle's plane, within this part of the edge's length.
#define END_ERROR 1e-3
#define NONE UINT32_MAX

void snag__corner_normal(const snag__group *group, const uint32_t corner[3], double normal[3])
{
    double a[3], b[3];
    snag__subtract(group->x[corner[1]], group->x[corner[0]], a);
    snag__subtract(group->x[corner[2]], group->x[corner[0]], b);
    snag__cross(a, b, normal);
    double length = snag__length(normal);
    for (int k = 0; k < 3; k++)
        normal[k] = length > 0 ? normal[k] / length : 0;
}

// ---- memory ----

static snag_status reserve(snag_response *r, const snag__group *group, size_t contacts, snag__tangle *t)
{
    size_t edges = 0, bodies = group->body_count + (size_t)1, vertices = group->vertex_count + (size_t)1;
    for (uint32_t i = 0; i < group->body_count; i++)
        edges += group->infos[i].edge_count;
    const snag__room rooms[] = {
        {NULL, &t->piercings, 2 * contacts + 1, sizeof *t->piercings},
        {NULL, &t->crossings, contacts + 1, sizeof *t->crossings},
        {NULL, &t->contours, contacts + 1, sizeof *t->contours},
        {NULL, &t->records, 4 * contacts + 1, sizeof *t->records},
        {NULL, &t->order, 2 * contacts + 1, sizeof *t->order},
        {NULL, &t->record_of, 2 * contacts + 1, sizeof *t->record_of},
        {NULL, &t->first_edge, bodies, sizeof *t->first_edge},
        {NULL, &t->first_triangle, bodies, sizeof *t->first_triangle},
        {NULL, &t->pierced, edges + 1, sizeof *t->pierced},
        {NULL, &t->region, vertices, sizeof *t->region},
        {NULL, &t->size, vertices, sizeof *t->size},
        {NULL, &t->stamp[0], vertices, sizeof **t->stamp},
        {NULL, &t->stamp[1], vertices, sizeof **t->stamp},
        {NULL, &t->goal, vertices, sizeof *t->goal},
        {NULL, &t->queue[0], vertices, sizeof **t->queue},
        {NULL, &t->queue[1], vertices, sizeof **t->queue},
        {NULL, &t->adjacent_start, vertices, sizeof *t->adjacent_start},
        {NULL, &t->adjacent, 2 * edges + 1, sizeof *t->adjacent},
        {NULL, &t->tally, vertices, sizeof *t->tally},
    };
    return snag__response_carve(r, &r->tangle, rooms, sizeof rooms / sizeof *rooms);
}

// ---- piercings ----

static void corners_of(const snag__group *group, uint32_t body, uint32_t triangle, uint32_t corner[3])
{
    SNAG__ASSERT(body < group->body_count && triangle < group->infos[body].triangle_count);
    for (size_t i = 0; i < 3; i++)
        corner[i] = group->first_vertex[body] + group->infos[body].triangles[3 * (size_t)triangle + i];
}

// Barycentric weights of a point in the plane of a triangle.
static void weigh(const snag__group *group, const uint32_t corner[3], const double point[3], double weight[3])
{
    double a[3], b[3], p[3];
    snag__subtract(group->x[corner[1]], group->x[corner[0]], a);
    snag__subtract(group->x[corner[2]], group->x[corner[0]], b);
    snag__subtract(point, group->x[corner[0]], p);
    double aa = snag__dot(a, a), ab = snag__dot(a, b), bb = snag__dot(b, b), pa = snag__dot(p, a), pb = snag__dot(p, b);
    double scale = aa * bb - ab * ab;
    weight[1] = scale > 0 ? snag__clamp_to((bb * pa - ab * pb) / scale, 1) : 0;
    weight[2] = scale > 0 ? snag__clamp_to((aa * pb - ab * pa) / scale, 1 - weight[1]) : 0;
    weight[0] = 1 - weight[1] - weight[2];
}

// The point where edge pq meets the plane through a corner with this normal; false if both ends are on one side of it.
static bool meet_plane(const double p[3], const double q[3], const double corner[3], const double normal[3], double point[3])
{
    double from_p[3], from_q[3];
    snag__subtract(p, corner, from_p);
    snag__subtract(q, corner, from_q);
    double dp = snag__dot(from_p, normal), dq = snag__dot(from_q, normal);
    if ((dp < 0) == (dq < 0))
        return false;
    for (int k = 0; k < 3; k++)
        point[k] = p[k] + dp / (dp - dq) * (q[k] - p[k]);
    return true;
}

// Finds the edge that ends a pair's segment here. False if there is none, as at a shared vertex.
static bool find_piercing(const snag__group *group, const uint32_t corner[2][3], const double end[3], snag__piercing *out)
{
    double nearest = HUGE_VAL;
    for (uint32_t owner = 0; owner < 2; owner++) {
        const uint32_t *own = corner[owner], *other = corner[1 - owner];
        double normal[3], point[3], apart[3];
        snag__corner_normal(group, other, normal);
        for (int i = 0; i < 3; i++) {
            uint32_t p = own[i], q = own[(i + 1) % 3];
            if (!meet_plane(group->x[p], group->x[q], group->x[other[0]], normal, point))
                continue;
            snag__subtract(point, end, apart);
            double distance = snag__length(apart);
            snag__subtract(group->x[q], group->x[p], apart);
            if (distance >= nearest || distance > END_ERROR * snag__length(apart))
                continue;
            nearest = distance;
            out->vertex[0] = p < q ? p : q;
            out->vertex[1] = p < q ? q : p;
            out->owner = owner;
            memcpy(out->corner, other, sizeof out->corner);
            memcpy(out->point, point, sizeof out->point);
        }
    }
    if (nearest < HUGE_VAL)
        weigh(group, out->corner, out->point, out->weight);
    return nearest < HUGE_VAL;
}

// Sets the middle and the length of the segment, the normals, the lateral directions, and the cosine between the normals.
static void set_frame(const snag__group *group, const uint32_t corner[2][3], const snag_contact *contact, snag__crossing *c)
{
    double along[3];
    snag__subtract(contact->point_b, contact->point_a, along);
    c->length = snag__length(along);
    for (int k = 0; k < 3; k++)
        c->middle[k] = 0.5 * contact->point_a[k] + 0.5 * contact->point_b[k];
    for (int side = 0; side < 2; side++) {
        snag__corner_normal(group, corner[side], c->normal[side]);
        snag__cross(along, c->normal[side], c->lateral[side]);
    }
    c->facing = snag__dot(c->normal[0], c->normal[1]);
}

static void add_piercing(snag__tangle *t, const snag_contact *contact, const snag__crossing *c, const snag__piercing *found)
{
    const snag__group *group = t->group;
    uint32_t own = c->body[found->owner], other = c->body[1 - found->owner], first = group->first_vertex[own];
    uint32_t edge = snag__find_edge(&group->infos[own], found->vertex[0] - first, found->vertex[1] - first);
    uint32_t triangle = found->owner == 0 ? contact->b.index : contact->a.index;
    if (edge == NONE)
        return;
    SNAG__ASSERT(edge < group->infos[own].edge_count);
    edge += t->first_edge[own];
    t->pierced[edge] = 1;
    t->piercings[t->piercing_count] = *found;
    t->records[t->piercing_count] =
        (snag__record){.key = (uint64_t)edge << 32 | (t->first_triangle[other] + triangle), .extra = t->piercing_count};
    t->piercing_count++;
}

static void find_piercings(snag__tangle *t, const snag_answer *answer)
{
    const snag__group *group = t->group;
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *contact = &answer->contacts[i];
        snag__crossing *c = &t->crossings[t->crossing_count];
        if (contact->a.kind != SNAG_TRIANGLE || contact->b.kind != SNAG_TRIANGLE)
            continue;  // a rod through a triangle has no side to go to: it is only shaken
        *c = (snag__crossing){.contact = (uint32_t)i, .contour = NONE, .first = t->piercing_count};
        c->body[0] = snag__group_find(group, contact->body_a);
        c->body[1] = snag__group_find(group, contact->body_b);
        uint32_t corner[2][3];
        corners_of(group, c->body[0], contact->a.index, corner[0]);
        corners_of(group, c->body[1], contact->b.index, corner[1]);
        c->part[0] = t->parts->of_vertex[corner[0][0]];
        c->part[1] = t->parts->of_vertex[corner[1][0]];
        set_frame(group, (const uint32_t(*)[3])corner, contact, c);
        snag__piercing found = {.crossing = t->crossing_count};
        if (find_piercing(group, (const uint32_t(*)[3])corner, contact->point_a, &found))
            add_piercing(t, contact, c, &found);
        if (find_piercing(group, (const uint32_t(*)[3])corner, contact->point_b, &found))
            add_piercing(t, contact, c, &found);
        c->count = t->piercing_count - c->first;
        SNAG__ASSERT(c->count <= 2);
        t->crossing_count += c->count > 0;
    }
    SNAG__ASSERT(t->crossing_count <= answer->count && t->piercing_count <= 2 * answer->count);
}

// ---- contours ----

static void flip(double v[3])
{
    for (int k = 0; k < 3; k++)
        v[k] = -v[k];
}

// Adds a crossing to the contour of its neighbour, with which it shares a piercing, and aligns its plus sides.
static void join(snag__tangle *t, const snag__piercing *known, const snag__piercing *next)
{
    const snag__crossing *from = &t->crossings[known->crossing];
    snag__crossing *to = &t->crossings[next->crossing];
    uint32_t a = known->owner, b = next->owner;
    double way[3];
    to->contour = from->contour;
    to->swapped = from->swapped != (a != b);
    // The edge's first vertex is on the same side of the contour in both triangles at the edge.
    snag__subtract(t->group->x[known->vertex[0]], known->point, way);
    if ((snag__dot(way, from->lateral[a]) > 0) != (snag__dot(way, to->lateral[b]) > 0))
        flip(to->lateral[b]);
    // The pierced triangle is the same in both.
    if (snag__dot(from->lateral[1 - a], to->lateral[1 - b]) < 0)
        flip(to->lateral[1 - b]);
}

// Adds the crossings that share a piercing with crossing c and are in no contour yet to its contour and to the queue.
static uint32_t join_neighbours(snag__tangle *t, uint32_t c, uint32_t *queue, uint32_t end)
{
    const snag__crossing *crossing = &t->crossings[c];
    for (uint32_t i = crossing->first; i < crossing->first + crossing->count; i++) {
        uint32_t at = t->record_of[i];
        uint64_t key = t->records[at].key;
        while (at > 0 && t->records[at - 1].key == key)
            at--;
        for (; at < t->piercing_count && t->records[at].key == key; at++) {
            const snag__piercing *next = &t->piercings[t->records[at].extra];
            if (t->crossings[next->crossing].contour != NONE)
                continue;
            join(t, &t->piercings[i], next);
            queue[end++] = next->crossing;
        }
    }
    return end;
}

// `queue` has room for all crossings.
static void find_contours(snag__tangle *t, uint32_t *queue)
{
    snag__sort_records(t->records, t->records + t->piercing_count, t->piercing_count);
    for (uint32_t i = 0; i < t->piercing_count; i++)
        t->record_of[t->records[i].extra] = i;
    for (uint32_t i = 0; i < t->crossing_count; i++) {
        if (t->crossings[i].contour != NONE)
            continue;
        t->crossings[i].contour = t->contour_count;
        uint32_t from = 0, end = 0;
        for (queue[end++] = i; from < end; from++)
            end = join_neighbours(t, queue[from], queue, end);
        const uint32_t *part = t->crossings[i].part;
        t->contours[t->contour_count] =
            (snag__contour){.part = {part[0] < part[1] ? part[0] : part[1], part[0] < part[1] ? part[1] : part[0]}};
        t->contour_count++;
    }
    SNAG__ASSERT(t->contour_count <= t->crossing_count);
}

// Sums up each contour and sorts the piercings by contour.
static void sum_contours(snag__tangle *t)
{
    for (uint32_t i = 0; i < t->crossing_count; i++) {
        const snag__crossing *c = &t->crossings[i];
        SNAG__ASSERT(c->contour < t->contour_count);
        snag__contour *contour = &t->contours[c->contour];
        contour->tie += snag__dot(c->lateral[0], c->lateral[1]);
        contour->facing += c->length * c->facing;
        contour->count += c->count;
        // Along a closed curve each segment ends at two piercings, and each of them leads on to another segment.
        contour->open = contour->open || c->count < 2;
    }
    for (uint32_t i = 0; i < t->piercing_count; i++) {
        uint64_t key = t->records[i].key;
        if ((i == 0 || t->records[i - 1].key != key) && (i + 1 == t->piercing_count || t->records[i + 1].key != key))
            t->contours[t->crossings[t->piercings[t->records[i].extra].crossing].contour].open = true;
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < t->contour_count; i++) {
        t->contours[i].first = first;
        first += t->contours[i].count;
        t->contours[i].count = 0;
    }
    for (uint32_t i = 0; i < t->piercing_count; i++) {
        snag__contour *contour = &t->contours[t->crossings[t->piercings[i].crossing].contour];
        t->order[contour->first + contour->count++] = i;
    }
}

int snag__piercing_plus(const snag__tangle *tangle, const snag__piercing *piercing)
{
    const snag__crossing *c = &tangle->crossings[piercing->crossing];
    bool second = (piercing->owner == 1) != c->swapped;
    double way[3];
    snag__subtract(tangle->group->x[piercing->vertex[0]], piercing->point, way);
    double side = snag__dot(way, c->lateral[piercing->owner]);
    if (second && tangle->contours[c->contour].tie < 0)
        side = -side;
    return side > 0 ? 0 : 1;
}

// ---- regions ----

// Joins vertices along edges that are not pierced into regions, and lists the neighbours of each vertex.
static void find_regions(snag__tangle *t)
{
    const snag__group *group = t->group;
    uint32_t vertices = group->vertex_count, *start = t->adjacent_start;
    memset(start, 0, (vertices + (size_t)1) * sizeof *start);
    memset(t->size, 0, vertices * sizeof *t->size);
    for (uint32_t v = 0; v < vertices; v++)
        t->region[v] = v;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < group->body_count; b++) {
            for (size_t e = 0; e < group->infos[b].edge_count; e++) {
                uint32_t p = group->first_vertex[b] + group->infos[b].edges[2 * e];
                uint32_t q = group->first_vertex[b] + group->infos[b].edges[2 * e + 1];
                if (t->pierced[t->first_edge[b] + e])
                    continue;
                if (pass == 0) {
                    uint32_t low = snag__root_of(t->region, p), high = snag__root_of(t->region, q);
                    t->region[low < high ? high : low] = low < high ? low : high;
                    start[p + 1]++, start[q + 1]++;
                } else {
                    t->adjacent[start[p]++] = q;
                    t->adjacent[start[q]++] = p;
                }
            }
        }
        if (pass == 0)
            snag__sizes_to_starts(start, vertices);
    }
    snag__cursors_to_starts(start, vertices);
    for (uint32_t v = 0; v < vertices; v++) {
        t->region[v] = snag__root_of(t->region, v);
        t->size[t->region[v]]++;
    }
}

static void number_bodies(snag__tangle *t)
{
    const snag__group *group = t->group;
    uint32_t edges = 0, triangles = 0;
    for (uint32_t i = 0; i < group->body_count; i++) {
        const snag_body_info *info = &group->infos[i];
        t->first_edge[i] = edges;
        t->first_triangle[i] = triangles;
        edges += (uint32_t)info->edge_count;
        triangles += (uint32_t)info->triangle_count;
    }
    t->first_edge[group->body_count] = edges;
    memset(t->pierced, 0, edges);
}

snag_status snag__tangle_find(snag_response *response, const snag__group *group, const snag__parts *parts,
                              const snag_answer *answer, snag__tangle *tangle)
{
    SNAG__ASSERT(answer->question == SNAG_INTERSECTIONS);
    *tangle = (snag__tangle){.group = group, .parts = parts};
    snag_status status = reserve(response, group, answer->count, tangle);
    if (status != SNAG_OK)
        return status;
    number_bodies(tangle);
    find_piercings(tangle, answer);
    find_contours(tangle, tangle->order);
    sum_contours(tangle);
    find_regions(tangle);
    return SNAG_OK;
}

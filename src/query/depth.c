// Depth and direction of penetrating vertices, consistent over deep overlaps.
// After Heidelberger, Teschner, Keiser, Mueller, Gross: Consistent Penetration Depth Estimation for Deformable
// Collision Response, VMV 2004: mesh edges that leave the penetrated body give exact normals where they cross its
// surface, and these spread inward over the edges of the penetrating mesh. Differs: edges are followed through the
// penetrated body's own tetrahedra, so that no surface has to be searched and a body that overlaps itself is told
// apart; directions spread until they are smooth, instead of once; the depth is measured along the direction to the
// surface, instead of being estimated; bodies without a border have a depth too.
#include "query/depth.h"

#include "mesh/material.h"

#include <math.h>
#include <string.h>

// Contacts of one task of parallel work.
enum { BLOCK = 256 };

// Where an edge leaves right at the vertex, its normal outweighs those of all other edges, but not by infinity.
#define LEAST_PART 0x1p-20
// Normals around a vertex that cancel to less than this part say nothing: a thin wall with two sides.
#define LEAST_AGREEMENT 0.125
// The same for directions that have spread from several sides.
#define LEAST_DIRECTION 0x1p-20

// A surface that a direction leaves through at less than this (the cosine to its normal; about 7 degrees) turns the
// direction along itself, so often at most: a vertex close to a side of the overlap does not leave through that side
// because of the last digits of its direction.
#define GRAZING 0.125
enum { TURNS = 3 };

// A node has this level until it has a direction.
#define OPEN UINT32_MAX

// A contact while its direction is sought.
typedef struct node {
    size_t first_link;  // in the links: nodes of neighbouring vertices, in the same material
    uint32_t link_count;
    uint32_t a, b;  // places of the two bodies
    uint32_t level;  // 0: next to the surface; n: n edges from there; or OPEN
    double toward[2][3];  // the way out, as long as those that it came from agree; two for taking turns
    bool found;  // a direction for the next level; later: a depth
} node;

struct snag__depth_state {
    snag__buffer nodes, links, open, spread;
    snag__material_scratch material;
};

typedef struct search {
    snag__ask *ask;
    const snag__record *records;
    snag_contact *contacts;
    size_t count;
    struct snag__depth_state *state;
    node *nodes;
    uint32_t *links;
    const uint32_t *which;  // the nodes of this round
    int now;  // which of `toward` is read in this sweep
} search;

// ---- state ----

static struct snag__depth_state *state_of(snag__ask *ask)
{
    snag__buffer *memory = &ask->scratch->depth;
    if (memory->data == NULL) {
        if (!snag__buffer_reserve(ask->allocator, memory, 0, 1, sizeof(struct snag__depth_state)))
            return NULL;
        memset(memory->data, 0, sizeof(struct snag__depth_state));
    }
    return memory->data;
}

void snag__depth_free(const snag_allocator *allocator, snag__buffer *memory)
{
    struct snag__depth_state *state = memory->data;
    if (state == NULL)
        return;
    snag__buffer_free(allocator, &state->nodes);
    snag__buffer_free(allocator, &state->links);
    snag__buffer_free(allocator, &state->open);
    snag__buffer_free(allocator, &state->spread);
    snag__material_scratch_free(allocator, &state->material);
    snag__buffer_free(allocator, memory);
}

static const snag__mesh *mesh_of(const search *s, uint32_t place)
{
    return &s->ask->bodies[place]->mesh;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool has_vertex(const uint32_t *vertices, int count, uint32_t v)
{
    for (int i = 0; i < count; i++)
        if (vertices[i] == v)
            return true;
    return false;
}

// ---- neighbours in the penetrating mesh ----

// Elements around a vertex: tetrahedra, or triangles of a surface.
static const snag__csr *elements_at(const snag__mesh *mesh, uint32_t *corners)
{
    *corners = mesh->tet_count > 0 ? 4 : 3;
    return mesh->tet_count > 0 ? &mesh->vertex_tets : &mesh->vertex_triangles;
}

// Room that the neighbours of a vertex take before each stands once.
static size_t neighbours_at_most(const snag__mesh *mesh, uint32_t v)
{
    uint32_t corners;
    const snag__csr *lists = elements_at(mesh, &corners);
    return (size_t)(corners - 1) * (lists->start[v + 1] - lists->start[v]);
}

static void sort_words(uint32_t *words, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t i = gap; i < count; i++) {
            uint32_t word = words[i];
            size_t k = i;
            for (; k >= gap && words[k - gap] > word; k -= gap)
                words[k] = words[k - gap];
            words[k] = word;
        }
}

// The vertices that share an edge with v, ascending. Returns how many.
static uint32_t list_neighbours(const snag__mesh *mesh, uint32_t v, uint32_t *neighbours)
{
    uint32_t corners;
    const snag__csr *lists = elements_at(mesh, &corners);
    const uint32_t *vertices = corners == 4 ? (const uint32_t *)mesh->tets : (const uint32_t *)mesh->triangles;
    size_t count = 0;
    for (uint32_t i = lists->start[v]; i < lists->start[v + 1]; i++)
        for (uint32_t c = 0; c < corners; c++) {
            uint32_t w = vertices[(size_t)lists->items[i] * corners + c];
            if (w != v && count < (size_t)(corners - 1) * (lists->start[v + 1] - lists->start[v]))
                neighbours[count++] = w;
        }
    sort_words(neighbours, count);
    uint32_t kept = count > 0;
    for (size_t i = 1; i < count; i++)
        if (neighbours[i] != neighbours[kept - 1])
            neighbours[kept++] = neighbours[i];
    return kept;
}

// ---- what the edges around a vertex say ----

// One contact and the sum of what its edges have said.
typedef struct look {
    const search *s;
    const node *node;
    const snag__mesh *a, *b;
    uint32_t v, k;
    const double *x;
    bool self;
    double size;  // of the tetrahedron
    double sum[3], weight;
} look;

// The largest distance along an axis from x to a corner: a length to measure by.
static double size_of(const snag__mesh *mesh, uint32_t k, const double x[3])
{
    double size = 0;
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++)
            size = fmax(size, fabs(mesh->x_t1[mesh->tets[k][i]][axis] - x[axis]));
    return size;
}

// The first record that is not before the key.
static size_t find_record(const search *s, uint64_t key)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->records[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t key_of(const look *l, uint32_t w, uint32_t k)
{
    return (uint64_t)snag__element_number(l->s->ask, l->node->a, SNAG_VERTEX, w) << 32 |
           snag__element_number(l->s->ask, l->node->b, SNAG_TET, k);
}

// The contact of vertex w with tetrahedron k itself.
static bool find_contact(const look *l, uint32_t w, uint32_t k, uint32_t *found)
{
    uint64_t key = key_of(l, w, k);
    size_t at = find_record(l->s, key);
    *found = (uint32_t)at;
    return at < l->s->count && l->s->records[at].key == key;
}

// The first contact of vertex w with a tetrahedron around those of k: a vertex on a face is in several, and which of
// them a way came to is a matter of rounding.
static bool find_contact_near(const look *l, uint32_t w, uint32_t k, uint32_t *found)
{
    if (find_contact(l, w, k, found))
        return true;
    const uint32_t *tet = l->b->tets[k];
    uint64_t end = key_of(l, w, 0) + l->b->tet_count;
    for (size_t at = find_record(l->s, key_of(l, w, 0)); at < l->s->count && l->s->records[at].key < end; at++) {
        const uint32_t *other = l->b->tets[l->s->contacts[at].b.index];
        for (int i = 0; i < 4; i++)
            if (has_vertex(tet, 4, other[i])) {
                *found = (uint32_t)at;
                return true;
            }
    }
    return false;
}

// An edge left the body: the normal there counts by one over the square of the distance.
static void add_normal(look *l, const snag__way *way, double length_squared)
{
    double part = fmax(way->t, LEAST_PART), weight = 1 / (part * part * length_squared);
    for (int axis = 0; axis < 3; axis++)
        l->sum[axis] += weight * way->normal[axis];
    l->weight += weight;
}

// Whether w's own surface was met: in a self-contact an inverted tetrahedron may lead there, which says nothing.
static bool is_own(const look *l, uint32_t w, const uint32_t *vertices, int count)
{
    return l->self && (has_vertex(vertices, count, w) || has_vertex(vertices, count, l->v));
}

// Follows the edge to w. Returns whether it leads to another contact; else it may have added a normal.
static bool follow_edge(look *l, uint32_t w, uint32_t *linked)
{
    if (is_own(l, w, l->b->tets[l->k], 4))
        return false;
    // Most neighbours are in a tetrahedron next to this one: no need to follow the edge (which takes twice the time in
    // all).
    if (find_contact_near(l, w, l->k, linked))
        return true;
    double d[3], length_squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = l->a->x_t1[w][axis] - l->x[axis];
        length_squared += (d[axis] / l->size) * (d[axis] / l->size);
    }
    if (!(length_squared > 0 && length_squared < 0x1p500))
        return false;
    snag__way way;
    snag__way_end end = snag__way_follow(l->b, l->k, l->x, d, true, &way);
    if (end == SNAG__WAY_ARRIVED) {
        if (is_own(l, w, l->b->tets[way.tet], 4))
            return false;
        if (find_contact_near(l, w, way.tet, linked))
            return true;
        // The end lies so little outside that it counted as inside, or the search for contacts was ended early.
        end = snag__way_follow(l->b, l->k, l->x, d, false, &way);
    }
    if (end == SNAG__WAY_OUT && !is_own(l, w, way.face, 3))
        add_normal(l, &way, length_squared);
    return false;
}

static void look_around(const search *s, uint32_t i)
{
    node *n = &s->nodes[i];
    const snag_contact *contact = &s->contacts[i];
    look l = {.s = s,
              .node = n,
              .a = mesh_of(s, n->a),
              .b = mesh_of(s, n->b),
              .v = contact->a.index,
              .k = contact->b.index,
              .x = contact->point_a,
              .self = n->a == n->b};
    l.size = size_of(l.b, l.k, l.x);
    uint32_t *links = s->links + n->first_link, count = list_neighbours(l.a, l.v, links), kept = 0;
    for (uint32_t e = 0; e < count; e++) {
        uint32_t linked;
        if (follow_edge(&l, links[e], &linked))
            links[kept++] = linked;
    }
    n->link_count = kept;
    double length = sqrt(dot(l.sum, l.sum));
    if (!(length >= LEAST_AGREEMENT * l.weight && length > 0 && isfinite(length)))
        return;
    n->level = 0;
    for (int axis = 0; axis < 3; axis++)
        n->toward[0][axis] = n->toward[1][axis] = l.sum[axis] / length;
}

static void look_block(void *context, uint32_t block)
{
    const search *s = context;
    size_t first = (size_t)block * BLOCK, last = first + BLOCK < s->count ? first + BLOCK : s->count;
    for (size_t i = first; i < last; i++)
        look_around(s, (uint32_t)i);
}

// ---- spreading ----

// The mean of the directions of a node's neighbours that have one.
static bool mean_of_links(const search *s, const node *n, int now, double mean[3])
{
    uint32_t known = 0;
    double sum[3] = {0};
    for (uint32_t e = 0; e < n->link_count; e++) {
        const node *other = &s->nodes[s->links[n->first_link + e]];
        if (other->level == OPEN)
            continue;
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += other->toward[now][axis];
        known++;
    }
    for (int axis = 0; axis < 3 && known > 0; axis++)
        mean[axis] = sum[axis] / known;
    return known > 0;
}

// A task of `count` nodes in parallel.
typedef struct round_of_nodes {
    search *s;
    size_t count;
    void (*task)(const search *s, node *n);
} round_of_nodes;

static void run_block(void *context, uint32_t block)
{
    const round_of_nodes *r = context;
    size_t first = (size_t)block * BLOCK, last = first + BLOCK < r->count ? first + BLOCK : r->count;
    for (size_t i = first; i < last; i++)
        r->task(r->s, &r->s->nodes[r->s->which[i]]);
}

static void run_round(search *s, const uint32_t *which, size_t count, void (*task)(const search *s, node *n))
{
    round_of_nodes r = {s, count, task};
    s->which = which;
    snag__parallel_for(s->ask->parallel, (uint32_t)((count + BLOCK - 1) / BLOCK), run_block, &r);
}

static void reach_node(const search *s, node *n)
{
    n->found = mean_of_links(s, n, 0, n->toward[0]);
}

static void smooth_node(const search *s, node *n)
{
    mean_of_links(s, n, s->now, n->toward[!s->now]);
}

// Level by level from the nodes next to the surface. Moves those reached from `open` to `spread`; returns the levels.
static uint32_t reach_inward(search *s, uint32_t *open, size_t *open_count, uint32_t *spread, size_t *spread_count)
{
    for (uint32_t level = 0;; level++) {
        size_t before = *open_count;
        run_round(s, open, before, reach_node);
        size_t left = 0;
        for (size_t i = 0; i < before; i++) {
            node *n = &s->nodes[open[i]];
            if (!n->found) {
                open[left++] = open[i];
                continue;
            }
            n->level = level + 1;
            memcpy(n->toward[1], n->toward[0], sizeof n->toward[1]);
            spread[(*spread_count)++] = open[i];
        }
        *open_count = left;
        if (left == before)
            return level;
    }
}

// Directions that came from different sides meet somewhere, and neighbours there may point opposite ways. Taking means
// again and again turns the field into one without jumps; it shortens where sides disagree, and the others win.
static void smooth(search *s, const uint32_t *spread, size_t count, uint32_t levels)
{
    s->now = 0;
    for (uint32_t sweep = 0; sweep < 2 * levels; sweep++) {
        run_round(s, spread, count, smooth_node);
        s->now = !s->now;
    }
}

// ---- bodies without a border ----

// The shortest way out of one contact, farther ones than `limit` left out.
static bool way_out_of(const search *s, uint32_t i, double limit, snag__way_out *out)
{
    const node *n = &s->nodes[i];
    const snag_contact *contact = &s->contacts[i];
    uint32_t own = n->a == n->b ? contact->a.index : SNAG__NO_VERTEX;
    return snag__nearest_way_out(mesh_of(s, n->b), contact->b.index, contact->point_a, own, limit, s->ask->allocator,
                                 &s->state->material, out);
}

// Nodes that hang together and that no direction has reached: all go the way of the one that is nearest to the surface.
static snag_status lead_out(search *s, uint32_t first, uint32_t *group)
{
    size_t count = 1;
    snag__way_out best = {.distance = INFINITY};
    group[0] = first;
    s->nodes[first].level = 0;
    for (size_t i = 0; i < count; i++) {
        const node *n = &s->nodes[group[i]];
        snag__way_out out;
        if (!way_out_of(s, group[i], best.distance, &out))
            return SNAG_ERROR_MEMORY;
        if (out.found && (!best.found || out.distance < best.distance))
            best = out;
        for (uint32_t e = 0; e < n->link_count; e++) {
            uint32_t other = s->links[n->first_link + e];
            if (s->nodes[other].level != OPEN)
                continue;
            s->nodes[other].level = 0;
            group[count++] = other;
        }
    }
    for (size_t i = 0; i < count; i++)
        memcpy(s->nodes[group[i]].toward[s->now], best.normal, sizeof best.normal);
    return SNAG_OK;
}

// ---- depth ----

static void write_depth(snag_contact *contact, double depth, const double normal[3], const double point[3])
{
    contact->value = depth;
    memcpy(contact->normal, normal, sizeof contact->normal);
    memcpy(contact->point_b, point, sizeof contact->point_b);
}

// The direction as a unit vector; false if it is too short to tell.
static bool normalise(double v[3], double least)
{
    double length = sqrt(dot(v, v));
    for (int axis = 0; axis < 3 && length >= least; axis++)
        v[axis] = v[axis] / length + 0.0;
    return length >= least;
}

// Follows a direction to the surface and writes how far it is. `way` is where it came out. False if that cannot be
// told.
static bool measure_along(const search *s, uint32_t i, const double normal[3], snag__way *way)
{
    const node *n = &s->nodes[i];
    snag_contact *contact = &s->contacts[i];
    const snag__mesh *b = mesh_of(s, n->b);
    const double *x = contact->point_a;
    double size = size_of(b, contact->b.index, x), d[3], point[3];
    for (int axis = 0; axis < 3; axis++)
        d[axis] = normal[axis] * size;
    if (snag__way_follow(b, contact->b.index, x, d, false, way) != SNAG__WAY_OUT)
        return false;
    if (n->a == n->b && has_vertex(way->face, 3, contact->a.index))
        return false;
    double depth = way->t * size;
    for (int axis = 0; axis < 3; axis++)
        point[axis] = x[axis] + depth * normal[axis];
    if (!isfinite(depth) || !isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2]))
        return false;
    write_depth(contact, depth, normal, point);
    return true;
}

// How far it is along the direction that was found. False if that cannot be told.
static bool measure(const search *s, uint32_t i)
{
    double normal[3];
    memcpy(normal, s->nodes[i].toward[s->now], sizeof normal);
    snag__way way;
    if (!normalise(normal, LEAST_DIRECTION) || !measure_along(s, i, normal, &way))
        return false;
    for (int turn = 0; turn < TURNS; turn++) {
        double along = dot(normal, way.normal);
        if (along >= GRAZING)
            break;
        for (int axis = 0; axis < 3; axis++)
            normal[axis] -= along * way.normal[axis];
        if (!normalise(normal, LEAST_DIRECTION) || !measure_along(s, i, normal, &way))
            break;
    }
    return true;
}

static void measure_block(void *context, uint32_t block)
{
    const search *s = context;
    size_t first = (size_t)block * BLOCK, last = first + BLOCK < s->count ? first + BLOCK : s->count;
    for (size_t i = first; i < last; i++)
        s->nodes[i].found = measure(s, (uint32_t)i);
}

// What no direction leads out of: the shortest way there is.
static snag_status measure_rest(const search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        snag__way_out out;
        if (s->nodes[i].found)
            continue;
        if (!way_out_of(s, (uint32_t)i, INFINITY, &out))
            return SNAG_ERROR_MEMORY;
        if (out.found && isfinite(out.distance))
            write_depth(&s->contacts[i], out.distance, out.normal, out.point);
    }
    return SNAG_OK;
}

// ---- stages ----

static bool make_nodes(search *s)
{
    struct snag__depth_state *state = s->state;
    const snag_allocator *allocator = s->ask->allocator;
    if (!snag__buffer_reserve(allocator, &state->nodes, 0, s->count, sizeof(node)) ||
        !snag__buffer_reserve(allocator, &state->open, 0, s->count, sizeof(uint32_t)) ||
        !snag__buffer_reserve(allocator, &state->spread, 0, s->count, sizeof(uint32_t)))
        return false;
    s->nodes = state->nodes.data;
    size_t links = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t key = s->records[i].key;
        node *n = &s->nodes[i];
        *n = (node){.first_link = links,
                    .a = snag__body_of(s->ask, (uint32_t)(key >> 32)),
                    .b = snag__body_of(s->ask, (uint32_t)key),
                    .level = OPEN};
        links += neighbours_at_most(mesh_of(s, n->a), s->contacts[i].a.index);
    }
    if (!snag__buffer_reserve(allocator, &state->links, 0, links + 1, sizeof(uint32_t)))
        return false;
    s->links = state->links.data;
    return true;
}

static snag_status find_directions(search *s)
{
    uint32_t *open = s->state->open.data, *spread = s->state->spread.data;
    size_t open_count = 0, spread_count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->nodes[i].level == OPEN)
            open[open_count++] = (uint32_t)i;
    uint32_t levels = reach_inward(s, open, &open_count, spread, &spread_count);
    smooth(s, spread, spread_count, levels);
    for (size_t i = 0; i < open_count; i++)
        if (s->nodes[open[i]].level == OPEN) {
            snag_status status = lead_out(s, open[i], spread);
            if (status != SNAG_OK)
                return status;
        }
    return SNAG_OK;
}

snag_status snag__depths(snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count)
{
    if (count >= OPEN)
        return SNAG_ERROR_SIZE;
    search s = {.ask = ask, .records = records, .contacts = contacts, .count = count, .state = state_of(ask)};
    if (s.state == NULL || !make_nodes(&s))
        return SNAG_ERROR_MEMORY;
    uint32_t blocks = (uint32_t)((count + BLOCK - 1) / BLOCK);
    snag__parallel_for(ask->parallel, blocks, look_block, &s);
    snag_status status = find_directions(&s);
    if (status != SNAG_OK)
        return status;
    snag__parallel_for(ask->parallel, blocks, measure_block, &s);
    return measure_rest(&s);
}

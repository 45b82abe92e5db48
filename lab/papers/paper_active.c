#define _POSIX_C_SOURCE 200809L
#include "paper_active.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

typedef struct box_node {
    double lo[3], hi[3];
    uint32_t first, count;  // triangles of a leaf; count 0: an inner node
    uint32_t child[2];
} box_node;

// A surface with its hierarchy and the neighbours of its vertices.
typedef struct side {
    const snag_shape *shape;
    box_node *nodes;
    uint32_t node_count;
    uint32_t *order;  // triangles, leaf by leaf
    uint32_t *start, *neighbours;  // by vertex
    // Of a surface against itself, by vertex: ascending numbers of the vertices that are near along the surface, itself among them.
    size_t *near_start;
    uint32_t *near;
} side;

typedef struct pair_set {
    uint64_t *keys;  // a << 32 | b, plus 1; 0: free
    size_t capacity, count;
} pair_set;

typedef struct pair_list {
    uint64_t *keys;
    size_t count, capacity;
} pair_list;

struct paper_active {
    paper_active_def def;
    side sides[2];
    bool self;  // both sides are sides[0]
    pair_list leaves;  // overlapping pairs of leaves
    pair_list found, next;  // colliding pairs of the last step and of this one
    pair_list stack;  // of a recursive search
    pair_set visited;  // in this step
    pair_set cluster;  // in this recursive search
    uint64_t random;
    size_t looked_at;
    bool failed;
};

// ---- lists and sets ------------------------------------------------------------------------------------------------

static void list_add(paper_active *p, pair_list *list, uint64_t key)
{
    if (list->count == list->capacity) {
        size_t wanted = list->capacity > 0 ? 2 * list->capacity : 1024;
        uint64_t *grown = realloc(list->keys, wanted * sizeof *grown);
        if (!grown) {
            p->failed = true;
            return;
        }
        list->keys = grown;
        list->capacity = wanted;
    }
    list->keys[list->count++] = key;
}

static size_t slot_of(const pair_set *set, uint64_t key)
{
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (set->capacity - 1);
    while (set->keys[at] != 0 && set->keys[at] != key + 1)
        at = (at + 1) & (set->capacity - 1);
    return at;
}

// Whether the key is new.
static bool set_add(paper_active *p, pair_set *set, uint64_t key)
{
    if (2 * set->count >= set->capacity) {
        pair_set grown = {.capacity = set->capacity > 0 ? 2 * set->capacity : 1024};
        grown.keys = calloc(grown.capacity, sizeof *grown.keys);
        if (!grown.keys) {
            p->failed = true;
            return false;
        }
        for (size_t i = 0; i < set->capacity; i++)
            if (set->keys[i] != 0)
                grown.keys[slot_of(&grown, set->keys[i] - 1)] = set->keys[i];
        grown.count = set->count;
        free(set->keys);
        *set = grown;
    }
    size_t at = slot_of(set, key);
    if (set->keys[at] != 0)
        return false;
    set->keys[at] = key + 1;
    set->count++;
    return true;
}

static void set_clear(pair_set *set)
{
    if (set->count > 0)
        memset(set->keys, 0, set->capacity * sizeof *set->keys);
    set->count = 0;
}

static uint32_t draw(paper_active *p, uint32_t below)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((p->random >> 32) * below) >> 32);
}

// ---- hierarchy (section 4) -----------------------------------------------------------------------------------------

static const double *corner(const side *s, uint32_t triangle, int c)
{
    return &s->shape->positions[3 * (size_t)s->shape->triangles[3 * (size_t)triangle + (size_t)c]];
}

static double centre(const side *s, uint32_t triangle, int axis)
{
    return corner(s, triangle, 0)[axis] + corner(s, triangle, 1)[axis] + corner(s, triangle, 2)[axis];
}

static void fit_leaf(const side *s, box_node *node, double offset)
{
    for (int k = 0; k < 3; k++) {
        node->lo[k] = INFINITY;
        node->hi[k] = -INFINITY;
        for (uint32_t i = node->first; i < node->first + node->count; i++)
            for (int c = 0; c < 3; c++) {
                double x = corner(s, s->order[i], c)[k];
                node->lo[k] = fmin(node->lo[k], x - offset);
                node->hi[k] = fmax(node->hi[k], x + offset);
            }
    }
}

// Cuts the box through the middle of its longest side (section 4.2); if that leaves one half empty, by halves of the triangles.
static uint32_t partition(side *s, const box_node *node)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        axis = node->hi[k] - node->lo[k] > node->hi[axis] - node->lo[axis] ? k : axis;
    double middle = 1.5 * (node->lo[axis] + node->hi[axis]);
    uint32_t low = node->first, high = node->first + node->count;
    while (low < high) {
        if (centre(s, s->order[low], axis) < middle)
            low++;
        else {
            uint32_t swapped = s->order[low];
            s->order[low] = s->order[--high];
            s->order[high] = swapped;
        }
    }
    return low > node->first && low < node->first + node->count ? low - node->first : node->count / 2;
}

// Children come after their parents, so that a sweep from the end is bottom-up.
static void build(side *s, uint32_t leaf)
{
    uint32_t count = (uint32_t)s->shape->triangle_count;
    for (uint32_t t = 0; t < count; t++)
        s->order[t] = t;
    s->nodes[0] = (box_node){.count = count};
    s->node_count = 1;
    for (uint32_t n = 0; n < s->node_count; n++) {
        box_node *node = &s->nodes[n];
        fit_leaf(s, node, 0);
        if (node->count <= leaf)
            continue;
        uint32_t first = node->first, all = node->count, left = partition(s, node);
        node->child[0] = s->node_count;
        node->child[1] = s->node_count + 1;
        node->count = 0;
        s->nodes[s->node_count++] = (box_node){.first = first, .count = left};
        s->nodes[s->node_count++] = (box_node){.first = first + left, .count = all - left};
    }
}

static void update(side *s, double offset)
{
    for (uint32_t n = s->node_count; n-- > 0;) {
        box_node *node = &s->nodes[n];
        if (node->count > 0) {
            fit_leaf(s, node, offset);
            continue;
        }
        const box_node *a = &s->nodes[node->child[0]], *b = &s->nodes[node->child[1]];
        for (int k = 0; k < 3; k++) {
            node->lo[k] = fmin(a->lo[k], b->lo[k]);
            node->hi[k] = fmax(a->hi[k], b->hi[k]);
        }
    }
}

static bool overlap(const box_node *a, const box_node *b)
{
    for (int k = 0; k < 3; k++)
        if (a->lo[k] > b->hi[k] || b->lo[k] > a->hi[k])
            return false;
    return true;
}

static const side *side_of(const paper_active *p, int which)
{
    return &p->sides[p->self ? 0 : which];
}

// NOLINTNEXTLINE(misc-no-recursion): no deeper than both trees together
static void traverse(paper_active *p, uint32_t a, uint32_t b)
{
    const box_node *x = &side_of(p, 0)->nodes[a], *y = &side_of(p, 1)->nodes[b];
    if (!overlap(x, y))
        return;
    if (x->count > 0 && y->count > 0) {
        list_add(p, &p->leaves, (uint64_t)a << 32 | b);
        return;
    }
    // A node against itself: its children against themselves, and against each other once.
    bool own = p->self && a == b;
    for (int i = 0; i < (x->count > 0 ? 1 : 2); i++)
        for (int j = own ? i : 0; j < (y->count > 0 ? 1 : 2); j++)
            traverse(p, x->count > 0 ? a : x->child[i], y->count > 0 ? b : y->child[j]);
}

// ---- pairs of points (section 3) -----------------------------------------------------------------------------------

static double squared_distance(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static double squared(paper_active *p, uint32_t a, uint32_t b)
{
    p->looked_at++;
    return squared_distance(&side_of(p, 0)->shape->positions[3 * (size_t)a], &side_of(p, 1)->shape->positions[3 * (size_t)b]);
}

// Points of one surface that are near along it are no pair: they would walk into each other.
static bool is_pair(const paper_active *p, uint32_t a, uint32_t b)
{
    if (!p->self)
        return true;
    const side *s = &p->sides[0];
    size_t low = s->near_start[a], high = s->near_start[a + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->near[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low == s->near_start[a + 1] || s->near[low] != b;
}

// On one surface (a, b) and (b, a) are the same pair.
static uint64_t key_of(const paper_active *p, uint32_t a, uint32_t b)
{
    return p->self && b < a ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
}

static bool collides(const paper_active *p, double squared_length)
{
    return squared_length < p->def.distance * p->def.distance;
}

// Replaces one of the two points by its closest neighbour until none is closer.
static double walk(paper_active *p, uint32_t *a, uint32_t *b)
{
    double least = squared(p, *a, *b);
    for (bool moved = true; moved;) {
        moved = false;
        for (int which = 0; which < 2; which++) {
            const side *s = side_of(p, which);
            uint32_t from = which == 0 ? *a : *b, best = from, other = which == 0 ? *b : *a;
            for (uint32_t i = s->start[from]; i < s->start[from + 1]; i++) {
                if (!is_pair(p, s->neighbours[i], other))
                    continue;
                double length = which == 0 ? squared(p, s->neighbours[i], *b) : squared(p, *a, s->neighbours[i]);
                if (length < least) {
                    least = length;
                    best = s->neighbours[i];
                }
            }
            moved = moved || best != from;
            *(which == 0 ? a : b) = best;
        }
    }
    return least;
}

// Calls with the pairs of a pair's neighbours, one of the two points replaced.
static void visit_neighbours(paper_active *p, uint64_t key, void (*visit)(paper_active *p, uint64_t key))
{
    const uint32_t ends[2] = {(uint32_t)(key >> 32), (uint32_t)key};
    for (int which = 0; which < 2; which++) {
        const side *s = side_of(p, which);
        for (uint32_t i = s->start[ends[which]]; i < s->start[ends[which] + 1]; i++) {
            uint32_t a = which == 0 ? s->neighbours[i] : ends[0], b = which == 0 ? ends[1] : s->neighbours[i];
            if (is_pair(p, a, b))
                visit(p, key_of(p, a, b));
        }
    }
}

static bool test(paper_active *p, uint64_t key)
{
    return collides(p, squared(p, (uint32_t)(key >> 32), (uint32_t)key));
}

// Tests a pair once in a step.
static void try_pair(paper_active *p, uint64_t key)
{
    if (set_add(p, &p->visited, key) && test(p, key))
        list_add(p, &p->next, key);
}

// Goes on from a pair of a cluster that this search has not seen yet; pairs that the step knows already are looked at again.
static void try_cluster(paper_active *p, uint64_t key)
{
    if (!set_add(p, &p->cluster, key) || !test(p, key))
        return;
    list_add(p, &p->stack, key);
    if (set_add(p, &p->visited, key))
        list_add(p, &p->next, key);
}

static void search_cluster(paper_active *p, uint64_t key)
{
    set_clear(&p->cluster);
    p->stack.count = 0;
    try_cluster(p, key);
    while (p->stack.count > 0 && !p->failed)
        visit_neighbours(p, p->stack.keys[--p->stack.count], try_cluster);
}

static void start_pairs(paper_active *p)
{
    for (uint32_t i = 0; i < p->def.new_pairs && p->leaves.count > 0; i++) {
        uint64_t leaves = p->leaves.keys[draw(p, (uint32_t)p->leaves.count)];
        uint32_t points[2];
        for (int which = 0; which < 2; which++) {
            const side *s = side_of(p, which);
            const box_node *leaf = &s->nodes[which == 0 ? leaves >> 32 : (uint32_t)leaves];
            uint32_t triangle = s->order[leaf->first + draw(p, leaf->count)];
            points[which] = s->shape->triangles[3 * triangle + draw(p, 3)];
        }
        if (!is_pair(p, points[0], points[1]) || !collides(p, walk(p, &points[0], &points[1])))
            continue;
        uint64_t key = key_of(p, points[0], points[1]);
        if (p->def.recursive)
            search_cluster(p, key);
        else
            try_pair(p, key);
    }
}

// A neighbour that was not known is a new collision: its cluster is searched.
static void try_new(paper_active *p, uint64_t key)
{
    if (!set_add(p, &p->visited, key) || !test(p, key))
        return;
    list_add(p, &p->next, key);
    search_cluster(p, key);
}

// Pairs of the last step that still collide, and their neighbours; with a recursive search the clusters of those that are new.
static void keep_pairs(paper_active *p)
{
    for (size_t i = 0; i < p->found.count && !p->failed; i++) {
        try_pair(p, p->found.keys[i]);
        if (!p->def.recursive)
            visit_neighbours(p, p->found.keys[i], try_pair);
    }
    size_t kept = p->next.count;
    for (size_t i = 0; i < kept && p->def.recursive && !p->failed; i++)
        visit_neighbours(p, p->next.keys[i], try_new);
}

bool paper_active_run(paper_active *p, paper_active_step *step)
{
    double start = measure_cpu_ms();
    *step = (paper_active_step){0};
    p->failed = false;
    p->looked_at = p->leaves.count = p->next.count = 0;
    set_clear(&p->visited);
    for (int which = 0; which < (p->self ? 1 : 2); which++)
        update(&p->sides[which], p->def.distance / 2);
    step->update_ms = measure_cpu_ms() - start;
    traverse(p, 0, 0);
    step->overlap_ms = measure_cpu_ms() - start - step->update_ms;
    keep_pairs(p);
    start_pairs(p);
    pair_list last = p->found;
    p->found = p->next;
    p->next = last;
    step->total_ms = measure_cpu_ms() - start;
    step->leaf_pairs = p->leaves.count;
    step->found = p->found.count;
    step->looked_at = p->looked_at;
    return !p->failed;
}

// ---- set up --------------------------------------------------------------------------------------------------------

static bool open_side(side *s, const snag_shape *shape, uint32_t leaf)
{
    size_t triangles = shape->triangle_count, vertices = shape->vertex_count;
    s->shape = shape;
    s->nodes = malloc((2 * triangles + 1) * sizeof *s->nodes);
    s->order = malloc((triangles + 1) * sizeof *s->order);
    s->start = calloc(vertices + 2, sizeof *s->start);
    s->neighbours = malloc((6 * triangles + 1) * sizeof *s->neighbours);
    if (!s->nodes || !s->order || !s->start || !s->neighbours || triangles == 0)
        return false;
    build(s, leaf > 0 ? leaf : 1);
    // Every triangle gives each of its corners the other two: inner edges are there twice, which a walk does not mind.
    for (size_t i = 0; i < 3 * triangles; i++)
        s->start[shape->triangles[i] + 2] += 2;
    for (size_t v = 2; v < vertices + 2; v++)
        s->start[v] += s->start[v - 1];
    for (size_t t = 0; t < triangles; t++)
        for (size_t c = 0; c < 3; c++) {
            uint32_t v = shape->triangles[3 * t + c];
            s->neighbours[s->start[v + 1]++] = shape->triangles[3 * t + (c + 1) % 3];
            s->neighbours[s->start[v + 1]++] = shape->triangles[3 * t + (c + 2) % 3];
        }
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// A search for the vertices around one: the shortest known way to each vertex, and those that were reached.
typedef struct around {
    double *way;  // by vertex; infinite: not reached
    uint32_t *queue;  // a ring of vertices whose neighbours must be looked at
    bool *queued;
    uint32_t *reached;
    size_t count;
} around;

// The vertices within `reach` of a vertex along edges, ascending. A queue without order is enough: few vertices are near.
static void search_around(const side *s, uint32_t from, double reach, around *n)
{
    size_t vertices = s->shape->vertex_count, head = 0, waiting = 1;
    n->count = 1;
    n->reached[0] = n->queue[0] = from;
    n->way[from] = 0;
    n->queued[from] = true;
    for (; waiting > 0; waiting--) {
        uint32_t v = n->queue[head];
        head = head + 1 < vertices ? head + 1 : 0;
        n->queued[v] = false;
        for (uint32_t i = s->start[v]; i < s->start[v + 1]; i++) {
            uint32_t w = s->neighbours[i];
            double way =
                n->way[v] + sqrt(squared_distance(&s->shape->positions[3 * (size_t)v], &s->shape->positions[3 * (size_t)w]));
            if (way > reach || way >= n->way[w])
                continue;
            if (n->way[w] == INFINITY)
                n->reached[n->count++] = w;
            n->way[w] = way;
            if (n->queued[w])
                continue;
            n->queued[w] = true;
            n->queue[(head + waiting - 1) % vertices] = w;
            waiting++;
        }
    }
    for (size_t i = 0; i < n->count; i++)
        n->way[n->reached[i]] = INFINITY;
    qsort(n->reached, n->count, sizeof *n->reached, by_number);
}

static bool fill_near(side *s, double reach, around *n)
{
    size_t vertices = s->shape->vertex_count, capacity = 0;
    for (size_t v = 0; v < vertices; v++)
        n->way[v] = INFINITY;
    for (size_t v = 0; v < vertices; v++) {
        search_around(s, (uint32_t)v, reach, n);
        size_t used = s->near_start[v];
        if (used + n->count > capacity) {
            capacity = 2 * (used + n->count);
            uint32_t *grown = realloc(s->near, capacity * sizeof *grown);
            if (!grown)
                return false;
            s->near = grown;
        }
        memcpy(s->near + used, n->reached, n->count * sizeof *n->reached);
        s->near_start[v + 1] = used + n->count;
    }
    return true;
}

static bool find_near(side *s, double reach)
{
    size_t vertices = s->shape->vertex_count;
    around n = {.way = malloc(vertices * sizeof *n.way),
                .queue = malloc(vertices * sizeof *n.queue),
                .queued = calloc(vertices, sizeof *n.queued),
                .reached = malloc(vertices * sizeof *n.reached)};
    s->near_start = calloc(vertices + 1, sizeof *s->near_start);
    bool good = n.way && n.queue && n.queued && n.reached && s->near_start && fill_near(s, reach, &n);
    free(n.way);
    free(n.queue);
    free(n.queued);
    free(n.reached);
    return good;
}

paper_active *paper_active_new(const paper_active_def *def)
{
    paper_active *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->def = *def;
    p->random = def->seed;
    p->self = def->a == def->b;
    if (open_side(&p->sides[0], def->a, def->leaf) &&
        (p->self ? find_near(&p->sides[0], 2 * def->distance) : open_side(&p->sides[1], def->b, def->leaf)))
        return p;
    paper_active_free(p);
    return NULL;
}

void paper_active_free(paper_active *p)
{
    if (!p)
        return;
    for (int which = 0; which < 2; which++) {
        free(p->sides[which].nodes);
        free(p->sides[which].order);
        free(p->sides[which].start);
        free(p->sides[which].neighbours);
        free(p->sides[which].near_start);
        free(p->sides[which].near);
    }
    free(p->leaves.keys);
    free(p->found.keys);
    free(p->next.keys);
    free(p->stack.keys);
    free(p->visited.keys);
    free(p->cluster.keys);
    free(p);
}

// ---- truth ---------------------------------------------------------------------------------------------------------

typedef struct along_x {
    double x;
    uint32_t vertex;
} along_x;

static int by_x(const void *a, const void *b)
{
    double x = ((const along_x *)a)->x, y = ((const along_x *)b)->x;
    return (x > y) - (x < y);
}

// Points of the first side sorted along x, and for each point of the second those within the distance of it.
size_t paper_active_truth(const paper_active *p)
{
    const snag_shape *a = side_of(p, 0)->shape, *b = side_of(p, 1)->shape;
    double distance = p->def.distance;
    along_x *sorted = malloc((a->vertex_count + 1) * sizeof *sorted);
    if (!sorted)
        return SIZE_MAX;
    for (uint32_t v = 0; v < a->vertex_count; v++)
        sorted[v] = (along_x){a->positions[3 * (size_t)v], v};
    qsort(sorted, a->vertex_count, sizeof *sorted, by_x);
    size_t count = 0;
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        const double *x = &b->positions[3 * (size_t)v];
        size_t low = 0, high = a->vertex_count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (sorted[middle].x < x[0] - distance)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < a->vertex_count && sorted[low].x <= x[0] + distance; low++) {
            uint32_t w = sorted[low].vertex;
            count +=
                !(p->self && w > v) && squared_distance(&a->positions[3 * (size_t)w], x) < distance * distance && is_pair(p, w, v);
        }
    }
    free(sorted);
    return count;
}

#include "bound/body_pairs.h"

#include "base/assert.h"
#include "base/sort.h"

#include <math.h>

// A node of the tree; a leaf is a single body.
typedef struct node {
    snag__body_box box;
    uint32_t child[2];  // of a leaf: the body, twice
    bool single;
} node;

static bool is_empty(const snag__body_box *box)
{
    return !(box->lo[0] <= box->hi[0] && box->lo[1] <= box->hi[1] && box->lo[2] <= box->hi[2]);
}

static bool boxes_meet(const snag__body_box *a, const snag__body_box *b)
{
    for (int axis = 0; axis < 3; axis++)
        if (!(a->lo[axis] <= b->hi[axis] && b->lo[axis] <= a->hi[axis]))
            return false;
    return true;
}

// Halves before it adds, so that no sum overflows. Zero for an infinite box: any number would do.
static float centre_of(const snag__body_box *box, int axis)
{
    float centre = box->lo[axis] / 2 + box->hi[axis] / 2;
    return isfinite(centre) ? centre : 0;
}

// Spreads ten bits for a Morton code: two zeros between neighbours.
static uint32_t spread(uint32_t bits)
{
    bits = (bits | bits << 16) & 0x030000ffu;
    bits = (bits | bits << 8) & 0x0300f00fu;
    bits = (bits | bits << 4) & 0x030c30c3u;
    return (bits | bits << 2) & 0x09249249u;
}

// Sorts the bodies with boxes that are not empty by the Morton codes of their centres; returns how many.
static uint32_t sort_bodies(const snag__body_box *boxes, uint32_t count, snag__record *order, snag__record *scratch)
{
    float lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            lo[axis] = fminf(lo[axis], is_empty(&boxes[i]) ? INFINITY : centre_of(&boxes[i], axis));
            hi[axis] = fmaxf(hi[axis], is_empty(&boxes[i]) ? -INFINITY : centre_of(&boxes[i], axis));
        }
    }
    uint32_t bodies = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_empty(&boxes[i]))
            continue;
        uint64_t code = 0;
        for (int axis = 0; axis < 3; axis++) {
            double extent = (double)hi[axis] - (double)lo[axis], at = (double)centre_of(&boxes[i], axis) - (double)lo[axis];
            code |= (uint64_t)spread(extent > 0 ? (uint32_t)(at / extent * 1023) : 0) << axis;
        }
        order[bodies++] = (snag__record){.key = code << 32 | i};
    }
    snag__sort_records(order, scratch, bodies);
    return bodies;
}

static snag__body_box joined(const snag__body_box *a, const snag__body_box *b)
{
    snag__body_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = fminf(a->lo[axis], b->lo[axis]);
        box.hi[axis] = fmaxf(a->hi[axis], b->hi[axis]);
    }
    return box;
}

// Builds the tree bottom-up: pairs neighbours in Morton order, then pairs of those, and so on. A node left over at the end of a
// level moves up unchanged. Returns the root.
static uint32_t build_tree(const snag__body_box *boxes, const snag__record *order, uint32_t bodies, node *nodes)
{
    for (uint32_t i = 0; i < bodies; i++) {
        uint32_t body = (uint32_t)order[i].key;
        nodes[i] = (node){boxes[body], {body, body}, true};
    }
    uint32_t first = 0, last = bodies;
    while (last - first > 1) {
        uint32_t made = last;
        for (uint32_t i = first; i + 1 < last; i += 2)
            nodes[made++] = (node){joined(&nodes[i].box, &nodes[i + 1].box), {i, i + 1}, false};
        if ((last - first) % 2 == 1)
            nodes[made++] = nodes[last - 1];
        first = last;
        last = made;
    }
    return first;
}

static bool append(snag__body_pairs *body_pairs, uint32_t a, uint32_t b, const snag_allocator *allocator)
{
    if (!snag__buffer_reserve(allocator, &body_pairs->pair_memory, body_pairs->pair_count, body_pairs->pair_count + 1,
                              sizeof *body_pairs->pairs))
        return false;
    body_pairs->pairs = body_pairs->pair_memory.data;
    body_pairs->pairs[body_pairs->pair_count++] = (snag__body_pair){a < b ? a : b, a < b ? b : a};
    return true;
}

// Two nodes on the stack of a descent, or one with itself.
typedef struct node_pair {
    uint32_t i, j;
} node_pair;

// The pairs of children of a pair that are not both leaves. Returns how many.
static size_t split_pair(const node *nodes, node_pair pair, node_pair *out)
{
    const node *a = &nodes[pair.i], *b = &nodes[pair.j];
    if (pair.i == pair.j) {
        out[0] = (node_pair){a->child[0], a->child[0]};
        out[1] = (node_pair){a->child[1], a->child[1]};
        out[2] = (node_pair){a->child[0], a->child[1]};
        return 3;
    }
    for (int k = 0; k < 2; k++)
        out[k] = a->single ? (node_pair){pair.i, b->child[k]} : (node_pair){a->child[k], pair.j};
    return 2;
}

// Descends from the root against itself. Each step adds two pairs net at most, and there are at most twice as many as levels.
static bool descend(snag__body_pairs *body_pairs, uint32_t root, const snag_allocator *allocator)
{
    enum { LEVELS = 33, STACK = 4 * LEVELS + 4 };
    const node *nodes = body_pairs->nodes.data;
    node_pair stack[STACK];
    size_t count = 0;
    stack[count++] = (node_pair){root, root};
    while (count > 0) {
        SNAG__ASSERT(count + 2 <= STACK);
        node_pair pair = stack[--count];
        const node *a = &nodes[pair.i], *b = &nodes[pair.j];
        if (!boxes_meet(&a->box, &b->box))
            continue;
        if (!a->single || !b->single)
            count += split_pair(nodes, pair, stack + count);
        else if (!append(body_pairs, a->child[0], b->child[0], allocator))
            return false;
    }
    return true;
}

bool snag__body_pairs_find(snag__body_pairs *body_pairs, const snag__body_box *boxes, uint32_t count,
                           const snag_allocator *allocator)
{
    SNAG__ASSERT(boxes != NULL || count == 0);
    body_pairs->pair_count = 0;
    if (!snag__buffer_reserve(allocator, &body_pairs->nodes, 0, 2 * (size_t)count + 64, sizeof(node)) ||
        !snag__buffer_reserve(allocator, &body_pairs->order, 0, 2 * (size_t)count + 2, sizeof(snag__record)))
        return false;
    snag__record *order = body_pairs->order.data;
    uint32_t bodies = sort_bodies(boxes, count, order, order + count + 1);
    if (bodies == 0)
        return true;
    uint32_t root = build_tree(boxes, order, bodies, body_pairs->nodes.data);
    return descend(body_pairs, root, allocator);
}

void snag__body_pairs_free(const snag_allocator *allocator, snag__body_pairs *body_pairs)
{
    snag__buffer_free(allocator, &body_pairs->nodes);
    snag__buffer_free(allocator, &body_pairs->order);
    snag__buffer_free(allocator, &body_pairs->pair_memory);
    *body_pairs = (snag__body_pairs){0};
}

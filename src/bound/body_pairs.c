#include "bound/body_pairs.h"

#include "base/sort.h"

#include <math.h>

// A group of bodies, or a single one.
typedef struct node {
    snag__body_box box;
    uint32_t child[2];  // of a single body: itself, twice
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

// Halved before they are added: no sum overflows. Of an infinite box zero, which is as good as any.
static float centre_of(const snag__body_box *box, int axis)
{
    float centre = box->lo[axis] / 2 + box->hi[axis] / 2;
    return isfinite(centre) ? centre : 0;
}

// Spreads ten bits so that two zeros stand between each two.
static uint32_t spread(uint32_t bits)
{
    bits = (bits | bits << 16) & 0x030000ffu;
    bits = (bits | bits << 8) & 0x0300f00fu;
    bits = (bits | bits << 4) & 0x030c30c3u;
    return (bits | bits << 2) & 0x09249249u;
}

// Sorts the bodies whose boxes are not empty along Morton's curve through their centres; returns how many.
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

// Groups bodies by two, the groups by two, and so on; the bodies come in the order of the curve. Returns the last group, which
// holds all. One that is left over at the end of a level goes up as it is.
static uint32_t group(const snag__body_box *boxes, const snag__record *order, uint32_t bodies, node *nodes)
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

// Two groups, or one with itself, that wait to be looked at.
typedef struct waiting {
    uint32_t i, j;
} waiting;

// What two groups that meet, and are not both single, are made of. Returns how many.
static size_t open_groups(const node *nodes, waiting pair, waiting *out)
{
    const node *a = &nodes[pair.i], *b = &nodes[pair.j];
    if (pair.i == pair.j) {
        out[0] = (waiting){a->child[0], a->child[0]};
        out[1] = (waiting){a->child[1], a->child[1]};
        out[2] = (waiting){a->child[0], a->child[1]};
        return 3;
    }
    for (int k = 0; k < 2; k++)
        out[k] = a->single ? (waiting){pair.i, b->child[k]} : (waiting){a->child[k], pair.j};
    return 2;
}

// The pairs of all groups. Each step adds two at the most, and none goes deeper than twice the levels.
static bool pair_groups(snag__body_pairs *body_pairs, uint32_t root, const snag_allocator *allocator)
{
    enum { LEVELS = 33 };
    const node *nodes = body_pairs->nodes.data;
    waiting stack[4 * LEVELS + 4];
    size_t count = 0;
    stack[count++] = (waiting){root, root};
    while (count > 0) {
        waiting pair = stack[--count];
        const node *a = &nodes[pair.i], *b = &nodes[pair.j];
        if (!boxes_meet(&a->box, &b->box))
            continue;
        if (!a->single || !b->single)
            count += open_groups(nodes, pair, stack + count);
        else if (!append(body_pairs, a->child[0], b->child[0], allocator))
            return false;
    }
    return true;
}

bool snag__body_pairs_find(snag__body_pairs *body_pairs, const snag__body_box *boxes, uint32_t count,
                           const snag_allocator *allocator)
{
    body_pairs->pair_count = 0;
    if (!snag__buffer_reserve(allocator, &body_pairs->nodes, 0, 2 * (size_t)count + 64, sizeof(node)) ||
        !snag__buffer_reserve(allocator, &body_pairs->order, 0, 2 * (size_t)count + 2, sizeof(snag__record)))
        return false;
    snag__record *order = body_pairs->order.data;
    uint32_t bodies = sort_bodies(boxes, count, order, order + count + 1);
    if (bodies == 0)
        return true;
    uint32_t root = group(boxes, order, bodies, body_pairs->nodes.data);
    return pair_groups(body_pairs, root, allocator);
}

void snag__body_pairs_free(const snag_allocator *allocator, snag__body_pairs *body_pairs)
{
    snag__buffer_free(allocator, &body_pairs->nodes);
    snag__buffer_free(allocator, &body_pairs->order);
    snag__buffer_free(allocator, &body_pairs->pair_memory);
    *body_pairs = (snag__body_pairs){0};
}

// Ear clipping with exact predicates.
//
// An ear is a corner b with its neighbours a and c such that the triangle abc turns as the polygon does and nothing of
// the loop lies in it; it is cut off, and a and c become neighbours. Meisters showed (Polygons have ears, 1975) that a
// simple polygon always has one. Cutting changes nothing at other corners, so each corner is looked at when it is new
// and when a neighbour was cut.
//
// What exporters write is not always simple: a hole is reached by an edge that is walked both ways (a bridge), vertices
// touch, corners repeat, spikes run out and back. Such a loop is the limit of simple ones. So an ear is judged by the
// open triangle:
//
// A corner strictly inside blocks it. A corner on a side blocks it if one of its edges runs into the triangle.
//
// A corner on the new side ac that does not block would come to lie in the middle of the triangle's side, where it has
// no vertex. Such an ear is cut only if there is no other.
//
// If other corners lie on ab or bc, edges may lie upon edges, and the triangle may be outside (between two lobes that
// are joined by a path without width). Then the winding number of the loop around the triangle decides, exactly.
//
// Corners without area are cut without a look at others, since they cover nothing. Repeated corners are cut at once;
// spikes, and after these straight corners, only if there is no ear, since a triangle without area is of no use.
//
// A blocked corner watches one corner that blocks it. It is judged again when that one was cut or, where it blocks by
// its edges, has got a new edge. So when the queue is empty, there is no ear.
//
// If there is none, the loop crosses itself. What is done then is defined all the same: the blocked corner that has
// waited longest is cut; and where nothing is left that turns as the polygon does, the rest becomes a fan from its
// lowest corner.
//
// Whether the triangles tile the polygon is proven afterwards, not by how they were found. A loop's winding number
// around a point is the number of triangles cut off it that hold the point and turn left, less those that turn right,
// plus the winding number of what is left. So ears are cut off the outside too, until the loop is convex: if the
// triangles inside all turn as the polygon does, those outside all turn the other way, and the convex loop goes around
// once, then no point is in two of the triangles.
#include "mesh/ears.h"

#include "geom/geom.h"
#include "mesh/corner_tree.h"

#include <math.h>

// In the order in which corners are cut; READY ones are judged first.
enum { READY, SPIKE, STRAIGHT, RESTING, BLOCKED, QUEUE_COUNT, NO_QUEUE };

// A corner blocks as long as it is there, or as long as its edges are.
enum { BY_PLACE, BY_EDGES };

// A corner that is judged is compared with those near it: in all that took at most 2.5 n sqrt(n) looks for n corners of
// whatever was tried (100,000 corners in a star of random radii: 2 s). Only where thousands of corners lie at one place
// there may be more, up to n^2; 4000 holes with all their bridges to one corner take 1.5e8. Beyond this many, ears are
// cut unseen, and the polygon counts as one that crosses itself. Of a polygon that does, as some winding numbers tell
// in advance, less is enough.
#define LOOKS 1000000000u
#define LOOKS_BY_SIZE 8
#define LOOKS_IF_CROSSED 100
#define PROBES 32

typedef struct queue {
    uint32_t first, last;
} queue;

typedef struct clipper {
    snag__corner *corners;
    snag__corner_tree tree;
    queue queues[QUEUE_COUNT];
    const uint32_t *vertices;
    uint32_t (*triangles)[3];  // where the next one goes; NULL: they are not wanted
    uint32_t count, left;
    int axis, u, v;
    int turn;  // of an ear
    int winding;  // of the loop around an ear
    bool turned;  // a triangle turned the other way, or nobody looked
    uint64_t looks, most_looks;
} clipper;

// ---- queues and watchers ----

static void leave_queue(clipper *c, uint32_t i)
{
    snag__corner *corner = &c->corners[i];
    if (corner->queue == NO_QUEUE)
        return;
    queue *q = &c->queues[corner->queue];
    if (corner->queue_before != SNAG__NO_CORNER)
        c->corners[corner->queue_before].queue_after = corner->queue_after;
    else
        q->first = corner->queue_after;
    if (corner->queue_after != SNAG__NO_CORNER)
        c->corners[corner->queue_after].queue_before = corner->queue_before;
    else
        q->last = corner->queue_before;
    corner->queue = NO_QUEUE;
}

static void stop_watching(clipper *c, uint32_t i)
{
    snag__corner *corner = &c->corners[i];
    if (corner->watched == SNAG__NO_CORNER)
        return;
    if (corner->watcher_before != SNAG__NO_CORNER)
        c->corners[corner->watcher_before].watcher_after = corner->watcher_after;
    else
        c->corners[corner->watched].watchers[corner->watch_kind] = corner->watcher_after;
    if (corner->watcher_after != SNAG__NO_CORNER)
        c->corners[corner->watcher_after].watcher_before = corner->watcher_before;
    corner->watched = SNAG__NO_CORNER;
}

// Puts the corner at the end of a queue; it watches nothing any more.
static void put(clipper *c, uint32_t i, uint8_t to)
{
    leave_queue(c, i);
    stop_watching(c, i);
    snag__corner *corner = &c->corners[i];
    corner->queue = to;
    if (to == NO_QUEUE)
        return;
    queue *q = &c->queues[to];
    corner->queue_before = q->last;
    corner->queue_after = SNAG__NO_CORNER;
    if (q->last != SNAG__NO_CORNER)
        c->corners[q->last].queue_after = i;
    else
        q->first = i;
    q->last = i;
}

static void watch(clipper *c, uint32_t i, uint32_t watched, uint8_t kind)
{
    snag__corner *corner = &c->corners[i], *other = &c->corners[watched];
    corner->watched = watched;
    corner->watch_kind = kind;
    corner->watcher_before = SNAG__NO_CORNER;
    corner->watcher_after = other->watchers[kind];
    if (corner->watcher_after != SNAG__NO_CORNER)
        c->corners[corner->watcher_after].watcher_before = i;
    other->watchers[kind] = i;
}

static void wake(clipper *c, uint32_t watched, uint8_t kind)
{
    while (c->corners[watched].watchers[kind] != SNAG__NO_CORNER)
        put(c, c->corners[watched].watchers[kind], READY);
}

// ---- cutting ----

static void write_triangle(clipper *c, uint32_t a, uint32_t b, uint32_t d)
{
    const snag__corner *corner = c->corners;
    c->turned |= snag__orient2d(corner[a].at, corner[b].at, corner[d].at, c->axis) * c->turn < 0;
    if (c->triangles == NULL)
        return;
    (*c->triangles)[0] = c->vertices[a];
    (*c->triangles)[1] = c->vertices[b];
    (*c->triangles)[2] = c->vertices[d];
    c->triangles++;
}

static void cut(clipper *c, uint32_t i)
{
    snag__corner *corner = &c->corners[i];
    uint32_t before = corner->before, after = corner->after;
    write_triangle(c, before, i, after);
    put(c, i, NO_QUEUE);
    corner->cut = true;
    c->corners[before].after = after;
    c->corners[after].before = before;
    c->left--;
    snag__corner_tree_cut(&c->tree, i);
    snag__corner_tree_edge(&c->tree, before, c->corners[after].at);
    wake(c, i, BY_PLACE);
    wake(c, i, BY_EDGES);
    wake(c, before, BY_EDGES);
    wake(c, after, BY_EDGES);
    put(c, before, READY);
    put(c, after, READY);
}

// ---- judging a corner ----

static bool same_place(const clipper *c, const double *p, const double *q)
{
    return p[c->u] == q[c->u] && p[c->v] == q[c->v];
}

static int compare(double x, double y)
{
    return (x > y) - (x < y);
}

// Of three corners on a line, the middle one at a place of its own: whether the line turns back there.
static bool turns_back(const clipper *c, const double *a, const double *b, const double *d)
{
    int k = a[c->u] != b[c->u] ? c->u : c->v;
    return compare(a[k], b[k]) == compare(d[k], b[k]);
}

static snag__corner_triangle triangle_at(const clipper *c, uint32_t i)
{
    const snag__corner *corner = &c->corners[i];
    snag__corner_triangle t = {
        .point = {c->corners[corner->before].at, corner->at, c->corners[corner->after].at}, .axis = c->axis, .turn = c->turn};
    for (int k = 0; k < 2; k++) {
        int along = k == 0 ? c->u : c->v;
        t.low[k] = t.high[k] = t.point[0][along];
        for (int p = 1; p < 3; p++) {
            double x = t.point[p][along];
            t.low[k] = x < t.low[k] ? x : t.low[k];
            t.high[k] = x > t.high[k] ? x : t.high[k];
        }
    }
    return t;
}

// On which side of a side of the triangle p lies: 1 inward, 0 on it, -1 outward. Where many corners lie at one place, p
// is often a corner of the triangle, and the sign is known without arithmetic.
static int side_of(const clipper *c, const snag__corner_triangle *t, int side, const double *p)
{
    const double *from = t->point[side], *to = t->point[side < 2 ? side + 1 : 0];
    if (same_place(c, p, from) || same_place(c, p, to))
        return 0;
    return snag__orient2d(from, to, p, c->axis) * c->turn;
}

// Whether p is in the closed triangle, and on which of its sides.
static bool find_sides(const clipper *c, const snag__corner_triangle *t, const double *p, bool on[3])
{
    for (int k = 0; k < 3; k++)
        if (same_place(c, p, t->point[k])) {
            for (int side = 0; side < 3; side++)
                on[side] = side == k || side == (k + 2) % 3;
            return true;
        }
    for (int side = 0; side < 3; side++) {
        int sign = side_of(c, t, side, p);
        if (sign < 0)
            return false;
        on[side] = sign == 0;
    }
    return true;
}

// Whether an edge that starts on the sides `on` of the triangle runs into it on its way to `to`.
static bool runs_into(const clipper *c, const snag__corner_triangle *t, const bool on[3], const double *to)
{
    for (int side = 0; side < 3; side++)
        if (on[side] && side_of(c, t, side, to) <= 0)
            return false;
    return true;
}

typedef struct obstacles {
    uint32_t blocking;  // the first corner found that blocks the ear, or SNAG__NO_CORNER
    uint8_t kind;  // how it does
    uint32_t resting;  // the first on the new side
    bool touching;  // others lie on the two old ones
} obstacles;

// Returns whether corner q blocks the ear, so that there is no need to look at others.
static bool look_at(const clipper *c, uint32_t i, const snag__corner_triangle *t, uint32_t q, obstacles *o)
{
    const snag__corner *other = &c->corners[q];
    double x = other->at[c->u], y = other->at[c->v];
    if (x < t->low[0] || x > t->high[0] || y < t->low[1] || y > t->high[1] || other->cut)
        return false;
    if (q == i || q == c->corners[i].before || q == c->corners[i].after)
        return false;
    bool on[3];
    if (!find_sides(c, t, other->at, on))
        return false;
    bool inside = !on[0] && !on[1] && !on[2];
    if (inside || runs_into(c, t, on, c->corners[other->before].at) || runs_into(c, t, on, c->corners[other->after].at)) {
        o->blocking = q;
        o->kind = inside ? BY_PLACE : BY_EDGES;
        return true;
    }
    if (on[0] || on[1])
        o->touching = true;
    else if (o->resting == SNAG__NO_CORNER)
        o->resting = q;
    return false;
}

static obstacles find_obstacles(clipper *c, uint32_t i, const snag__corner_triangle *t)
{
    obstacles o = {SNAG__NO_CORNER, BY_PLACE, SNAG__NO_CORNER, false};
    // What blocked it before often still does.
    if (c->corners[i].blocked_by != SNAG__NO_CORNER && look_at(c, i, t, c->corners[i].blocked_by, &o))
        return o;
    if (c->tree.nodes == NULL) {
        for (uint32_t q = c->corners[c->corners[i].after].after; q != c->corners[i].before; q = c->corners[q].after)
            if (look_at(c, i, t, q, &o))
                break;
        return o;
    }
    snag__corner_walk walk = snag__corner_walk_start();
    const uint32_t *corners;
    uint32_t count;
    while (snag__corner_walk_near(&c->tree, &walk, t, &corners, &count)) {
        c->looks += count;
        for (uint32_t k = 0; k < count; k++)
            if (look_at(c, i, t, corners[k], &o))
                return o;
    }
    return o;
}

// ---- the winding number around an ear ----
// It is counted along a ray to the right from a point m in the ear: b + e (a - b) + e^2 (d - b), for an e so small that
// only the first term counts that is not zero. So m lies on no edge, and no vertex is as high as m.

static bool is_above(const clipper *c, const snag__corner_triangle *t, const double *p)
{
    int v = c->v, sign = compare(p[v], t->point[1][v]);
    if (sign == 0)
        sign = compare(t->point[1][v], t->point[0][v]);
    if (sign == 0)
        sign = compare(t->point[1][v], t->point[2][v]);
    return sign > 0;
}

// What the edge from corner i adds.
static int crossing(const clipper *c, const snag__corner_triangle *t, uint32_t i)
{
    const double *from = c->corners[i].at, *to = c->corners[c->corners[i].after].at;
    bool up = is_above(c, t, to);
    if (c->corners[i].cut || up == is_above(c, t, from))
        return 0;
    int side = snag__orient2d(from, to, t->point[1], c->axis);
    if (side == 0)
        side = snag__orient2d(from, to, t->point[0], c->axis);
    if (side == 0)
        side = snag__orient2d(from, to, t->point[2], c->axis);
    return up ? side > 0 : -(side < 0);
}

static int winding_around(clipper *c, uint32_t i, const snag__corner_triangle *t)
{
    int winding = 0;
    if (c->tree.nodes == NULL) {
        uint32_t k = i;
        do {
            winding += crossing(c, t, k);
            k = c->corners[k].after;
        } while (k != i);
        return winding;
    }
    snag__corner_walk walk = snag__corner_walk_start();
    const uint32_t *corners;
    uint32_t count;
    while (snag__corner_walk_right(&c->tree, &walk, t->point[1], &corners, &count)) {
        c->looks += count;
        for (uint32_t k = 0; k < count; k++)
            winding += crossing(c, t, corners[k]);
    }
    return winding;
}

// ---- the whole loop ----

static void judge(clipper *c, uint32_t i)
{
    snag__corner_triangle t = triangle_at(c, i);
    if (same_place(c, t.point[0], t.point[1]) || same_place(c, t.point[1], t.point[2])) {
        cut(c, i);
        return;
    }
    int turn = snag__orient2d(t.point[0], t.point[1], t.point[2], c->axis) * c->turn;
    if (turn <= 0) {
        put(c, i, turn < 0 ? NO_QUEUE : turns_back(c, t.point[0], t.point[1], t.point[2]) ? SPIKE : STRAIGHT);
        return;
    }
    if (c->looks > c->most_looks) {
        c->turned = true;
        cut(c, i);
        return;
    }
    obstacles o = find_obstacles(c, i, &t);
    if (o.blocking != SNAG__NO_CORNER) {
        put(c, i, BLOCKED);
        watch(c, i, o.blocking, o.kind);
        c->corners[i].blocked_by = o.blocking;
    } else if (o.touching && winding_around(c, i, &t) != c->winding) {
        put(c, i, BLOCKED);
    } else if (o.resting != SNAG__NO_CORNER) {
        put(c, i, RESTING);
        watch(c, i, o.resting, BY_PLACE);
    } else {
        cut(c, i);
    }
}

static void start(clipper *c, const snag__loop *loop, void *memory)
{
    c->corners = memory;
    c->count = c->left = loop->count;
    c->vertices = loop->vertices;
    c->axis = loop->axis;
    c->u = (loop->axis + 1) % 3;
    c->v = (loop->axis + 2) % 3;
    c->most_looks = LOOKS + (uint64_t)(LOOKS_BY_SIZE * loop->count * sqrt(loop->count));
    for (int q = 0; q < QUEUE_COUNT; q++)
        c->queues[q] = (queue){SNAG__NO_CORNER, SNAG__NO_CORNER};
    for (uint32_t i = 0; i < loop->count; i++)
        c->corners[i] = (snag__corner){.at = loop->x[loop->vertices[i]],
                                       .before = i > 0 ? i - 1 : loop->count - 1,
                                       .after = i + 1 < loop->count ? i + 1 : 0,
                                       .watched = SNAG__NO_CORNER,
                                       .blocked_by = SNAG__NO_CORNER,
                                       .watchers = {SNAG__NO_CORNER, SNAG__NO_CORNER},
                                       .queue = NO_QUEUE};
    for (uint32_t i = 0; i < loop->count; i++)
        put(c, i, READY);
    snag__corner_tree_build(&c->tree, c->corners, loop->count, loop->axis, c->corners + loop->count);
}

// Cuts corners until three are left, or none that may be cut: with `last` READY .. BLOCKED, those of the queues up to
// it.
static void clip(clipper *c, int last)
{
    while (c->left > 3) {
        int q = READY;
        while (q <= last && c->queues[q].first == SNAG__NO_CORNER)
            q++;
        if (q > last)
            return;
        uint32_t i = c->queues[q].first;
        if (q == READY)
            judge(c, i);
        else
            cut(c, i);
    }
}

static uint32_t first_left(const clipper *c)
{
    uint32_t i = 0;
    while (c->corners[i].cut)
        i++;
    return i;
}

static void write_fan(clipper *c)
{
    uint32_t first = first_left(c);
    for (uint32_t i = c->corners[first].after; c->corners[i].after != first; i = c->corners[i].after)
        write_triangle(c, first, i, c->corners[i].after);
}

// Whether the corners that are left go around a convex area once, corners without area aside.
static bool is_convex(const clipper *c, int turn)
{
    uint32_t first = first_left(c), i = first;
    int changes = 0;
    bool last_right = false, any = false;
    // Twice around: what comes before the first edge is then known the second time.
    for (int round = 0; round < 2; round++)
        do {
            const snag__corner *b = &c->corners[i];
            const double *from = b->at, *to = c->corners[b->after].at;
            if (snag__orient2d(c->corners[b->before].at, from, to, c->axis) * turn < 0)
                return false;
            bool right = from[c->u] != to[c->u] ? from[c->u] < to[c->u] : from[c->v] < to[c->v];
            if (!same_place(c, from, to)) {
                changes += round == 1 && any && right != last_right;
                last_right = right;
                any = true;
            }
            i = b->after;
        } while (i != first);
    return changes <= 2;
}

// Whether the loop goes around a place at one of some corners otherwise than once or not at all.
static bool surely_crosses(clipper *c)
{
    if (c->tree.nodes == NULL)
        return false;
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t i = (uint32_t)((uint64_t)c->count * probe / PROBES);
        snag__corner_triangle t = triangle_at(c, i);
        if (snag__orient2d(t.point[0], t.point[1], t.point[2], c->axis) == 0)
            continue;
        int winding = winding_around(c, i, &t);
        if (winding != 0 && winding != c->turn)
            return true;
    }
    return false;
}

// Cuts off what lies outside; whether that leaves a convex loop.
static bool outside_is_tiled(const snag__loop *loop, void *memory)
{
    clipper c = {.turn = -loop->turn, .winding = 0};
    start(&c, loop, memory);
    clip(&c, RESTING);
    return !c.turned && is_convex(&c, loop->turn);
}

uint64_t snag__ears_bytes(uint32_t count)
{
    return (uint64_t)count * sizeof(snag__corner) + snag__corner_tree_bytes(count);
}

bool snag__clip_ears(const snag__loop *loop, void *memory, uint32_t (*triangles)[3])
{
    clipper c = {.turn = loop->turn, .winding = loop->turn, .triangles = triangles};
    start(&c, loop, memory);
    bool crosses = surely_crosses(&c);
    if (crosses)
        c.most_looks = c.looks + LOOKS_IF_CROSSED * (uint64_t)loop->count;
    clip(&c, BLOCKED);
    write_fan(&c);
    return !crosses && !c.turned && outside_is_tiled(loop, memory);
}

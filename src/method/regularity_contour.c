// The contour test: see regularity_contour.h. Nearly every contour is a single loop that the quick proof of
// regularity_chain.h is certain of. What it leaves open is decided by a line that sweeps over the projected contour.
//
// The contour is the chain of directed edges that triangles have left over. Above a point that is not on it, as many
// triangles lie as it winds around that point, because each triangle winds once around its own projection. So nothing
// is covered twice if the winding number is nowhere above 1, and then nothing touches either if the contour does not
// touch itself (proof: docs/methods/regularity.md). Both are seen by a line that sweeps upwards and keeps the edges it
// crosses in order from left to right:
//   - at each vertex the edges that end there must be neighbours in that order, and the vertex must lie strictly
//   between the
//     edges to their left and right, where the edges that begin there take their slot. Two edges that crossed or
//     touched would be found out at the latest when one of them ends or something comes between them;
//   - edges must run down and up in turn from left to right: between a down and an up one the winding number is 1, else
//   0.
// Loops, holes, pinched vertices and several components need no treatment of their own.
//
// Everything is decided in double with a margin for all rounding, the projection's included, so that the sweep would
// run in the same way over the true contour. What is too close to call counts as a contour that meets itself.
#include "method/regularity_contour.h"

#include <math.h>
#include <string.h>

// Edges that begin at one vertex, at most: more are left to the search.
enum { STARTS_MAX = 8, SHORT_SORT = 16 };

// An edge of the contour from the vertex where it begins. Edges of both patches are numbered through.
typedef struct snag__sweep_edge {
    double x, y;
    uint32_t next, previous;
    uint32_t from;
    uint32_t gone;  // 1 if the other patch has it too
} sweep_edge;

// A vertex of the contour, as the sweep meets it, with one edge that begins and one that ends there.
typedef struct snag__sweep_event {
    double y;
    uint32_t edge;
    uint32_t vertex;
} sweep_event;

#define NONE UINT32_MAX

// An edge on the line: its neighbours, and whether the contour runs through it upwards.
typedef struct snag__sweep_link {
    uint32_t left, right;  // edges, or NONE
    uint32_t up;
} sweep_link;

// ---- projections and room ----

static void normalize(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++)
        v[k] /= length;
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// The sweep runs in no particular direction, so that the rows of a regular mesh do not lie level.
void snag__projections_make(const snag__directions *directions, snag__projection *projections)
{
    for (uint32_t i = 0; i < directions->axes; i++) {
        double along[3] = {directions->axis[0][i], directions->axis[1][i], directions->axis[2][i]};
        double other[3] = {0.3183, 0.7071, -0.5772};
        snag__projection *with = &projections[i], *against = &projections[SNAG__AXES + i];
        normalize(along);
        if (fabs(along[0] * other[0] + along[1] * other[1] + along[2] * other[2]) > 0.8)
            other[0] = -1.234;
        cross(other, along, with->across[0]);
        normalize(with->across[0]);
        cross(along, with->across[0], with->across[1]);
        *against = *with;
        for (int k = 0; k < 3; k++)
            against->across[0][k] = -against->across[0][k];
    }
}

static size_t sweep_bytes(uint32_t edges)
{
    size_t bytes = (size_t)(edges + 1u) * (sizeof(sweep_edge) + 2 * sizeof(sweep_event) + sizeof(sweep_link) + sizeof(uint32_t));
    return (bytes + 63) / 64 * 64;
}

size_t snag__contour_room_bytes(uint32_t edges)
{
    return sweep_bytes(edges) + snag__chain_bytes(edges);
}

void snag__contour_room_make(snag__contour_room *room, void *memory, uint32_t edges)
{
    size_t count = edges + 1u;
    room->edges = memory;
    room->events = (sweep_event *)(room->edges + count);
    room->sorted = room->events + count;
    room->line = (sweep_link *)(room->sorted + count);
    room->start = (uint32_t *)(room->line + count);
    snag__chain_make(&room->chain, (char *)memory + sweep_bytes(edges), edges);
}

// ---- gathering ----

// Appends the edges of a patch's contour, projected relative to the origin.
static uint32_t add_contour(const snag__surface_tree *tree, const snag__patch *patch, const snag__projection *projection,
                            const double origin[3], sweep_edge *edges, uint32_t first)
{
    const snag__contour_edge *contour = tree->contours + patch->first_contour;
    const double *e = projection->across[0], *f = projection->across[1];
    for (uint32_t i = 0; i < patch->contour_count; i++) {
        const double *p = tree->mesh->x_t1[contour[i].from];
        double r0 = p[0] - origin[0], r1 = p[1] - origin[1], r2 = p[2] - origin[2];
        edges[first + i] = (sweep_edge){
            .x = e[0] * r0 + e[1] * r1 + e[2] * r2,
            .y = f[0] * r0 + f[1] * r1 + f[2] * r2,
            .next = first + contour[i].next,
            .previous = first + contour[i].previous,
            .from = contour[i].from,
        };
    }
    return first + patch->contour_count;
}

// Edges that are run through in both directions cancel. One that is run through twice in the same direction stays, twice: the
// sweep finds two edges that point the same way.
static void cancel_common(const snag__surface_tree *tree, const snag__patch *a, const snag__patch *b, sweep_edge *edges)
{
    const snag__contour_edge *ca = tree->contours + a->first_contour, *cb = tree->contours + b->first_contour;
    uint32_t i = 0, j = 0;
    while (i < a->contour_count && j < b->contour_count) {
        if (ca[i].edge == cb[j].edge && ca[i].from != cb[j].from)
            edges[i].gone = edges[a->contour_count + j].gone = 1;
        bool step_a = ca[i].edge <= cb[j].edge, step_b = cb[j].edge <= ca[i].edge;
        i += step_a;
        j += step_b;
    }
}

// A vertex at which nothing is left of the contour is no event.
static uint32_t find_events(const snag__contour_room *room, uint32_t edge_count)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < edge_count; i++) {
        const sweep_edge *edge = &room->edges[i];
        room->events[count] = (sweep_event){edge->y, i, edge->from};
        count += !(edge->gone & room->edges[edge->previous].gone);
    }
    return count;
}

// ---- sorting by height ----

static bool is_below(const sweep_event *a, const sweep_event *b)
{
    return a->y < b->y || (a->y == b->y && a->vertex < b->vertex);
}

static void sort_nearly_sorted(sweep_event *events, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        sweep_event event = events[i];
        uint32_t k = i;
        for (; k > 0 && is_below(&event, &events[k - 1]); k--)
            events[k] = events[k - 1];
        events[k] = event;
    }
}

// Many are first dealt out to as many buckets by their height, which leaves few out of order.
static const sweep_event *sort_events(const snag__contour_room *room, uint32_t count)
{
    double lowest = room->events[0].y, highest = lowest;
    for (uint32_t i = 1; i < count; i++) {
        lowest = room->events[i].y < lowest ? room->events[i].y : lowest;
        highest = room->events[i].y > highest ? room->events[i].y : highest;
    }
    double scale = (count - 1) / (highest - lowest);
    if (count <= SHORT_SORT || !(scale > 0 && scale < INFINITY)) {
        sort_nearly_sorted(room->events, count);
        return room->events;
    }
    uint32_t *start = room->start;
    memset(start, 0, (count + 1u) * sizeof *start);
    for (uint32_t i = 0; i < count; i++)
        start[(uint32_t)((room->events[i].y - lowest) * scale) + 1]++;
    for (uint32_t k = 0; k < count; k++)
        start[k + 1] += start[k];
    for (uint32_t i = 0; i < count; i++)
        room->sorted[start[(uint32_t)((room->events[i].y - lowest) * scale)]++] = room->events[i];
    sort_nearly_sorted(room->sorted, count);
    return room->sorted;
}

// ---- the sweep ----

typedef struct sweep {
    const sweep_edge *edges;
    sweep_link *line;  // by edge
    uint32_t leftmost;  // NONE: the line is empty
    double margin;  // of the side of a point
} sweep;

// Above the margin: (x, y) is certainly left of the edge, seen upwards; below its negative: right.
static double side_of(const sweep *s, uint32_t edge, double x, double y)
{
    const sweep_edge *a = &s->edges[edge], *b = &s->edges[a->next];
    double side = (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
    return s->line[edge].up ? side : -side;
}

static uint32_t upper_vertex(const sweep *s, uint32_t edge)
{
    return s->edges[s->line[edge].up ? s->edges[edge].next : edge].from;
}

// Whether (x, y) lies strictly between two edges of the line, or beside one where the other is missing.
static bool is_between(const sweep *s, uint32_t left, uint32_t right, double x, double y)
{
    return (left == NONE || side_of(s, left, x, y) < -s->margin) && (right == NONE || side_of(s, right, x, y) > s->margin);
}

static void join(sweep *s, uint32_t left, uint32_t right)
{
    if (left != NONE)
        s->line[left].right = right;
    else
        s->leftmost = right;
    if (right != NONE)
        s->line[right].left = left;
}

// What happens at a vertex.
typedef struct happening {
    uint32_t ended, starts[STARTS_MAX];  // one of the edges that end, and those that begin
    uint32_t ended_count, start_count;
} happening;

// Counts an edge at a vertex among those that end there, or begin. False: too many begin.
static bool add_edge(sweep *s, uint32_t edge, bool begins, uint32_t up, happening *h)
{
    if (!begins) {
        h->ended = edge;
        h->ended_count++;
        return true;
    }
    if (h->start_count == STARTS_MAX)
        return false;
    s->line[edge].up = up;
    h->starts[h->start_count++] = edge;
    return true;
}

// The edges left and right of those that end at a vertex, which must be neighbours.
static bool find_ended(const sweep *s, uint32_t vertex, const happening *h, uint32_t *left, uint32_t *right)
{
    uint32_t count = 1;
    for (*left = s->line[h->ended].left; *left != NONE && upper_vertex(s, *left) == vertex; count++)
        *left = s->line[*left].left;
    for (*right = s->line[h->ended].right; *right != NONE && upper_vertex(s, *right) == vertex; count++)
        *right = s->line[*right].right;
    return count == h->ended_count;
}

// The edges left and right of a vertex at which none ends. False: not certain.
static bool find_gap(const sweep *s, double x, double y, uint32_t *left, uint32_t *right)
{
    *left = NONE;
    for (*right = s->leftmost; *right != NONE; *right = s->line[*right].right) {
        double side = side_of(s, *right, x, y);
        if (side > s->margin)
            return true;
        if (!(side < -s->margin))
            return false;
        *left = *right;
    }
    return true;
}

// Orders edges that begin at one vertex from left to right. False: two of them point the same way.
static bool order_starts(const sweep *s, happening *h)
{
    for (uint32_t i = 1; i < h->start_count; i++)
        for (uint32_t k = i; k > 0; k--) {
            uint32_t edge = h->starts[k];
            const sweep_edge *end = &s->edges[s->line[edge].up ? s->edges[edge].next : edge];
            double side = side_of(s, h->starts[k - 1], end->x, end->y);
            if (!(fabs(side) > s->margin))
                return false;
            if (side < 0)
                break;
            h->starts[k] = h->starts[k - 1];
            h->starts[k - 1] = edge;
        }
    return true;
}

// One vertex. False: the contour may meet itself here.
static bool pass_vertex(sweep *s, uint32_t vertex, double x, double y, happening *h)
{
    uint32_t left, right;
    if (h->ended_count > 0 ? !find_ended(s, vertex, h, &left, &right) : !find_gap(s, x, y, &left, &right))
        return false;
    if (!is_between(s, left, right, x, y) || !order_starts(s, h))
        return false;
    // Down and up in turn, from the left; as many edges end as begin, or two more or less, so the right side stays in
    // turn.
    uint32_t up = left != NONE ? !s->line[left].up : 0;
    for (uint32_t i = 0; i < h->start_count; i++, up = !up) {
        if (s->line[h->starts[i]].up != up)
            return false;
        join(s, left, h->starts[i]);
        left = h->starts[i];
    }
    join(s, left, right);
    return true;
}

// The plain vertex, at which the contour goes on upwards or downwards: an edge takes the slot of another.
static bool pass_on(sweep *s, uint32_t ended, uint32_t start, double x, double y)
{
    sweep_link slot = s->line[ended];
    if (!is_between(s, slot.left, slot.right, x, y))
        return false;
    s->line[start] = slot;
    if (slot.left != NONE)
        s->line[slot.left].right = start;
    else
        s->leftmost = start;
    if (slot.right != NONE)
        s->line[slot.right].left = start;
    return true;
}

// `gap`: heights that differ by less are not certainly different.
static bool sweep_upwards(sweep *s, const sweep_event *events, uint32_t count, double gap)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t vertex = events[i].vertex, first = i;
        const sweep_edge *point = &s->edges[events[i].edge];
        while (++i < count && events[i].vertex == vertex)
            continue;
        if (i < count && !(events[i].y - point->y > gap))
            return false;
        uint32_t out = events[first].edge, in = point->previous;
        bool out_begins = s->edges[point->next].y > point->y, in_begins = s->edges[in].y > point->y;
        if (i - first == 1 && out_begins != in_begins && (point->gone | s->edges[in].gone) == 0) {
            if (!pass_on(s, out_begins ? in : out, out_begins ? out : in, point->x, point->y))
                return false;
            continue;
        }
        happening h = {.ended_count = 0, .start_count = 0};
        for (uint32_t k = first; k < i; k++) {
            out = events[k].edge;
            in = s->edges[out].previous;
            if (!s->edges[out].gone && !add_edge(s, out, s->edges[s->edges[out].next].y > point->y, 1, &h))
                return false;
            if (!s->edges[in].gone && !add_edge(s, in, s->edges[in].y > point->y, 0, &h))
                return false;
        }
        if (!pass_vertex(s, vertex, point->x, point->y, &h))
            return false;
    }
    return true;
}

// The largest coordinate of a contour's points relative to one of them.
static double reach_of(const snag__patch *a, const snag__patch *b)
{
    double reach = 0;
    for (int axis = 0; axis < 3; axis++) {
        float lo = b != NULL && b->lo[axis] < a->lo[axis] ? b->lo[axis] : a->lo[axis];
        float hi = b != NULL && b->hi[axis] > a->hi[axis] ? b->hi[axis] : a->hi[axis];
        reach = fmax(reach, (double)hi - lo);
    }
    return reach;
}

// Margins: let m be the largest coordinate relative to the origin and u = 2^-53. Projected coordinates are at most 1.8
// m with an error below 9 u m, so heights differ certainly if they do by 32 u m; the two products of side_of have
// errors below 290 u m^2 each, and all of it one below 1024 u m^2.
static bool sweep_contour(const snag__surface_tree *tree, const snag__patch *a, const snag__patch *b,
                          const snag__projection *projection, double m, const snag__contour_room *room)
{
    const double *origin = tree->mesh->x_t1[tree->contours[a->first_contour].from];
    uint32_t count = add_contour(tree, a, projection, origin, room->edges, 0);
    if (b != NULL) {
        count = add_contour(tree, b, projection, origin, room->edges, count);
        cancel_common(tree, a, b, room->edges);
    }
    uint32_t event_count = find_events(room, count);
    sweep s = {.edges = room->edges, .line = room->line, .leftmost = NONE, .margin = 1024 * 0x1p-53 * m * m};
    return sweep_upwards(&s, sort_events(room, event_count), event_count, 32 * 0x1p-53 * m);
}

static bool chain_is_simple(const snag__surface_tree *tree, const snag__projection *projection, double m, bool moves, snag_isa isa,
                            snag__chain *chain)
{
    snag__chain_view view = {.poses = moves ? 2 : 1, .reach = m};
    view.x[0] = (const double(*)[3])tree->mesh->x_t1;
    view.x[1] = (const double(*)[3])tree->mesh->x_t0;
    memcpy(view.origin, tree->mesh->x_t1[chain->vertices[0]], sizeof view.origin);
    memcpy(view.across, projection->across, sizeof view.across);
    return snag__chain_kernels_for(isa)->is_simple(chain, &view);
}

bool snag__contour_is_simple(const snag__surface_tree *tree, uint32_t a, uint32_t b, const snag__projection *projection, bool moves,
                             snag_isa isa, snag__contour_room *room)
{
    const snag__patch *patch_a = &tree->patches[a], *patch_b = b != UINT32_MAX ? &tree->patches[b] : NULL;
    if (patch_a->irregular || (patch_b != NULL && patch_b->irregular) || patch_a->contour_count == 0)
        return false;
    double m = reach_of(patch_a, patch_b);
    if (!(m > 1e-140 && m < 1e140))
        return false;
    if (snag__chain_gather(&room->chain, tree, a, b) && chain_is_simple(tree, projection, m, moves, isa, &room->chain))
        return true;
    return !moves && sweep_contour(tree, patch_a, patch_b, projection, m, room);
}

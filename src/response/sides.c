// Decides which side of each contour goes back, consistently for all contours of a tangle.
//
// Two sheets that pass through each other along a contour come apart in two ways: the plus sides of both are pushed back
// through, or the minus sides. Deciding this locally along a contour, as repulsion or the gradient of the contour's length do,
// lets neighbours work against each other. So:
// Decisions are about parts, the connected pieces of bodies:
//   - Vertices inside a closed part go out. Where one crosses itself, winding numbers tell an overlap from a thin part that was pushed
//     through itself.
//   - Two open parts take the order in which most of their surface lies already.
//   - If an open part passes through itself, the sides with the shorter connection are a fold and stay; the other sides go back. An
//     island that the contour cuts out goes back too.
// After Baraff, Witkin, Kass: Untangling Cloth, SIGGRAPH 2003, whose flood fill tells inside from outside of closed contours.
// Differs: contours may be open, since regions need no inside.
#include "response/tangle.h"
#include "response/vector.h"

#include <string.h>

// Winding numbers cost a pass over the part: this many contours of a round get them, and none of the shortest.
enum { MOST_WINDINGS = 24, TRUSTED_PIERCINGS = 6 };

// +1 if the first vertex of the edge is on the side that the pierced triangle faces, else -1.
static double faced_side(const snag__tangle *t, const snag__piercing *p)
{
    double normal[3], way[3];
    snag__corner_normal(t->group, p->corner, normal);
    snag__subtract(t->group->x[p->vertex[0]], p->point, way);
    return snag__dot(normal, way) > 0 ? 1 : -1;
}

static const snag__piercing *piercing_at(const snag__tangle *t, const snag__contour *contour, uint32_t i)
{
    SNAG__ASSERT(i < contour->count && contour->first + i < t->piercing_count);
    return &t->piercings[t->order[contour->first + i]];
}

static const snag__part *pierced_part(const snag__tangle *t, const snag__piercing *p)
{
    return &t->parts->items[t->crossings[p->crossing].part[1 - p->owner]];
}

// ---- closed parts ----

// Behind a triangle of a closed part is its inside, and what is there goes out. `inverted`: the part is turned inside out around the
// contour, and what is in front goes back. False if there is no such triangle, or no majority.
static bool decide_outside(const snag__tangle *t, snag__contour *contour, bool inverted)
{
    double votes = 0;
    for (uint32_t i = 0; i < contour->count; i++) {
        const snag__piercing *p = piercing_at(t, contour, i);
        const snag__part *part = pierced_part(t, p);
        if (!part->closed)
            continue;
        double plus = snag__piercing_plus(t, p) == 0 ? 1 : -1;
        votes += plus * faced_side(t, p) * (part->inward != inverted ? -1 : 1);
    }
    contour->plus_wrong = votes < 0;
    contour->solid = votes != 0;
    return votes != 0;
}

// The solid angle of a triangle seen from a point, over 4 pi; van Oosterom, Strackee 1983.
static double winding_share(const double point[3], const double *const corner[3])
{
    double p[3], q[3], r[3], cross[3];
    snag__subtract(corner[0], point, p);
    snag__subtract(corner[1], point, q);
    snag__subtract(corner[2], point, r);
    double a = snag__length(p), b = snag__length(q), c = snag__length(r);
    snag__cross(q, r, cross);
    double below = a * b * c + snag__dot(p, q) * c + snag__dot(q, r) * a + snag__dot(r, p) * b;
    return 2 * atan2(snag__dot(p, cross), below) / (4 * 3.14159265358979323846);
}

// How often a closed part winds around a point; positive inside, also if it faces inward.
static double winding(const snag__tangle *t, uint32_t part, const double point[3])
{
    const snag__group *group = t->group;
    uint32_t body = t->parts->items[part].body, first = group->first_vertex[body];
    const snag_body_info *info = &group->infos[body];
    double sum = 0;
    for (size_t i = 0; i < info->triangle_count; i++) {
        const uint32_t *v = &info->triangles[3 * i];
        if (t->parts->of_vertex[first + v[0]] != part)
            continue;
        const double *const corner[3] = {group->x[first + v[0]], group->x[first + v[1]], group->x[first + v[2]]};
        sum += winding_share(point, corner);
    }
    return t->parts->items[part].inward ? -sum : sum;
}

// Where a closed part crosses itself, the four quarters around the curve have the winding numbers w, w + 1, w + 1 and w + 2. With w at least 0
// two bulges overlap, and what is behind goes out. With w = -1 a thin part was pushed through itself, and the quarter in front of both
// sheets is inside out: what is there goes back.
static bool is_inverted(const snag__tangle *t, const snag__contour *contour)
{
    enum { SAMPLES = 3 };
    // The point in front of both sheets, as a part of the segment's length: close enough to see no other sheet.
    const double offset = 0.05;
    int votes = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const snag__piercing *p = piercing_at(t, contour, (uint32_t)((uint64_t)i * contour->count / SAMPLES));
        const snag__crossing *c = &t->crossings[p->crossing];
        double way[3], point[3], sign = t->parts->items[contour->part[0]].inward ? -1 : 1;
        for (int k = 0; k < 3; k++)
            way[k] = sign * (c->normal[0][k] + c->normal[1][k]);
        double length = snag__length(way);
        for (int k = 0; k < 3; k++)
            point[k] = c->middle[k] + (length > 0 ? offset * c->length * way[k] / length : 0);
        votes += winding(t, contour->part[0], point) < -0.5 ? 1 : -1;
    }
    return votes > 0;
}

// ---- two open parts ----

// +1 if the side of the edge's first vertex agrees with the first body above the second, else -1.
static double order_side(const snag__tangle *t, const snag__contour *contour, const snag__piercing *p)
{
    bool first = t->crossings[p->crossing].part[p->owner] == contour->part[0];
    return faced_side(t, p) * (first || contour->facing < 0 ? 1 : -1);
}

static bool same_pair(const snag__contour *a, const snag__contour *b)
{
    return a->part[0] == b->part[0] && a->part[1] == b->part[1];
}

// How much more of the two bodies of contour c agrees with the first above the second than with the opposite. Each region counts
// by its size, and takes the majority of its piercings over all contours of the pair.
static double order_of_pair(const snag__tangle *t, const snag__contour *c)
{
    double sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < t->contour_count; k++) {
            const snag__contour *contour = &t->contours[k];
            for (uint32_t i = 0; same_pair(contour, c) && i < contour->count; i++) {
                const snag__piercing *p = piercing_at(t, contour, i);
                double side = order_side(t, contour, p);
                for (int end = 0; end < 2; end++) {
                    uint32_t root = t->region[p->vertex[end]];
                    if (pass == 0) {
                        t->tally[root] += end == 0 ? side : -side;
                    } else {
                        sum += t->tally[root] == 0 ? 0 : copysign((double)t->size[root], t->tally[root]);
                        t->tally[root] = 0;
                    }
                }
            }
        }
    }
    return sum;
}

// Applies the order to all contours of the pair.
static void take_order(snag__tangle *t, const snag__contour *c, double order)
{
    for (uint32_t k = 0; k < t->contour_count; k++) {
        snag__contour *contour = &t->contours[k];
        double votes = 0;
        if (!same_pair(contour, c) || contour->decided)
            continue;
        for (uint32_t i = 0; i < contour->count; i++) {
            const snag__piercing *p = piercing_at(t, contour, i);
            double plus = snag__piercing_plus(t, p) == 0 ? 1 : -1;
            votes += plus * order_side(t, contour, p) * order;
        }
        contour->plus_wrong = votes < 0;
        contour->decided = true;
    }
}

// ---- a part with itself ----

// One of two breadth-first searches, from the plus or the minus side of the first sheet to the same side of the second.
typedef struct search {
    uint32_t *stamp, *queue;
    uint32_t from, end;  // of the front in the queue
    bool arrived;
} search;

static void start_search(snag__tangle *t, const snag__contour *contour, uint32_t number, bool plus, search *s)
{
    for (uint32_t i = 0; i < contour->count; i++) {
        const snag__piercing *p = piercing_at(t, contour, i);
        bool second = (p->owner == 1) != t->crossings[p->crossing].swapped;
        int at = snag__piercing_plus(t, p);
        uint32_t v = p->vertex[plus ? at : 1 - at];
        if (second) {
            t->goal[v] = number;
        } else if (s->stamp[v] != number) {
            s->stamp[v] = number;
            s->queue[s->end++] = v;
        }
    }
}

// Advances by one edge, or until it arrives at a goal.
static void search_on(const snag__tangle *t, uint32_t number, search *s)
{
    uint32_t end = s->end;
    SNAG__ASSERT(s->from <= end && end <= t->group->vertex_count);
    for (; s->from < end && !s->arrived; s->from++) {
        uint32_t v = s->queue[s->from];
        s->arrived = t->goal[v] == number;
        for (uint32_t i = t->adjacent_start[v]; i < t->adjacent_start[v + 1]; i++) {
            uint32_t next = t->adjacent[i];
            if (s->stamp[next] != number) {
                s->stamp[next] = number;
                s->queue[s->end++] = next;
            }
        }
    }
}

static double side_size(const snag__tangle *t, const snag__contour *contour, bool plus)
{
    double sum = 0;
    for (uint32_t i = 0; i < contour->count; i++) {
        const snag__piercing *p = piercing_at(t, contour, i);
        int at = snag__piercing_plus(t, p);
        sum += t->size[t->region[p->vertex[plus ? at : 1 - at]]];
    }
    return sum;
}

// The two searches alternate. The side whose search arrives first is a fold and stays; one whose search ends before is an island.
// `number` and number + 1 are new stamps.
static void decide_fold(snag__tangle *t, snag__contour *contour, uint32_t number)
{
    search s[2] = {{.stamp = t->stamp[0], .queue = t->queue[0]}, {.stamp = t->stamp[1], .queue = t->queue[1]}};
    for (uint32_t side = 0; side < 2; side++)
        start_search(t, contour, number + side, side == 0, &s[side]);
    bool open = true;
    while (open) {
        for (uint32_t side = 0; side < 2; side++)
            search_on(t, number + side, &s[side]);
        open = !s[0].arrived && !s[1].arrived && s[0].from < s[0].end && s[1].from < s[1].end;
    }
    if (s[0].arrived != s[1].arrived)
        contour->plus_wrong = s[1].arrived;
    else if (!s[0].arrived && (s[0].from < s[0].end) != (s[1].from < s[1].end))
        contour->plus_wrong = s[0].from == s[0].end;
    else
        contour->plus_wrong = side_size(t, contour, true) <= side_size(t, contour, false);
}

void snag__tangle_prefer_shallow(snag__tangle *t)
{
    // One side is clearly the cheaper one if it goes back by this part of what the other has to.
    const double clearly = 0.25;
    for (uint32_t k = 0; k < t->contour_count; k++) {
        snag__contour *contour = &t->contours[k];
        double farthest[2] = {0, 0};  // of the minus and the plus sides
        for (uint32_t i = 0; i < contour->count; i++) {
            const snag__piercing *p = piercing_at(t, contour, i);
            double normal[3], way[3];
            snag__corner_normal(t->group, p->corner, normal);
            for (int end = 0; end < 2; end++) {
                double *side = &farthest[snag__piercing_plus(t, p) == end];
                snag__subtract(t->group->x[p->vertex[end]], p->point, way);
                *side = fmax(*side, fabs(snag__dot(way, normal)));
            }
        }
        if (fmin(farthest[0], farthest[1]) < clearly * fmax(farthest[0], farthest[1]))
            contour->plus_wrong = farthest[1] < farthest[0];
    }
}

void snag__tangle_decide(snag__tangle *tangle)
{
    const snag__group *group = tangle->group;
    int windings = MOST_WINDINGS;
    size_t bytes = group->vertex_count * sizeof(uint32_t);
    memset(tangle->stamp[0], 0, bytes);
    memset(tangle->stamp[1], 0, bytes);
    memset(tangle->goal, 0, bytes);
    for (uint32_t v = 0; v < group->vertex_count; v++)
        tangle->tally[v] = 0;
    for (uint32_t k = 0; k < tangle->contour_count; k++) {
        snag__contour *contour = &tangle->contours[k];
        const snag__part *a = &tangle->parts->items[contour->part[0]], *b = &tangle->parts->items[contour->part[1]];
        bool other = a != b;
        if (contour->decided)
            continue;
        if (other ? a->closed || b->closed : a->closed && contour->count >= TRUSTED_PIERCINGS && windings-- > 0)
            contour->decided = decide_outside(tangle, contour, !other && is_inverted(tangle, contour));
        if (contour->decided)
            continue;
        if (other)
            take_order(tangle, contour, order_of_pair(tangle, contour));
        else
            decide_fold(tangle, contour, 2 * k + 1);
    }
}

// Which side of a contour gives way, so that all contours of a tangle are solved in the same sense.
//
// Two sheets that pass through each other along a contour come apart in two ways: the plus sides of both are pushed
// back through, or the minus sides. Deciding that for each task of a contour alone, as repulsion or the gradient of
// the contour's length do, lets neighbours work against each other. So:
//   - What is inside a closed body goes out.
//   - Two open bodies agree on one order, in which most of their surface lies already.
//   - Of a body that passes through itself the sides that hang together by the shorter way are a fold, and stay: its
//   tails go
//     back. An island that the contour cuts out goes back as well.
// After Baraff, Witkin, Kass: Untangling Cloth, SIGGRAPH 2003, whose flood fill tells inside from outside of closed
// contours. Differs: contours may be open, since regions need no inside.
#include "response/tangle.h"
#include "response/vector.h"

#include <string.h>

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
    return &t->piercings[t->order[contour->first + i]];
}

static uint32_t pierced_body(const snag__tangle *t, const snag__piercing *p)
{
    return t->crossings[p->crossing].body[1 - p->owner];
}

// ---- closed bodies ----

// What is behind a triangle of a closed body is inside of it. False if there is no such triangle, or no majority.
static bool decide_outside(const snag__tangle *t, snag__contour *contour)
{
    double votes = 0;
    for (uint32_t i = 0; i < contour->count; i++) {
        const snag__piercing *p = piercing_at(t, contour, i);
        if (!t->closed[pierced_body(t, p)])
            continue;
        double plus = snag__piercing_plus(t, p) == 0 ? 1 : -1;
        votes += plus * faced_side(t, p);
    }
    contour->plus_wrong = votes < 0;
    return votes != 0;
}

// ---- two open bodies ----

// +1 if the first vertex of the edge lies as it does where the first body is above the second, else -1.
static double order_side(const snag__tangle *t, const snag__contour *contour, const snag__piercing *p)
{
    bool first = t->crossings[p->crossing].body[p->owner] == contour->body[0];
    return faced_side(t, p) * (first || contour->facing < 0 ? 1 : -1);
}

static bool same_pair(const snag__contour *a, const snag__contour *b)
{
    return a->body[0] == b->body[0] && a->body[1] == b->body[1];
}

// How much more of the two bodies of contour c lies as where the first is above the second: regions count by their
// sizes, and lie as most of their piercings say. All contours of the pair are looked at.
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

// Lets all contours of a pair take the order given.
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

// ---- a body with itself ----

// One of two searches that start at the plus or the minus side of the first sheet and look for that side of the second.
typedef struct search {
    uint32_t *stamp, *queue;
    uint32_t from, end;  // of the queue; what lies between is the front
    bool reached;
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

// Goes one edge further, or until a goal is reached.
static void search_on(const snag__tangle *t, uint32_t number, search *s)
{
    uint32_t end = s->end;
    for (; s->from < end && !s->reached; s->from++) {
        uint32_t v = s->queue[s->from];
        s->reached = t->goal[v] == number;
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

// Both searches go on in turn. The side that is reached first is a fold and stays; one that ends before is an island.
// `number` and the next one have not been used as stamps.
static void decide_fold(snag__tangle *t, snag__contour *contour, uint32_t number)
{
    search s[2] = {{.stamp = t->stamp[0], .queue = t->queue[0]}, {.stamp = t->stamp[1], .queue = t->queue[1]}};
    for (uint32_t side = 0; side < 2; side++)
        start_search(t, contour, number + side, side == 0, &s[side]);
    bool open = true;
    while (open) {
        for (uint32_t side = 0; side < 2; side++)
            search_on(t, number + side, &s[side]);
        open = !s[0].reached && !s[1].reached && s[0].from < s[0].end && s[1].from < s[1].end;
    }
    if (s[0].reached != s[1].reached)
        contour->plus_wrong = s[1].reached;
    else if (!s[0].reached && (s[0].from < s[0].end) != (s[1].from < s[1].end))
        contour->plus_wrong = s[0].from == s[0].end;
    else
        contour->plus_wrong = side_size(t, contour, true) <= side_size(t, contour, false);
}

void snag__tangle_decide(snag__tangle *tangle)
{
    const snag__group *group = tangle->group;
    size_t bytes = group->vertex_count * sizeof(uint32_t);
    memset(tangle->stamp[0], 0, bytes);
    memset(tangle->stamp[1], 0, bytes);
    memset(tangle->goal, 0, bytes);
    for (uint32_t v = 0; v < group->vertex_count; v++)
        tangle->tally[v] = 0;
    for (uint32_t k = 0; k < tangle->contour_count; k++) {
        snag__contour *contour = &tangle->contours[k];
        bool other = contour->body[0] != contour->body[1];
        bool closed = other && (tangle->closed[contour->body[0]] || tangle->closed[contour->body[1]]);
        if (contour->decided)
            continue;
        if (closed && decide_outside(tangle, contour))
            contour->decided = true;
        else if (other)
            take_order(tangle, contour, order_of_pair(tangle, contour));
        else
            decide_fold(tangle, contour, 2 * k + 1);
    }
}

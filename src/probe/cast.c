// Rays and segments against bodies: the kernels find triangles that a ray may meet, snag__ray_meets decides.
#include "probe/probe_kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- a ray for the kernels ----

static void start(const snag__ray *ray, snag__ray_search *s)
{
    memcpy(s->origin, ray->origin, sizeof s->origin);
    memcpy(s->d, ray->d, sizeof s->d);
    s->limit = ray->limit < DBL_MAX ? ray->limit : DBL_MAX;
}

// What single precision does without.
static void start_doubles(const snag__ray *ray, snag__ray_search *s)
{
    int longest = 0;
    for (int k = 0; k < 3; k++) {
        double d = ray->d[k];
        s->inverse[k] = 1 / d;
        s->flat[k] = d == 0;
        s->free[k] = d != 0 && !(fabs(s->inverse[k]) < 1e290);
        if (fabs(d) > fabs(ray->d[longest]))
            longest = k;
    }
    s->axis[0] = (uint8_t)((longest + 1) % 3);
    s->axis[1] = (uint8_t)((longest + 2) % 3);
    s->axis[2] = (uint8_t)longest;
    for (int i = 0; i < 2; i++)
        s->shear[i] = ray->d[s->axis[i]] / ray->d[longest];
}

// A segment whose ends are so far apart that their difference overflows: every box counts, and every shear is uncertain.
static void start_blind(snag__ray_search *s)
{
    for (int k = 0; k < 3; k++)
        s->free[k] = 1, s->flat[k] = 0;
    s->shear[0] = s->shear[1] = NAN;
}

static double longest_of(const snag__ray *ray)
{
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = fabs(ray->d[k]) > longest ? fabs(ray->d[k]) : longest;
    return longest;
}

// Where single precision sees a ray: cast_kernel.c says why origins that are farther away would not do.
static bool is_ordinary(const snag__ray *ray)
{
    double longest = longest_of(ray);
    bool near = true;
    for (int k = 0; k < 3; k++)
        near &= fabs(ray->origin[k]) < SNAG__CAST_FARTHEST;
    return near && longest > 1e-290 && longest < 1e290;
}

// ---- hits ----

// One hit while a search goes on.
typedef struct found {
    snag__ray_hit hit;
    snag__probe_element element;
    uint32_t body, triangle;
} found;

typedef struct ray_query {
    const snag__ray *ray;
    found first;
    bool any;
    found *all;
    size_t capacity, count;
} ray_query;

static int order_of(const snag__ray *ray, const found *a, const found *b)
{
    int order = snag__ray_compare(ray, a->element.x, &a->hit, b->element.x, &b->hit);
    if (order != 0)
        return order;
    if (a->body != b->body)
        return a->body < b->body ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static bool meets(const ray_query *q, const snag__probe_set *set, uint32_t tree, uint32_t slot, found *out)
{
    out->element = snag__probe_element_at(&set->bvh, tree, slot);
    if (!snag__ray_meets(q->ray, out->element.x, &out->hit))
        return false;
    out->body = set->body_of[tree];
    out->triangle = set->bvh.elements[slot];
    return true;
}

static bool keep_first(snag__ray_search *s, const snag__probe_set *set, uint32_t tree, uint32_t slot)
{
    ray_query *q = s->context;
    found one;
    if (!meets(q, set, tree, slot, &one) || (q->any && order_of(q->ray, &one, &q->first) > 0))
        return true;
    q->any = true;
    q->first = one;
    s->limit = one.hit.t_high < s->limit ? one.hit.t_high : s->limit;
    return true;
}

static bool stop_at_any(snag__ray_search *s, const snag__probe_set *set, uint32_t tree, uint32_t slot)
{
    ray_query *q = s->context;
    found one;
    q->any = meets(q, set, tree, slot, &one);
    return !q->any;
}

static void write_hit(const snag__probe *probe, const snag__ray *ray, const found *f, snag_hit *out)
{
    snag__ray_hit hit = f->hit;
    snag__ray_refine(ray, f->element.x, &hit);
    *out = (snag_hit){.body = probe->bodies[f->body].id, .triangle = f->triangle, .facing = hit.facing, .t = hit.t};
    memcpy(out->weight, hit.weight, sizeof out->weight);
    for (int k = 0; k < 3; k++) {
        const double *const *x = f->element.x;
        out->point[k] = x[0][k] + hit.weight[1] * (x[1][k] - x[0][k]) + hit.weight[2] * (x[2][k] - x[0][k]) + 0.0;
    }
}

// Insertion into the sorted hits, as far as there is room.
static bool keep_all(snag__ray_search *s, const snag__probe_set *set, uint32_t tree, uint32_t slot)
{
    ray_query *q = s->context;
    found one;
    if (!meets(q, set, tree, slot, &one))
        return true;
    if (q->count++ < q->capacity)
        q->all[q->count - 1] = one;
    return true;
}

// ---- searches ----

static bool root_is_far(const snag__bvh *bvh, uint32_t tree, const snag__ray_search *s)
{
    uint32_t root = bvh->trees[tree].root;
    for (int k = 0; k < 3; k++) {
        double lo = (double)bvh->node_bounds.lo[k][root], hi = (double)bvh->node_bounds.hi[k][root];
        if (!s->free[k] && ((s->origin[k] < lo && !(s->d[k] > 0)) || (s->origin[k] > hi && !(s->d[k] < 0))))
            return true;
    }
    return false;
}

static void search_all(const snag__probe_search *search, const snag__ray *ray, ray_query *q,
                       bool (*test)(snag__ray_search *s, const snag__probe_set *set, uint32_t tree, uint32_t slot))
{
    const snag__probe_set *set = &search->probe->sets[SNAG__PROBE_TRIANGLES];
    snag__ray_search s = {.test = test, .context = q};
    bool ordinary = is_ordinary(ray), doubles = false;
    start(ray, &s);
    for (uint32_t i = 0; i < search->choice.count; i++) {
        uint32_t tree = set->tree_of[snag__probe_chosen(&search->choice, i)];
        if (tree == UINT32_MAX)
            continue;
        if (ordinary && snag__cast_tree_is_current(&set->cast, &set->bvh, tree) && set->cast.bodies[tree].usable) {
            if (!search->casts->cast(set, tree, &s))
                return;
            continue;
        }
        if (!doubles)
            start_doubles(ray, &s);
        if (!doubles && !(longest_of(ray) < 1e300))
            start_blind(&s);
        doubles = true;
        if (!root_is_far(&set->bvh, tree, &s) && !search->kernels->cast(set, tree, &s))
            return;
    }
}

void snag__probe_first_hit(const snag__probe_search *search, const snag__ray *ray, snag_hit *hit)
{
    ray_query q = {.ray = ray};
    search_all(search, ray, &q, keep_first);
    if (q.any)
        write_hit(search->probe, ray, &q.first, hit);
    else
        *hit = (snag_hit){.t = INFINITY};
}

bool snag__probe_any_hit(const snag__probe_search *search, const snag__ray *ray)
{
    ray_query q = {.ray = ray};
    search_all(search, ray, &q, stop_at_any);
    return q.any;
}

// Shell sort: hits of one ray are few, and nothing may be allocated here.
static void sort_hits(const snag__ray *ray, found *all, size_t count)
{
    for (size_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t i = gap; i < count; i++) {
            found one = all[i];
            size_t k = i;
            for (; k >= gap && order_of(ray, &all[k - gap], &one) > 0; k -= gap)
                all[k] = all[k - gap];
            all[k] = one;
        }
}

size_t snag__probe_all_hits(const snag__probe_search *search, const snag__ray *ray, void *room, snag_hit *hits, size_t capacity)
{
    ray_query q = {.ray = ray, .all = room, .capacity = capacity};
    search_all(search, ray, &q, keep_all);
    if (q.count > capacity)
        return q.count;
    sort_hits(ray, q.all, q.count);
    for (size_t i = 0; i < q.count; i++)
        write_hit(search->probe, ray, &q.all[i], &hits[i]);
    return q.count;
}

size_t snag__probe_hit_size(void)
{
    return sizeof(found);
}

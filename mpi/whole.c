// Questions that no part of space can answer alone.
//
// Distance: each part gives an upper bound for each two bodies. Of these only elements remain that are as close to the other body's parts as
// the bound; one rank for each two bodies gets them, and decides by the rules of a single world.
//
// Penetrations with depths: a depth follows the material of a whole body, and how often directions are smoothed depends on the deepest overlap of all
// (docs/design/depth.md). Which bodies have vertices in each other is found in parts; rank 0 gets those whole. As pairs, without depths, all
// is found in parts.
#include "mpi_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- pairs of bodies ----

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static size_t unique_pairs(uint32_t (*pairs)[2], size_t count)
{
    size_t kept = count > 0;
    if (count > 1)
        qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 1; i < count; i++)
        if (compare_pairs(pairs[i], pairs[kept - 1]) != 0)
            memcpy(pairs[kept++], pairs[i], sizeof *pairs);
    return kept;
}

// Collective: the union of the ranks' lists, on all of them. Frees `mine`.
static snag_status join_pairs(snag_mpi *m, uint32_t (*mine)[2], size_t count, uint32_t (**out)[2], size_t *out_count)
{
    outbox box = {.size = sizeof *mine};
    arrivals got = {0};
    count = unique_pairs(mine, count);
    for (int rank = 0; rank < m->size; rank++)
        for (size_t i = 0; i < count; i++)
            mpi_post(m, &box, rank, mine[i]);
    mpi_free(m, mine);
    snag_status status = mpi_deliver(m, &box, &got);
    mpi_free(m, got.first);
    *out = (uint32_t(*)[2])got.data;
    *out_count = status == SNAG_OK ? unique_pairs(*out, got.count) : 0;
    return status;
}

// ---- penetrations ----

static int deal_whole(snag_mpi *m, void *context, uint32_t body_index, const double lo[3], const double hi[3], int *parts)
{
    (void)context, (void)lo, (void)hi;
    parts[0] = 0;
    for (size_t i = 0; i < m->whole_pair_count; i++)
        if (m->whole_pairs[i][0] == body_index || m->whole_pairs[i][1] == body_index)
            return 1;
    return 0;
}

// Makes sure that the listed bodies are whole on rank 0. Keeps what is there if it suffices: a pair too many does no harm.
static snag_status hold_whole(snag_mpi *m, uint32_t (*pairs)[2], size_t count)
{
    search_filter held_pairs = {.m = m, .pairs = (const uint32_t(*)[2])m->whole_pairs, .pair_count = m->whole_pair_count};
    bool enough = m->whole[SOLIDS].made;
    for (size_t i = 0; i < count && enough; i++)
        enough = pair_is_listed(&held_pairs, pairs[i][0], pairs[i][1]);
    if (enough) {
        mpi_free(m, pairs);
        return SNAG_OK;
    }
    mpi_free(m, m->whole_pairs);
    m->whole_pairs = pairs;
    m->whole_pair_count = count;
    return layout_deal(m, &m->whole[SOLIDS], SOLIDS, deal_whole, NULL);
}

snag_status ask_penetrations(snag_mpi *m, const snag_mpi_question_def *def)
{
    const snag_answer *answer;
    search_filter filter = {.m = m, .def = def};
    layout *l = &m->layouts[SOLIDS];
    snag_status status = search_part(m, l, def, SNAG_OUTPUT_PAIRS, &filter, false, &answer);
    if (status != SNAG_OK)
        return status;
    uint32_t(*pairs)[2] = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < m->pair_count && m->status == SNAG_OK; i++) {
        uint32_t a = m->pairs[i].body_a, b = m->pairs[i].body_b;
        if (m->pairs[i].kind == SNAG_INSIDE && mpi_grow(m, &pairs, &capacity, count + 1, sizeof *pairs))
            memcpy(pairs[count++], (uint32_t[2]){a < b ? a : b, a < b ? b : a}, sizeof *pairs);
    }
    m->pair_count = 0;
    status = join_pairs(m, pairs, count, &pairs, &count);
    if (status != SNAG_OK)
        return status;
    if (count == 0) {
        mpi_free(m, pairs);
        return search_part(m, l, def, SNAG_OUTPUT_CONTACTS, &filter, false, &answer);
    }
    status = hold_whole(m, pairs, count);
    filter.pairs = (const uint32_t(*)[2])m->whole_pairs;
    filter.pair_count = m->whole_pair_count;
    filter.listed = -1;
    if (status == SNAG_OK)
        status = search_part(m, l, def, SNAG_OUTPUT_CONTACTS, &filter, false, &answer);
    filter.listed = 1;
    if (status == SNAG_OK)
        status = search_part(m, &m->whole[SOLIDS], def, SNAG_OUTPUT_CONTACTS, &filter, true, &answer);
    return status;
}

// ---- distance ----

enum { BODIES_MAX = 4096 };  // a table of all pairs stands on every rank: 128 MB

typedef struct box {
    double lo[3], hi[3];
} box;

typedef struct distances {
    const snag_mpi_question_def *def;
    double *bound;  // by two bodies: an upper bound on their distance; INFINITY: not wanted
    box *boxes;  // by rank and body: of the elements in the rank's part
    box *bodies;  // by body
} distances;

static double gap_between(const box *a, const double lo[3], const double hi[3])
{
    double gap[3];
    for (int k = 0; k < 3; k++)
        gap[k] = fmax(0, fmax(a->lo[k] - hi[k], lo[k] - a->hi[k]));
    return hypot(hypot(gap[0], gap[1]), gap[2]);
}

static double span_of(const box *a, const box *b)
{
    double span[3];
    for (int k = 0; k < 3; k++)
        span[k] = fmax(a->hi[k] - b->lo[k], b->hi[k] - a->lo[k]);
    return hypot(hypot(span[0], span[1]), span[2]);
}

// Covers the rounding of distances.
#define WITH_ROUNDING (1 + 1e-9)

static int rank_of_pair(const snag_mpi *m, uint32_t a, uint32_t b)
{
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return (int)((high * (high - 1) / 2 + low) % (uint64_t)m->size);
}

static bool is_near(const snag_mpi *m, const distances *d, uint32_t other, const double lo[3], const double hi[3], double bound)
{
    if (gap_between(&d->bodies[other], lo, hi) > bound)
        return false;
    for (int rank = 0; rank < m->size; rank++)
        if (gap_between(&d->boxes[(size_t)rank * m->body_count + other], lo, hi) <= bound)
            return true;
    return false;
}

static int deal_near(snag_mpi *m, void *context, uint32_t body_index, const double lo[3], const double hi[3], int *parts)
{
    const distances *d = context;
    int count = 0;
    for (uint32_t other = 0; other < m->body_count; other++) {
        if (other == body_index || !(d->bound[(size_t)body_index * m->body_count + other] < INFINITY))
            continue;
        int rank = rank_of_pair(m, body_index, other);
        bool known = false;
        for (int k = 0; k < count && !known; k++)
            known = parts[k] == rank;
        if (!known && is_near(m, d, other, lo, hi, d->bound[(size_t)body_index * m->body_count + other]))
            parts[count++] = rank;
    }
    return count;
}

static void find_boxes(snag_mpi *m, distances *d)
{
    const layout *l = &m->layouts[SURFACES];
    const size_t n = m->body_count;
    box *mine = d->boxes + (size_t)m->rank * n;
    for (uint32_t i = 0; i < n; i++) {
        mine[i] = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (size_t v = 0; v < l->held[i].vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                mine[i].lo[k] = fmin(mine[i].lo[k], l->held[i].vertices[v].x_t1[k]);
                mine[i].hi[k] = fmax(mine[i].hi[k], l->held[i].vertices[v].x_t1[k]);
            }
        d->bodies[i] = mine[i];
    }
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, d->boxes, (int)(n * sizeof(box)), MPI_BYTE, m->comm);
    for (size_t i = 0; i < (size_t)m->size * n; i++)
        for (int k = 0; k < 3; k++) {
            d->bodies[i % n].lo[k] = fmin(d->bodies[i % n].lo[k], d->boxes[i].lo[k]);
            d->bodies[i % n].hi[k] = fmax(d->bodies[i % n].hi[k], d->boxes[i].hi[k]);
        }
}

static bool is_wanted(const snag_mpi_question_def *def, uint32_t a, uint32_t b)
{
    return def->bodies == NULL || def->bodies(def->context, a, b);
}

static void bound_pairs(snag_mpi *m, distances *d, const snag_answer *answer)
{
    const uint32_t n = m->body_count;
    double within = d->def->question.distance;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n; b++) {
            double *bound = &d->bound[(size_t)a * n + b];
            bool empty = !(d->bodies[a].lo[0] <= d->bodies[a].hi[0]) || !(d->bodies[b].lo[0] <= d->bodies[b].hi[0]);
            bool far =
                !empty && within > 0 && gap_between(&d->bodies[a], d->bodies[b].lo, d->bodies[b].hi) > within * WITH_ROUNDING;
            *bound = a == b || empty || far || !is_wanted(d->def, a, b) ? INFINITY : span_of(&d->bodies[a], &d->bodies[b]);
            if (within > 0 && *bound < INFINITY)
                *bound = fmin(*bound, within);
        }
    for (size_t i = 0; i < answer->count; i++) {
        uint32_t a = answer->contacts[i].body_a.index - 1, b = answer->contacts[i].body_b.index - 1;
        double *bounds[2] = {&d->bound[(size_t)a * n + b], &d->bound[(size_t)b * n + a]};
        for (int k = 0; k < 2; k++)
            *bounds[k] = fmin(*bounds[k], answer->contacts[i].value);
    }
    MPI_Allreduce(MPI_IN_PLACE, d->bound, (int)(n * n), MPI_DOUBLE, MPI_MIN, m->comm);
    for (size_t i = 0; i < (size_t)n * n; i++)
        d->bound[i] *= WITH_ROUNDING;
}

typedef struct ranked {
    double value;
    uint32_t a, b;
} ranked;

static int compare_ranked(const void *x, const void *y)
{
    const ranked *p = x, *q = y;
    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return compare_pairs(&p->a, &q->a);
}

static ranked ranked_of(const snag_mpi_contact *c)
{
    return (ranked){c->value, c->body_a < c->body_b ? c->body_a : c->body_b, c->body_a < c->body_b ? c->body_b : c->body_a};
}

// Keeps the closest pairs of bodies, over all ranks.
static snag_status keep_closest(snag_mpi *m, uint32_t most)
{
    outbox posts = {.size = sizeof(ranked)};
    arrivals got = {0};
    for (int rank = 0; rank < m->size; rank++)
        for (size_t i = 0; i < m->contact_count; i++) {
            ranked mine = ranked_of(&m->contacts[i]);
            mpi_post(m, &posts, rank, &mine);
        }
    snag_status status = mpi_deliver(m, &posts, &got);
    if (status != SNAG_OK)
        return status;
    qsort(got.data, got.count, sizeof(ranked), compare_ranked);
    size_t kept = 0;
    const ranked *last = got.count > most ? (const ranked *)got.data + (most - 1) : NULL;
    for (size_t i = 0; i < m->contact_count; i++) {
        ranked mine = ranked_of(&m->contacts[i]);
        if (last == NULL || compare_ranked(&mine, last) <= 0)
            m->contacts[kept++] = m->contacts[i];
    }
    m->contact_count = kept;
    mpi_arrivals_free(m, &got);
    return SNAG_OK;
}

// The pairs of bodies that this rank decides.
typedef struct near_filter {
    snag_mpi *m;
    const snag_mpi_question_def *def;
} near_filter;

static bool is_mine(void *context, uint32_t a, uint32_t b)
{
    const near_filter *f = context;
    return a != b && rank_of_pair(f->m, a, b) == f->m->rank && is_wanted(f->def, a, b);
}

static void as_pairs(snag_mpi *m)
{
    for (size_t i = 0; i < m->contact_count; i++) {
        const snag_mpi_contact *c = &m->contacts[i];
        if (!mpi_grow(m, &m->pairs, &m->pair_capacity, m->pair_count + 1, sizeof *m->pairs))
            return;
        snag_mpi_pair *to = &m->pairs[m->pair_count++];
        memset(to, 0, sizeof *to);
        *to = (snag_mpi_pair){c->body_a, c->body_b, c->a, c->b, (uint8_t)c->kind, (uint8_t)c->shared, 0};
        float value = (float)c->value;
        to->value = (double)value > c->value ? nextafterf(value, -INFINITY) : value;
    }
    m->contact_count = 0;
}

static snag_status search_near(snag_mpi *m, distances *d)
{
    const snag_answer *answer;
    search_filter filter = {.m = m, .def = d->def};
    snag_status status = search_part(m, &m->layouts[SURFACES], d->def, SNAG_OUTPUT_CONTACTS, &filter, false, &answer);
    if (status != SNAG_OK)
        return status;
    m->contact_count = 0;
    find_boxes(m, d);
    bound_pairs(m, d, answer);
    status = layout_deal(m, &m->whole[SURFACES], SURFACES, deal_near, d);
    if (status != SNAG_OK)
        return status;
    near_filter mine = {m, d->def};
    snag_mpi_question_def narrowed = *d->def;
    narrowed.bodies = is_mine;
    narrowed.context = &mine;
    filter.def = &narrowed;
    status = search_part(m, &m->whole[SURFACES], &narrowed, SNAG_OUTPUT_CONTACTS, &filter, true, &answer);
    layout_free(m, &m->whole[SURFACES]);  // what is near changes with every move
    return status;
}

snag_status ask_distance(snag_mpi *m, const snag_mpi_question_def *def)
{
    const size_t n = m->body_count;
    if (n > BODIES_MAX)
        mpi_fail(m, SNAG_ERROR_SIZE, "distance between more than %d bodies is not answered over ranks", BODIES_MAX);
    distances d = {.def = def};
    if (m->status == SNAG_OK) {
        d.bound = mpi_take(m, n * n, sizeof *d.bound);
        d.boxes = mpi_take(m, n * (size_t)m->size, sizeof *d.boxes);
        d.bodies = mpi_take(m, n, sizeof *d.bodies);
    }
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK)
        status = search_near(m, &d);
    if (status == SNAG_OK && def->question.closest > 0)
        status = keep_closest(m, def->question.closest);
    if (status == SNAG_OK && def->question.output != SNAG_OUTPUT_CONTACTS) {
        as_pairs(m);
        status = mpi_settle(m);
    }
    mpi_free(m, d.bound);
    mpi_free(m, d.boxes);
    mpi_free(m, d.bodies);
    return status;
}

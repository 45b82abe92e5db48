// Untangling: pushes intersecting surfaces apart until they do not intersect.
// Baraff, Witkin, Kass: Untangling Cloth, SIGGRAPH 2003, to which Kimmerle, Nesme, Faure 2004 (section 3) refer for
// collisions that were found too late.
// Differs: the global decisions are those of sides.c. The wrong vertex of every piercing is pushed to the other side of
// the pierced triangle; pushes are spread and smoothed, so that whole regions move and nothing crumples. Tried first: the
// gradient of the contour's length (Volino, Magnenat-Thalmann 2006), which freed 6 of 20 pairs of sheets where this frees
// all, and moved them six times as far.
#include "base/clock.h"
#include "base/random.h"
#include "response/rows.h"
#include "response/spread.h"
#include "response/tangle.h"
#include "response/vector.h"

#include <string.h>

// Lengths, as parts of the piercing edge's length: how far a vertex is pushed beyond the triangle, how far at most in one
// round, and how far vertices are shaken at the start, so that edges do not meet edges exactly.
#define BEYOND 0.1
#define MOST 0.3
#define SHAKE 1e-3
// Pushes are spread over this many rings of neighbours, by this part each, and then smoothed this often.
enum { RINGS = 3, SMOOTHINGS = 2 };
#define SPREAD_PART 0.9
// After QUIET_ROUNDS rounds surfaces are also smoothed, within SMOOTH_RINGS of the intersections. After ROUNDS a new attempt
// starts from the beginning with another smoothness.
enum { QUIET_ROUNDS = 5, ROUNDS = 100, ATTEMPTS = 4, SMOOTH_RINGS = 3 };
static const double smoothness[ATTEMPTS] = {0.2, 0.1, 0.4, 0.6};

typedef struct untangling {
    snag_response *response;
    snag_world *world;
    const snag_response_def *def;
    snag__group group;
    double (*first)[3];  // positions at the start
    double (*best)[3];  // with the fewest intersections so far
    double (*moves)[3], (*mean)[3];
    uint32_t *rank, *counts;
    size_t fewest;
    snag_response_report report;
} untangling;

// ---- asking ----

static bool is_listed(void *context, snag_body_id a, snag_body_id b)
{
    const untangling *u = context;
    return snag__group_find(&u->group, a) != SNAG__NO_BODY && snag__group_find(&u->group, b) != SNAG__NO_BODY;
}

static snag_status teleport_bodies(untangling *u)
{
    for (uint32_t i = 0; i < u->group.body_count; i++) {
        size_t count = u->group.bodies[i].vertex_count;
        const double *x = u->group.x[u->group.first_vertex[i]];
        snag_status status = snag_world_teleport(u->world, u->group.bodies[i].body, snag_positions_f64(x, count));
        if (status != SNAG_OK)
            return snag__response_fail(u->response, status, "%s", snag_world_message(u->world));
    }
    return SNAG_OK;
}

static snag_status ask_intersections(untangling *u, const snag_answer **answer)
{
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.method = u->def->method;
    snag_filter filter = snag_default_filter();
    filter.bodies = is_listed;
    filter.context = u;
    ask.filter = &filter;
    snag_status status = teleport_bodies(u);
    if (status != SNAG_OK)
        return status;
    u->report.asks++;
    uint64_t began = snag__clock_us();
    status = snag_world_ask(u->world, &ask, answer);
    u->report.search_us += snag__clock_us() - began;
    if (status != SNAG_OK)
        return snag__response_fail(u->response, status, "%s", snag_world_message(u->world));
    if ((*answer)->count < u->fewest) {
        u->fewest = (*answer)->count;
        memcpy(u->best, u->group.x, u->group.vertex_count * sizeof *u->best);
    }
    return SNAG_OK;
}

// ---- pushing ----

// The row that pushes the wrong vertex of a piercing to the side of the right one.
static bool make_row(const untangling *u, const snag__tangle *t, const snag__piercing *p, snag__row *row)
{
    const snag__group *group = &u->group;
    int plus = snag__piercing_plus(t, p);
    bool plus_wrong = t->contours[t->crossings[p->crossing].contour].plus_wrong;
    uint32_t wrong = p->vertex[plus_wrong ? plus : 1 - plus], right = p->vertex[plus_wrong ? 1 - plus : plus];
    double way[3];
    SNAG__ASSERT(wrong < group->vertex_count && right < group->vertex_count && wrong != right);
    *row = (snag__row){.count = 4};
    snag__corner_normal(group, p->corner, row->normal);
    snag__subtract(group->x[right], p->point, way);
    double side = snag__dot(way, row->normal) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        row->normal[k] *= side;
    snag__subtract(group->x[wrong], p->point, way);
    row->gap = snag__dot(way, row->normal);
    row->vertex[0] = wrong;
    row->weight[0] = 1;
    for (int k = 0; k < 3; k++) {
        row->vertex[k + 1] = p->corner[k];
        row->weight[k + 1] = -p->weight[k];
    }
    row->give = snag__row_give(row, group->inverse);
    snag__subtract(group->x[wrong], group->x[right], way);
    double length = snag__length(way);
    row->least_gap = fmin(BEYOND * length, row->gap + MOST * length);
    return row->give > 0;
}

// Makes one row per edge and triangle: an edge has a piercing for each of its triangles.
static snag_status make_rows(untangling *u, const snag__tangle *t, size_t *count)
{
    if (!snag__buffer_reserve(&u->response->allocator, &u->response->rows, 0, t->piercing_count + (size_t)1, sizeof(snag__row)))
        return snag__response_fail_memory(u->response);
    snag__row *rows = u->response->rows.data;
    *count = 0;
    for (uint32_t i = 0; i < t->piercing_count; i++)
        if (i == 0 || t->records[i].key != t->records[i - 1].key)
            *count += make_row(u, t, &t->piercings[t->records[i].extra], &rows[*count]);
    return SNAG_OK;
}

// Sets u->mean to half of each vertex's vector plus half of its neighbours' mean; with `differences` to the difference from its
// vector to that mean.
static void average(untangling *u, double (*vectors)[3], bool differences)
{
    const snag__group *group = &u->group;
    memset(u->mean, 0, group->vertex_count * sizeof *u->mean);
    memset(u->counts, 0, group->vertex_count * sizeof *u->counts);
    for (uint32_t b = 0; b < group->body_count; b++) {
        for (size_t e = 0; e < group->infos[b].edge_count; e++) {
            uint32_t p = group->first_vertex[b] + group->infos[b].edges[2 * e];
            uint32_t q = group->first_vertex[b] + group->infos[b].edges[2 * e + 1];
            snag__add_scaled(u->mean[p], 1, vectors[q]);
            snag__add_scaled(u->mean[q], 1, vectors[p]);
            u->counts[p]++, u->counts[q]++;
        }
    }
    for (uint32_t v = 0; v < group->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            double mean = u->counts[v] > 0 ? u->mean[v][k] / u->counts[v] : vectors[v][k];
            u->mean[v][k] = differences ? mean - vectors[v][k] : 0.5 * (vectors[v][k] + mean);
        }
}

// Gives the vertices of the rows rank 0, all others none.
static void mark_rows(const untangling *u, const snag__row *rows, size_t count)
{
    memset(u->rank, 0xff, u->group.vertex_count * sizeof *u->rank);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++)
            u->rank[rows[i].vertex[k]] = 0;
}

static void push(untangling *u, snag__row *rows, size_t count)
{
    const snag__group *group = &u->group;
    double most = 0;
    memset(u->moves, 0, group->vertex_count * sizeof *u->moves);
    snag__rows_push(rows, count, group->inverse, u->moves);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, rows[i].least_gap - rows[i].gap);
    mark_rows(u, rows, count);
    snag__spread(group, SPREAD_PART, RINGS, u->rank, u->counts, u->moves);
    for (int i = 0; i < SMOOTHINGS; i++) {
        average(u, u->moves, false);
        memcpy(u->moves, u->mean, group->vertex_count * sizeof *u->moves);
    }
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        double length = snag__length(u->moves[v]);
        if (group->inverse[v] > 0)
            snag__add_scaled(group->x[v], length > most ? most / length : 1, u->moves[v]);
    }
}

// Moves the vertices around the rows towards the mean of their neighbours. Vertices with few neighbours, at a border or a
// corner, stay: the border would shrink.
static void smooth(untangling *u, const snag__row *rows, size_t count, double part)
{
    const snag__group *group = &u->group;
    enum { INNER = 4 };
    mark_rows(u, rows, count);
    memset(u->moves, 0, group->vertex_count * sizeof *u->moves);
    snag__spread(group, 0, SMOOTH_RINGS, u->rank, u->counts, u->moves);
    average(u, group->x, true);
    for (uint32_t v = 0; v < group->vertex_count; v++)
        if (u->rank[v] != UINT32_MAX && group->inverse[v] > 0 && u->counts[v] >= INNER)
            snag__add_scaled(group->x[v], part, u->mean[v]);
}

// Moves the corners of intersecting triangles and rods a little, each in a random direction.
static void shake(untangling *u, const snag_answer *answer, uint64_t seed)
{
    const snag__group *group = &u->group;
    memset(u->rank, 0, group->vertex_count * sizeof *u->rank);
    for (size_t i = 0; i < answer->count; i++) {
        const snag_contact *c = &answer->contacts[i];
        const snag_body_id body[2] = {c->body_a, c->body_b};
        const snag_element *const element[2] = {&c->a, &c->b};
        for (int side = 0; side < 2; side++) {
            uint32_t b = snag__group_find(group, body[side]), first = group->first_vertex[b];
            const int corners = element[side]->kind == SNAG_EDGE ? 2 : 3;
            const uint32_t *corner =
                corners == 2 ? element[side]->vertex : &group->infos[b].triangles[3 * (size_t)element[side]->index];
            for (int k = 0; k < corners; k++) {
                uint32_t v = first + corner[k];
                double edge[3];
                snag__subtract(group->x[v], group->x[first + corner[(k + 1) % corners]], edge);
                snag__random random = {seed + v};
                double size = SHAKE * snag__length(edge);
                for (int a = 0; a < 3 && u->rank[v] == 0 && group->inverse[v] > 0; a++)
                    group->x[v][a] += size * snag__random_range(&random, -1, 1);
                u->rank[v] = 1;
            }
        }
    }
}

// ---- rounds ----

static snag_status make_round(untangling *u, const snag_answer *answer, uint32_t attempt, uint32_t round)
{
    snag__tangle tangle;
    size_t count = 0;
    snag_status status = snag__tangle_find(u->response, &u->group, answer, &tangle);
    if (status != SNAG_OK)
        return status;
    snag__tangle_decide(&tangle);
    status = make_rows(u, &tangle, &count);
    if (status != SNAG_OK)
        return status;
    // Triangles that touch without piercing, or are coplanar, are shaken until they pierce or separate.
    if (round == 0 || count == 0)
        shake(u, answer, u->def->seed + round);
    if (round == 0)
        return SNAG_OK;
    push(u, u->response->rows.data, count);
    if (attempt > 0 || round > QUIET_ROUNDS)
        smooth(u, u->response->rows.data, count, smoothness[attempt]);
    return SNAG_OK;
}

// One attempt from the user's positions. Ends early if no intersections are left.
static snag_status make_attempt(untangling *u, uint32_t attempt)
{
    snag_status status = SNAG_OK;
    memcpy(u->group.x, u->first, u->group.vertex_count * sizeof *u->first);
    for (uint32_t round = 0; round < ROUNDS && u->fewest > 0; round++) {
        const snag_answer *answer = NULL;
        status = ask_intersections(u, &answer);
        if (status == SNAG_OK && attempt == 0 && round == 0)
            u->report.tangled = answer->count;
        if (status != SNAG_OK || answer->count == 0)
            return status;
        status = make_round(u, answer, attempt, round);
        if (status != SNAG_OK)
            return status;
    }
    return status;
}

static snag_status open_untangling(untangling *u, const snag_response_body *bodies, size_t body_count)
{
    snag_response *r = u->response;
    snag_status status = snag__response_check(r, u->world, u->def, bodies, body_count);
    if (status == SNAG_OK)
        status = snag__group_gather(r, u->world, bodies, body_count, &u->group);
    if (status != SNAG_OK)
        return status;
    size_t vertices = u->group.vertex_count + (size_t)1;
    const snag__room rooms[] = {
        {NULL, &u->first, vertices, sizeof *u->first}, {NULL, &u->best, vertices, sizeof *u->best},
        {NULL, &u->moves, vertices, sizeof *u->moves}, {NULL, &u->mean, vertices, sizeof *u->mean},
        {NULL, &u->rank, vertices, sizeof *u->rank},   {NULL, &u->counts, vertices, sizeof *u->counts},
    };
    status = snag__response_carve(r, &r->changes, rooms, sizeof rooms / sizeof *rooms);
    if (status != SNAG_OK)
        return status;
    u->fewest = SIZE_MAX;
    memcpy(u->first, u->group.x, u->group.vertex_count * sizeof *u->first);
    return SNAG_OK;
}

static snag_status untangle(snag_response *response, snag_world *world, const snag_response_def *def,
                            const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    untangling u = {.response = response, .world = world, .def = def};
    snag_status status = open_untangling(&u, bodies, body_count);
    if (status != SNAG_OK)
        return status;
    for (uint32_t attempt = 0; attempt < ATTEMPTS && status == SNAG_OK && u.fewest > 0; attempt++)
        status = make_attempt(&u, attempt);
    memcpy(u.group.x, status == SNAG_OK ? u.best : u.first, u.group.vertex_count * sizeof *u.group.x);
    if (status == SNAG_OK)
        status = teleport_bodies(&u);
    else
        teleport_bodies(&u);
    if (status != SNAG_OK)
        return status;
    u.report.left = u.fewest;
    for (uint32_t v = 0; v < u.group.vertex_count; v++) {
        double move[3];
        snag__subtract(u.group.x[v], u.first[v], move);
        u.report.largest_move = fmax(u.report.largest_move, snag__length(move));
    }
    snag__group_return(&u.group, false);
    if (report != NULL)
        *report = u.report;
    return SNAG_OK;
}

snag_status snag_response_untangle(snag_response *response, snag_world *world, const snag_response_def *def,
                                   const snag_response_body *bodies, size_t body_count, snag_response_report *report)
{
    snag__float_env callers;
    snag_status status = snag__response_begin(response, world, SNAG__RESPONSE_REFUSAL("untangle"), &callers);
    if (status != SNAG_OK)
        return status;
    return snag__response_end(response, callers, untangle(response, world, def, bodies, body_count, report));
}

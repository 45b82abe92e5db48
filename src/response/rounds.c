// Rounds of untangling: pushes intersecting surfaces apart.
// Baraff, Witkin, Kass: Untangling Cloth, SIGGRAPH 2003, to which Kimmerle, Nesme, Faure 2004 (section 3) refer for
// collisions that were found too late.
// Differs: the global decisions are those of sides.c. The wrong vertex of every piercing is pushed to the other side of
// the pierced triangle; pushes are spread and smoothed, so that whole regions move and nothing crumples. Tried first: the
// gradient of the contour's length (Volino, Magnenat-Thalmann 2006), which freed 6 of 20 pairs of sheets where this frees
// all, and moved them six times as far. `fix` takes the gradient where this fails, for curves that end at borders.
#include "response/rounds.h"

#include "base/clock.h"
#include "base/random.h"
#include "response/spread.h"
#include "response/vector.h"

#include <string.h>

// Lengths, as parts of the piercing edge's length: how far a vertex is pushed beyond the triangle, how far at most in one
// round, how far a contraction moves an edge, and how far vertices are shaken at the start, so that edges do not meet edges exactly.
#define BEYOND 0.1
#define LEAST_BEYOND 1e-7
#define MOST 0.3
#define CONTRACTION 0.15
#define SHAKE 1e-3
// Cosine to the normal below which an edge runs along the triangle, and its piercing jumps about when it moves.
#define LEAST_STEEP 0.1
// Contours of so few piercings are nicks between neighbours, which have no sides.
enum { TINY_CONTOUR = 12 };
// Pushes are spread over this many rings of neighbours, by this part each, and then smoothed this often.
enum { RINGS = 3, SMOOTHINGS = 2, SMOOTH_RINGS = 3 };
#define SPREAD_PART 0.9

// ---- asking ----

static bool is_listed(void *context, snag_body_id a, snag_body_id b)
{
    const snag__rounds *r = context;
    return snag__group_find(&r->group, a) != SNAG__NO_BODY && snag__group_find(&r->group, b) != SNAG__NO_BODY;
}

static bool go_on(void *context, double done)
{
    snag__rounds *r = context;
    (void)done;
    if (r->until != 0 && snag__clock_us() >= r->until)
        r->stopped = true;
    if (!r->stopped && r->progress != NULL && !r->progress(r->context, r->done))
        r->stopped = true;
    return !r->stopped;
}

snag_status snag__rounds_place(snag__rounds *r)
{
    for (uint32_t i = 0; i < r->group.body_count; i++) {
        size_t count = r->group.bodies[i].vertex_count;
        const double *x = r->group.x[r->group.first_vertex[i]];
        snag_status status = snag_world_teleport(r->world, r->group.bodies[i].body, snag_positions_f64(x, count));
        if (status != SNAG_OK)
            return snag__response_fail(r->response, status, "%s", snag_world_message(r->world));
    }
    return SNAG_OK;
}

snag_status snag__rounds_ask(snag__rounds *r, const snag_answer **answer)
{
    snag_question_def ask = snag_default_question_def(SNAG_INTERSECTIONS);
    ask.method = r->method;
    snag_filter filter = snag_default_filter();
    filter.bodies = is_listed;
    filter.context = r;
    ask.filter = &filter;
    if (r->until != 0 || r->progress != NULL) {
        ask.progress = go_on;
        ask.context = r;
    }
    *answer = NULL;
    snag_status status = snag__rounds_place(r);
    if (status != SNAG_OK || (ask.progress != NULL && !go_on(r, 0)))
        return status;
    r->asks++;
    uint64_t began = snag__clock_us();
    const snag_answer *found;
    status = snag_world_ask(r->world, &ask, &found);
    r->search_us += snag__clock_us() - began;
    if (status != SNAG_OK)
        return snag__response_fail(r->response, status, "%s", snag_world_message(r->world));
    if (!found->complete)
        return SNAG_OK;
    *answer = found;
    if (found->count < r->fewest) {
        r->fewest = found->count;
        if (r->rigid != NULL)
            memcpy(r->rigid + r->group.body_count, r->rigid, r->group.body_count * sizeof *r->rigid);
        memcpy(r->best, r->group.x, r->group.vertex_count * sizeof *r->best);
    }
    return SNAG_OK;
}

static uint32_t add_vertices(const snag__group *group, snag_body_id body, const snag_element *element, uint32_t *out)
{
    uint32_t b = snag__group_find(group, body), count = 1;
    const snag_body_info *info = &group->infos[b];
    const uint32_t *vertices = &element->index;
    if (element->kind == SNAG_TRIANGLE)
        vertices = &info->triangles[3 * (size_t)element->index], count = 3;
    else if (element->kind == SNAG_EDGE)
        vertices = element->vertex, count = 2;
    for (uint32_t i = 0; i < count; i++)
        out[i] = group->first_vertex[b] + vertices[i];
    return count;
}

uint32_t snag__contact_vertices(const snag__group *group, const snag_contact *contact, uint32_t vertices[6])
{
    uint32_t count = add_vertices(group, contact->body_a, &contact->a, vertices);
    return count + add_vertices(group, contact->body_b, &contact->b, vertices + count);
}

// ---- pushing ----

static const snag__part *part_of(const snag__rounds *r, uint32_t vertex)
{
    return &r->parts.items[r->parts.of_vertex[vertex]];
}

static bool is_free(const snag__rounds *r, const uint32_t *vertices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (r->group.inverse[vertices[i]] > 0)
            return true;
    return false;
}

// Where a sheet meets a solid, only the sheet moves, if it can: leaves the other side out of the row.
static void yield_to_solid(const snag__rounds *r, const snag__piercing *p, uint32_t wrong, snag__row *row)
{
    bool edge_closed = part_of(r, wrong)->closed, face_closed = part_of(r, p->corner[0])->closed;
    if (edge_closed == face_closed)
        return;
    if (face_closed && is_free(r, &wrong, 1)) {
        row->count = 1;
    } else if (edge_closed && is_free(r, p->corner, 3)) {
        row->count = 3;
        memmove(row->vertex, row->vertex + 1, 3 * sizeof *row->vertex);
        memmove(row->weight, row->weight + 1, 3 * sizeof *row->weight);
    }
}

// Which end of a piercing's edge goes back through the triangle: the one that its contour says; gently, in a tiny contour, the nearer one.
static int wrong_end_of(const snag__group *group, const snag__tangle *t, const snag__piercing *p, bool gentle)
{
    const snag__contour *contour = &t->contours[t->crossings[p->crossing].contour];
    int plus = snag__piercing_plus(t, p);
    if (!gentle || contour->count > TINY_CONTOUR)
        return contour->plus_wrong ? plus : 1 - plus;
    double normal[3], way[3], beyond[2];
    snag__corner_normal(group, p->corner, normal);
    for (int end = 0; end < 2; end++) {
        snag__subtract(group->x[p->vertex[end]], p->point, way);
        beyond[end] = fabs(snag__dot(way, normal));
    }
    return beyond[1] < beyond[0] ? 1 : 0;
}

// The row that pushes the wrong vertex of a piercing to the side of the right one.
static bool make_row(const snag__rounds *r, const snag__tangle *t, const snag__piercing *p, bool gentle, snag__row *row)
{
    const snag__group *group = &r->group;
    int wrong_end = wrong_end_of(group, t, p, gentle);
    uint32_t wrong = p->vertex[wrong_end], right = p->vertex[1 - wrong_end];
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
    if (r->yield)
        yield_to_solid(r, p, wrong, row);
    row->give = snag__row_give(row, group->inverse);
    snag__subtract(group->x[wrong], group->x[right], way);
    double length = snag__length(way);
    double beyond = gentle ? fmin(BEYOND * length, fmax(fabs(row->gap), LEAST_BEYOND * length)) : BEYOND * length;
    row->least_gap = fmin(beyond, row->gap + MOST * length);
    return row->give > 0;
}

// The row that shortens the curve at a piercing, given by the records first .. end - 1 of one edge and triangle. The curve runs from the
// piercing along R in each of the edge's triangles, in the plane with normal N. If the edge (direction E) moves by d, the piercing moves by
// d - E (d.N) / (E.N), and a segment gets shorter by the part of that along R: most quickly for d along R - (R.E) / (E.N) N.
static bool make_contraction(const snag__rounds *r, const snag__tangle *t, uint32_t first, uint32_t end, snag__row *row)
{
    const snag__group *group = &r->group;
    const snag__piercing *p = &t->piercings[t->records[first].extra];
    double edge[3], normal[3], way[3] = {0, 0, 0}, from[3];
    snag__subtract(group->x[p->vertex[1]], group->x[p->vertex[0]], edge);
    snag__subtract(p->point, group->x[p->vertex[0]], from);
    snag__corner_normal(group, p->corner, normal);
    double length = snag__length(edge), steep = snag__dot(edge, normal) / length, part = snag__length(from) / length;
    if (!(fabs(steep) > LEAST_STEEP))
        return false;
    for (uint32_t i = first; i < end; i++) {
        double along[3];
        snag__subtract(t->crossings[t->piercings[t->records[i].extra].crossing].middle, p->point, along);
        double size = snag__length(along), slope = snag__dot(along, edge) / length;
        if (size > 0) {
            snag__add_scaled(way, 1 / size, along);
            snag__add_scaled(way, -slope / (steep * size), normal);
        }
    }
    double size = snag__length(way);
    if (!(size > 0))
        return false;
    *row = (snag__row){.count = 5,
                       .vertex = {p->vertex[0], p->vertex[1], p->corner[0], p->corner[1], p->corner[2]},
                       .weight = {1 - part, part, -p->weight[0], -p->weight[1], -p->weight[2]},
                       .normal = {way[0] / size, way[1] / size, way[2] / size},
                       .least_gap = CONTRACTION * length};
    row->give = snag__row_give(row, group->inverse);
    return row->give > 0;
}

// Whether a contour is to be contracted: one between sheets that ends at borders has no side that is enclosed.
static bool is_contracted(const snag__rounds *r, const snag__tangle *t, const snag__piercing *p)
{
    const snag__contour *contour = &t->contours[t->crossings[p->crossing].contour];
    return contour->open && !r->parts.items[contour->part[0]].closed && !r->parts.items[contour->part[1]].closed;
}

// Makes one row per edge and triangle: an edge has a piercing for each of its triangles.
static snag_status make_rows(snag__rounds *r, const snag__tangle *t, const snag__manner *manner, size_t *count)
{
    if (!snag__buffer_reserve(&r->response->allocator, &r->response->rows, 0, t->piercing_count + (size_t)1, sizeof(snag__row)))
        return snag__response_fail_memory(r->response);
    snag__row *rows = r->response->rows.data;
    *count = 0;
    for (uint32_t i = 0, end; i < t->piercing_count; i = end) {
        const snag__piercing *p = &t->piercings[t->records[i].extra];
        for (end = i + 1; end < t->piercing_count && t->records[end].key == t->records[i].key;)
            end++;
        bool contracted = manner->contract && is_contracted(r, t, p);
        *count += contracted ? make_contraction(r, t, i, end, &rows[*count]) : make_row(r, t, p, manner->gentle, &rows[*count]);
    }
    return SNAG_OK;
}

// Sets r->mean to half of each vertex's vector plus half of its neighbours' mean; with `differences` to the difference from its
// vector to that mean.
static void average(snag__rounds *r, double (*vectors)[3], bool differences)
{
    const snag__group *group = &r->group;
    memset(r->mean, 0, group->vertex_count * sizeof *r->mean);
    memset(r->counts, 0, group->vertex_count * sizeof *r->counts);
    for (uint32_t b = 0; b < group->body_count; b++) {
        for (size_t e = 0; e < group->infos[b].edge_count; e++) {
            uint32_t p = group->first_vertex[b] + group->infos[b].edges[2 * e];
            uint32_t q = group->first_vertex[b] + group->infos[b].edges[2 * e + 1];
            snag__add_scaled(r->mean[p], 1, vectors[q]);
            snag__add_scaled(r->mean[q], 1, vectors[p]);
            r->counts[p]++, r->counts[q]++;
        }
    }
    for (uint32_t v = 0; v < group->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            double mean = r->counts[v] > 0 ? r->mean[v][k] / r->counts[v] : vectors[v][k];
            r->mean[v][k] = differences ? mean - vectors[v][k] : 0.5 * (vectors[v][k] + mean);
        }
}

// Gives the vertices of the rows rank 0, all others none.
static void mark_rows(const snag__rounds *r, const snag__row *rows, size_t count)
{
    memset(r->rank, 0xff, r->group.vertex_count * sizeof *r->rank);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < rows[i].count; k++)
            r->rank[rows[i].vertex[k]] = 0;
}

static void push(snag__rounds *r, snag__row *rows, size_t count, bool gentle)
{
    const snag__group *group = &r->group;
    double most = 0;
    memset(r->moves, 0, group->vertex_count * sizeof *r->moves);
    snag__rows_push(rows, count, group->inverse, r->moves);
    for (size_t i = 0; i < count; i++)
        most = fmax(most, rows[i].least_gap - rows[i].gap);
    mark_rows(r, rows, count);
    if (!gentle)
        snag__spread(group, SPREAD_PART, RINGS, r->rank, r->counts, r->moves);
    for (int i = 0; i < SMOOTHINGS && !gentle; i++) {
        average(r, r->moves, false);
        memcpy(r->moves, r->mean, group->vertex_count * sizeof *r->moves);
    }
    for (uint32_t v = 0; v < group->vertex_count; v++) {
        double length = snag__length(r->moves[v]);
        if (group->inverse[v] > 0)
            snag__add_scaled(group->x[v], length > most ? most / length : 1, r->moves[v]);
    }
}

// Moves the vertices around the rows towards the mean of their neighbours, or their moves towards the mean of these. Vertices with few
// neighbours, at a border or a corner, stay: the border would shrink.
static void smooth(snag__rounds *r, const snag__row *rows, size_t count, const snag__manner *manner)
{
    const snag__group *group = &r->group;
    enum { INNER = 4 };
    mark_rows(r, rows, count);
    memset(r->moves, 0, group->vertex_count * sizeof *r->moves);
    snag__spread(group, 0, SMOOTH_RINGS, r->rank, r->counts, r->moves);
    if (manner->keep_shape)
        for (uint32_t v = 0; v < group->vertex_count; v++)
            snag__subtract(group->x[v], r->home[v], r->moves[v]);
    average(r, manner->keep_shape ? r->moves : group->x, true);
    for (uint32_t v = 0; v < group->vertex_count; v++)
        if (r->rank[v] != UINT32_MAX && group->inverse[v] > 0 && (manner->keep_shape || r->counts[v] >= INNER))
            snag__add_scaled(group->x[v], manner->smoothness, r->mean[v]);
}

// How far a corner of an element is from the next; gently, the least height of a triangle, if that is less.
static double size_at(const snag__group *group, const uint32_t *corners, uint32_t count, uint32_t k, bool gentle)
{
    double a[3], b[3], c[3], cross[3];
    if (count < 2)
        return 0;
    snag__subtract(group->x[corners[k]], group->x[corners[(k + 1) % count]], a);
    if (count < 3 || !gentle)
        return snag__length(a);
    snag__subtract(group->x[corners[2]], group->x[corners[0]], b);
    snag__subtract(group->x[corners[2]], group->x[corners[1]], c);
    snag__subtract(group->x[corners[1]], group->x[corners[0]], a);
    snag__cross(a, b, cross);
    double longest = fmax(snag__length(a), fmax(snag__length(b), snag__length(c)));
    return longest > 0 ? snag__length(cross) / longest : 0;
}

// Moves the corners of intersecting triangles and rods a little, each in a random direction.
static void shake(snag__rounds *r, const snag_answer *answer, uint64_t seed, bool gentle)
{
    const snag__group *group = &r->group;
    memset(r->rank, 0, group->vertex_count * sizeof *r->rank);
    for (size_t i = 0; i < answer->count; i++) {
        uint32_t vertices[6], count = snag__contact_vertices(group, &answer->contacts[i], vertices);
        snag_element_kind kind = answer->contacts[i].a.kind;
        uint32_t first = kind == SNAG_TRIANGLE ? 3 : kind == SNAG_EDGE ? 2 : 1;
        bool mixed = r->yield && part_of(r, vertices[0])->closed != part_of(r, vertices[count - 1])->closed;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t v = vertices[k];
            if (mixed && part_of(r, v)->closed)
                continue;
            snag__random random = {seed + v};
            uint32_t from = k < first ? 0 : first, own = k < first ? first : count - first;
            double size = SHAKE * size_at(group, vertices + from, own, k - from, gentle);
            for (int a = 0; a < 3 && r->rank[v] == 0 && group->inverse[v] > 0; a++)
                group->x[v][a] += size * snag__random_range(&random, -1, 1);
            r->rank[v] = 1;
        }
    }
}

// ---- rounds ----

// Keeps one vertex to the limits.
static void settle_vertex(const snag__rounds *r, uint32_t v, bool is_rigid)
{
    double move[3], *x = r->group.x[v];
    snag__subtract(x, r->home[v], move);
    double length = snag__length(move);
    if (r->group.inverse[v] == 0)
        memcpy(x, r->home[v], sizeof r->home[v]);
    else if (!is_rigid && r->max_move > 0 && length > r->max_move)
        for (int k = 0; k < 3; k++)
            // A little less than the limit, so that rounding does not pass it.
            x[k] = r->home[v][k] + (1 - 1e-6) * r->max_move / length * move[k];
    if (r->max_move > 0 && length > 0.99 * r->max_move)
        r->limited[v] = 1;
    if (r->single)
        snag__round_to_floats(x);
}

void snag__rounds_settle(snag__rounds *r)
{
    snag__group *group = &r->group;
    for (uint32_t b = 0; b < group->body_count; b++) {
        uint32_t first = group->first_vertex[b], end = group->first_vertex[b + 1];
        bool is_rigid = r->rigid != NULL && r->rigid[b].is_rigid;
        if (is_rigid)
            snag__rigid_follow(&r->rigid[b], (const double(*)[3])r->home + first, group->x + first, end - first, r->max_move);
        for (uint32_t v = first; v < end; v++)
            settle_vertex(r, v, is_rigid);
    }
}

snag_status snag__rounds_push(snag__rounds *r, const snag_answer *answer, const snag__manner *manner, uint32_t round)
{
    snag__tangle tangle;
    size_t count = 0;
    snag_status status = snag__tangle_find(r->response, &r->group, &r->parts, answer, &tangle);
    if (status != SNAG_OK)
        return status;
    snag__tangle_decide(&tangle);
    if (manner->gentle)
        snag__tangle_prefer_shallow(&tangle);
    status = make_rows(r, &tangle, manner, &count);
    if (status != SNAG_OK)
        return status;
    // Triangles that touch without piercing, or are coplanar, are shaken until they pierce or separate.
    if (round == 0 || count == 0)
        shake(r, answer, r->seed + round, manner->gentle);
    if (round > 0) {
        push(r, r->response->rows.data, count, manner->gentle);
        if (round > manner->quiet_rounds && manner->smoothness > 0)
            smooth(r, r->response->rows.data, count, manner);
    }
    snag__rounds_settle(r);
    return SNAG_OK;
}

snag_status snag__rounds_open(snag__rounds *r, const snag_response_body *bodies, size_t body_count)
{
    snag_status status = snag__group_gather(r->response, r->world, bodies, body_count, &r->group);
    if (status != SNAG_OK)
        return status;
    size_t vertices = r->group.vertex_count + (size_t)1;
    const snag__room rooms[] = {
        {NULL, &r->home, vertices, sizeof *r->home},       {NULL, &r->best, vertices, sizeof *r->best},
        {NULL, &r->moves, vertices, sizeof *r->moves},     {NULL, &r->mean, vertices, sizeof *r->mean},
        {NULL, &r->rank, vertices, sizeof *r->rank},       {NULL, &r->counts, vertices, sizeof *r->counts},
        {NULL, &r->limited, vertices, sizeof *r->limited},
    };
    status = snag__response_carve(r->response, &r->response->changes, rooms, sizeof rooms / sizeof *rooms);
    if (status == SNAG_OK)
        status = snag__parts_find(r->response, &r->group, &r->parts);
    if (status != SNAG_OK)
        return status;
    r->fewest = SIZE_MAX;
    memset(r->limited, 0, r->group.vertex_count);
    memcpy(r->home, r->group.x, r->group.vertex_count * sizeof *r->home);
    memcpy(r->best, r->group.x, r->group.vertex_count * sizeof *r->best);
    return SNAG_OK;
}

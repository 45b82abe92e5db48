// Impacts: vertices that meet triangles and edges that meet edges on the straight way from t0 to t1 (continuous detection); and points
// that meet rods and points. To the narrow phase a point is an edge without length.
#include "query/impacts.h"

#include "geom/impact.h"
#include "geom/impact_solve.h"
#include "query/candidates.h"
#include "query/f32_paths.h"
#include "query/filter.h"
#include "query/thin.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static double reach(const snag__question *question)
{
    return (question->separation + question->tolerance) / 2;
}

// ---- confirming ----

snag__impact_side snag__impact_side_of(const snag__mesh *mesh, snag_element_kind kind)
{
    return (snag__impact_side){
        .x_t0 = (const double(*)[3])mesh->x_t0,
        .x_t1 = (const double(*)[3])mesh->x_t1,
        .elements = snag__mesh_elements(mesh, kind).vertices,
    };
}

// Reported times lie before the true ones by at most 2^-38: pairs that are free a little beyond a time are reported after it.
#define TIME_MARGIN 0x1p-37
// While coordinates differ by less than this factor, times that are not equal differ in their first 2048 bits (see prepare).
#define ORDINARY 0x1p100

static double time_of_bits(uint64_t bits)
{
    double t;
    memcpy(&t, &bits, sizeof t);
    return t;
}

// Times are not negative, so that their bits are in the same order.
static uint64_t bits_of_time(double t)
{
    uint64_t bits;
    t += 0.0;
    memcpy(&bits, &t, sizeof bits);
    return bits;
}

// No impact later than this is of interest.
static double latest(const snag__ask *ask)
{
    return time_of_bits(atomic_load_explicit(&ask->scratch->latest, memory_order_relaxed));
}

static void lower_latest(const snag__ask *ask, double t)
{
    uint64_t old = atomic_load_explicit(&ask->scratch->latest, memory_order_relaxed), bits = bits_of_time(t);
    while (bits < old &&
           !atomic_compare_exchange_weak_explicit(&ask->scratch->latest, &old, bits, memory_order_relaxed, memory_order_relaxed))
        ;
}

double snag__impact_span(const snag__ask *ask)
{
    return ask->bounded ? fmin(latest(ask) + TIME_MARGIN, 1) : 1;
}

double snag__impact_span_margin(const snag__ask *ask)
{
    return 0x1p-50 * snag__f32_paths_largest(ask);
}

// ---- filters ----

static bool is_edge_pass(const snag__pass *pass)
{
    return pass->row != SNAG_TRIANGLE;
}

// What single precision leaves of candidates whose elements have these vertices.
static size_t filter_elements(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t j, const uint32_t *rows,
                              const uint32_t *columns, const uint32_t (*pairs)[2], size_t count, double more, double span,
                              uint32_t (*kept)[2], size_t *shared)
{
    const snag__f32_impact_kernels *kernels = snag__f32_impact_kernels_for(ask->isa);
    const double separation = snag__limit_in(ask, i, j, ask->def->separation).d;
    const double distance = (separation > 0 ? separation + ask->def->tolerance : 0) + more;
    snag__f32_impacts candidates = {
        .row_vertices = snag__f32_paths_of(ask, i),
        .column_vertices = snag__f32_paths_of(ask, j),
        .rows = rows,
        .columns = columns,
        .pairs = pairs,
        .count = count,
        .same_body = i == j,
        .distance = distance > 0 ? snag__f32_paths_distance(ask, distance) : 0,
        .rounding = SNAG__F32_PATH_ROUNDING,
        .span = span < 1 ? fminf(nextafterf((float)span, INFINITY), 1) : 1,
    };
    return (is_edge_pass(pass) ? kernels->edge_edges : kernels->triangle_vertices)(&candidates, kept, shared);
}

// The candidates that are pairs at all and may come close, by single precision where that is prepared.
static size_t filter_f32(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                         size_t count, double more, double span, uint32_t (*kept)[2], size_t *shared)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    size_t used = 0, left = filter_elements(ask, pass, i, j, snag__mesh_elements(a, pass->row).vertices,
                                            snag__mesh_elements(b, pass->column).vertices, pairs, count, more, span, kept, shared);
    if (is_edge_pass(pass))
        return left;
    for (size_t k = 0; k < left; k++) {
        memmove(kept[used], kept[k], sizeof *kept);
        used += b->vertex_used[kept[k][1]];
    }
    return used;
}

size_t snag__impact_filter_wide(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                size_t count, double more, double span, uint32_t (*kept)[2])
{
    size_t shared = 0;
    SNAG__ASSERT(ask->f32_impacts && pass->row < SNAG__ROD && count <= SNAG__BLOCK);
    return filter_f32(ask, pass, i, j, pairs, count, more, span, kept, &shared);
}

static size_t filter(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                     const uint32_t (*pairs)[2], size_t count, double span, uint32_t (*kept)[2])
{
    size_t shared = 0, left = count;
    if (ask->f32_impacts) {
        left = filter_f32(ask, pass, i, j, pairs, count, 0, span, kept, &shared);
        list->pair_count += count - shared;
        return left;
    }
    if (pass->row >= SNAG__ROD)  // no edge ends at a point, so that nothing is shared
        memcpy(kept, pairs, count * sizeof *kept);
    else
        left = snag__keep_pairs(ask, is_edge_pass(pass), i, j, pairs, count, kept);
    list->pair_count += left;
    return left;
}

static snag__impact_run run_of(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t j, double span)
{
    double separation = snag__limit_in(ask, i, j, ask->def->separation).d;
    return (snag__impact_run){
        .pair = is_edge_pass(pass) ? SNAG__IMPACT_EDGE_EDGE : SNAG__IMPACT_VERTEX_FACE,
        .a = snag__impact_side_of(&ask->bodies[j]->mesh, pass->column),
        .b = snag__impact_side_of(&ask->bodies[i]->mesh, pass->row),
        .a_column = 1,
        .reach = separation > 0 ? separation + ask->def->tolerance : 0,
        .span = span,
    };
}

// Whether the filters drop a pair of edges that they kept if the sides are exchanged: which is a is up to the method, and the last bits
// differ. What is free has one answer in any case; what is not resolved must not depend on it.
static bool is_dropped_in_turn(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t j, const uint32_t pair[2])
{
    uint32_t turned[1][2] = {{pair[1], pair[0]}}, kept[1][2], open[1];
    size_t shared = 0;
    if (ask->f32_impacts && filter_f32(ask, pass, j, i, (const uint32_t(*)[2])turned, 1, 0, 1, kept, &shared) == 0)
        return true;
    snag__impact_run run = run_of(ask, pass, j, i, 1);
    run.pairs = (const uint32_t(*)[2])turned;
    return snag__impact_kernels_for(ask->isa)->filter(&run, 0, 1, open) == 0;
}

static uint64_t key_of(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t row, uint32_t j, uint32_t column)
{
    if (pass->row == SNAG_TRIANGLE)
        return snag__vertex_key(ask, j, column, i, row);
    if (pass->row == SNAG_EDGE)
        return snag__edge_key(ask, i, row, j, column);
    const snag__thin *rows = ask->bodies[i]->mesh.thin, *columns = ask->bodies[j]->mesh.thin;
    uint32_t v = columns->points[column][0];
    return pass->row == SNAG__ROD ? snag__vertex_edge_key(ask, j, v, i, rows->rod_edges[row])
                                  : snag__vertices_key(ask, i, rows->points[row][0], j, v);
}

static snag_contact_kind kind_of(const snag__pass *pass)
{
    return pass->row == SNAG_TRIANGLE ? SNAG_VERTEX_FACE
           : pass->row == SNAG_EDGE   ? SNAG_EDGE_EDGE
           : pass->row == SNAG__ROD   ? SNAG_VERTEX_EDGE
                                      : SNAG_VERTEX_VERTEX;
}

// For a set of candidates, all pairs are kept that the filters keep. Which edge is a is up to the search, so their order is made the same
// for all.
static void keep_candidates(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                            const uint32_t (*pairs)[2], size_t count)
{
    if (pass->row >= SNAG__ROD) {
        snag__collect_thin(ask, list, pass, i, j, pairs, count);
        return;
    }
    bool edges = pass->row == SNAG_EDGE, turn = edges && j < i;
    uint32_t ordered[SNAG__BLOCK][2], kept[SNAG__BLOCK][2], open[SNAG__BLOCK], first = turn ? j : i, second = turn ? i : j;
    for (size_t k = 0; k < count; k++) {
        bool swap = turn || (edges && i == j && pairs[k][1] < pairs[k][0]);
        ordered[k][0] = pairs[k][swap];
        ordered[k][1] = pairs[k][!swap];
    }
    count = filter(ask, list, pass, first, second, (const uint32_t(*)[2])ordered, count, 1, kept);
    snag__impact_run run = run_of(ask, pass, first, second, 1);
    run.pairs = (const uint32_t(*)[2])kept;
    size_t left = snag__impact_kernels_for(ask->isa)->filter(&run, 0, count, open);
    for (size_t k = 0; k < left; k++) {
        uint32_t row = kept[open[k]][0], column = kept[open[k]][1];
        snag__append(list, key_of(ask, pass, first, row, second, column), kind_of(pass), 0, 0);
    }
}

// The separation of two elements, each with the largest radius of its vertices.
static double pair_separation(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t j, const uint32_t pair[2])
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    snag__elements rows = snag__mesh_elements(a, pass->row), columns = snag__mesh_elements(b, pass->column);
    const uint32_t *row = rows.vertices + (size_t)rows.corners * pair[0];
    const uint32_t *column = columns.vertices != NULL ? columns.vertices + (size_t)columns.corners * pair[1] : &pair[1];
    return ask->def->separation + (snag__radius_of(a, row, (int)rows.corners) + snag__radius_of(b, column, (int)columns.corners));
}

// Removed triangles take part in nothing, but where a body collapses into a point all of it meets there, and they with it. Asked of what meets
// only, so that it costs nothing.
static bool is_of_hole(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t row)
{
    return pass->row == SNAG_TRIANGLE && snag__is_hole(ask->bodies[i]->mesh.triangles[row], 3);
}

// Decides the pairs that doubles can decide, several at a time, and returns how many it keeps: the others.
static size_t solve(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    uint32_t (*kept)[2], size_t count)
{
    uint32_t all[SNAG__BLOCK];
    uint8_t outcomes[SNAG__BLOCK];
    double times[SNAG__BLOCK];
    size_t left = 0;
    for (uint32_t k = 0; k < count; k++)
        all[k] = k;
    snag__impact_run run = run_of(ask, pass, i, j, 1);
    run.pairs = (const uint32_t(*)[2])kept;
    snag__impact_solve_kernels_for(ask->isa)->solve(&run, all, count, outcomes, times);
    // A world with radii is not searched within bounds, so that `until` has to be looked at here too.
    const double last = latest(ask);
    for (size_t k = 0; k < count; k++) {
        if (outcomes[k] == SNAG__SOLVE_MEETS && times[k] <= last && !is_of_hole(ask, pass, i, kept[k][0]))
            snag__append(list, key_of(ask, pass, i, kept[k][0], j, kept[k][1]), kind_of(pass), 0, times[k]);
        if (outcomes[k] == SNAG__SOLVE_OPEN)
            memmove(kept[left++], kept[k], sizeof *kept);
    }
    return left;
}

// What single precision has left is sieved wide, then decided one by one.
static void confirm_kept(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                         uint32_t (*kept)[2], size_t count, double span)
{
    bool symmetric = pass->row == pass->column;
    uint32_t open[SNAG__BLOCK];
    if (ask->filter != NULL)
        count = snag__filter_keep(ask->filter, pass, i, j, kept, count);
    const snag__limit limit = snag__limit_in(ask, i, j, ask->def->separation);
    // If what is found does not change what else is looked for.
    if (ask->f32_impacts && !ask->bounded && limit.d == 0 && !limit.tapered)
        count = solve(ask, list, pass, i, j, kept, count);
    snag__impact_run run = run_of(ask, pass, i, j, span);
    run.pairs = (const uint32_t(*)[2])kept;
    size_t left = snag__impact_kernels_for(ask->isa)->filter(&run, 0, count, open);
    for (size_t k = 0; k < left; k++) {
        snag__motion motion;
        snag__impact_run_motion(&run, open[k], &motion);
        double last = latest(ask);
        double separation = limit.tapered ? pair_separation(ask, pass, i, j, kept[open[k]]) : limit.d;
        snag__impact impact = snag__impact_find_until(&motion, separation, ask->def->tolerance, ask->bounded ? last : 1);
        list->exact_count += impact.exact;
        uint32_t row = kept[open[k]][0], column = kept[open[k]][1];
        if (impact.verdict == SNAG__IMPACT_FREE || impact.t > last || is_of_hole(ask, pass, i, row))
            continue;
        if (impact.verdict == SNAG__IMPACT_UNRESOLVED && symmetric && is_dropped_in_turn(ask, pass, i, j, kept[open[k]]))
            continue;
        snag__append(list, key_of(ask, pass, i, row, j, column),
                     impact.verdict == SNAG__IMPACT_UNRESOLVED ? SNAG_UNRESOLVED : kind_of(pass), 0, impact.t);
        if (ask->def->output == SNAG_OUTPUT_EARLIEST)
            lower_latest(ask, impact.t);
    }
}

static void confirm(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    const uint32_t (*pairs)[2], size_t count)
{
    if (ask->def->collect) {
        keep_candidates(ask, list, pass, i, j, pairs, count);
        return;
    }
    uint32_t kept[SNAG__BLOCK][2];
    double span = snag__impact_span(ask);
    count = filter(ask, list, pass, i, j, pairs, count, span, kept);
    confirm_kept(ask, list, pass, i, j, kept, count, span);
}

static void confirm_slots(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, const snag__element_slots *slots,
                          uint32_t i, uint32_t j, const uint32_t (*pairs)[2], size_t count)
{
    uint32_t kept[SNAG__BLOCK][2];
    double span = snag__impact_span(ask);
    size_t shared = 0, left = filter_elements(ask, pass, i, j, slots->row_vertices, slots->column_vertices, pairs, count, 0, span,
                                              kept, &shared);
    list->pair_count += count - shared;
    left = snag__elements_of_slots(ask, pass, slots, j, kept, left);
    confirm_kept(ask, list, pass, i, j, kept, left, span);
}

// ---- the culprit of the last ask ----

static bool find_body(const snag__ask *ask, snag_body_id id, uint32_t *body)
{
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (ask->bodies[i]->id.index == id.index && ask->bodies[i]->id.generation == id.generation) {
            *body = i;
            return true;
        }
    return false;
}

// It often is the culprit again, or hits early: the search for the others begins with a short move.
static snag_status try_culprit(snag__ask *ask)
{
    const snag__culprit *last = &ask->scratch->culprit;
    uint32_t a, b;
    // It need not be among pairs that the caller chose.
    bool chosen = ask->def->set != NULL && !snag__candidates_complete(ask->def->set);
    if (chosen || !last->known || !find_body(ask, last->body_a, &a) || !find_body(ask, last->body_b, &b) ||
        !snag__wanted(ask, a, b))
        return SNAG_OK;
    snag__record_list *list = &ask->scratch->lists[0];
    if (!snag__record_list_reserve(ask->answer_allocator, list, list->count + 1))
        return SNAG_ERROR_MEMORY;
    snag__pass pass = {last->edges ? SNAG_EDGE : SNAG_TRIANGLE, last->edges ? SNAG_EDGE : SNAG_VERTEX};
    const uint32_t pair[1][2] = {{last->b, last->a}};
    snag__narrow_phase(ask, list, &pass, b, a, pair, 1);
    return SNAG_OK;
}

void snag__impact_note_culprit(const snag__ask *ask, const snag_contact *contact)
{
    ask->scratch->culprit = (snag__culprit){
        .known = contact->a.kind == SNAG_EDGE || contact->b.kind == SNAG_TRIANGLE,  // points are few
        .edges = contact->a.kind == SNAG_EDGE,
        .body_a = contact->body_a,
        .body_b = contact->body_b,
        .a = contact->a.index,
        .b = contact->b.index,
    };
}

// Pairs later than some time need not be looked at only if that cannot hide one whose reported time is earlier: where verdicts are
// exact, and every pair is resolved. With coordinates that are integers of B bits, the polynomials of impact_exact.c have degrees 3 and
// 2 and coefficients of 3 B + 12 and 2 B + 8 bits; roots of two such that differ do so by more than 2^-(12 B + 58). If the smallest
// coordinate (but zero) is 2^-100 of the largest or more, B is at most 154, and that is more than the 2048 bits can tell apart.
static snag_status prepare(snag__ask *ask)
{
    const snag__question *def = ask->def;
    bool bounded = def->separation == 0 && !ask->thick && (def->until < 1 || def->output == SNAG_OUTPUT_EARLIEST);
    ask->bounded = ask->f32_impacts = false;
    atomic_store_explicit(&ask->scratch->latest, bits_of_time(def->until), memory_order_relaxed);
    if (def->candidates || (!ask->method->many_candidates && !bounded))
        return SNAG_OK;
    snag_status status = snag__f32_paths_update(ask);
    if (status != SNAG_OK)
        return status;
    bool ordinary = snag__f32_paths_largest(ask) <= ORDINARY * snag__f32_paths_smallest(ask);
    ask->bounded = bounded && ordinary;
    // What is not resolved must not depend on who asks: then single precision is left out.
    ask->f32_impacts = snag__f32_paths_usable(ask) && (ordinary || (def->separation > 0 && ask->method->many_candidates));
    return bounded && ordinary && def->output == SNAG_OUTPUT_EARLIEST ? try_culprit(ask) : SNAG_OK;
}

// ---- writing ----

// The motion of a contact. A vertex that meets no triangle is an edge from it to itself.
static void motion_of(const snag__mesh *a, const snag__mesh *b, const snag_contact *contact, snag__motion *motion)
{
    snag__impact_side side_a = snag__impact_side_of(a, contact->a.kind), side_b = snag__impact_side_of(b, contact->b.kind);
    uint32_t at_a = contact->a.index, at_b = contact->b.index;
    const uint32_t loop_a[2] = {at_a, at_a}, loop_b[2] = {at_b, at_b};
    bool face = contact->b.kind == SNAG_TRIANGLE;
    if (!face && contact->a.kind == SNAG_VERTEX) {
        side_a.elements = loop_a;
        at_a = 0;
    }
    if (contact->b.kind == SNAG_VERTEX) {
        side_b.elements = loop_b;
        at_b = 0;
    }
    snag__motion_gather(face ? SNAG__IMPACT_VERTEX_FACE : SNAG__IMPACT_EDGE_EDGE, &side_a, &side_b, at_a, at_b, motion);
}

static void write(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    (void)ask;
    contact->t = record->value;
    snag__motion motion;
    motion_of(a, b, contact, &motion);
    snag__impact_details details;
    snag__impact_describe(&motion, contact->t, &details);
    memcpy(contact->point_a, details.point_a, sizeof contact->point_a);
    memcpy(contact->point_b, details.point_b, sizeof contact->point_b);
    memcpy(contact->normal, details.normal, sizeof contact->normal);
    memcpy(contact->weight, details.weight, sizeof contact->weight);
    if (contact->a.kind == SNAG_VERTEX && contact->b.kind == SNAG_EDGE)
        memcpy(contact->weight, (const double[4]){details.weight[2], details.weight[3]}, sizeof contact->weight);
    else if (contact->b.kind == SNAG_VERTEX)
        memcpy(contact->weight, (const double[4]){1}, sizeof contact->weight);
}

static bool has_values(const snag__ask *ask)
{
    (void)ask;
    return true;
}

const snag__question_kind snag__impacts = {
    .swept = true,
    .passes = snag__feature_passes,
    .reach = reach,
    .prepare = prepare,
    .confirm = confirm,
    .confirm_slots = confirm_slots,
    .write = write,
    .has_values = has_values,
};

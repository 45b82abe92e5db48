// Impacts: vertices that meet triangles and edges that meet edges on the straight way from t0 to t1 (continuous detection).
#include "geom/impact.h"
#include "query/kind.h"

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
        .elements = kind == SNAG_TRIANGLE ? (const uint32_t *)mesh->triangles
                    : kind == SNAG_EDGE   ? (const uint32_t *)mesh->edges
                                          : NULL,
    };
}

// Whether the filter drops a pair of edges that it kept if the sides are exchanged: which is a is up to the method, and the last bits
// differ. What is free has one answer in any case; what is not resolved must not depend on it.
static bool is_dropped_in_turn(const snag__ask *ask, const snag__impact_run *run, size_t pair)
{
    uint32_t open[1];
    snag__impact_run turned = *run;
    turned.a = run->b;
    turned.b = run->a;
    turned.a_column = 1 - run->a_column;
    return run->pair == SNAG__IMPACT_EDGE_EDGE && snag__impact_kernels_for(ask->isa)->filter(&turned, pair, pair + 1, open) == 0;
}

// Candidates are dropped where they share a vertex, sieved wide, then decided one by one.
static void confirm(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    const uint32_t (*pairs)[2], size_t count)
{
    bool edges = pass->row == SNAG_EDGE;
    uint32_t kept[SNAG__BLOCK][2], open[SNAG__BLOCK];
    double separation = ask->def->separation, tolerance = ask->def->tolerance;
    snag__impact_run run = {
        .pair = edges ? SNAG__IMPACT_EDGE_EDGE : SNAG__IMPACT_VERTEX_FACE,
        .a = snag__impact_side_of(&ask->bodies[j]->mesh, pass->column),
        .b = snag__impact_side_of(&ask->bodies[i]->mesh, pass->row),
        .pairs = (const uint32_t(*)[2])kept,
        .a_column = 1,
        .reach = separation > 0 ? separation + tolerance : 0,
    };
    count = snag__keep_pairs(ask, edges, i, j, pairs, count, kept);
    list->pair_count += count;
    size_t left = snag__impact_kernels_for(ask->isa)->filter(&run, 0, count, open);
    for (size_t k = 0; k < left; k++) {
        snag__motion motion;
        snag__impact_run_motion(&run, open[k], &motion);
        snag__impact impact = snag__impact_find(&motion, separation, tolerance);
        list->exact_count += impact.exact;
        if (impact.verdict == SNAG__IMPACT_FREE || impact.t > ask->def->until)
            continue;
        if (impact.verdict == SNAG__IMPACT_UNRESOLVED && is_dropped_in_turn(ask, &run, open[k]))
            continue;
        uint32_t row = kept[open[k]][0], column = kept[open[k]][1];
        uint64_t key = edges ? snag__edge_key(ask, i, row, j, column) : snag__vertex_key(ask, j, column, i, row);
        snag_contact_kind kind = edges ? SNAG_EDGE_EDGE : SNAG_VERTEX_FACE;
        snag__append(list, key, impact.verdict == SNAG__IMPACT_UNRESOLVED ? SNAG_UNRESOLVED : kind, 0, impact.t);
    }
}

// ---- writing ----

static void write(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    (void)ask;
    contact->t = record->value;
    snag__impact_side side_a = snag__impact_side_of(a, contact->a.kind), side_b = snag__impact_side_of(b, contact->b.kind);
    snag__motion motion;
    snag__motion_gather(contact->a.kind == SNAG_EDGE ? SNAG__IMPACT_EDGE_EDGE : SNAG__IMPACT_VERTEX_FACE, &side_a, &side_b,
                        contact->a.index, contact->b.index, &motion);
    snag__impact_details details;
    snag__impact_describe(&motion, contact->t, &details);
    memcpy(contact->point_a, details.point_a, sizeof contact->point_a);
    memcpy(contact->point_b, details.point_b, sizeof contact->point_b);
    memcpy(contact->normal, details.normal, sizeof contact->normal);
    memcpy(contact->weight, details.weight, sizeof contact->weight);
}

static double pair_value(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                         snag_contact *contact)
{
    (void)ask, (void)a, (void)b, (void)contact;
    return record->value;
}

const snag__question_kind snag__impacts = {
    .swept = true,
    .passes = snag__feature_passes,
    .reach = reach,
    .confirm = confirm,
    .write = write,
    .pair_value = pair_value,
};

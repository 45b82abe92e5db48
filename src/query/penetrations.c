// The question `penetrations`: vertices inside tetrahedra, with depths, and edges that pass through tetrahedra.
#include "geom/geom.h"
#include "geom/segment.h"
#include "geom/tetrahedron_kernel.h"
#include "base/vec3.h"
#include "query/depth.h"
#include "query/filter.h"
#include "query/kind.h"

#include <math.h>
#include <string.h>

static int passes_of(const snag__ask *ask, snag__pass passes[SNAG__MAX_PASSES])
{
    passes[0] = (snag__pass){SNAG_TET, SNAG_VERTEX};
    passes[1] = (snag__pass){SNAG_TET, SNAG_EDGE};
    return ask->def->edges ? 2 : 1;
}

// ---- narrow phase ----

static bool has_vertex(const uint32_t *vertices, int count, uint32_t v)
{
    for (int i = 0; i < count; i++)
        if (vertices[i] == v)
            return true;
    return false;
}

// Whether a vertex of body j can be inside a tetrahedron of body i: it is not one of its corners, and it is used by an element.
static bool is_tet_pair(const snag__ask *ask, uint32_t i, uint32_t j, uint32_t tet, uint32_t v)
{
    SNAG__ASSERT(tet < ask->bodies[i]->mesh.tet_count && v < ask->bodies[j]->mesh.vertex_count);
    const uint32_t *corners = ask->bodies[i]->mesh.tets[tet];
    if (i == j && (v == corners[0] || v == corners[1] || v == corners[2] || v == corners[3]))
        return false;
    return ask->bodies[j]->mesh.vertex_used[v];
}

static void confirm_penetrations(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                 size_t count)
{
    SNAG__ASSERT(count <= SNAG__BLOCK);
    uint32_t true_pairs[SNAG__BLOCK][2];
    size_t left = 0;
    for (size_t k = 0; k < count; k++)
        if (is_tet_pair(ask, i, j, pairs[k][0], pairs[k][1]))
            memcpy(true_pairs[left++], pairs[k], sizeof pairs[k]);
    const snag__mesh *solid = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    snag__tet_pairs batch = {
        .x_a = (const double(*)[3])solid->x_t1,
        .tets_a = (const uint32_t(*)[4])solid->tets,
        .x_b = (const double(*)[3])points->x_t1,
        .pairs = (const uint32_t(*)[2])true_pairs,
        .count = left,
    };
    uint8_t inside[SNAG__BLOCK];
    list->exact_count += snag__tet_kernels_for(ask->isa)->inside(&batch, inside);
    list->pair_count += left;
    for (size_t k = 0; k < left; k++) {
        if (!inside[k])
            continue;
        uint64_t vertex = snag__element_number(ask, j, SNAG_VERTEX, true_pairs[k][1]);
        snag__append(list, vertex << 32 | snag__element_number(ask, i, SNAG_TET, true_pairs[k][0]), SNAG_INSIDE, 0, 0);
    }
}

void snag__narrow_phase_certain(snag__record_list *list, const uint32_t (*pairs)[2], size_t count)
{
    for (size_t k = 0; k < count; k++)
        snag__append(list, (uint64_t)pairs[k][1] << 32 | pairs[k][0], SNAG_INSIDE, 0, 0);
    list->pair_count += count;
}

// Edges of body j that pass through tetrahedra of body i with which they share no vertex.
static void confirm_passages(const snag__ask *ask, snag__record_list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                             size_t count)
{
    const snag__mesh *solid = &ask->bodies[i]->mesh, *edges = &ask->bodies[j]->mesh;
    for (size_t k = 0; k < count; k++) {
        SNAG__ASSERT(pairs[k][0] < solid->tet_count && pairs[k][1] < edges->edge_count);
        const uint32_t *v = solid->tets[pairs[k][0]], *e = edges->edges[pairs[k][1]];
        if (i == j && (has_vertex(v, 4, e[0]) || has_vertex(v, 4, e[1])))
            continue;
        const double *corner[4] = {solid->x_t1[v[0]], solid->x_t1[v[1]], solid->x_t1[v[2]], solid->x_t1[v[3]]};
        list->pair_count++;
        if (!snag__segment_passes_tet(edges->x_t1[e[0]], edges->x_t1[e[1]], corner))
            continue;
        uint64_t edge = snag__element_number(ask, j, SNAG_EDGE, pairs[k][1]);
        snag__append(list, edge << 32 | snag__element_number(ask, i, SNAG_TET, pairs[k][0]), SNAG_THROUGH, 0, 0);
    }
}

static void confirm(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                    const uint32_t (*pairs)[2], size_t count)
{
    SNAG__ASSERT(pass->row == SNAG_TET && (pass->column == SNAG_EDGE || pass->column == SNAG_VERTEX));
    uint32_t kept[SNAG__BLOCK][2];
    if (ask->filter != NULL) {
        memcpy(kept, pairs, count * sizeof *kept);
        count = snag__filter_keep(ask->filter, pass, i, j, kept, count);
        pairs = (const uint32_t(*)[2])kept;
    }
    (pass->column == SNAG_EDGE ? confirm_passages : confirm_penetrations)(ask, list, i, j, pairs, count);
}

// ---- writing ----

static void write_penetration(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *corner[4];
    snag__corners_of(b, b->tets[contact->b.index], 4, corner);
    memcpy(contact->point_a, a->x_t1[contact->a.index], sizeof contact->point_a);
    memcpy(contact->point_b, contact->point_a, sizeof contact->point_b);
    snag__tet_weights(contact->point_a, corner, contact->weight);
}

// Where the edge enters and leaves the tetrahedron, and how much of it is inside.
static void write_passage(const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    const double *corner[4], *end[2];
    snag__corners_of(b, b->tets[contact->b.index], 4, corner);
    snag__corners_of(a, a->edges[contact->a.index], 2, end);
    snag__segment_in_tet(end[0], end[1], corner, contact->point_a, contact->point_b);
    int longest = 0;
    double length[3], inside[3];
    for (int axis = 0; axis < 3; axis++) {
        length[axis] = end[1][axis] / 2 - end[0][axis] / 2;  // half, so that nothing overflows
        inside[axis] = contact->point_b[axis] - contact->point_a[axis];
        longest = fabs(length[axis]) > fabs(length[longest]) ? axis : longest;
    }
    double enters = (contact->point_a[longest] / 2 - end[0][longest] / 2) / length[longest];
    double leaves = (contact->point_b[longest] / 2 - end[0][longest] / 2) / length[longest];
    memcpy(contact->weight, (const double[4]){1 - enters, enters, 1 - leaves, leaves}, sizeof contact->weight);
    contact->value = snag__length(inside);
}

static void write(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b, snag_contact *contact)
{
    (void)ask, (void)record;
    (contact->kind == SNAG_THROUGH ? write_passage : write_penetration)(a, b, contact);
}

static double pair_value(const snag__ask *ask, const snag__record *record, const snag__mesh *a, const snag__mesh *b,
                         snag_contact *contact)
{
    return contact->kind == SNAG_THROUGH ? snag__value_of_contact(ask, record, a, b, contact) : 0;
}

// Only vertices have depths. With `edges` their contacts are copied out, in order, and back.
static snag_status add_depths(snag__ask *ask, const snag__record *records, snag_contact *contacts, size_t count)
{
    if (!ask->def->edges)
        return snag__depths(ask, records, contacts, count);
    snag__scratch *scratch = ask->scratch;
    if (!snag__buffer_reserve(ask->answer_allocator, &scratch->inside, 0, count, sizeof *contacts))
        return SNAG_ERROR_MEMORY;
    snag__record *of_vertices = scratch->sorted.data;  // free once the records are sorted
    snag_contact *inside = scratch->inside.data;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (contacts[i].kind == SNAG_INSIDE) {
            of_vertices[kept] = records[i];
            inside[kept++] = contacts[i];
        }
    snag_status status = snag__depths(ask, of_vertices, inside, kept);
    for (size_t i = count; i > 0 && status == SNAG_OK; i--)
        if (contacts[i - 1].kind == SNAG_INSIDE)
            contacts[i - 1] = inside[--kept];
    SNAG__ASSERT(status != SNAG_OK || kept == 0);
    return status;
}

const snag__question_kind snag__penetrations = {
    .passes = passes_of,
    .confirm = confirm,
    .write = write,
    .complete = add_depths,
    .pair_value = pair_value,
};

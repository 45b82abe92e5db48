// The exact stage that all methods share: a candidate pair goes in, and is confirmed or not.
#include "geom/geom.h"
#include "geom/impact.h"
#include "geom/segment.h"
#include "geom/tetrahedron_kernel.h"
#include "geom/triangle_kernel.h"
#include "mesh/proximity.h"
#include "method/method.h"

#include <string.h>

// Candidates that are tested at a time: wide sieves work on blocks, whose results stay in the first-level cache.
enum { BLOCK = 1024 };

int snag__passes(const snag_question_def *def, snag__pass passes[2])
{
    static const snag__pass triangles = {SNAG_TRIANGLE, SNAG_TRIANGLE}, edges = {SNAG_EDGE, SNAG_EDGE};
    static const snag__pass vertices_triangles = {SNAG_TRIANGLE, SNAG_VERTEX}, vertices_tets = {SNAG_TET, SNAG_VERTEX};
    static const snag__pass edges_tets = {SNAG_TET, SNAG_EDGE};
    switch (def->question) {
    case SNAG_INTERSECTIONS: passes[0] = triangles; return 1;
    case SNAG_PENETRATIONS:
        passes[0] = vertices_tets;
        passes[1] = edges_tets;
        return def->edges ? 2 : 1;
    case SNAG_PROXIMITIES:
    case SNAG_IMPACTS:
    case SNAG_DISTANCE:
        passes[0] = vertices_triangles;
        passes[1] = edges;
        return 2;
    default: return 0;
    }
}

uint32_t snag__element_count(const snag__mesh *mesh, snag_element_kind kind)
{
    switch (kind) {
    case SNAG_VERTEX: return mesh->vertex_count;
    case SNAG_EDGE: return mesh->edge_count;
    case SNAG_TRIANGLE: return mesh->triangle_count;
    case SNAG_TET: return mesh->tet_count;
    case SNAG_LEAF: break;  // no element of a mesh
    }
    return 0;
}

bool snag__wanted(const snag__ask *ask, uint32_t i, uint32_t j)
{
    const snag_question_def *def = ask->def;
    if (i == j ? !def->self : !def->between)
        return false;
    return def->filter == NULL || def->filter(def->context, ask->bodies[i]->id, ask->bodies[j]->id);
}

double snag__reach(const snag__ask *ask)
{
    switch (ask->def->question) {
    case SNAG_PROXIMITIES: return ask->def->distance / 2;
    case SNAG_IMPACTS: return (ask->def->separation + ask->def->tolerance) / 2;
    default: return 0;
    }
}

bool snag__is_swept(snag_question question)
{
    return question == SNAG_IMPACTS;
}

snag__triangle_view snag__view_triangles(const snag__body *body)
{
    const snag__source *source = body->source;
    if (source == NULL)
        return (snag__triangle_view){(const double(*)[3])body->mesh.x_t1, (const uint32_t(*)[3])body->mesh.triangles, NULL,
                                     body->mesh.triangle_count};
    return (snag__triangle_view){(const double(*)[3])source->window.x, (const uint32_t(*)[3])source->window.triangles,
                                 source->window.ids, source->window.count};
}

uint32_t snag__view_place(const snag__triangle_view *view, uint32_t triangle)
{
    if (view->ids == NULL)
        return triangle;
    uint32_t low = 0, high = view->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (view->ids[middle] <= triangle)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Where the elements of a kind begin among all elements of a body: vertices, edges, triangles, tetrahedra.
static uint32_t kind_start(const snag__mesh *mesh, snag_element_kind kind)
{
    uint32_t start = 0;
    for (int before = SNAG_VERTEX; before < (int)kind; before++)
        start += snag__element_count(mesh, (snag_element_kind)before);
    return start;
}

uint32_t snag__element_number(const snag__ask *ask, uint32_t body, snag_element_kind kind, uint32_t index)
{
    return ask->first_element[body] + kind_start(&ask->bodies[body]->mesh, kind) + index;
}

static void append(snag__list *list, uint64_t key, snag_contact_kind kind, uint32_t extra, double value)
{
    if (list->count < list->capacity)
        list->records[list->count] = (snag__record){.key = key, .value = value, .kind = kind, .extra = extra};
    list->count++;
}

static void triangle_corners(const snag__mesh *mesh, uint32_t t, const double *corner[3])
{
    for (int i = 0; i < 3; i++)
        corner[i] = mesh->x_t1[mesh->triangles[t][i]];
}

static const snag_contact_kind kind_of_meeting[] = {
    [SNAG__CROSSING] = SNAG_CROSSING,
    [SNAG__TOUCHING] = SNAG_TOUCHING,
    [SNAG__COPLANAR] = SNAG_COPLANAR,
};

// The places among `count` meetings of those that are one; returns how many.
static size_t list_met(const uint8_t *meetings, size_t count, uint16_t *met)
{
    _Static_assert(SNAG__APART == 0 && SNAG__CROSSING == 1 && SNAG__TOUCHING == 2 && SNAG__COPLANAR == 3 &&
                       SNAG__DEGENERATE == 4,
                   "the two lowest bits tell those that meet");
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        met[found] = (uint16_t)k;
        found += (meetings[k] & 3) != 0;
    }
    return found;
}

// Appends the pairs of a batch that meet. They are given by places, and ids[place] is a triangle's number; NULL: the places are.
static void append_meetings(const snag__ask *ask, snag__list *list, const snag__triangle_pairs *batch, const uint32_t *ids_a,
                            const uint32_t *ids_b, uint32_t i, uint32_t j)
{
    uint8_t meetings[BLOCK];
    uint16_t met[BLOCK];
    list->exact_count += snag__triangle_kernels_for(ask->isa)->meet(batch, meetings);
    list->pair_count += batch->count;
    size_t found = list_met(meetings, batch->count, met);
    uint64_t first_a = snag__element_number(ask, i, SNAG_TRIANGLE, 0), first_b = snag__element_number(ask, j, SNAG_TRIANGLE, 0);
    list->count += found;
    if (found == 0 || list->count > list->capacity)
        return;
    snag__record *next = list->records + (list->count - found);
    for (size_t k = 0; k < found; k++) {
        uint32_t ta = batch->pairs[met[k]][0], tb = batch->pairs[met[k]][1], meeting = meetings[met[k]];
        uint64_t number_a = first_a + (ids_a != NULL ? ids_a[ta] : ta);
        uint64_t number_b = first_b + (ids_b != NULL ? ids_b[tb] : tb);
        uint64_t low = number_a < number_b ? number_a : number_b, high = number_a ^ number_b ^ low;
        next[k] = (snag__record){
            .key = low << 32 | high,
            .kind = kind_of_meeting[meeting & SNAG__MEETING_MASK],
            .extra = meeting >> SNAG__SHARED_SHIFT,
        };
    }
}

static void confirm_intersections(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j,
                                  const uint32_t (*pairs)[2], size_t count)
{
    snag__triangle_view a = snag__view_triangles(ask->bodies[i]), b = snag__view_triangles(ask->bodies[j]);
    snag__triangle_pairs batch = {
        .x_a = a.x,
        .triangles_a = a.triangles,
        .x_b = b.x,
        .triangles_b = b.triangles,
        .same_body = i == j,
        .pairs = pairs,
        .count = count,
    };
    append_meetings(ask, list, &batch, a.ids, b.ids, i, j);
}

void snag__confirm_placed(const snag__ask *ask, snag__list *list, const snag__placed *placed, uint32_t i, uint32_t j,
                          const uint32_t (*pairs)[2], size_t count)
{
    if (ask->def->candidates) {
        list->pair_count += count;
        return;
    }
    snag__near_pairs near = {placed->near, placed->near, placed->near_off, i == j};
    for (size_t done = 0; done < count; done += BLOCK) {
        snag__triangle_pairs batch = {
            .x_a = (const double(*)[3])ask->bodies[i]->mesh.x_t1,
            .triangles_a = placed->vertices,
            .x_b = (const double(*)[3])ask->bodies[j]->mesh.x_t1,
            .triangles_b = placed->vertices,
            .same_body = i == j,
            .pairs = pairs + done,
            .count = count - done < BLOCK ? count - done : BLOCK,
            .near = placed->near != NULL ? &near : NULL,
        };
        append_meetings(ask, list, &batch, placed->elements, placed->elements, i, j);
    }
}

static bool has_vertex(const uint32_t *vertices, int count, uint32_t v)
{
    for (int i = 0; i < count; i++)
        if (vertices[i] == v)
            return true;
    return false;
}

// Whether a vertex (of body j) can be in a tetrahedron (of body i): it is none of its corners, and of some element.
static bool is_tet_pair(const snag__ask *ask, uint32_t i, uint32_t j, uint32_t tet, uint32_t v)
{
    const uint32_t *corners = ask->bodies[i]->mesh.tets[tet];
    if (i == j && (v == corners[0] || v == corners[1] || v == corners[2] || v == corners[3]))
        return false;
    return ask->bodies[j]->mesh.vertex_used[v];
}

static void confirm_penetrations(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j,
                                 const uint32_t (*pairs)[2], size_t count)
{
    uint32_t true_pairs[BLOCK][2];
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
    uint8_t inside[BLOCK];
    list->exact_count += snag__tet_kernels_for(ask->isa)->inside(&batch, inside);
    list->pair_count += left;
    for (size_t k = 0; k < left; k++) {
        if (!inside[k])
            continue;
        uint64_t vertex = snag__element_number(ask, j, SNAG_VERTEX, true_pairs[k][1]);
        append(list, vertex << 32 | snag__element_number(ask, i, SNAG_TET, true_pairs[k][0]), SNAG_INSIDE, 0, 0);
    }
}

void snag__confirm_certain(snag__list *list, const uint32_t (*pairs)[2], size_t count)
{
    for (size_t k = 0; k < count; k++)
        append(list, (uint64_t)pairs[k][1] << 32 | pairs[k][0], SNAG_INSIDE, 0, 0);
    list->pair_count += count;
}

// Edges (of body j) that pass through tetrahedra (of body i) of which they share no vertex.
static void confirm_passages(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                             size_t count)
{
    const snag__mesh *solid = &ask->bodies[i]->mesh, *edges = &ask->bodies[j]->mesh;
    for (size_t k = 0; k < count; k++) {
        const uint32_t *v = solid->tets[pairs[k][0]], *e = edges->edges[pairs[k][1]];
        if (i == j && (has_vertex(v, 4, e[0]) || has_vertex(v, 4, e[1])))
            continue;
        const double *corner[4] = {solid->x_t1[v[0]], solid->x_t1[v[1]], solid->x_t1[v[2]], solid->x_t1[v[3]]};
        list->pair_count++;
        if (!snag__segment_passes_tet(edges->x_t1[e[0]], edges->x_t1[e[1]], corner))
            continue;
        uint64_t edge = snag__element_number(ask, j, SNAG_EDGE, pairs[k][1]);
        append(list, edge << 32 | snag__element_number(ask, i, SNAG_TET, pairs[k][0]), SNAG_THROUGH, 0, 0);
    }
}

// ---- vertices with triangles, edges with edges ----

// Whether a vertex (of body j) and a triangle (of body i), or two edges, can be in contact: elements of one body that
// share a vertex are no pair, and a vertex of no element is none.
// Without branches: which candidates share a vertex cannot be guessed.
static bool is_vertex_face_pair(const snag__ask *ask, uint32_t i, uint32_t j, uint32_t t, uint32_t v)
{
    const uint32_t *corner = ask->bodies[i]->mesh.triangles[t];
    bool shared = (corner[0] == v) | (corner[1] == v) | (corner[2] == v);
    return (ask->bodies[j]->mesh.vertex_used[v] != 0) & ((i != j) | !shared);
}

static bool is_edge_pair(const snag__ask *ask, uint32_t i, uint32_t j, uint32_t row, uint32_t column)
{
    const uint32_t *a = ask->bodies[i]->mesh.edges[row], *b = ask->bodies[j]->mesh.edges[column];
    return (i != j) | !((a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]));
}

// The vertex comes first in a contact, or the lower edge.
static uint64_t vertex_key(const snag__ask *ask, uint32_t vertex_body, uint32_t v, uint32_t triangle_body, uint32_t t)
{
    return (uint64_t)snag__element_number(ask, vertex_body, SNAG_VERTEX, v) << 32 |
           snag__element_number(ask, triangle_body, SNAG_TRIANGLE, t);
}

static uint64_t edge_key(const snag__ask *ask, uint32_t i, uint32_t row, uint32_t j, uint32_t column)
{
    uint64_t a = snag__element_number(ask, i, SNAG_EDGE, row), b = snag__element_number(ask, j, SNAG_EDGE, column);
    return a < b ? a << 32 | b : b << 32 | a;
}

// ---- proximities ----

static bool is_degenerate(const snag__mesh *mesh, uint32_t t)
{
    const double *corner[3];
    triangle_corners(mesh, t, corner);
    return snag__is_collinear(corner[0], corner[1], corner[2]);
}

// Whether every triangle at an edge has zero area: the edge then takes no part.
static bool is_edge_of_nothing(const snag__mesh *mesh, uint32_t e)
{
    for (uint32_t k = mesh->edge_triangles.start[e]; k < mesh->edge_triangles.start[e + 1]; k++)
        if (!is_degenerate(mesh, mesh->edge_triangles.items[k]))
            return false;
    return true;
}

// With `every_pair`: the pairs themselves, whatever features hold their closest points.
static void confirm_vertex_pair(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j, uint32_t t, uint32_t v)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    if (!is_vertex_face_pair(ask, i, j, t, v) || is_degenerate(triangles, t))
        return;
    const double *corner[3];
    triangle_corners(triangles, t, corner);
    snag__distance distance;
    if (snag__vertex_triangle_within(points->x_t1[v], corner, ask->def->distance, &distance))
        append(list, vertex_key(ask, j, v, i, t), distance.kind, distance.feature_b, 0);
}

static void confirm_edge_pair(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j, uint32_t row, uint32_t column)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    if (!is_edge_pair(ask, i, j, row, column) || is_edge_of_nothing(a, row) || is_edge_of_nothing(b, column))
        return;
    const double *end_a[2] = {a->x_t1[a->edges[row][0]], a->x_t1[a->edges[row][1]]};
    const double *end_b[2] = {b->x_t1[b->edges[column][0]], b->x_t1[b->edges[column][1]]};
    snag__distance distance;
    if (snag__edge_edge_within(end_a, end_b, ask->def->distance, &distance))
        append(list, edge_key(ask, i, row, j, column), distance.kind, 0, 0);
}

static void confirm_vertex_pairs(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j,
                                 const uint32_t (*pairs)[2], size_t count)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    snag__vertex_triangles batch = {(const double(*)[3])points->x_t1, (const double(*)[3])triangles->x_t1,
                                    (const uint32_t(*)[3])triangles->triangles, pairs, count};
    uint32_t near[BLOCK];
    size_t left = snag__distance_kernels_for(ask->isa)->vertex_triangles_near(&batch, ask->def->distance, near);
    for (size_t k = 0; k < left; k++)
        confirm_vertex_pair(ask, list, i, j, pairs[near[k]][0], pairs[near[k]][1]);
}

static void confirm_edge_pairs(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j,
                               const uint32_t (*pairs)[2], size_t count)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    snag__edge_edges batch = {(const double(*)[3])a->x_t1, (const double(*)[3])b->x_t1, (const uint32_t(*)[2])a->edges,
                              (const uint32_t(*)[2])b->edges, pairs, count};
    uint32_t near[BLOCK];
    size_t left = snag__distance_kernels_for(ask->isa)->edge_edges_near(&batch, ask->def->distance, near);
    for (size_t k = 0; k < left; k++)
        confirm_edge_pair(ask, list, i, j, pairs[near[k]][0], pairs[near[k]][1]);
}

// Each contact of features once, by the rule of proximity.h.
static void confirm_near_vertices(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j,
                                  const uint32_t (*pairs)[2], size_t count)
{
    const snag__mesh *triangles = &ask->bodies[i]->mesh, *points = &ask->bodies[j]->mesh;
    snag__proximity contacts[BLOCK];
    size_t found = snag__proximity_vertex_triangles(snag__distance_kernels_for(ask->isa), points, triangles, j < i, pairs,
                                                    count, ask->def->distance, contacts, &list->exact_count);
    for (size_t k = 0; k < found; k++) {
        const snag__proximity *contact = &contacts[k];
        uint32_t vertex_body = contact->swapped ? i : j, triangle_body = contact->swapped ? j : i;
        append(list, vertex_key(ask, vertex_body, contact->vertex, triangle_body, contact->triangle), contact->kind,
               contact->feature, 0);
    }
}

static void confirm_near_edges(const snag__ask *ask, snag__list *list, uint32_t i, uint32_t j,
                               const uint32_t (*pairs)[2], size_t count)
{
    const snag__mesh *a = &ask->bodies[i]->mesh, *b = &ask->bodies[j]->mesh;
    uint32_t contacts[BLOCK];
    size_t found = snag__proximity_edge_edges(snag__distance_kernels_for(ask->isa), a, b, pairs, count,
                                              ask->def->distance, contacts, &list->exact_count);
    for (size_t k = 0; k < found; k++)
        append(list, edge_key(ask, i, pairs[contacts[k]][0], j, pairs[contacts[k]][1]), SNAG_EDGE_EDGE, 0, 0);
}

_Static_assert((int)BLOCK <= (int)SNAG__PROXIMITY_BATCH, "a block goes through the proximity rule at once");

// The pairs of a block that are pairs at all; returns how many. Of a smooth surface with itself half of all candidates share a vertex:
// they go before anything is computed.
static size_t keep_pairs(const snag__ask *ask, bool edges, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                         size_t count, uint32_t (*kept)[2])
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t row = pairs[k][0], column = pairs[k][1];
        kept[n][0] = row;
        kept[n][1] = column;
        n += edges ? is_edge_pair(ask, i, j, row, column) : is_vertex_face_pair(ask, i, j, row, column);
    }
    return n;
}

static void confirm_proximities(const snag__ask *ask, snag__list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                                const uint32_t (*pairs)[2], size_t count)
{
    bool edges = pass->row == SNAG_EDGE;
    uint32_t kept[BLOCK][2];
    size_t left = keep_pairs(ask, edges, i, j, pairs, count, kept);
    pairs = (const uint32_t(*)[2])kept;
    list->pair_count += count;
    if (edges)
        (ask->def->every_pair ? confirm_edge_pairs : confirm_near_edges)(ask, list, i, j, pairs, left);
    else
        (ask->def->every_pair ? confirm_vertex_pairs : confirm_near_vertices)(ask, list, i, j, pairs, left);
}

// ---- impacts ----

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

// Candidates are dropped where they share a vertex, sieved wide, then decided one by one.
static void confirm_impacts(const snag__ask *ask, snag__list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                                 const uint32_t (*pairs)[2], size_t count)
{
    bool edges = pass->row == SNAG_EDGE;
    uint32_t kept[BLOCK][2], open[BLOCK];
    double separation = ask->def->separation, tolerance = ask->def->tolerance;
    snag__impact_run run = {
        .pair = edges ? SNAG__IMPACT_EDGE_EDGE : SNAG__IMPACT_VERTEX_FACE,
        .a = snag__impact_side_of(&ask->bodies[j]->mesh, pass->column),
        .b = snag__impact_side_of(&ask->bodies[i]->mesh, pass->row),
        .pairs = (const uint32_t(*)[2])kept,
        .a_column = 1,
        .reach = separation > 0 ? separation + tolerance : 0,
    };
    count = keep_pairs(ask, edges, i, j, pairs, count, kept);
    list->pair_count += count;
    size_t left = snag__impact_kernels_for(ask->isa)->filter(&run, 0, count, open);
    for (size_t k = 0; k < left; k++) {
        snag__motion motion;
        snag__impact_run_motion(&run, open[k], &motion);
        snag__impact impact = snag__impact_find(&motion, separation, tolerance);
        list->exact_count += impact.exact;
        if (impact.verdict == SNAG__IMPACT_FREE)
            continue;
        uint32_t row = kept[open[k]][0], column = kept[open[k]][1];
        uint64_t key = edges ? edge_key(ask, i, row, j, column) : vertex_key(ask, j, column, i, row);
        snag_contact_kind kind = edges ? SNAG_EDGE_EDGE : SNAG_VERTEX_FACE;
        append(list, key, impact.verdict == SNAG__IMPACT_UNRESOLVED ? SNAG_UNRESOLVED : kind, 0, impact.t);
    }
}

void snag__confirm(const snag__ask *ask, snag__list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                   const uint32_t (*pairs)[2], size_t count)
{
    if (ask->def->candidates) {
        list->pair_count += count;
        return;
    }
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t now = count - done < BLOCK ? count - done : BLOCK;
        switch (ask->def->question) {
        case SNAG_INTERSECTIONS: confirm_intersections(ask, list, i, j, pairs + done, now); break;
        case SNAG_PENETRATIONS:
            (pass->column == SNAG_EDGE ? confirm_passages : confirm_penetrations)(ask, list, i, j, pairs + done, now);
            break;
        case SNAG_PROXIMITIES: confirm_proximities(ask, list, pass, i, j, pairs + done, now); break;
        case SNAG_IMPACTS: confirm_impacts(ask, list, pass, i, j, pairs + done, now); break;
        default: break;
        }
    }
}

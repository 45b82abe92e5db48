// Rows of contacts and the sweeps that satisfy them.
// Kimmerle, Nesme, Faure: Hierarchy Accelerated Stochastic Collision Detection, VMV 2004, section 3: edges and
// triangles are inelastic, velocities are handled after Bridson, Fedkiw, Anderson (2002), and positions likewise.
// Differs: impulses of a contact are summed up over the sweeps (projected Gauss-Seidel), so that stacks of contacts
// converge.
#include "response/rows.h"

#include "base/clamp.h"
#include "response/vector.h"

#include <string.h>

// Weights whose sum differs from 1 by more were never computed.
#define WEIGHT_SUM_ERROR 1e-6
// A row whose free vertices have weights below about 0.1 is ignored: see snag__row_give.
#define LEAST_GIVE 0.01

// Adds the vertices of an element with these weights times `sign`.
static bool add_element(const snag__group *group, uint32_t body, const snag_element *element, const double *weight, double sign,
                        snag__row *row)
{
    const snag_body_info *info = &group->infos[body];
    const uint32_t *vertices = NULL;
    uint32_t count = 1;
    if (element->kind == SNAG_VERTEX && element->index < info->vertex_count) {
        vertices = &element->index;
    } else if (element->kind == SNAG_EDGE && element->index < info->edge_count) {
        vertices = &info->edges[2 * (size_t)element->index];
        count = 2;
    } else if (element->kind == SNAG_TRIANGLE && element->index < info->triangle_count) {
        vertices = &info->triangles[3 * (size_t)element->index];
        count = 3;
    } else if (element->kind == SNAG_TET && element->index < info->tet_count) {
        vertices = &info->tets[4 * (size_t)element->index];
        count = 4;
    }
    if (vertices == NULL || row->count + count > SNAG__ROW_VERTICES)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        SNAG__ASSERT(group->first_vertex[body] + vertices[i] < group->first_vertex[body + 1]);
        row->vertex[row->count] = group->first_vertex[body] + vertices[i];
        row->weight[row->count++] = sign * weight[i];
        row->thickness += weight[i] * (info->radii != NULL ? (double)info->radii[vertices[i]] : info->radius);
    }
    return true;
}

// The weights of a sum up to 1, those of b to -1.
static bool has_details(const snag__row *row)
{
    double a = 0, b = 0;
    for (uint32_t i = 0; i < row->count; i++)
        *(row->weight[i] > 0 ? &a : &b) += row->weight[i];
    return fabs(a - 1) < WEIGHT_SUM_ERROR && fabs(b + 1) < WEIGHT_SUM_ERROR;
}

snag__row_status snag__row_make(const snag__group *group, const snag_contact *contact, snag__row *row)
{
    static const double one = 1;
    uint32_t a = snag__group_find(group, contact->body_a), b = snag__group_find(group, contact->body_b);
    *row = (snag__row){0};
    if (a == SNAG__NO_BODY || b == SNAG__NO_BODY)
        return SNAG__ROW_NO_BODY;
    bool edges = contact->a.kind == SNAG_EDGE;
    // Contacts of other elements have no weights.
    if ((contact->a.kind != SNAG_VERTEX && !edges) || (edges && contact->b.kind == SNAG_TRIANGLE))
        return SNAG__ROW_NO_ELEMENT;
    if (!add_element(group, a, &contact->a, edges ? contact->weight : &one, 1, row) ||
        !add_element(group, b, &contact->b, edges ? contact->weight + 2 : contact->weight, -1, row))
        return SNAG__ROW_NO_ELEMENT;
    if (!has_details(row))
        return SNAG__ROW_NO_DETAILS;
    memcpy(row->normal, contact->normal, sizeof row->normal);
    double squared = snag__dot(row->normal, row->normal);
    row->give = snag__row_give(row, group->inverse);
    return row->give > 0 && fabs(squared - 1) < WEIGHT_SUM_ERROR ? SNAG__ROW_MADE : SNAG__ROW_IDLE;
}

double snag__row_give(const snag__row *row, const double *inverse)
{
    double give = 0, most = 0;
    SNAG__ASSERT(row->count <= SNAG__ROW_VERTICES);
    for (uint32_t i = 0; i < row->count; i++) {
        give += inverse[row->vertex[i]] * row->weight[i] * row->weight[i];
        most = fmax(most, inverse[row->vertex[i]]);
    }
    return give < LEAST_GIVE * most ? 0 : give;
}

void snag__row_sum(const snag__row *row, const double (*vectors)[3], double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (uint32_t i = 0; i < row->count; i++)
        snag__add_scaled(sum, row->weight[i], vectors[row->vertex[i]]);
}

void snag__row_add(const snag__row *row, const double *inverse, double s, const double direction[3], double (*vectors)[3])
{
    for (uint32_t i = 0; i < row->count; i++) {
        uint32_t v = row->vertex[i];
        if (inverse[v] > 0)
            snag__add_scaled(vectors[v], s * inverse[v] * row->weight[i], direction);
    }
}

void snag__rows_push(snag__row *rows, size_t count, const double *inverse, double (*moved)[3])
{
    for (size_t i = 0; i < count; i++) {
        snag__row *row = &rows[i];
        double sum[3];
        SNAG__ASSERT(row->give >= 0 && row->push >= 0);
        if (row->give == 0)
            continue;
        snag__row_sum(row, (const double(*)[3])moved, sum);
        double push = row->push + (row->least_gap - row->gap - snag__dot(row->normal, sum)) / row->give;
        push = snag__not_negative(push);
        if (push != row->push)
            snag__row_add(row, inverse, push - row->push, row->normal, moved);
        row->push = push;
    }
}

// Coulomb friction: opposes sliding by at most the coefficient times the normal impulse.
static void add_friction(snag__row *row, const double *inverse, double friction, double (*v)[3])
{
    double slide[3], drag[3], change[3];
    snag__row_sum(row, (const double(*)[3])v, slide);
    snag__add_scaled(slide, -snag__dot(slide, row->normal), row->normal);
    memcpy(drag, row->drag, sizeof drag);
    snag__add_scaled(drag, -1 / row->give, slide);
    double length = snag__length(drag), most = friction * row->impulse;
    if (length > most)
        for (int k = 0; k < 3; k++)
            drag[k] *= most / length;
    snag__subtract(drag, row->drag, change);
    snag__row_add(row, inverse, 1, change, v);
    memcpy(row->drag, drag, sizeof drag);
}

void snag__rows_stop(snag__row *rows, size_t count, const double *inverse, double friction, double (*v)[3])
{
    for (size_t i = 0; i < count; i++) {
        snag__row *row = &rows[i];
        double sum[3];
        SNAG__ASSERT(row->give >= 0 && row->impulse >= 0);
        if (row->give == 0)
            continue;
        snag__row_sum(row, (const double(*)[3])v, sum);
        double impulse = fmax(row->impulse + (row->least_speed - snag__dot(row->normal, sum)) / row->give, 0);
        if (impulse != row->impulse)
            snag__row_add(row, inverse, impulse - row->impulse, row->normal, v);
        row->impulse = impulse;
        if (friction > 0)
            add_friction(row, inverse, friction, v);
    }
}

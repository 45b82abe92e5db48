// The narrow phase that all methods share. How candidates are tested is up to the question: see kind.h.
#include "query/kind.h"

uint32_t snag__element_count(const snag__mesh *mesh, snag_element_kind kind)
{
    switch (kind) {
    case SNAG_VERTEX: return mesh->vertex_count;
    case SNAG_EDGE: return mesh->edge_count;
    case SNAG_TRIANGLE: return mesh->triangle_count;
    case SNAG_TET: return mesh->tet_count;
    default: return snag__mesh_elements(mesh, kind).count;
    }
}

bool snag__wanted(const snag__ask *ask, uint32_t i, uint32_t j)
{
    const snag__question *def = ask->def;
    SNAG__ASSERT(i < ask->body_count && j < ask->body_count);
    if (i == j ? !def->self : !def->between)
        return false;
    const snag__body *a = ask->bodies[i], *b = ask->bodies[j];
    if ((a->group & b->mask) == 0 || (b->group & a->mask) == 0)
        return false;
    return def->filter == NULL || def->filter(def->filter_context, ask->bodies[i]->id, ask->bodies[j]->id);
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

uint32_t snag__view_index(const snag__triangle_view *view, uint32_t triangle)
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
    SNAG__ASSERT(low < view->count && view->ids[low] == triangle);
    return low;
}

// Where the elements of a kind begin among all elements of a body: vertices, edges, triangles, tetrahedra.
static uint32_t kind_start(const snag__mesh *mesh, snag_element_kind kind)
{
    return (kind > SNAG_VERTEX ? mesh->vertex_count : 0) + (kind > SNAG_EDGE ? mesh->edge_count : 0) +
           (kind > SNAG_TRIANGLE ? mesh->triangle_count : 0);
}

uint32_t snag__element_number(const snag__ask *ask, uint32_t body, snag_element_kind kind, uint32_t index)
{
    SNAG__ASSERT(body < ask->body_count && kind <= SNAG_TET);
    SNAG__ASSERT(index == 0 || ask->bodies[body]->source != NULL || index < snag__element_count(&ask->bodies[body]->mesh, kind));
    return ask->first_element[body] + kind_start(&ask->bodies[body]->mesh, kind) + index;
}

void snag__narrow_phase(const snag__ask *ask, snag__record_list *list, const snag__pass *pass, uint32_t i, uint32_t j,
                        const uint32_t (*pairs)[2], size_t count)
{
    if (ask->def->candidates) {
        list->pair_count += count;
        return;
    }
    SNAG__ASSERT(i < ask->body_count && j < ask->body_count);
    SNAG__ASSERT(ask->kind->confirm != NULL && (uint32_t)pass->row < SNAG__SEARCH_KINDS &&
                 (uint32_t)pass->column < SNAG__SEARCH_KINDS);
    for (size_t done = 0; done < count; done += SNAG__BLOCK)
        ask->kind->confirm(ask, list, pass, i, j, pairs + done, count - done < SNAG__BLOCK ? count - done : SNAG__BLOCK);
}

bool snag__takes_slots(const snag__ask *ask, const snag__pass *pass)
{
    return ask->kind->confirm_slots != NULL && pass->row < SNAG__ROD && !ask->def->candidates && !ask->def->collect &&
           (ask->f32 != NULL || ask->f32_impacts);
}

void snag__narrow_phase_elements(const snag__ask *ask, snag__record_list *list, const snag__pass *pass,
                                 const snag__element_slots *slots, uint32_t i, uint32_t j, const uint32_t (*pairs)[2], size_t count)
{
    SNAG__ASSERT(snag__takes_slots(ask, pass));
    for (size_t done = 0; done < count; done += SNAG__BLOCK)
        ask->kind->confirm_slots(ask, list, pass, slots, i, j, pairs + done,
                                 count - done < SNAG__BLOCK ? count - done : SNAG__BLOCK);
}

size_t snag__elements_of_slots(const snag__ask *ask, const snag__pass *pass, const snag__element_slots *slots, uint32_t j,
                               uint32_t (*pairs)[2], size_t count)
{
    if (pass->column != SNAG_VERTEX) {
        for (size_t k = 0; k < count; k++) {
            pairs[k][0] = slots->rows[pairs[k][0]];
            pairs[k][1] = slots->columns[pairs[k][1]];
        }
        return count;
    }
    const uint8_t *used = ask->bodies[j]->mesh.vertex_used;
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t row = slots->rows[pairs[k][0]], column = slots->columns[pairs[k][1]];
        pairs[kept][0] = row;
        pairs[kept][1] = column;
        kept += used[column] != 0;
    }
    return kept;
}

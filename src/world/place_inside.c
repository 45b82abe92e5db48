// How deep the bodies of a place are inside each other, where one of them is closed.
//
// From the crossing triangles of one body, vertices inside the other are followed along edges: they are one part of the body that is
// inside, and its deepest vertex is the depth of every place at its rim.
#include "world/world.h"

#include "base/clamp.h"

#include <string.h>

// A vertex of the inner body: which part it belongs to, in which search.
typedef struct mark {
    uint32_t search;
    uint32_t part;  // OUTSIDE: not inside
} mark;

#define OUTSIDE UINT32_MAX

typedef struct dive {
    const snag__probe_search *search;  // in the outer body alone
    const snag__mesh *inner;
    uint32_t outer;  // index in the probe
    mark *marks;
    uint32_t number;  // of this search
    uint32_t *open;  // vertices that are still to be followed
    double *depths;  // by part
    uint32_t part_count;
} dive;

static bool is_inside(dive *d, uint32_t v)
{
    return snag__probe_side(d->search, d->outer, d->inner->x_t1[v]) == SNAG_SIDE_INSIDE;
}

static double depth_of(dive *d, uint32_t v)
{
    const snag_closest_def def = snag_default_closest_def();
    const uint32_t first = 0;
    snag_closest found;
    snag__probe_closest(d->search, &def, snag_positions_f64(d->inner->x_t1[v], 1), &first, 1, &found);
    return found.distance;
}

// Marks a vertex; true if it is inside and was not known.
static bool enter(dive *d, uint32_t v, uint32_t part)
{
    if (d->marks[v].search == d->number)
        return false;
    bool inside = is_inside(d, v);
    d->marks[v] = (mark){d->number, inside ? part : OUTSIDE};
    return inside;
}

// Follows a part from one of its vertices and measures it.
static void follow(dive *d, uint32_t seed)
{
    const snag__mesh *mesh = d->inner;
    uint32_t part = d->part_count, count = 0;
    if (!enter(d, seed, part))
        return;
    d->open[count++] = seed;
    d->depths[part] = 0;
    d->part_count++;
    while (count > 0) {
        uint32_t v = d->open[--count];
        d->depths[part] = snag__max(d->depths[part], depth_of(d, v));
        for (uint32_t i = mesh->vertex_triangles.start[v]; i < mesh->vertex_triangles.start[v + 1]; i++)
            for (int k = 0; k < 3; k++) {
                uint32_t w = mesh->triangles[mesh->vertex_triangles.items[i]][k];
                if (enter(d, w, part))
                    d->open[count++] = w;
            }
    }
}

// The depth of the parts at the rim of a place; negative if no vertex is inside.
static double measure(dive *d, const snag_answer *answer, const snag__place_sides *sides, const snag_place *place,
                      snag_body_id inner)
{
    double depth = -1;
    for (size_t i = 0; i < place->contact_count; i++) {
        uint32_t index = place->contacts[i];
        const snag_contact *contact = &answer->contacts[index];
        bool first = sides[index].a->id.index == inner.index;
        const snag_element *element = first ? &contact->a : &contact->b;
        if (contact->kind != SNAG_CROSSING || element->kind != SNAG_TRIANGLE)
            continue;
        for (int k = 0; k < 3; k++) {
            uint32_t v = d->inner->triangles[element->index][k];
            follow(d, v);
            if (d->marks[v].part != OUTSIDE)
                depth = snag__max(depth, d->depths[d->marks[v].part]);
        }
    }
    return depth;
}

// Starts a search for vertices of one body in another. SNAG_ERROR_UNSUPPORTED: the other encloses nothing.
static snag_status begin(snag_world *world, const snag__body *inner, const snag__body *outer, snag__probe_search *search, dive *d)
{
    if (inner->source != NULL || outer->source != NULL || inner->mesh.triangle_count == 0 || outer->mesh.triangle_count == 0)
        return SNAG_ERROR_UNSUPPORTED;
    snag_status status = snag__query_begin(world, "places", (snag__query_bodies){&outer->id, 1},
                                           (snag__query_needs){.thin = true, .tets = true}, search);
    if (status != SNAG_OK)
        return status;
    snag__places *state = &world->places;
    d->outer = search->choice.bodies[0];
    if (!snag__probe_encloses(search->probe, d->outer))
        return SNAG_ERROR_UNSUPPORTED;
    size_t vertices = inner->mesh.vertex_count + 1u, before = state->marks.bytes;
    const snag__room rooms[] = {
        {&state->open, &d->open, vertices, sizeof *d->open},
        {&state->depths, &d->depths, vertices, sizeof *d->depths},
        {&state->marks, &d->marks, vertices, sizeof *d->marks},
    };
    if (!snag__rooms_reserve(&world->answer_memory.allocator, rooms, sizeof rooms / sizeof *rooms))
        return SNAG_ERROR_MEMORY;
    // New memory holds anything, and numbers of searches must not come again: both begin anew.
    if (state->marks.bytes != before || state->searches == UINT32_MAX) {
        memset(state->marks.data, 0, state->marks.bytes);
        state->searches = 0;
    }
    d->search = search;
    d->inner = &inner->mesh;
    d->number = ++state->searches;
    return SNAG_OK;
}

static bool is_same_pair(const snag_place *a, const snag_place *b)
{
    return a->body_a.index == b->body_a.index && a->body_b.index == b->body_b.index;
}

// Measures places order[first .. last - 1], all of one pair of bodies, both ways.
static snag_status measure_pair(snag_world *world, const snag_answer *answer, const snag__place_sides *sides, snag_place *places,
                                const snag__record *order, size_t first, size_t last)
{
    const snag__place_sides *pair = &sides[places[order[first].extra].contacts[0]];
    for (size_t i = first; i < last; i++)
        places[order[i].extra].inside = -1;
    for (int way = 0; way < 2; way++) {
        const snag__body *inner = way ? pair->b : pair->a, *outer = way ? pair->a : pair->b;
        snag__probe_search search;
        dive d = {0};
        snag_status status = begin(world, inner, outer, &search, &d);
        if (status == SNAG_ERROR_UNSUPPORTED)
            continue;
        if (status != SNAG_OK)
            return status;
        for (size_t i = first; i < last; i++) {
            snag_place *place = &places[order[i].extra];
            place->inside = snag__max(place->inside, measure(&d, answer, sides, place, inner->id));
        }
    }
    for (size_t i = first; i < last; i++) {
        snag_place *place = &places[order[i].extra];
        if (place->inside > 0)
            place->depth = place->value = place->inside;
        place->inside = place->inside > 0 ? place->inside : 0;
    }
    return SNAG_OK;
}

snag_status snag__places_measure_inside(snag_world *world, const snag_answer *answer, const snag__place_sides *sides,
                                        snag_place *places, size_t count)
{
    snag__places *state = &world->places;
    snag__record *order, *scratch;
    size_t found = 0;
    if (!snag__buffer_reserve(&world->answer_memory.allocator, &state->votes, 0, 2 * count + 1, sizeof *order))
        return SNAG_ERROR_MEMORY;
    order = state->votes.data;
    scratch = order + count;
    for (size_t p = 0; p < count; p++)
        if (places[p].length > 0 && places[p].body_a.index != places[p].body_b.index)
            order[found++] =
                (snag__record){.key = (uint64_t)places[p].body_a.index << 32 | places[p].body_b.index, .extra = (uint32_t)p};
    snag__sort_records(order, scratch, found);
    for (size_t first = 0, last; first < found; first = last) {
        for (last = first + 1; last < found && is_same_pair(&places[order[first].extra], &places[order[last].extra]);)
            last++;
        snag_status status = measure_pair(world, answer, sides, places, order, first, last);
        if (status != SNAG_OK)
            return status;
    }
    return SNAG_OK;
}

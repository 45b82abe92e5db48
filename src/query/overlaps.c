// The question `overlaps`: leaf spheres of two bodies that overlap.
#include "base/length.h"
#include "query/kind.h"

static int passes_of(const snag__ask *ask, snag__pass passes[SNAG__MAX_PASSES])
{
    (void)ask, (void)passes;
    return 0;
}

// Such a contact names leaves of sphere trees instead of elements of meshes.
static void name(const snag__ask *ask, const snag__record *record, snag_contact *contact)
{
    const snag__leaf *a = &ask->leaves[record->key >> 32], *b = &ask->leaves[(uint32_t)record->key];
    SNAG__ASSERT(a->body < ask->body_count && b->body < ask->body_count);
    *contact = (snag_contact){
        .body_a = ask->bodies[a->body]->id,
        .body_b = ask->bodies[b->body]->id,
        .a = {.kind = SNAG_LEAF, .index = a->code},
        .b = {.kind = SNAG_LEAF, .index = b->code},
        .kind = (snag_contact_kind)record->kind,
    };
}

static void write(const snag__ask *ask, const snag__record *record, const snag__mesh *mesh_a, const snag__mesh *mesh_b,
                  snag_contact *contact)
{
    (void)mesh_a, (void)mesh_b;
    const snag__leaf *a = &ask->leaves[record->key >> 32], *b = &ask->leaves[(uint32_t)record->key];
    double way[3];
    for (int axis = 0; axis < 3; axis++) {
        contact->point_a[axis] = a->centre[axis];
        contact->point_b[axis] = b->centre[axis];
        way[axis] = a->centre[axis] - b->centre[axis];
    }
    double length = snag__length(way);
    for (int axis = 0; axis < 3 && length > 0; axis++)
        contact->normal[axis] = way[axis] / length;
    contact->value = a->radius + b->radius - length;
    contact->weight[0] = a->radius;
    contact->weight[1] = b->radius;
}

const snag__question_kind snag__overlaps = {
    .passes = passes_of,
    .name = name,
    .write = write,
    .pair_value = snag__value_of_contact,
};

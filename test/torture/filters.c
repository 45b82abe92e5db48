// Filters of elements: rings, rest poses and excluded pairs. The judge's fresh world gets the same ones.
#include "torture.h"

#include <math.h>
#include <string.h>

static bool all_have_rest(const torture_life *life)
{
    for (int i = 0; i < TORTURE_BODIES; i++)
        if (life->bodies[i].alive && life->bodies[i].made == NULL)
            return false;
    return true;
}

void torture_choose_filters(torture_life *life, snag__random *random, any_question *def, torture_calls *calls)
{
    bool rings = torture_chance(random, 0.12), rest = torture_chance(random, 0.12), pairs = torture_chance(random, 0.3);
    uint32_t ring_count = 1 + snag__random_below(random, torture_chance(random, 0.1) ? 16 : 3);
    double close = torture_length(life, random) * (torture_chance(random, 0.3) ? 10 : 1);
    const torture_exclusions *exclusions = &life->exclusions[snag__random_below(random, TORTURE_EXCLUSIONS)];
    if (!torture_may(life, TORTURE_FILTERS) || def->question == SNAG_OVERLAPS)
        return;
    if (rings)
        def->exclude_rings = ring_count;
    if (rest && all_have_rest(life) && isfinite(close))
        def->exclude_rest = close;
    if (pairs && exclusions->made != NULL) {
        def->exclusions = exclusions->made;
        calls->exclusions = exclusions;
    }
}

// ---- excluded pairs ----

static size_t count_of(const snag_body_info *info, int kind)
{
    return kind == SNAG_VERTEX ? info->vertex_count
           : kind == SNAG_EDGE ? info->edge_count
           : kind == SNAG_TET  ? info->tet_count
                               : info->triangle_count;
}

static bool is_hole(const uint32_t *v, int corners)
{
    for (int c = 1; c < corners; c++)
        if (v[c] != v[0])
            return false;
    return true;
}

// Whether an element is there, in the body as the world has it.
static bool exists(const snag_body_info *info, const snag_element *e)
{
    switch (e->kind) {
    case SNAG_VERTEX: return e->index < info->vertex_count;
    case SNAG_TRIANGLE: return e->index < info->triangle_count && !is_hole(info->triangles + 3 * (size_t)e->index, 3);
    case SNAG_TET: return e->index < info->tet_count && !is_hole(info->tets + 4 * (size_t)e->index, 4);
    default: break;
    }
    uint32_t low = e->vertex[0] < e->vertex[1] ? e->vertex[0] : e->vertex[1], high = e->vertex[0] + e->vertex[1] - low;
    for (size_t i = 0; i < info->edge_count; i++)
        if (info->edges[2 * i] == low && info->edges[2 * i + 1] == high)
            return true;
    return false;
}

static bool choose_element(torture_life *life, snag__random *random, snag_body_id *id, snag_element *element)
{
    const torture_body *body = torture_pick(life, random);
    int kind = (int)snag__random_below(random, 4);
    bool swap = torture_chance(random, 0.5);
    uint64_t which = snag__random_u64(random) >> 32;
    snag_body_info info;
    if (body == NULL || body->source || snag_world_body(life->world, body->id, &info) != SNAG_OK)
        return false;
    size_t count = count_of(&info, kind);
    if (count == 0)
        return false;
    *id = body->id;
    *element = (snag_element){.kind = (snag_element_kind)kind, .index = (uint32_t)(which % count)};
    for (int k = 0; k < 2 && kind == SNAG_EDGE; k++)
        element->vertex[k] = info.edges[2 * (size_t)element->index + (size_t)(swap ? 1 - k : k)];
    return exists(&info, element);
}

static bool choose_sets(torture_life *life, snag__random *random, torture_exclusions *to)
{
    to->set_count = 0;
    for (int side = 0; side < 2; side++) {
        const torture_body *body = torture_pick(life, random);
        if (body == NULL || body->source || body->shape.vertex_count == 0)
            return false;
        to->set_body[side] = body->id;
        for (int k = 0; k < TORTURE_SET; k++)
            to->sets[side][k] = snag__random_below(random, (uint32_t)body->shape.vertex_count);
    }
    to->set_count = 1 + snag__random_below(random, TORTURE_SET);
    return true;
}

static snag_status exclude(snag_world *world, const torture_exclusions *from, const snag_exclusions **made)
{
    snag_exclusion_def def = snag_default_exclusion_def();
    const snag_excluded_sets sets = {from->set_body[0], from->sets[0], from->set_count,
                                     from->set_body[1], from->sets[1], from->set_count};
    def.pairs = from->pairs;
    def.pair_count = from->pair_count;
    def.sets = &sets;
    def.set_count = from->set_count > 0;
    return snag_world_exclude(world, &def, made);
}

void torture_exclude(torture_life *life, snag__random *random)
{
    torture_exclusions *to = &life->exclusions[snag__random_below(random, TORTURE_EXCLUSIONS)];
    torture_exclusions made = {0};
    if (!torture_may(life, TORTURE_FILTERS))
        return;
    for (uint32_t i = snag__random_below(random, TORTURE_PAIRS + 1); i > 0; i--) {
        snag_excluded_pair *pair = &made.pairs[made.pair_count];
        made.pair_count +=
            choose_element(life, random, &pair->body_a, &pair->a) && choose_element(life, random, &pair->body_b, &pair->b);
    }
    if (torture_chance(random, 0.5))
        choose_sets(life, random, &made);
    torture_say(life, "exclude %u pairs%s", made.pair_count, made.set_count > 0 ? " and sets" : "");
    torture_arm(life, random);
    snag_status status = exclude(life->world, &made, &made.made);
    if (!torture_worked(life, status, torture_disarm(life), "exclude"))
        return;
    if (snag_world_drop_exclusions(life->world, to->made) != SNAG_OK)
        torture_fail(life, "exclude", "exclusions could not be dropped: %s", snag_world_message(life->world));
    made.number = ++life->exclusions_made;
    *to = made;
}

// ---- for the judge ----

// The place of a body among those alive, or of none.
static uint32_t place_of(const torture_life *life, snag_body_id id, torture_body *alive[TORTURE_BODIES])
{
    uint32_t count = torture_alive(life, alive);
    for (uint32_t i = 0; i < count; i++)
        if (alive[i]->id.index == id.index && alive[i]->id.generation == id.generation)
            return i;
    return UINT32_MAX;
}

// Elements that an edit removed have no pairs; the fresh world would refuse them.
static bool rename_element(torture_life *life, snag_world *fresh, const snag_body_id *ids, snag_body_id *body,
                           const snag_element *element)
{
    torture_body *alive[TORTURE_BODIES];
    snag_body_info info;
    uint32_t at = place_of(life, *body, alive);
    if (at == UINT32_MAX)
        return false;
    *body = ids[at];
    if (snag_world_body(fresh, *body, &info) != SNAG_OK)
        torture_fail(life, "exclude", "the fresh world does not know a body");
    return exists(&info, element);
}

const snag_exclusions *torture_fresh_exclusions(torture_life *life, snag_world *fresh, const snag_body_id *ids,
                                                const torture_exclusions *from)
{
    torture_exclusions to = *from;
    torture_body *alive[TORTURE_BODIES];
    to.pair_count = 0;
    for (uint32_t i = 0; i < from->pair_count; i++) {
        snag_excluded_pair pair = from->pairs[i];
        if (rename_element(life, fresh, ids, &pair.body_a, &pair.a) && rename_element(life, fresh, ids, &pair.body_b, &pair.b))
            to.pairs[to.pair_count++] = pair;
    }
    for (int side = 0; side < 2 && to.set_count > 0; side++) {
        uint32_t at = place_of(life, from->set_body[side], alive);
        if (at == UINT32_MAX)
            to.set_count = 0;
        else
            to.set_body[side] = ids[at];
    }
    const snag_exclusions *made = NULL;
    if (exclude(fresh, &to, &made) != SNAG_OK)
        torture_fail(life, "exclude", "a fresh world refuses excluded pairs: %s", snag_world_message(fresh));
    return made;
}

// Boundary triangles of volumes get other numbers.
static bool follow(const torture_body *body, const snag_edit_map *map, snag_body_id id, snag_element *e)
{
    if (id.index != body->id.index || id.generation != body->id.generation || e->kind != SNAG_TRIANGLE)
        return true;
    e->index = map->triangles[e->index];
    return e->index != SNAG_NO_NUMBER;
}

void torture_edit_exclusions(torture_life *life, const torture_body *body, const snag_edit_map *map)
{
    for (int i = 0; i < TORTURE_EXCLUSIONS && body->shape.tet_count > 0; i++) {
        torture_exclusions *one = &life->exclusions[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < one->pair_count; k++) {
            snag_excluded_pair pair = one->pairs[k];
            if (follow(body, map, pair.body_a, &pair.a) && follow(body, map, pair.body_b, &pair.b))
                one->pairs[kept++] = pair;
        }
        one->pair_count = kept;
        one->number = ++life->exclusions_made;
    }
}

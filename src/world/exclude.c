// Excluded pairs of a world: see snag/filter.h.
#include "query/exclusions.h"
#include "world/world.h"

snag_exclusion_def snag_default_exclusion_def(void)
{
    return (snag_exclusion_def){.cookie = SNAG__COOKIE_EXCLUSION};
}

bool snag__world_has_exclusions(const snag_world *world, const struct snag_exclusions *exclusions)
{
    const struct snag_exclusions *one = world->exclusions;
    while (one != NULL && one != exclusions)
        one = one->next;
    return one != NULL;
}

static const snag__body *find_body(const void *world, snag_body_id id)
{
    return snag__world_find(world, id);
}

static snag_status exclude(snag_world *world, const snag_exclusion_def *def, const snag_exclusions **exclusions)
{
    if (def == NULL || exclusions == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "exclude: def and exclusions must not be NULL");
    if (def->cookie != SNAG__COOKIE_EXCLUSION)
        return snag__fail(world, SNAG_ERROR_ARGUMENT,
                          "exclude: the def was not made by snag_default_exclusion_def of this version: start from that");
    struct snag_exclusions *made;
    snag__words message;
    snag_status status = snag__exclusions_make(def, find_body, world, &world->body_memory.allocator, &made, &message);
    if (status != SNAG_OK)
        return snag__fail(world, status, "%s", message.text);
    made->next = world->exclusions;
    world->exclusions = made;
    *exclusions = made;
    return SNAG_OK;
}

snag_status snag_world_exclude(snag_world *world, const snag_exclusion_def *def, const snag_exclusions **exclusions)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("exclude"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, exclude(world, def, exclusions)) : status;
}

static snag_status drop(snag_world *world, const snag_exclusions *exclusions)
{
    if (exclusions == NULL)
        return SNAG_OK;
    struct snag_exclusions **link = &world->exclusions;
    while (*link != NULL && *link != exclusions)
        link = &(*link)->next;
    if (*link == NULL)
        return snag__fail(world, SNAG_ERROR_ARGUMENT, "drop_exclusions: they are not of this world, or were dropped before");
    struct snag_exclusions *dropped = *link;
    *link = dropped->next;
    snag__exclusions_free(&world->body_memory.allocator, dropped);
    return SNAG_OK;
}

snag_status snag_world_drop_exclusions(snag_world *world, const snag_exclusions *exclusions)
{
    snag__call call;
    snag_status status = snag__call_begin(world, SNAG__REFUSAL("drop_exclusions"), &call);
    return status == SNAG_OK ? snag__call_end(world, &call, drop(world, exclusions)) : status;
}

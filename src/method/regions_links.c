// The lists of near leaves that persist from ask to ask: see regions.h.
#include "method/regions.h"

#include <math.h>
#include <string.h>

// A list reaches this many steps of the present motion farther than needed; but not farther than a leaf is large, or it
// would hold more than a search finds anew in the same time.
static const double STEPS = 8;

static uint64_t key_of(const snag_body_id id[2])
{
    return (uint64_t)id[0].index << 32 | id[1].index;
}

void snag__region_links_begin(snag__region_links *links)
{
    links->link_count[links->now] = links->pair_count[links->now] = 0;
}

const snag__region_link *snag__region_links_find(const snag__region_links *links, const snag__region_bodies *body_pair)
{
    const int last = !links->now;
    const snag_body_id id[2] = {body_pair->ask->bodies[body_pair->place[0]]->id, body_pair->ask->bodies[body_pair->place[1]]->id};
    const snag__record *order = links->order.data;
    size_t low = 0, high = links->link_count[last];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order[middle].key < key_of(id))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == links->link_count[last] || order[low].key != key_of(id))
        return NULL;
    const snag__region_link *link = (const snag__region_link *)links->links[last].data + order[low].extra;
    return memcmp(link->id, id, sizeof id) == 0 ? link : NULL;
}

bool snag__region_link_holds(const snag__region_link *link, const snag__region_bodies *body_pair, double reach)
{
    return link->build[0] == body_pair->tree[0]->build && link->build[1] == body_pair->tree[1]->build &&
           reach + snag__region_approach(body_pair, link->displacement, link->jumps) <= link->reach;
}

double snag__region_link_margin(const snag__region_link *old, const snag__region_bodies *body_pair)
{
    if (old == NULL)
        return 0;
    double step = snag__region_approach(body_pair, old->last_displacement, old->jumps), size = INFINITY;
    for (int side = 0; side < 2; side++) {
        const snag__regions *tree = body_pair->tree[side];
        size = fmin(size, (double)tree->bounds.radius[0] / sqrt((double)tree->leaf_count));
    }
    double margin = fmin(STEPS * step, size);
    return margin > 2 * step && isfinite(margin) ? margin : 0;
}

snag__region_pair *snag__region_links_room(snag__region_links *links, size_t count, const snag_allocator *allocator)
{
    const int now = links->now;
    size_t before = links->pair_count[now];
    if (!snag__buffer_reserve(allocator, &links->pairs[now], before, before + count, sizeof(snag__region_pair)))
        return NULL;
    return (snag__region_pair *)links->pairs[now].data + before;
}

snag__region_link snag__region_link_new(const snag__region_bodies *body_pair)
{
    snag__region_link link = {0};
    for (int side = 0; side < 2; side++) {
        const snag__body *body = body_pair->ask->bodies[body_pair->place[side]];
        link.id[side] = body->id;
        link.displacement[side] = link.last_displacement[side] = body->displacement;
        link.jumps[side] = body->jumps;
    }
    return link;
}

bool snag__region_links_keep(snag__region_links *links, const snag__region_link *old, const snag__region_bodies *body_pair,
                             snag__region_link *link)
{
    const int now = links->now;
    const snag__region_link here = *link;
    snag__region_pair *room = snag__region_links_room(links, old->count + 1, body_pair->ask->allocator);
    if (room == NULL)
        return false;
    const snag__region_pair *pairs = (const snag__region_pair *)links->pairs[!now].data + old->first;
    if (old->count > 0)
        memcpy(room, pairs, old->count * sizeof *pairs);
    *link = *old;
    link->first = links->pair_count[now];
    memcpy(link->last_displacement, here.last_displacement, sizeof link->last_displacement);
    links->pair_count[now] += old->count;
    return true;
}

bool snag__region_links_search(snag__region_links *links, const snag__region_bodies *body_pair, snag__region_visit *visit,
                               snag__region_link *link)
{
    link->first = links->pair_count[links->now];
    visit->links = links;
    if (!snag__region_traverse(body_pair, visit))
        return false;
    link->reach = visit->reach;
    link->count = visit->count;
    for (int side = 0; side < 2; side++)
        link->build[side] = body_pair->tree[side]->build;
    return true;
}

bool snag__region_links_add(snag__region_links *links, const snag__region_link *link, const snag_allocator *allocator)
{
    const int now = links->now;
    size_t count = links->link_count[now];
    if (!snag__buffer_reserve(allocator, &links->links[now], count, count + 1, sizeof *link))
        return false;
    ((snag__region_link *)links->links[now].data)[links->link_count[now]++] = *link;
    return true;
}

bool snag__region_links_turn(snag__region_links *links, const snag_allocator *allocator)
{
    const int now = links->now;
    const size_t count = links->link_count[now];
    if (!snag__buffer_reserve(allocator, &links->order, 0, 2 * count + 1, sizeof(snag__record)))
        return false;
    const snag__region_link *written = links->links[now].data;
    snag__record *order = links->order.data;
    for (size_t i = 0; i < count; i++)
        order[i] = (snag__record){.key = key_of(written[i].id), .extra = (uint32_t)i};
    snag__sort_records(order, order + count, count);
    links->now = !now;
    links->link_count[!now] = links->pair_count[!now] = 0;
    return true;
}

void snag__region_links_free(snag__region_links *links, const snag_allocator *allocator)
{
    for (int i = 0; i < 2; i++) {
        snag__buffer_free(allocator, &links->links[i]);
        snag__buffer_free(allocator, &links->pairs[i]);
    }
    snag__buffer_free(allocator, &links->order);
}

// Bodies that stay on disk: blocks of triangles are read where branches are made, and let go again.
#include "method/spheres.h"

#include <math.h>
#include <string.h>

enum {
    FEW_BLOCKS = 4,  // a node of so few blocks is looked at by its triangles
    MOST_LOADED = 32,  // blocks of a body at hand at a time
};

// ---- blocks at hand ----

static size_t block_bytes(uint32_t triangles)
{
    return 9 * sizeof(double) * triangles;
}

// The source may be gone already: nothing of it is looked at.
static void let_go(snag__spheres_blocks *blocks, size_t i, const snag_allocator *allocator)
{
    snag__loaded_block *block = &blocks->blocks[i];
    snag__release(allocator, block->corners, block->bytes, 1);
    blocks->bytes -= block->bytes;
    block->corners = NULL;
    blocks->loaded--;
}

void snag__spheres_blocks_forget(snag__spheres_blocks *blocks, uint64_t step, bool all, const snag_allocator *allocator)
{
    if (blocks->blocks == NULL)
        return;
    for (size_t i = 0; i < blocks->count && blocks->loaded > 0; i++)
        if (blocks->blocks[i].corners != NULL && (all || blocks->blocks[i].used < step))
            let_go(blocks, i, allocator);
    if (!all)
        return;
    snag__release(allocator, blocks->blocks, blocks->count, sizeof *blocks->blocks);
    blocks->blocks = NULL;
    blocks->bytes = 0;
    blocks->count = 0;
}

void snag__spheres_blocks_free(snag__spheres_blocks *blocks, const snag_allocator *allocator)
{
    snag__spheres_blocks_forget(blocks, 0, true, allocator);
    snag__buffer_free(allocator, &blocks->ids);
    snag__buffer_free(allocator, &blocks->x);
    snag__buffer_free(allocator, &blocks->triangles);
}

static bool make_table(snag__spheres_blocks *blocks, const snag__source *source, const snag_allocator *allocator)
{
    if (blocks->blocks != NULL)
        return true;
    blocks->count = source->def.block_count;
    blocks->blocks = snag__allocate(allocator, blocks->count, sizeof *blocks->blocks);
    if (blocks->blocks == NULL)
        return false;
    memset(blocks->blocks, 0, blocks->count * sizeof *blocks->blocks);
    blocks->bytes = blocks->count * sizeof *blocks->blocks;
    return true;
}

static void let_oldest_go(snag__spheres_blocks *blocks, const snag_allocator *allocator)
{
    size_t oldest = SIZE_MAX;
    for (size_t i = 0; i < blocks->count; i++)
        if (blocks->blocks[i].corners != NULL && (oldest == SIZE_MAX || blocks->blocks[i].used < blocks->blocks[oldest].used))
            oldest = i;
    let_go(blocks, oldest, allocator);
}

// What was read is believed only if it is what the table says.
static bool is_sound(const snag_surface_block *block, const double *corners)
{
    for (size_t i = 0; i < 9 * (size_t)block->triangle_count; i++)
        if (!(corners[i] >= block->minimum[i % 3] && corners[i] <= block->maximum[i % 3]))
            return false;
    return true;
}

// The corners of a block's triangles, nine numbers each; valid until the next one is loaded.
static snag_status load_block(snag__ask *ask, snag__spheres_state *state, uint32_t i, uint32_t number, const double **corners)
{
    snag__source *source = ask->bodies[i]->source;
    snag__spheres_blocks *blocks = &snag__spheres_body_of(state, ask, i)->blocks;
    const snag_surface_block *block = &source->def.blocks[number];
    if (!make_table(blocks, source, ask->allocator))
        return SNAG_ERROR_MEMORY;
    snag__loaded_block *loaded = &blocks->blocks[number];
    loaded->used = state->step;
    *corners = loaded->corners;
    if (loaded->corners != NULL)
        return SNAG_OK;
    if (blocks->loaded >= MOST_LOADED)
        let_oldest_go(blocks, ask->allocator);
    double *read = snag__allocate(ask->allocator, block_bytes(block->triangle_count), 1);
    if (read == NULL)
        return SNAG_ERROR_MEMORY;
    blocks->read_count++;
    snag_status status = source->def.read(source->def.context, number, read);
    if (status == SNAG_OK && !is_sound(block, read))
        status = SNAG_ERROR_FORMAT;
    if (status != SNAG_OK) {
        snag__release(ask->allocator, read, block_bytes(block->triangle_count), 1);
        return status;
    }
    *corners = loaded->corners = read;
    loaded->bytes = block_bytes(block->triangle_count);
    blocks->loaded++;
    blocks->bytes += loaded->bytes;
    return SNAG_OK;
}

// The block that holds a triangle: the last one that starts at or before it.
static uint32_t block_of(const snag__source *source, uint32_t triangle)
{
    uint32_t low = 0, high = (uint32_t)source->def.block_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->def.blocks[middle].first_triangle <= triangle)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static snag_status load_triangle(snag__ask *ask, snag__spheres_state *state, uint32_t i, uint32_t triangle, double (*x)[3])
{
    const snag__source *source = ask->bodies[i]->source;
    uint32_t block = block_of(source, triangle);
    const double *corners;
    snag_status status = load_block(ask, state, i, block, &corners);
    if (status == SNAG_OK)
        memcpy(x, corners + 9 * (size_t)(triangle - source->def.blocks[block].first_triangle), 9 * sizeof(double));
    return status;
}

// ---- triangles of a node ----

typedef struct gathered {
    double (*x)[3];
    uint32_t (*triangles)[3];
    uint32_t *ids;
    uint32_t count;
} gathered;

static bool reserve_gathered(snag__ask *ask, snag__spheres_state *state, size_t most, gathered *g)
{
    size_t each = 9 * sizeof(double) + 4 * sizeof(uint32_t);
    if (!snag__buffer_reserve(ask->allocator, &state->gathered, 0, most + 1, each))
        return false;
    g->x = state->gathered.data;
    g->triangles = (uint32_t(*)[3])(g->x + 3 * most);
    g->ids = (uint32_t *)(g->triangles + most);
    g->count = 0;
    return true;
}

static void number_triangles(gathered *g)
{
    for (uint32_t t = 0; t < g->count; t++)
        for (uint32_t c = 0; c < 3; c++)
            g->triangles[t][c] = 3 * t + c;
}

static bool boxes_meet(const double *corners, const double lo[3], const double hi[3])
{
    for (int k = 0; k < 3; k++)
        if (fmax(fmax(corners[k], corners[3 + k]), corners[6 + k]) < lo[k] ||
            fmin(fmin(corners[k], corners[3 + k]), corners[6 + k]) > hi[k])
            return false;
    return true;
}

// Triangles of a node's blocks that meet its box.
static snag_status gather_blocks(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node, gathered *g)
{
    const snag__source *source = ask->bodies[i]->source;
    const uint32_t *list = snag__sphere_list(node);
    size_t most = 0;
    double lo[3], hi[3];
    snag__octant_box(&node.level->octants, (int)node.child, lo, hi);
    for (uint32_t k = 0; k < snag__sphere_count(node); k++)
        most += source->def.blocks[list != NULL ? list[k] : k].triangle_count;
    if (!reserve_gathered(ask, state, most, g))
        return SNAG_ERROR_MEMORY;
    for (uint32_t k = 0; k < snag__sphere_count(node); k++) {
        uint32_t block = list != NULL ? list[k] : k;
        const double *corners;
        snag_status status = load_block(ask, state, i, block, &corners);
        if (status != SNAG_OK)
            return status;
        for (uint32_t t = 0; t < source->def.blocks[block].triangle_count; t++, corners += 9) {
            const double *const corner[3] = {corners, corners + 3, corners + 6};
            if (!boxes_meet(corners, lo, hi) || !snag__triangle_meets_box(corner, lo, hi))
                continue;
            memcpy(g->x + 3 * (size_t)g->count, corners, 9 * sizeof(double));
            g->ids[g->count++] = source->def.blocks[block].first_triangle + t;
        }
    }
    return SNAG_OK;
}

static snag_status gather_triangles(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node, gathered *g)
{
    const uint32_t *list = snag__sphere_list(node);
    if (!reserve_gathered(ask, state, snag__sphere_count(node), g))
        return SNAG_ERROR_MEMORY;
    for (; g->count < snag__sphere_count(node); g->count++) {
        snag_status status = load_triangle(ask, state, i, list[g->count], g->x + 3 * (size_t)g->count);
        if (status != SNAG_OK)
            return status;
        g->ids[g->count] = list[g->count];
    }
    return SNAG_OK;
}

// ---- levels ----

// Octants that the boxes of blocks meet: nothing is read.
static bool classify_blocks(snag__ask *ask, snag__spheres_state *state, const snag_surface_block *table, snag__sphere_node node,
                            const snag__octants *octants)
{
    const uint32_t *list = snag__sphere_list(node);
    uint32_t count = snag__sphere_count(node);
    if (!snag__buffer_reserve(ask->allocator, &state->masks, 0, count + 1u, 1))
        return false;
    uint8_t *masks = state->masks.data;
    for (uint32_t i = 0; i < count; i++) {
        const snag_surface_block *block = &table[list != NULL ? list[i] : i];
        masks[i] = 0;
        for (int o = 0; o < 8; o++) {
            double lo[3], hi[3];
            snag__octant_box(octants, o, lo, hi);
            bool meets = (o & ~octants->cut) == 0;
            for (int k = 0; k < 3; k++)
                meets = meets && block->minimum[k] <= hi[k] && lo[k] <= block->maximum[k];
            masks[i] |= (uint8_t)(meets << o);
        }
    }
    return true;
}

// Where triangles are wanted the deepest nodes must know theirs.
static bool stays_coarse(const snag__ask *ask, snag__sphere_node node, const snag__octants *octants)
{
    if (!snag__sphere_is_coarse(node) || snag__sphere_count(node) <= FEW_BLOCKS || octants->cut == 0)
        return false;
    uint32_t deepest = ask->def->depth != 0 ? ask->def->depth : SNAG__SPHERE_DEPTH_MAX;
    return ask->def->question == SNAG_OVERLAPS || node.level->depth + 1u < deepest;
}

// Whether blocks are mostly so large that they meet all octants. To cut further would only repeat them, eight times in each level.
static bool blocks_are_wide(const snag__spheres_state *state, uint32_t count, const snag__octants *octants)
{
    const uint8_t *masks = state->masks.data;
    size_t met = 0, all = (size_t)1 << __builtin_popcount(octants->cut);
    for (uint32_t i = 0; i < count; i++)
        met += (size_t)__builtin_popcount(masks[i]);
    return 4 * met >= 3 * all * count;
}

snag_status snag__spheres_read_below(snag__ask *ask, snag__spheres_state *state, uint32_t i, snag__sphere_node node,
                                     snag__sphere_level **level)
{
    snag__spheres_body *body = snag__spheres_body_of(state, ask, i);
    snag__octants octants;
    snag__sphere_cut(node, &octants);
    snag__sphere_parts parts = {snag__sphere_list(node), snag__sphere_count(node), NULL, 0xff, true};
    bool coarse = stays_coarse(ask, node, &octants);
    if (coarse && !classify_blocks(ask, state, ask->bodies[i]->source->def.blocks, node, &octants))
        return SNAG_ERROR_MEMORY;
    if (!coarse || (ask->def->question != SNAG_OVERLAPS && blocks_are_wide(state, parts.count, &octants))) {
        gathered g;
        snag_status status = (snag__sphere_is_coarse(node) ? gather_blocks : gather_triangles)(ask, state, i, node, &g);
        if (status != SNAG_OK)
            return status;
        number_triangles(&g);
        snag__sphere_geometry geometry = {(const double(*)[3])g.x, (const uint32_t(*)[3])g.triangles, g.count};
        status = snag__spheres_classify(ask, state, &geometry, NULL, g.count, &octants, &parts.grey);
        if (status != SNAG_OK)
            return status;
        body->tree.triangles_read += g.count;
        parts.list = g.ids;
        parts.count = g.count;
        parts.coarse = false;
    }
    parts.masks = state->masks.data;
    *level = snag__sphere_make(&body->tree, node, &octants, &parts, ask->allocator);
    return *level != NULL ? SNAG_OK : SNAG_ERROR_MEMORY;
}

// ---- windows ----

// Appends the triangles of a leaf, once.
static bool note_triangles(snag__ask *ask, snag__spheres_state *state, snag__sphere_node node, size_t *count)
{
    if (node.level->rank[node.child] != 0)
        return true;
    const uint32_t *list = snag__sphere_list(node);
    size_t more = snag__sphere_count(node);
    if (!snag__buffer_reserve(ask->allocator, &state->sorted, *count, *count + more + 1, sizeof(snag__record)))
        return false;
    snag__record *records = state->sorted.data;
    for (size_t k = 0; k < more; k++)
        records[(*count)++] = (snag__record){.key = list[k]};
    node.level->rank[node.child] = 1;
    return true;
}

// All triangles of body i in leaves that are in contact, as records.
static bool note_leaves(snag__ask *ask, snag__spheres_state *state, uint32_t i, size_t *count)
{
    const snag__leaf_pair *pairs = state->pairs.data;
    bool good = true;
    for (size_t k = 0; k < state->pair_count && good; k++) {
        if (pairs[k].body_a == i)
            good = note_triangles(ask, state, pairs[k].a, count);
        if (pairs[k].body_b == i)
            good = good && note_triangles(ask, state, pairs[k].b, count);
    }
    for (size_t k = 0; k < state->pair_count; k++) {
        pairs[k].a.level->rank[pairs[k].a.child] = 0;
        pairs[k].b.level->rank[pairs[k].b.child] = 0;
    }
    return good;
}

static snag_status fill_window(snag__ask *ask, snag__spheres_state *state, uint32_t i)
{
    snag__spheres_blocks *blocks = &snag__spheres_body_of(state, ask, i)->blocks;
    snag__window *window = &ask->bodies[i]->source->window;
    size_t count = 0;
    *window = (snag__window){0};
    if (!note_leaves(ask, state, i, &count) ||
        !snag__buffer_reserve(ask->allocator, &state->sorted, count, 2 * count + 1, sizeof(snag__record)) ||
        !snag__buffer_reserve(ask->allocator, &blocks->ids, 0, count + 1, sizeof(uint32_t)) ||
        !snag__buffer_reserve(ask->allocator, &blocks->x, 0, 3 * count + 3, sizeof *window->x) ||
        !snag__buffer_reserve(ask->allocator, &blocks->triangles, 0, count + 1, sizeof *window->triangles))
        return SNAG_ERROR_MEMORY;
    snag__record *records = state->sorted.data;
    snag__sort_records(records, records + count, count);
    *window = (snag__window){blocks->ids.data, blocks->x.data, blocks->triangles.data, 0};
    snag_status status = SNAG_OK;
    for (size_t k = 0; k < count && status == SNAG_OK; k++) {
        if (k > 0 && records[k].key == records[k - 1].key)
            continue;
        uint32_t place = window->count++;
        window->ids[place] = (uint32_t)records[k].key;
        for (uint32_t c = 0; c < 3; c++)
            window->triangles[place][c] = 3 * place + c;
        status = load_triangle(ask, state, i, window->ids[place], window->x + 3 * (size_t)place);
    }
    return status;
}

snag_status snag__spheres_fill_windows(snag__ask *ask, snag__spheres_state *state)
{
    snag_status status = SNAG_OK;
    for (uint32_t i = 0; i < ask->body_count && status == SNAG_OK; i++)
        if (ask->bodies[i]->source != NULL)
            status = fill_window(ask, state, i);
    return status;
}

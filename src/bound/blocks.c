#include "bound/blocks.h"

#include <math.h>
#include <string.h>

bool snag__blocks_fit(const snag__blocks *blocks, const snag__blocks_body *bodies, uint32_t body_count)
{
    if (blocks->bodies == NULL || blocks->body_count != body_count)
        return false;
    for (uint32_t i = 0; i < body_count; i++)
        if (blocks->bodies[i].mesh != bodies[i].mesh || blocks->bodies[i].body != bodies[i].body)
            return false;
    return true;
}

// ---- order ----

// A tetrahedron on its way to its place. Centres are floats: they decide about speed alone.
typedef struct item {
    float centre[3];
    uint32_t tet;
} item;

// Where the sum of four corners would overflow, each is divided first; beyond the range of float the order is lost.
static void list_items(const snag__mesh *mesh, item *items)
{
    for (uint32_t k = 0; k < mesh->tet_count; k++) {
        items[k].tet = k;
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0;
            for (int c = 0; c < 4; c++)
                sum += mesh->x_t1[mesh->tets[k][c]][axis] / 4;
            items[k].centre[axis] = (float)fmax(fmin(sum, 1e38), -1e38);
        }
    }
}

static int longest_side(const item *items, uint32_t count)
{
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            float x = items[i].centre[axis];
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
    int longest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (hi[axis] - lo[axis] > hi[longest] - lo[longest])
            longest = axis;
    return longest;
}

// Brings the smallest along an axis to the places before `cut`. Quickselect with the middle of three; equal keys are
// spread over both sides, so that many of them do no harm.
static void select_smallest(item *items, uint32_t count, uint32_t cut, int axis)
{
    int64_t first = 0, last = (int64_t)count - 1;
    while (first < last) {
        float a = items[first].centre[axis], b = items[first + (last - first) / 2].centre[axis];
        float c = items[last].centre[axis];
        float pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        int64_t i = first, j = last;
        while (i <= j) {
            while (items[i].centre[axis] < pivot)
                i++;
            while (items[j].centre[axis] > pivot)
                j--;
            if (i <= j) {
                item swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if ((int64_t)cut <= j)
            last = j;
        else if ((int64_t)cut >= i)
            first = i;
        else
            return;
    }
}

// Halves at whole blocks, then at whole rows: every block and row but the last is full. Recursion as deep as the
// logarithm of the count.
// NOLINTNEXTLINE(misc-no-recursion)
static void sort_items(item *items, uint32_t count)
{
    if (count <= SNAG__ROW_TETS)
        return;
    uint32_t unit = count > SNAG__BLOCK_TETS ? SNAG__BLOCK_TETS : SNAG__ROW_TETS;
    uint32_t units = (count + unit - 1) / unit, cut = units / 2 * unit;
    select_smallest(items, count, cut, longest_side(items, count));
    sort_items(items, cut);
    sort_items(items + cut, count - cut);
}

// ---- blocks ----

// The place of a vertex among those of the block, which are few; it is added if it is new.
static uint8_t find_vertex(uint32_t *vertices, uint32_t *count, uint32_t v)
{
    uint32_t i = *count;
    while (i > 0 && vertices[i - 1] != v)
        i--;
    if (i > 0)
        return (uint8_t)(i - 1);
    vertices[*count] = v;
    return (uint8_t)(*count)++;
}

static uint32_t fill_block(snag__blocks *blocks, snag__block *block, const snag__mesh *mesh, const item *items)
{
    uint32_t *vertices = blocks->vertices + block->first_vertex;
    block->vertex_count = 0;
    for (uint32_t i = 0; i < block->place_count; i++) {
        uint32_t place = block->first_place + i;
        blocks->tets[place] = items[i].tet;
        for (int c = 0; c < 4; c++)
            blocks->corners[place][c] = find_vertex(vertices, &block->vertex_count, mesh->tets[items[i].tet][c]);
    }
    return block->vertex_count;
}

static void fill_body(snag__blocks *blocks, uint32_t body, item *items, uint32_t *vertex_count)
{
    const snag__mesh *mesh = blocks->bodies[body].mesh;
    list_items(mesh, items);
    sort_items(items, mesh->tet_count);
    for (uint32_t k = 0; k < mesh->tet_count; k += SNAG__BLOCK_TETS) {
        snag__block *block = &blocks->blocks[blocks->block_count++];
        uint32_t left = mesh->tet_count - k;
        *block = (snag__block){.first_place = blocks->place_count,
                               .place_count = left < SNAG__BLOCK_TETS ? left : SNAG__BLOCK_TETS,
                               .first_vertex = *vertex_count,
                               .body = body};
        blocks->place_count += block->place_count;
        *vertex_count += fill_block(blocks, block, mesh, items + k);
    }
}

static bool reserve(snag__blocks *blocks, const snag__blocks_body *bodies, uint32_t body_count, size_t *most_tets,
                    const snag_allocator *allocator)
{
    size_t tets = 0, block_count = 0;
    *most_tets = 1;
    for (uint32_t i = 0; i < body_count; i++) {
        size_t count = bodies[i].mesh->tet_count;
        tets += count;
        block_count += (count + SNAG__BLOCK_TETS - 1) / SNAG__BLOCK_TETS;
        *most_tets = count > *most_tets ? count : *most_tets;
    }
    snag__buffer *memory = blocks->memory;
    if (!snag__buffer_reserve(allocator, &memory[0], 0, body_count + 1u, sizeof *blocks->bodies) ||
        !snag__buffer_reserve(allocator, &memory[1], 0, block_count + 1, sizeof *blocks->blocks) ||
        !snag__buffer_reserve(allocator, &memory[2], 0, tets + 1, sizeof *blocks->tets) ||
        !snag__buffer_reserve(allocator, &memory[3], 0, tets + 1, sizeof *blocks->corners))
        return false;
    blocks->bodies = memory[0].data;
    blocks->blocks = memory[1].data;
    blocks->tets = memory[2].data;
    blocks->corners = memory[3].data;
    return true;
}

// Vertices of blocks are counted before there is room for them: at worst four for each tetrahedron, in meshes about one
// for each. They are collected in memory for the worst case and kept in what they need.
static bool keep_vertices(snag__blocks *blocks, const uint32_t *vertices, uint32_t count, const snag_allocator *allocator)
{
    if (!snag__buffer_reserve(allocator, &blocks->memory[4], 0, count + 1u, sizeof *vertices))
        return false;
    blocks->vertices = blocks->memory[4].data;
    memcpy(blocks->vertices, vertices, count * sizeof *vertices);
    return true;
}

bool snag__blocks_build(snag__blocks *blocks, const snag__blocks_body *bodies, uint32_t body_count, const snag_allocator *allocator)
{
    size_t most_tets;
    snag__buffer items = {0}, vertices = {0};
    blocks->block_count = blocks->place_count = blocks->body_count = 0;
    bool done = reserve(blocks, bodies, body_count, &most_tets, allocator);
    size_t tets = 0;
    for (uint32_t i = 0; i < body_count; i++)
        tets += bodies[i].mesh->tet_count;
    done = done && snag__buffer_reserve(allocator, &items, 0, most_tets, sizeof(item)) &&
           snag__buffer_reserve(allocator, &vertices, 0, 4 * tets + 1, sizeof(uint32_t));
    if (done) {
        memcpy(blocks->bodies, bodies, body_count * sizeof *bodies);
        blocks->vertices = vertices.data;
        uint32_t vertex_count = 0;
        for (uint32_t i = 0; i < body_count; i++)
            fill_body(blocks, i, items.data, &vertex_count);
        done = keep_vertices(blocks, vertices.data, vertex_count, allocator);
        blocks->body_count = body_count;
    }
    snag__buffer_free(allocator, &items);
    snag__buffer_free(allocator, &vertices);
    if (!done)
        snag__blocks_free(allocator, blocks);
    return done;
}

void snag__blocks_free(const snag_allocator *allocator, snag__blocks *blocks)
{
    for (size_t i = 0; i < sizeof blocks->memory / sizeof *blocks->memory; i++)
        snag__buffer_free(allocator, &blocks->memory[i]);
    *blocks = (snag__blocks){0};
}

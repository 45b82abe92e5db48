// Contours of patches as loops, and their stretches: see regularity_chain.h.
#include "method/regularity_chain.h"

enum {
    RUNS_MAX = 8,  // parts of a contour between edges that two patches share: more are left to the sweep
    PAD = 32,  // everything is read and written by whole vectors, also from slots between
    EDGE_ROWS = 2 * (2 + 2 * SNAG__CHAIN_AXES),  // floats of an edge
    BOX_ROWS = 2 * 4,  // and of a box
    MORE_EDGES = SNAG__CHAIN_LOOPS * (SNAG__CHAIN_WINDOW + 2) + 2 * PAD,  // those that are there again, and padding
    MORE_BLOCKS = SNAG__CHAIN_LOOPS + 2 * PAD,
};

static size_t edges_at_most(uint32_t edges)
{
    return ((size_t)edges + MORE_EDGES) / PAD * PAD;
}

static size_t blocks_at_most(uint32_t edges)
{
    return ((size_t)edges / SNAG__BLOCK_EDGES + MORE_BLOCKS) / PAD * PAD;
}

size_t snag__chain_bytes(uint32_t edges)
{
    const size_t edge_words = 1 + EDGE_ROWS, block_words = 2 + 2 * BOX_ROWS;
    return sizeof(float) * (edges_at_most(edges) * edge_words + blocks_at_most(edges) * block_words);
}

static float *carve(float **next, size_t count)
{
    float *at = *next;
    *next += count;
    return at;
}

static void make_boxes(snag__chain_boxes *boxes, float **next, size_t count)
{
    for (int pose = 0; pose < 2; pose++)
        for (int axis = 0; axis < 2; axis++) {
            boxes->lo[pose][axis] = carve(next, count);
            boxes->hi[pose][axis] = carve(next, count);
        }
}

void snag__chain_make(snag__chain *chain, void *memory, uint32_t edges)
{
    size_t rows = edges_at_most(edges), blocks = blocks_at_most(edges);
    float *next = memory;
    for (int pose = 0; pose < 2; pose++) {
        chain->x[pose] = carve(&next, rows);
        chain->y[pose] = carve(&next, rows);
        for (int axis = 0; axis < SNAG__CHAIN_AXES; axis++) {
            chain->lo[pose][axis] = carve(&next, rows);
            chain->hi[pose][axis] = carve(&next, rows);
        }
    }
    make_boxes(&chain->blocks, &next, blocks);
    make_boxes(&chain->groups, &next, blocks);
    chain->vertices = (uint32_t *)(void *)next;
    chain->block_first = chain->vertices + rows;
    chain->block_end = chain->block_first + blocks;
}

// ---- loops ----

void snag__chain_begin(snag__chain *chain)
{
    chain->loops = chain->blocks.count = 0;
}

uint32_t snag__chain_end_loop(snag__chain *chain, uint32_t first, uint32_t count)
{
    if (count < 3)
        return 0;
    uint32_t *loop = chain->vertices + first;
    for (uint32_t i = 0; i <= SNAG__CHAIN_WINDOW; i++)
        loop[count + i] = loop[i];
    for (uint32_t i = 0; i < count; i += SNAG__BLOCK_EDGES) {
        uint32_t left = count - i;
        chain->block_first[chain->blocks.count] = first + i;
        chain->block_end[chain->blocks.count++] = first + i + (left < SNAG__BLOCK_EDGES ? left : SNAG__BLOCK_EDGES);
    }
    chain->loop_first[chain->loops] = first;
    chain->loop_edges[chain->loops++] = count;
    return first + count + SNAG__CHAIN_WINDOW + 1;
}

// Appends a whole loop.
static uint32_t add_loop(snag__chain *chain, const snag__surface_tree *tree, const snag__patch *patch, uint32_t first)
{
    const snag__loop_edge *loop = tree->loops + patch->first_contour;
    for (uint32_t i = 0; i < patch->contour_count; i++)
        chain->vertices[first + i] = loop[i].from;
    return snag__chain_end_loop(chain, first, patch->contour_count);
}

// Parts of a patch's loop that are not shared with another patch. A part runs up to the vertex at which the next,
// shared edge begins.
typedef struct runs {
    const snag__loop_edge *loop;
    uint32_t edges, count;
    uint32_t first[RUNS_MAX], length[RUNS_MAX];
} runs;

static uint32_t run_end(const runs *r, uint32_t i)
{
    return r->loop[(r->first[i] + r->length[i]) % r->edges].from;
}

// False: too many.
static bool find_runs(runs *r, const snag__surface_tree *tree, const snag__patch *of, const snag__patch *beside)
{
    *r = (runs){.loop = tree->loops + of->first_contour, .edges = of->contour_count};
    uint32_t from = beside->first_slot, slots = beside->slot_count;
    bool was_kept = r->loop[r->edges - 1].beyond - from >= slots, first_kept = was_kept;
    for (uint32_t i = 0; i < r->edges; i++) {
        bool kept = r->loop[i].beyond - from >= slots;
        if (kept && !was_kept) {
            if (r->count == RUNS_MAX)
                return false;
            r->first[r->count++] = i;
        } else if (!kept && was_kept && r->count > 0) {
            r->length[r->count - 1] = i - r->first[r->count - 1];
        }
        was_kept = kept;
    }
    // The last one may go on at the beginning of the list.
    if (r->count > 0 && first_kept) {
        uint32_t i = 0;
        while (i < r->edges && r->loop[i].beyond - from >= slots)
            i++;
        r->length[r->count - 1] = r->edges - r->first[r->count - 1] + i;
    }
    return true;
}

static uint32_t add_run(snag__chain *chain, const runs *r, uint32_t run, uint32_t at)
{
    uint32_t i = r->first[run], left = r->length[run];
    for (; left > 0 && i < r->edges; left--)
        chain->vertices[at++] = r->loop[i++].from;
    for (i = 0; left > 0; left--)
        chain->vertices[at++] = r->loop[i++].from;
    return at;
}

// Joins the runs of two patches, in turn, to one loop. False: they make several.
static bool join_runs(snag__chain *chain, const runs both[2])
{
    uint32_t at = 0, run = 0, count = both[0].count;
    if (count == 0 || count != both[1].count)
        return false;
    for (uint32_t step = 0; step < 2 * count; step++) {
        const runs *now = &both[step & 1], *other = &both[(step & 1) ^ 1];
        uint32_t end = run_end(now, run), next = 0;
        at = add_run(chain, now, run, at);
        while (next < count && other->loop[other->first[next]].from != end)
            next++;
        // Back where it began before all are used, or nowhere.
        if (next == count || ((step & 1) == 1 && next == 0 && step + 1 < 2 * count))
            return false;
        run = next;
    }
    if (run != 0)
        return false;
    return snag__chain_end_loop(chain, 0, at) > 0;
}

bool snag__chain_gather(snag__chain *chain, const snag__surface_tree *tree, uint32_t a, uint32_t b)
{
    const snag__patch *patch = &tree->patches[a], *other = b != UINT32_MAX ? &tree->patches[b] : NULL;
    snag__chain_begin(chain);
    if (!patch->looped || (other != NULL && !other->looped))
        return false;
    if (other == NULL)
        return add_loop(chain, tree, patch, 0) > 0;
    runs both[2];
    if (!find_runs(&both[0], tree, patch, other) || !find_runs(&both[1], tree, other, patch))
        return false;
    bool apart = both[0].count == 0 && both[0].loop[0].beyond - other->first_slot >= other->slot_count;
    if (!apart)
        return join_runs(chain, both);
    uint32_t at = add_loop(chain, tree, patch, 0);
    return at > 0 && add_loop(chain, tree, other, at) > 0;
}

const snag__chain_kernels *snag__chain_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__chain_kernels, isa)
}

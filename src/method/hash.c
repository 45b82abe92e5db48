// Spatial hashing of tetrahedral meshes.
// Teschner, Heidelberger, Mueller, Pomeranets, Gross: Optimized Spatial Hashing for Collision Detection of Deformable
// Objects, VMV 2003.
// Differs: tetrahedra are sorted once into compact blocks of 64, and cells are looked up for a whole block; cells are larger
// (a block then touches about eight) and their vertices are contiguous; a vertex is compared with eight tetrahedra at a time,
// and pairs that single precision cannot rule out are tested exactly (see docs/design/hash.md).
#include "method/hash_boxes.h"
#include "method/hash_kernel.h"
#include "method/hash_proof.h"
#include "query/filter.h"
#include "query/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SNAG__DECLARE_KERNELS(snag__hash_kernels, snag__hash_kernels);

const snag__hash_kernels *snag__hash_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__hash_kernels, isa)
}

enum {
    BLOCKS_OF_A_TASK = 32,
    MOST_FAILURES = 5,  // then a proof is tried every 32 searches
    SAMPLES = 64,  // tetrahedra whose size is measured to choose the size of cells
};

// The cell size in edge lengths, as measured: see docs/design/hash.md.
static const double CELL_IN_EDGES = 2.5;
// Limits for a cell size that the user gives, relative to the best. Beyond them the search becomes quadratic: cells have too many
// vertices, or elements cover too many cells.
static const double LARGEST_CELL = 3, SMALLEST_CELL = 0.25;

// Rows that have grown by this factor since they were sorted cost more than sorting again.
static const double DEGRADED = 1.5;

struct snag__hash_state {
    snag__blocks blocks;
    snag__grid grid;
    double compact;  // extent of rows over that of tetrahedra in the first search after sorting; 0: unknown
    bool degraded;
    snag__buffer bodies, points, wanted;
    snag__hash_boxes boxes;
    snag__proofs proofs;
    bool searched, proves;  // the blocks as they are: once at least; there is room for proofs
};

// ---- state ----

static struct snag__hash_state *state_of(snag__ask *ask)
{
    return snag__state_of(ask, SNAG_METHOD_HASH, sizeof(struct snag__hash_state));
}

static void free_state(const snag_allocator *allocator, snag__buffer *memory)
{
    struct snag__hash_state *state = memory->data;
    if (state == NULL)
        return;
    snag__blocks_free(allocator, &state->blocks);
    snag__grid_free(allocator, &state->grid);
    snag__buffer_free(allocator, &state->bodies);
    snag__buffer_free(allocator, &state->points);
    snag__buffer_free(allocator, &state->wanted);
    snag__hash_boxes_free(allocator, &state->boxes);
    snag__proofs_free(allocator, &state->proofs);
    snag__buffer_free(allocator, memory);
}

// ---- cells ----

// The mean edge length, which unlike the box does not depend on the orientation.
static double tet_size(const snag__mesh *mesh, uint32_t k)
{
    double sum = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) {
            const double *p = mesh->x_t1[mesh->tets[k][a]], *q = mesh->x_t1[mesh->tets[k][b]];
            sum += hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]) / 6;
        }
    return sum;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median of a sample: not affected by a tenth of the mesh that is much larger or smaller. (With the geometric mean a fifth of
// very small tetrahedra shrinks the cells until each of the others covers hundreds.)
static double typical_size(const snag__ask *ask)
{
    uint64_t tets = 0, next = 0, before = 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        tets += ask->bodies[i]->mesh.tet_count;
    uint64_t step = tets / SAMPLES + 1;
    double sizes[SAMPLES];
    size_t count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        for (; next < before + mesh->tet_count && count < SAMPLES; next += step) {
            sizes[count] = tet_size(mesh, (uint32_t)(next - before));
            count += sizes[count] > 0 && isfinite(sizes[count]);
        }
        before += mesh->tet_count;
    }
    qsort(sizes, count, sizeof *sizes, by_value);
    return count > 0 ? sizes[count / 2] : 1;
}

static snag_status fill_grid(snag__ask *ask, struct snag__hash_state *state)
{
    if (!snag__buffer_reserve(ask->allocator, &state->points, 0, ask->body_count + 1u, sizeof(snag__grid_points)))
        return SNAG_ERROR_MEMORY;
    snag__grid_points *points = state->points.data;
    uint32_t first = 0;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__mesh *mesh = &ask->bodies[i]->mesh;
        points[i] = (snag__grid_points){(const double(*)[3])mesh->x_t1, mesh->vertex_used, mesh->vertex_count, first,
                                        snag__element_number(ask, i, SNAG_VERTEX, 0)};
        first += mesh->vertex_count;
    }
    points[ask->body_count].first = first;
    const snag__question *def = ask->def;
    double best = CELL_IN_EDGES * typical_size(ask);
    snag__grid_def grid = {
        .bodies = points,
        .body_count = ask->body_count,
        .cell = fmin(def->cell_size > 0 ? fmax(fmin(def->cell_size, LARGEST_CELL * best), SMALLEST_CELL * best) : best, 1e300),
        .table_size = def->table_size > 0 ? def->table_size : first + 1,
    };
    return snag__grid_fill(&state->grid, &grid, ask->allocator, ask->parallel) ? SNAG_OK : SNAG_ERROR_MEMORY;
}

// ---- blocks ----

static snag_status update_blocks(snag__ask *ask, struct snag__hash_state *state)
{
    if (!snag__buffer_reserve(ask->allocator, &state->bodies, 0, ask->body_count + 1u, sizeof(snag__blocks_body)))
        return SNAG_ERROR_MEMORY;
    snag__blocks_body *bodies = state->bodies.data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        const snag__body *body = ask->bodies[i];
        bodies[i] = (snag__blocks_body){&body->mesh, body->topology};
    }
    if (!state->degraded && snag__blocks_fit(&state->blocks, bodies, ask->body_count)) {
        // Proofs pay from the third search, so the second makes them.
        if (state->searched && !state->proves && snag__hash_proof_kernels_for(ask->isa) != NULL) {
            if (!snag__proofs_reserve(&state->proofs, &state->blocks, ask->allocator))
                return SNAG_ERROR_MEMORY;
            state->proves = true;
        }
        return SNAG_OK;
    }
    state->searched = state->proves = false;
    if (!snag__blocks_build(&state->blocks, bodies, ask->body_count, ask->allocator))
        return SNAG_ERROR_MEMORY;
    state->degraded = false;
    state->compact = 0;
    return SNAG_OK;
}

// A table of the pairs of bodies that the user's filter wants, made on the calling thread before tasks run. NULL: no filter.
static snag_status ask_filter(snag__ask *ask, struct snag__hash_state *state, const uint8_t **wanted)
{
    *wanted = NULL;
    if (ask->def->filter == NULL)
        return SNAG_OK;
    size_t count = ask->body_count;
    if (count > 0 && !snag__buffer_reserve(ask->allocator, &state->wanted, 0, count, count))
        return SNAG_ERROR_MEMORY;
    uint8_t *table = state->wanted.data;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            table[i * count + j] = snag__wanted(ask, i, j);
    *wanted = table;
    return SNAG_OK;
}

// ---- tasks ----

typedef struct measures {
    double row_extent, tet_extent;
} measures;

typedef struct search {
    snag__ask *ask;
    const struct snag__hash_state *state;
    const snag__hash_kernels *kernels;
    const snag__hash_proof_kernels *proof_kernels;  // NULL: all blocks are searched
    const uint8_t *wanted;
    uint32_t first_block;
    uint32_t zero_volume_tets[SNAG__MAX_TASKS][BLOCKS_OF_A_TASK];  // written by the tasks
    measures measures[SNAG__MAX_TASKS];
} search;

// Where a task passes its pairs to.
typedef struct delivery {
    const search *search;
    snag__record_list *list;
    uint32_t body;  // of the tetrahedra
} delivery;

static bool is_wanted(const search *s, uint32_t i, uint32_t j)
{
    if (s->wanted != NULL)
        return s->wanted[(size_t)i * s->ask->body_count + j];
    if (s->ask->picks_bodies)
        return snag__wanted(s->ask, i, j);
    return i == j ? s->ask->def->self : s->ask->def->between;
}

// The same for a tetrahedron of a body and a vertex by its element number.
static bool is_wanted_pair(const search *s, uint32_t i, uint32_t tet, uint32_t vertex)
{
    uint32_t j = snag__body_of(s->ask, vertex);
    return is_wanted(s, i, j) && (s->ask->filter == NULL || snag__filter_allows(s->ask->filter, i, SNAG_TET, tet, j, SNAG_VERTEX,
                                                                                vertex - s->ask->first_element[j]));
}

// Passes pairs to the exact test, those of one pair of bodies at a time.
static void deliver_possible(const delivery *d, snag__hash_pairs *found)
{
    static const snag__pass pass = {SNAG_TET, SNAG_VERTEX};
    const search *s = d->search;
    const uint32_t *tets = s->state->blocks.tets;
    for (size_t i = 0; i < found->count;) {
        uint32_t body = snag__body_of(s->ask, found->pairs[i][1]);
        uint32_t first = s->ask->first_element[body], count = s->ask->bodies[body]->mesh.vertex_count;
        size_t start = i;
        for (; i < found->count && found->pairs[i][1] - first < count; i++) {
            SNAG__ASSERT(found->pairs[i][1] >= first);
            found->pairs[i][0] = tets[found->pairs[i][0]];
            found->pairs[i][1] -= first;
        }
        if (is_wanted(s, d->body, body))
            snag__narrow_phase(s->ask, d->list, &pass, d->body, body, (const uint32_t(*)[2])found->pairs + start, i - start);
    }
    found->count = 0;
}

// Pairs that need no exact test become records by element number; their bodies matter only if not all pairs are wanted.
static void deliver_certain(const delivery *d, snag__hash_pairs *found)
{
    const search *s = d->search;
    const snag__question *def = s->ask->def;
    const uint32_t *tets = s->state->blocks.tets;
    uint32_t first_tet = snag__element_number(s->ask, d->body, SNAG_TET, 0);
    bool all = def->self && def->between && !s->ask->picks_bodies && s->ask->filter == NULL;
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        uint32_t tet = tets[found->pairs[i][0]], vertex = found->pairs[i][1];
        found->pairs[kept][0] = first_tet + tet;
        found->pairs[kept][1] = vertex;
        kept += all || is_wanted_pair(s, d->body, tet, vertex);
    }
    snag__narrow_phase_certain(d->list, (const uint32_t(*)[2])found->pairs, kept);
    found->count = 0;
}

static void deliver(void *context, snag__hash_candidates *candidates)
{
    SNAG__ASSERT(candidates->possible.count <= SNAG__HASH_PAIRS + SNAG__ROW_TETS);
    SNAG__ASSERT(candidates->certain.count <= SNAG__HASH_PAIRS + SNAG__ROW_TETS);
    deliver_possible(context, &candidates->possible);
    deliver_certain(context, &candidates->certain);
}

// Whether a block needs a search, by its proof or by a new one. Attempts that fail in a row are made less and less often, so that they
// never cost much.
static snag__proof_state ask_proof(const search *s, const snag__proof_block *block, snag__proof_points *foreign)
{
    snag__proof *proof = &block->proofs->proofs[block->number];
    if (proof->wait == 0) {
        snag__proof_state state = s->proof_kernels->check(block, foreign);
        if (state != SNAG__PROOF_STALE) {
            proof->failures -= proof->failures > 0;
            return state;
        }
        proof->failures += proof->failures < MOST_FAILURES;
        proof->wait = (uint8_t)(proof->failures == 1 ? 1 : 1u << proof->failures);
    }
    if (--proof->wait > 0)
        return SNAG__PROOF_STALE;
    s->proof_kernels->make(block);
    return s->proof_kernels->check(block, foreign);
}

// Searches a block unless a proof says that nothing is in it. Returns how many of its tetrahedra have no volume.
static uint32_t search_block(search *s, uint32_t number, uint32_t end, snag__hash_candidates *candidates)
{
    const snag__blocks *blocks = &s->state->blocks;
    const snag__block *block = &blocks->blocks[number];
    const snag__grid_points *points = s->state->points.data;
    const snag__proof_block question = {
        &s->state->grid, blocks, &s->state->proofs, number, points[block->body].first_number, points[block->body].first, end};
    snag__proof *proof = s->proof_kernels != NULL ? &s->state->proofs.proofs[number] : NULL;
    snag__proof_state state = SNAG__PROOF_STALE;
    snag__proof_points foreign;
    if (proof != NULL)
        state = ask_proof(s, &question, &foreign);
    if (state == SNAG__PROOF_HOLDS) {
        candidates->row_extent += (double)proof->row_extent;
        candidates->tet_extent += (double)proof->tet_extent;
        return 0;
    }
    double rows = candidates->row_extent, tets = candidates->tet_extent;
    candidates->zero_volume_tets = 0;
    s->kernels->search(question.grid, blocks, block, question.first_point, state == SNAG__PROOF_FOREIGN ? &foreign : NULL,
                       candidates);
    if (proof != NULL) {
        proof->row_extent = (float)(candidates->row_extent - rows);
        proof->tet_extent = (float)(candidates->tet_extent - tets);
    }
    return (uint32_t)candidates->zero_volume_tets;
}

static void run_task(void *context, uint32_t index, snag__record_list *list)
{
    search *s = context;
    const snag__blocks *blocks = &s->state->blocks;
    delivery d = {.search = s, .list = list};
    snag__hash_candidates candidates;
    candidates.possible.count = candidates.certain.count = 0;
    candidates.row_extent = candidates.tet_extent = 0;
    candidates.full = deliver;
    candidates.context = &d;
    uint32_t first = s->first_block + index * BLOCKS_OF_A_TASK, end = first + BLOCKS_OF_A_TASK;
    end = end < blocks->block_count ? end : blocks->block_count;
    for (uint32_t number = first; number < end; number++) {
        const snag__block *block = &blocks->blocks[number];
        SNAG__ASSERT(block->body < s->ask->body_count);
        if (block->body != d.body) {
            deliver(&d, &candidates);
            d.body = block->body;
        }
        s->zero_volume_tets[index][number - first] = search_block(s, number, end, &candidates);
    }
    deliver(&d, &candidates);
    s->measures[index] = (measures){candidates.row_extent, candidates.tet_extent};
}

// ---- penetrations ----

// Sums up the extents and the tetrahedra without volume of a round, since all tetrahedra are visited anyway.
static void sum_up(search *s, measures *sum)
{
    const snag__blocks *blocks = &s->state->blocks;
    for (uint32_t index = 0; index < SNAG__MAX_TASKS; index++) {
        sum->row_extent += s->measures[index].row_extent;
        sum->tet_extent += s->measures[index].tet_extent;
        for (uint32_t i = 0; i < BLOCKS_OF_A_TASK; i++) {
            uint32_t number = s->first_block + index * BLOCKS_OF_A_TASK + i;
            if (number < blocks->block_count) {
                snag__body *body = s->ask->bodies[blocks->blocks[number].body];
                if (body->zero_volume_pose != body->pose)
                    body->zero_volume_tets += s->zero_volume_tets[index][i];
            }
        }
    }
}

static void start_counting(snag__ask *ask)
{
    for (uint32_t i = 0; i < ask->body_count; i++)
        if (ask->bodies[i]->zero_volume_pose != ask->bodies[i]->pose)
            ask->bodies[i]->zero_volume_tets = 0;
}

static void end_search(snag__ask *ask, struct snag__hash_state *state, const measures *sum)
{
    for (uint32_t i = 0; i < ask->body_count; i++)
        ask->bodies[i]->zero_volume_pose = ask->bodies[i]->pose;
    double compact = sum->row_extent / sum->tet_extent;
    if (state->compact == 0)
        state->compact = compact;
    state->degraded = compact > DEGRADED * state->compact;
    state->searched = true;
}

static snag_status find_penetrations(snag__ask *ask, struct snag__hash_state *state, double share)
{
    search s = {.ask = ask, .state = state, .kernels = snag__hash_kernels_for(ask->isa)};
    measures sum = {0};
    snag_status status = update_blocks(ask, state);
    if (status == SNAG_OK)
        status = fill_grid(ask, state);
    if (status == SNAG_OK)
        status = ask_filter(ask, state, &s.wanted);
    if (state->proves && !ask->def->candidates && !ask->def->collect)
        s.proof_kernels = snag__hash_proof_kernels_for(ask->isa);
    start_counting(ask);
    uint32_t blocks = state->blocks.block_count, round = SNAG__MAX_TASKS * BLOCKS_OF_A_TASK;
    while (status == SNAG_OK && s.first_block < blocks && !ask->stopped) {
        uint32_t left = blocks - s.first_block;
        uint32_t tasks = left < round ? (left + BLOCKS_OF_A_TASK - 1) / BLOCKS_OF_A_TASK : SNAG__MAX_TASKS;
        memset(s.measures, 0, sizeof s.measures);
        status = snag__run_tasks(ask, tasks, run_task, &s);
        if (status != SNAG_OK)
            break;
        sum_up(&s, &sum);
        s.first_block += left < round ? left : round;
        snag__go_on(ask, share * s.first_block / blocks);
    }
    if (status == SNAG_OK && s.first_block == blocks)
        end_search(ask, state, &sum);
    return status;
}

static snag_status find(snag__ask *ask)
{
    struct snag__hash_state *state = state_of(ask);
    if (state == NULL)
        return SNAG_ERROR_MEMORY;
    snag__pass passes[SNAG__MAX_PASSES];
    int pass_count = ask->kind->passes(ask, passes);
    snag_status status = SNAG_OK;
    for (int i = 0; i < pass_count && status == SNAG_OK && !ask->stopped; i++) {
        double done = (double)i / pass_count, share = 1.0 / pass_count;
        if (passes[i].row == SNAG_TET && passes[i].column == SNAG_VERTEX)
            status = find_penetrations(ask, state, share);
        else
            status = snag__hash_boxes_pass(ask, &state->boxes, &passes[i], done, share);
    }
    return status;
}

static snag_status read_options(const snag_method_options *options, snag__question *question, snag__words *message)
{
    const snag_hash_options *own = (const snag_hash_options *)options;
    if (!snag__is_length(own->cell_size))
        return snag__refuse(message, SNAG_ERROR_ARGUMENT, "ask: the cell size must be finite and not negative, not %g",
                            own->cell_size);
    SNAG__ASSERT(question->method == SNAG_METHOD_HASH);
    question->cell_size = own->cell_size;
    question->table_size = own->table_size;
    return SNAG_OK;
}

const snag__method snag__hash = {
    .method = SNAG_METHOD_HASH,
    .questions = 1u << SNAG_INTERSECTIONS | 1u << SNAG_PROXIMITIES | 1u << SNAG_PENETRATIONS | 1u << SNAG_IMPACTS,
    .read_options = read_options,
    .many_candidates = true,
    .thin = true,
    .find = find,
    .free = free_state,
};

// Bodies as ranks own them: what is checked when they are added, seams between ranks, boundaries of volumes, motion.
#include "mpi_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BITS = 63 };

snag_mpi_body_def snag_default_mpi_body_def(void)
{
    return (snag_mpi_body_def){.cookie = MPI_COOKIE_BODY};
}

void body_free(snag_mpi *m, body *b)
{
    elements *all[] = {&b->triangles, &b->vertices, &b->tets, &b->points};
    for (int i = 0; i < 4; i++) {
        mpi_free(m, all[i]->vertices);
        mpi_free(m, all[i]->numbers);
        mpi_free(m, all[i]->faces);
    }
    void *arrays[] = {b->numbers, b->by_number, b->authority, b->shared, b->x_t0, b->x_t1};
    for (int i = 0; i < 6; i++)
        mpi_free(m, arrays[i]);
    *b = (body){.name = ""};
}

uint32_t body_find(const body *b, uint64_t number)
{
    size_t low = 0, high = b->vertex_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->numbers[b->by_number[middle]] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->vertex_count && b->numbers[b->by_number[low]] == number ? b->by_number[low] : UINT32_MAX;
}

// Holds the element at t0 and t1.
void body_box(const body *b, const elements *set, size_t element, double inflate, double lo[3], double hi[3])
{
    const uint32_t *corner = set->vertices + element * set->corners;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
        for (uint32_t i = 0; i < set->corners; i++) {
            lo[k] = fmin(lo[k], fmin(b->x_t0[corner[i]][k], b->x_t1[corner[i]][k]));
            hi[k] = fmax(hi[k], fmax(b->x_t0[corner[i]][k], b->x_t1[corner[i]][k]));
        }
        lo[k] -= inflate;
        hi[k] += inflate;
    }
}

// ---- checks of one rank ----

static void get_position(snag_positions from, size_t i, double x[3])
{
    const char *at = (const char *)from.data + i * from.stride;
    if (from.scalar == SNAG_F64) {
        memcpy(x, at, 3 * sizeof(double));
        return;
    }
    float f[3];
    memcpy(f, at, sizeof f);
    for (int k = 0; k < 3; k++)
        x[k] = f[k];
}

static void check_positions(snag_mpi *m, const char *name, snag_positions positions)
{
    size_t least = 3 * (positions.scalar == SNAG_F64 ? sizeof(double) : sizeof(float));
    if (positions.count > UINT32_MAX - 1)
        mpi_fail(m, SNAG_ERROR_SIZE, "%s: %zu vertices on one rank are too many: at most 2^32 - 2; use more ranks", name,
                 positions.count);
    else if (positions.scalar != SNAG_F32 && positions.scalar != SNAG_F64)
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "%s: positions are neither float nor double", name);
    else if (positions.count > 0 && (positions.data == NULL || positions.stride < least))
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "%s: positions are NULL, or their stride is less than %zu bytes", name, least);
    for (size_t i = 0; i < positions.count && m->status == SNAG_OK; i++) {
        double x[3];
        get_position(positions, i, x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            mpi_fail(m, SNAG_ERROR_NOT_FINITE, "%s: vertex %zu of this rank is not finite", name, i);
    }
}

static void check_elements(snag_mpi *m, const char *name, const char *what, const uint32_t *vertices, const uint64_t *numbers,
                           size_t count, uint64_t total, uint32_t corners, size_t vertex_count)
{
    if (count > 0 && (vertices == NULL || numbers == NULL))
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "%s: %zu %ss, but their vertices or numbers are NULL", name, count, what);
    else if (count > UINT32_MAX / 4 - 1)
        mpi_fail(m, SNAG_ERROR_SIZE, "%s: %zu %ss on one rank are too many; use more ranks", name, count, what);
    else if (total >> NUMBER_BITS != 0)
        mpi_fail(m, SNAG_ERROR_SIZE, "%s: numbers of %ss must be below 2^63", name, what);
    for (size_t i = 0; i < count && m->status == SNAG_OK; i++) {
        if (numbers[i] >= total)
            mpi_fail(m, SNAG_ERROR_INDEX, "%s: %s %zu of this rank has the number %llu, but there are only %llu", name, what, i,
                     (unsigned long long)numbers[i], (unsigned long long)total);
        for (uint32_t k = 0; k < corners && m->status == SNAG_OK; k++)
            if (vertices[i * corners + k] >= vertex_count)
                mpi_fail(m, SNAG_ERROR_INDEX, "%s: %s %llu names vertex %u of this rank, which gives only %zu", name, what,
                         (unsigned long long)numbers[i], vertices[i * corners + k], vertex_count);
    }
}

static void check_def(snag_mpi *m, const snag_mpi_body_def *def, const uint32_t *out, const char *name)
{
    if (def == NULL || out == NULL) {
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "add: def and body must not be NULL");
        return;
    }
    if (def->cookie != MPI_COOKIE_BODY) {
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "add: start from snag_default_mpi_body_def()");
        return;
    }
    if (def->triangle_total > 0 && def->tet_total > 0)
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "%s: triangles and tetrahedra in one body; add them as two bodies", name);
    if (def->positions.count > 0 && def->vertex_numbers == NULL)
        mpi_fail(m, SNAG_ERROR_ARGUMENT, "%s: vertex_numbers is NULL", name);
    check_positions(m, name, def->positions);
    for (size_t i = 0; i < def->positions.count && m->status == SNAG_OK; i++)
        if (def->vertex_numbers[i] >> NUMBER_BITS != 0)
            mpi_fail(m, SNAG_ERROR_SIZE, "%s: vertex %zu of this rank has a number of 2^63 or more", name, i);
    check_elements(m, name, "triangle", def->triangles, def->triangle_numbers, def->triangle_count, def->triangle_total, 3,
                   def->positions.count);
    check_elements(m, name, "tetrahedron", def->tets, def->tet_numbers, def->tet_count, def->tet_total, 4, def->positions.count);
}

// ---- copies ----

static bool copy_elements(snag_mpi *m, elements *to, const uint32_t *vertices, const uint64_t *numbers, size_t count,
                          uint32_t corners)
{
    to->corners = corners;
    to->count = count;
    to->vertices = mpi_take(m, count * corners, sizeof *to->vertices);
    to->numbers = mpi_take(m, count, sizeof *to->numbers);
    if (to->vertices == NULL || to->numbers == NULL)
        return false;
    if (count > 0) {
        memcpy(to->vertices, vertices, count * corners * sizeof *vertices);
        memcpy(to->numbers, numbers, count * sizeof *numbers);
    }
    return true;
}

typedef struct numbered {
    uint64_t number;
    uint32_t vertex, unused;
} numbered;

static int compare_numbered(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void sort_vertices(snag_mpi *m, body *b)
{
    numbered *order = mpi_take(m, b->vertex_count, sizeof *order);
    for (size_t i = 0; order != NULL && i < b->vertex_count; i++)
        order[i] = (numbered){b->numbers[i], (uint32_t)i, 0};
    if (order != NULL)
        qsort(order, b->vertex_count, sizeof *order, compare_numbered);
    for (size_t i = 0; order != NULL && i < b->vertex_count; i++) {
        b->by_number[i] = order[i].vertex;
        if (i > 0 && order[i].number == order[i - 1].number)
            mpi_fail(m, SNAG_ERROR_INDEX, "%s: this rank gives vertex %llu twice", b->name, (unsigned long long)order[i].number);
    }
    mpi_free(m, order);
}

static void copy_body(snag_mpi *m, const snag_mpi_body_def *def, body *b)
{
    size_t n = b->vertex_count = def->positions.count;
    b->volume = def->tet_total > 0;
    b->numbers = mpi_take(m, n, sizeof *b->numbers);
    b->by_number = mpi_take(m, n, sizeof *b->by_number);
    b->authority = mpi_take(m, n, sizeof *b->authority);
    b->x_t0 = mpi_take(m, n, sizeof *b->x_t0);
    b->x_t1 = mpi_take(m, n, sizeof *b->x_t1);
    if (m->status != SNAG_OK || !copy_elements(m, &b->triangles, def->triangles, def->triangle_numbers, def->triangle_count, 3) ||
        !copy_elements(m, &b->tets, def->tets, def->tet_numbers, def->tet_count, 4))
        return;
    for (size_t i = 0; i < n; i++) {
        b->numbers[i] = def->vertex_numbers[i];
        b->authority[i] = m->rank;
        get_position(def->positions, i, b->x_t0[i]);
        memcpy(b->x_t1[i], b->x_t0[i], sizeof b->x_t1[i]);
    }
    sort_vertices(m, b);
}

// ---- every element once over all ranks ----

// Numbers are dealt out to ranks in blocks.
static uint64_t block_of(const snag_mpi *m, uint64_t total)
{
    return total / (uint64_t)m->size + 1;
}

static snag_status check_owned_once(snag_mpi *m, const body *b, const elements *set, uint64_t total, const char *what)
{
    uint64_t block = block_of(m, total), first = block * (uint64_t)m->rank;
    uint64_t mine = first >= total ? 0 : total - first < block ? total - first : block;
    int32_t *to = mpi_take(m, set->count, sizeof *to);
    for (size_t i = 0; to != NULL && i < set->count; i++)
        to[i] = (int32_t)(set->numbers[i] / block);
    arrivals got;
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK)
        status = mpi_exchange(m, set->numbers, to, set->count, sizeof *set->numbers, &got);
    mpi_free(m, to);
    if (status != SNAG_OK)
        return status;
    int32_t *giver = mpi_take(m, mine, sizeof *giver);
    const uint64_t *numbers = (const uint64_t *)got.data;
    for (int source = 0; giver != NULL && source < m->size; source++)
        for (size_t i = got.first[source]; i < got.first[source + 1]; i++) {
            int32_t *by = &giver[numbers[i] - first];
            if (*by != 0)
                mpi_fail(m, SNAG_ERROR_INDEX, "%s: %s %llu is given twice, by ranks %d and %d; exactly one rank owns an element",
                         b->name, what, (unsigned long long)numbers[i], *by - 1, source);
            *by = source + 1;
        }
    for (uint64_t i = 0; giver != NULL && i < mine && m->status == SNAG_OK; i++)
        if (giver[i] == 0)
            mpi_fail(m, SNAG_ERROR_INDEX, "%s: no rank gives %s %llu", b->name, what, (unsigned long long)(first + i));
    mpi_free(m, giver);
    mpi_arrivals_free(m, &got);
    return mpi_settle(m);
}

// ---- seams: vertices that several ranks give ----

typedef struct claim {
    uint64_t number;
    double x[3];
    int32_t rank;
    int32_t other;  // in replies: the authority, or to the authority itself a rank that shares the vertex
} claim;

static int compare_claims(const void *a, const void *b)
{
    const claim *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int32_t home_of(const snag_mpi *m, uint64_t number)
{
    return (int32_t)(mpi_hash(0, &number, sizeof number) % (uint64_t)m->size);
}

// Answers the claims that came to this rank: who else has a vertex.
static void answer_claims(snag_mpi *m, const body *b, arrivals *got, outbox *replies)
{
    claim *claims = (claim *)got->data;
    qsort(claims, got->count, sizeof *claims, compare_claims);
    for (size_t i = 0, end; i < got->count && m->status == SNAG_OK; i = end) {
        for (end = i + 1; end < got->count && claims[end].number == claims[i].number; end++) {
            if (memcmp(claims[end].x, claims[i].x, sizeof claims[i].x) != 0)
                mpi_fail(m, SNAG_ERROR_MISMATCH, "%s: ranks %d and %d give vertex %llu at different positions", b->name,
                         claims[i].rank, claims[end].rank, (unsigned long long)claims[i].number);
            claim to_authority = claims[i], to_other = claims[end];
            to_authority.other = claims[end].rank;
            to_other.other = claims[i].rank;
            mpi_post(m, replies, claims[i].rank, &to_authority);
            mpi_post(m, replies, claims[end].rank, &to_other);
        }
    }
}

static void note_seams(snag_mpi *m, body *b, const arrivals *got)
{
    const claim *claims = (const claim *)got->data;
    size_t capacity = 0;
    for (size_t i = 0; i < got->count; i++) {
        uint32_t v = body_find(b, claims[i].number);
        if (claims[i].other < m->rank) {
            b->authority[v] = claims[i].other;
            continue;
        }
        if (!mpi_grow(m, &b->shared, &capacity, b->shared_count + 1, sizeof *b->shared))
            return;
        b->shared[b->shared_count++] = (shared_vertex){v, claims[i].other};
    }
}

static snag_status find_seams(snag_mpi *m, body *b)
{
    outbox box = {.size = sizeof(claim)};
    for (size_t i = 0; i < b->vertex_count; i++) {
        claim mine = {.number = b->numbers[i], .rank = m->rank};
        memcpy(mine.x, b->x_t1[i], sizeof mine.x);
        if (!mpi_post(m, &box, home_of(m, b->numbers[i]), &mine))
            break;
    }
    arrivals got;
    snag_status status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    answer_claims(m, b, &got, &box);
    mpi_arrivals_free(m, &got);
    status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    note_seams(m, b, &got);
    mpi_arrivals_free(m, &got);
    return mpi_settle(m);
}

// The copies of a vertex must agree: the others show theirs to the authority.
static snag_status check_copies(snag_mpi *m, const body *b, snag_positions now)
{
    outbox box = {.size = sizeof(claim)};
    for (size_t i = 0; i < b->vertex_count; i++) {
        if (b->authority[i] == m->rank)
            continue;
        claim mine = {.number = b->numbers[i], .rank = m->rank};
        get_position(now, i, mine.x);
        if (!mpi_post(m, &box, b->authority[i], &mine))
            break;
    }
    arrivals got;
    snag_status status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    const claim *claims = (const claim *)got.data;
    for (size_t i = 0; i < got.count; i++) {
        double x[3];
        get_position(now, body_find(b, claims[i].number), x);
        if (memcmp(x, claims[i].x, sizeof x) != 0)
            mpi_fail(m, SNAG_ERROR_MISMATCH, "%s: ranks %d and %d move vertex %llu to different positions", b->name, m->rank,
                     claims[i].rank, (unsigned long long)claims[i].number);
    }
    mpi_arrivals_free(m, &got);
    return mpi_settle(m);
}

// ---- boundaries of volumes ----

typedef struct face {
    uint64_t vertex[3];  // sorted
    uint32_t tet, side;  // local; side: the corner opposite to it
    int32_t rank, unused;
} face;

static int compare_faces(const void *a, const void *b)
{
    return memcmp(((const face *)a)->vertex, ((const face *)b)->vertex, sizeof(uint64_t[3]));
}

static bool repeats(const uint32_t *v)
{
    return v[0] == v[1] || v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3] || v[2] == v[3];
}

static face face_of(const body *b, int rank, size_t tet, uint32_t side)
{
    face made = {.tet = (uint32_t)tet, .side = side, .rank = rank};
    uint64_t *v = made.vertex;
    for (uint32_t i = 0, n = 0; i < 4; i++)
        if (i != side)
            v[n++] = b->numbers[b->tets.vertices[4 * tet + i]];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (v[k] > v[k + 1]) {
                uint64_t swap = v[k];
                v[k] = v[k + 1];
                v[k + 1] = swap;
            }
    return made;
}

// Faces that only one tetrahedron of all ranks has: sets bits in tets.faces.
static snag_status find_boundary(snag_mpi *m, body *b)
{
    outbox box = {.size = sizeof(face)};
    b->tets.faces = mpi_take(m, b->tets.count, 1);
    for (size_t i = 0; i < b->tets.count && m->status == SNAG_OK; i++)
        for (uint32_t side = 0; side < 4 && !repeats(b->tets.vertices + 4 * i); side++) {
            face f = face_of(b, m->rank, i, side);
            mpi_post(m, &box, (int32_t)(mpi_hash(0, f.vertex, sizeof f.vertex) % (uint64_t)m->size), &f);
        }
    arrivals got;
    snag_status status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    face *faces = (face *)got.data;
    qsort(faces, got.count, sizeof *faces, compare_faces);
    for (size_t i = 0; i < got.count; i++) {
        bool before = i > 0 && compare_faces(&faces[i - 1], &faces[i]) == 0;
        bool after = i + 1 < got.count && compare_faces(&faces[i + 1], &faces[i]) == 0;
        if (!before && !after)
            mpi_post(m, &box, faces[i].rank, &faces[i]);
    }
    mpi_arrivals_free(m, &got);
    status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    for (size_t i = 0; i < got.count; i++) {
        const face *f = (const face *)got.data + i;
        b->tets.faces[f->tet] |= (uint8_t)(1u << f->side);
    }
    mpi_arrivals_free(m, &got);
    return SNAG_OK;
}

typedef struct boundary_count {
    uint64_t number, first;
    uint32_t tet, count;
    int32_t rank, unused;
} boundary_count;

// The number of each tetrahedron's first boundary triangle, over all ranks in the order of tetrahedra.
static snag_status number_boundary(snag_mpi *m, const body *b, uint64_t total, uint64_t *first_of)
{
    uint64_t block = block_of(m, total), first = block * (uint64_t)m->rank, sum = 0, before = 0;
    outbox box = {.size = sizeof(boundary_count)};
    for (size_t i = 0; i < b->tets.count && m->status == SNAG_OK; i++) {
        boundary_count mine = {b->tets.numbers[i], 0, (uint32_t)i, (uint32_t)__builtin_popcount(b->tets.faces[i]), m->rank, 0};
        mpi_post(m, &box, (int32_t)(mine.number / block), &mine);
    }
    arrivals got;
    snag_status status = mpi_deliver(m, &box, &got);
    if (status != SNAG_OK)
        return status;
    boundary_count *counts = (boundary_count *)got.data;
    uint64_t *starts = mpi_take(m, block + 1, sizeof *starts);
    status = mpi_settle(m);
    if (status != SNAG_OK) {
        mpi_free(m, starts);
        mpi_arrivals_free(m, &got);
        return status;
    }
    for (size_t i = 0; i < got.count; i++) {
        starts[counts[i].number - first + 1] = counts[i].count;
        sum += counts[i].count;
    }
    for (uint64_t i = 0; i < block; i++)
        starts[i + 1] += starts[i];
    MPI_Exscan(&sum, &before, 1, MPI_UINT64_T, MPI_SUM, m->comm);
    for (size_t i = 0; i < got.count; i++) {
        counts[i].first = (m->rank > 0 ? before : 0) + starts[counts[i].number - first];
        mpi_post(m, &box, counts[i].rank, &counts[i]);
    }
    mpi_free(m, starts);
    mpi_arrivals_free(m, &got);
    status = mpi_deliver(m, &box, &got);
    for (size_t i = 0; i < got.count && status == SNAG_OK; i++)
        first_of[((const boundary_count *)got.data)[i].tet] = ((const boundary_count *)got.data)[i].first;
    if (status == SNAG_OK)
        mpi_arrivals_free(m, &got);
    return status;
}

static uint32_t side_of(const uint32_t *tet, const uint32_t *triangle)
{
    for (uint32_t i = 0; i < 4; i++)
        if (tet[i] != triangle[0] && tet[i] != triangle[1] && tet[i] != triangle[2])
            return i;
    return 0;
}

// Takes the triangles of the boundary from a world of this rank's tetrahedra: it turns them outward as the whole body's would.
static void take_boundary(snag_mpi *m, body *b, const uint64_t *first_of, snag_world *world, snag_body_id id)
{
    snag_body_info info;
    size_t count = 0;
    uint64_t next = 0;
    snag_world_body(world, id, &info);
    for (size_t i = 0; i < b->tets.count; i++)
        count += (size_t)__builtin_popcount(b->tets.faces[i]);
    elements *to = &b->triangles;
    mpi_free(m, to->vertices);
    mpi_free(m, to->numbers);
    to->vertices = mpi_take(m, 3 * count, sizeof *to->vertices);
    to->numbers = mpi_take(m, count, sizeof *to->numbers);
    to->count = 0;
    for (size_t i = 0; i < info.triangle_count && m->status == SNAG_OK; i++) {
        uint32_t tet = info.triangle_faces[i];
        if (i == 0 || info.triangle_faces[i - 1] != tet)
            next = first_of[tet];
        if (!(b->tets.faces[tet] >> side_of(b->tets.vertices + 4 * (size_t)tet, info.triangles + 3 * i) & 1))
            continue;
        memcpy(to->vertices + 3 * to->count, info.triangles + 3 * i, 3 * sizeof *to->vertices);
        to->numbers[to->count++] = next++;
    }
}

static snag_status make_boundary(snag_mpi *m, body *b, uint64_t total)
{
    snag_status status = find_boundary(m, b);
    uint64_t *first_of = mpi_take(m, b->tets.count, sizeof *first_of);
    if (status == SNAG_OK)
        status = mpi_settle(m);
    if (status == SNAG_OK)
        status = number_boundary(m, b, total, first_of);
    if (status == SNAG_OK) {
        snag_world_def wd = snag_default_world_def();
        snag_body_def def = snag_default_body_def();
        snag_world *world = NULL;
        snag_body_id id;
        wd.threads = 1;
        wd.allocator = m->def.allocator;
        def.positions = snag_positions_f64((const double *)b->x_t1, b->vertex_count);
        def.tets = b->tets.vertices;
        def.tet_count = b->tets.count;
        snag_status made = snag_world_create(&wd, &world);
        if (made == SNAG_OK)
            made = snag_world_add(world, &def, &id);
        if (made == SNAG_OK)
            take_boundary(m, b, first_of, world, id);
        else
            mpi_fail(m, made, "%s: %s", b->name, world != NULL ? snag_world_message(world) : snag_status_name(made));
        snag_world_destroy(world);
        status = mpi_settle(m);
    }
    mpi_free(m, first_of);
    return status;
}

// ---- adding ----

static void make_points(snag_mpi *m, body *b)
{
    elements *points = &b->points;
    points->corners = 1;
    points->vertices = mpi_take(m, b->vertex_count, sizeof *points->vertices);
    points->numbers = mpi_take(m, b->vertex_count, sizeof *points->numbers);
    for (size_t i = 0; i < b->vertex_count && m->status == SNAG_OK; i++)
        if (b->authority[i] == m->rank) {
            points->vertices[points->count] = (uint32_t)i;
            points->numbers[points->count++] = b->numbers[i];
        }
}

// The boundary triangles of a volume, and a triangle with three equal corners for each vertex that is in none of them on this rank.
static void make_vertices(snag_mpi *m, body *b)
{
    elements *to = &b->vertices;
    size_t count = b->triangles.count;
    uint8_t *seen = mpi_take(m, b->vertex_count, 1);
    to->corners = 3;
    to->vertices = mpi_take(m, 3 * (count + b->vertex_count), sizeof *to->vertices);
    to->numbers = mpi_take(m, count + b->vertex_count, sizeof *to->numbers);
    if (m->status == SNAG_OK) {
        memcpy(to->vertices, b->triangles.vertices, 3 * count * sizeof *to->vertices);
        memcpy(to->numbers, b->triangles.numbers, count * sizeof *to->numbers);
        for (size_t i = 0; i < 3 * count; i++)
            seen[b->triangles.vertices[i]] = 1;
        for (size_t i = 0; i < 4 * b->tets.count; i++) {
            uint32_t v = b->tets.vertices[i];
            if (seen[v] || b->authority[v] != m->rank)
                continue;
            seen[v] = 1;
            to->vertices[3 * count] = to->vertices[3 * count + 1] = to->vertices[3 * count + 2] = v;
            to->numbers[count++] = VERTEX_NUMBER(b->numbers[v]);
        }
        to->count = count;
    }
    mpi_free(m, seen);
}

static snag_status build_body(snag_mpi *m, const snag_mpi_body_def *def, body *b)
{
    copy_body(m, def, b);
    snag_status status = mpi_settle(m);
    if (status == SNAG_OK)
        status = check_owned_once(m, b, &b->triangles, def->triangle_total, "triangle");
    if (status == SNAG_OK)
        status = check_owned_once(m, b, &b->tets, def->tet_total, "tetrahedron");
    if (status == SNAG_OK)
        status = find_seams(m, b);
    if (status == SNAG_OK && b->volume)
        status = make_boundary(m, b, def->tet_total);
    if (status == SNAG_OK && b->volume) {
        make_vertices(m, b);
        status = mpi_settle(m);
    }
    bool cloud = def->triangle_total == 0 && def->tet_total == 0;
    if (status == SNAG_OK && cloud) {
        make_points(m, b);
        status = mpi_settle(m);
    }
    b->sets[SURFACES] = cloud ? b->points : b->triangles;
    b->sets[VERTICES] = b->volume ? b->vertices : b->sets[SURFACES];
    b->sets[SOLIDS] = b->volume ? b->tets : b->sets[SURFACES];
    return status;
}

static void drop_layouts(snag_mpi *m)
{
    for (int i = 0; i < ELEMENT_SETS; i++) {
        layout_free(m, &m->layouts[i]);
        layout_free(m, &m->whole[i]);
    }
    m->whole_pair_count = 0;
}

snag_status snag_mpi_add(snag_mpi *m, const snag_mpi_body_def *def, uint32_t *out)
{
    if (m == NULL)
        return SNAG_ERROR_ARGUMENT;
    body made = {.name = ""};
    bool named = def != NULL && def->cookie == MPI_COOKIE_BODY && def->name != NULL;
    if (named)
        snprintf(made.name, sizeof made.name, "%s", def->name);
    else
        snprintf(made.name, sizeof made.name, "body %u", m->body_count);
    check_def(m, def, out, made.name);
    uint64_t what = 0;
    if (m->status == SNAG_OK) {
        what = mpi_hash(what, made.name, strlen(made.name));
        what = mpi_hash(what, &def->triangle_total, sizeof def->triangle_total);
        what = mpi_hash(what, &def->tet_total, sizeof def->tet_total);
    }
    snag_status status = mpi_begin(m, "snag_mpi_add", what, "names or totals of the body differ");
    if (status == SNAG_OK)
        status = build_body(m, def, &made);
    size_t capacity = m->body_capacity;
    if (status == SNAG_OK) {
        mpi_grow(m, &m->bodies, &capacity, m->body_count + 1u, sizeof *m->bodies);
        m->body_capacity = (uint32_t)capacity;
        status = mpi_settle(m);
    }
    if (status != SNAG_OK) {
        body_free(m, &made);
        return status;
    }
    drop_layouts(m);
    *out = m->body_count;
    m->bodies[m->body_count++] = made;
    return SNAG_OK;
}

// ---- motion ----

snag_status snag_mpi_begin_step(snag_mpi *m)
{
    if (m == NULL)
        return SNAG_ERROR_ARGUMENT;
    snag_status status = mpi_begin(m, "snag_mpi_begin_step", 0, "");
    if (status != SNAG_OK)
        return status;
    for (uint32_t i = 0; i < m->body_count; i++) {
        body *b = &m->bodies[i];
        if (b->moved && b->vertex_count > 0)
            memcpy(b->x_t0, b->x_t1, b->vertex_count * sizeof *b->x_t0);
        b->moved = false;
    }
    for (int i = 0; i < ELEMENT_SETS; i++) {
        layout_begin_step(m, &m->layouts[i]);
        layout_begin_step(m, &m->whole[i]);
    }
    return SNAG_OK;
}

static snag_status set_positions(snag_mpi *m, const char *call, uint32_t index, snag_positions to, bool teleport)
{
    if (m == NULL)
        return SNAG_ERROR_ARGUMENT;
    body *b = index < m->body_count ? &m->bodies[index] : NULL;
    if (b == NULL)
        mpi_fail(m, SNAG_ERROR_BODY, "there is no body %u; there are %u", index, m->body_count);
    else if (to.count != b->vertex_count)
        mpi_fail(m, SNAG_ERROR_MISMATCH, "%s: %zu positions, but this rank gave %zu vertices", b->name, to.count, b->vertex_count);
    else
        check_positions(m, b->name, to);
    uint64_t what = index;
    snag_status status = mpi_begin(m, call, what, "they move different bodies");
    if (status == SNAG_OK)
        status = check_copies(m, b, to);
    if (status != SNAG_OK)
        return status;
    double farthest = 0;
    for (size_t i = 0; i < b->vertex_count; i++) {
        double x[3];
        get_position(to, i, x);
        for (int k = 0; k < 3; k++)
            farthest = fmax(farthest, fabs(x[k] - b->x_t1[i][k]));
        memcpy(b->x_t1[i], x, sizeof x);
        if (teleport)
            memcpy(b->x_t0[i], x, sizeof x);
    }
    b->moved = b->moved || !teleport;
    for (int i = 0; i < ELEMENT_SETS; i++) {
        layout_move(m, &m->layouts[i], index, teleport, farthest);
        layout_move(m, &m->whole[i], index, teleport, farthest);
    }
    return SNAG_OK;
}

snag_status snag_mpi_move(snag_mpi *m, uint32_t index, snag_positions t1)
{
    return set_positions(m, "snag_mpi_move", index, t1, false);
}

snag_status snag_mpi_teleport(snag_mpi *m, uint32_t index, snag_positions both)
{
    return set_positions(m, "snag_mpi_teleport", index, both, true);
}

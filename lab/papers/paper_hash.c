#include "paper_hash.h"

#include <math.h>
#include <stdlib.h>

typedef struct box {
    double lo[3], hi[3];
} box;

// A cell of the table has a chain of items if its time stamp is that of the current step.
typedef struct table_cell {
    uint32_t stamp, head;
} table_cell;

typedef struct chain_link {
    uint32_t item, next;
} chain_link;

struct paper_hash {
    double cell;
    uint32_t table_size, stamp;
    table_cell *table;
    chain_link *links;
    size_t link_count, link_capacity;
    box *boxes;
    uint32_t *owners;  // one pass, once: by vertex
    uint64_t *keys;  // likewise: by link, the cell that it is for
    size_t key_capacity;
    paper_pair *pairs;
    size_t pair_count, pair_capacity;
    bool failed;
};

enum { END = UINT32_MAX };

// ---- parameters (sections 4.2 and 4.3) ----

static double distance(const double a[3], const double b[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

double paper_mean_edge(const paper_mesh *mesh)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->tet_count; t++)
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++)
                sum += distance(mesh->x[mesh->tets[t][i]], mesh->x[mesh->tets[t][j]]);
    return mesh->tet_count > 0 ? sum / (6 * (double)mesh->tet_count) : 1;
}

static bool is_prime(uint32_t n)
{
    for (uint32_t d = 2; (uint64_t)d * d <= n; d++)
        if (n % d == 0)
            return false;
    return n > 1;
}

static uint32_t prime_above(size_t n)
{
    uint32_t prime = (uint32_t)n + 1;
    while (!is_prime(prime))
        prime++;
    return prime;
}

paper_hash *paper_hash_new(const paper_mesh *mesh, double cell, uint32_t table_size)
{
    paper_hash *hash = calloc(1, sizeof *hash);
    if (!hash)
        return NULL;
    hash->cell = cell > 0 ? cell : paper_mean_edge(mesh);
    hash->table_size = table_size > 0 ? table_size : prime_above(2 * mesh->vertex_count);
    hash->table = calloc(hash->table_size, sizeof *hash->table);
    hash->boxes = malloc((mesh->tet_count + 1) * sizeof *hash->boxes);
    if (!hash->table || !hash->boxes) {
        paper_hash_free(hash);
        return NULL;
    }
    return hash;
}

void paper_hash_free(paper_hash *hash)
{
    if (!hash)
        return;
    free(hash->table);
    free(hash->links);
    free(hash->boxes);
    free(hash->owners);
    free(hash->keys);
    free(hash->pairs);
    free(hash);
}

// ---- table ----

static int32_t cell_of(const paper_hash *hash, double x)
{
    return (int32_t)floor(x / hash->cell);
}

static table_cell *find_cell(const paper_hash *hash, int32_t x, int32_t y, int32_t z)
{
    uint32_t h = ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u) % hash->table_size;
    return &hash->table[h];
}

static void *grow(void *items, size_t *capacity, size_t size)
{
    size_t wanted = *capacity > 0 ? 2 * *capacity : 4096;
    void *grown = realloc(items, wanted * size);
    if (grown)
        *capacity = wanted;
    return grown;
}

static void append(paper_hash *hash, table_cell *cell, uint32_t item)
{
    if (hash->link_count == hash->link_capacity) {
        chain_link *grown = grow(hash->links, &hash->link_capacity, sizeof *grown);
        if (!grown) {
            hash->failed = true;
            return;
        }
        hash->links = grown;
    }
    if (cell->stamp != hash->stamp)
        *cell = (table_cell){hash->stamp, END};
    hash->links[hash->link_count] = (chain_link){item, cell->head};
    cell->head = (uint32_t)hash->link_count++;
}

static void report(paper_hash *hash, uint32_t vertex, uint32_t tet)
{
    if (hash->pair_count == hash->pair_capacity) {
        paper_pair *grown = grow(hash->pairs, &hash->pair_capacity, sizeof *grown);
        if (!grown) {
            hash->failed = true;
            return;
        }
        hash->pairs = grown;
    }
    hash->pairs[hash->pair_count++] = (paper_pair){vertex, tet};
}

// ---- intersection tests (section 4.4) ----

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static bool is_inside_barycentric(const double p[3], const double *const x[4])
{
    double a[3][3], q[3];
    for (int i = 0; i < 3; i++)
        subtract(x[i + 1], x[0], a[i]);
    subtract(p, x[0], q);
    double whole = determinant(a[0], a[1], a[2]);
    double b1 = determinant(q, a[1], a[2]) / whole, b2 = determinant(a[0], q, a[2]) / whole;
    double b3 = determinant(a[0], a[1], q) / whole;
    return b1 >= 0 && b2 >= 0 && b3 >= 0 && b1 + b2 + b3 <= 1;
}

// The faces of a tetrahedron of positive volume, oriented so that its inside is their positive half-space.
static const int faces[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};

static bool is_inside_half_spaces(const double p[3], const double *const x[4])
{
    for (int i = 0; i < 4; i++) {
        const double *origin = x[faces[i][0]];
        double a[3], b[3], q[3];
        subtract(x[faces[i][1]], origin, a);
        subtract(x[faces[i][2]], origin, b);
        subtract(p, origin, q);
        if (determinant(a, b, q) < 0)
            return false;
    }
    return true;
}

static bool is_inside_box(const double p[3], const box *b)
{
    for (int k = 0; k < 3; k++)
        if (p[k] < b->lo[k] || p[k] > b->hi[k])
            return false;
    return true;
}

static void test(paper_hash *hash, const paper_mesh *mesh, paper_variant variant, uint32_t v, uint32_t t)
{
    const uint32_t *corners = mesh->tets[t];
    if (v == corners[0] || v == corners[1] || v == corners[2] || v == corners[3] || !is_inside_box(mesh->x[v], &hash->boxes[t]))
        return;
    const double *x[4] = {mesh->x[corners[0]], mesh->x[corners[1]], mesh->x[corners[2]], mesh->x[corners[3]]};
    bool inside = variant == PAPER_HALF_SPACES ? is_inside_half_spaces(mesh->x[v], x) : is_inside_barycentric(mesh->x[v], x);
    if (inside)
        report(hash, v, t);
}

// ---- passes (section 3) ----

static void hash_vertices(paper_hash *hash, const paper_mesh *mesh)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *x = mesh->x[v];
        append(hash, find_cell(hash, cell_of(hash, x[0]), cell_of(hash, x[1]), cell_of(hash, x[2])), (uint32_t)v);
    }
}

static void find_boxes(paper_hash *hash, const paper_mesh *mesh)
{
    for (size_t t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 3; k++) {
            double lo = mesh->x[mesh->tets[t][0]][k], hi = lo;
            for (int i = 1; i < 4; i++) {
                lo = fmin(lo, mesh->x[mesh->tets[t][i]][k]);
                hi = fmax(hi, mesh->x[mesh->tets[t][i]][k]);
            }
            hash->boxes[t].lo[k] = lo;
            hash->boxes[t].hi[k] = hi;
        }
}

// Tests the vertices of each tetrahedron against the other.
static void test_tets(paper_hash *hash, const paper_mesh *mesh, uint32_t s, uint32_t t)
{
    for (int i = 0; i < 4; i++) {
        test(hash, mesh, PAPER_BARYCENTRIC, mesh->tets[s][i], t);
        test(hash, mesh, PAPER_BARYCENTRIC, mesh->tets[t][i], s);
    }
}

// ---- one pass, each pair once ----

// By vertex the tetrahedron that stands for it: the first that has it.
static bool find_owners(paper_hash *hash, const paper_mesh *mesh)
{
    if (hash->owners)
        return true;
    hash->owners = malloc((mesh->vertex_count + 1) * sizeof *hash->owners);
    for (size_t v = 0; v < mesh->vertex_count && hash->owners; v++)
        hash->owners[v] = END;
    for (size_t t = 0; t < mesh->tet_count && hash->owners; t++)
        for (int i = 0; i < 4; i++)
            if (hash->owners[mesh->tets[t][i]] == END)
                hash->owners[mesh->tets[t][i]] = (uint32_t)t;
    return hash->owners != NULL;
}

static uint64_t cell_key(const int32_t at[3])
{
    enum { BITS = 21 };
    const uint64_t mask = (1u << BITS) - 1;
    return ((uint64_t)(uint32_t)at[0] & mask) << 2 * BITS | ((uint64_t)(uint32_t)at[1] & mask) << BITS |
           ((uint64_t)(uint32_t)at[2] & mask);
}

// Two boxes share a range of cells: they are tested in its lowest one.
static uint64_t first_shared_cell(const paper_hash *hash, uint32_t s, uint32_t t)
{
    int32_t at[3];
    for (int k = 0; k < 3; k++) {
        int32_t a = cell_of(hash, hash->boxes[s].lo[k]), b = cell_of(hash, hash->boxes[t].lo[k]);
        at[k] = a > b ? a : b;
    }
    return cell_key(at);
}

static void test_owned(paper_hash *hash, const paper_mesh *mesh, uint32_t s, uint32_t t)
{
    for (int i = 0; i < 4; i++) {
        uint32_t v = mesh->tets[s][i], w = mesh->tets[t][i];
        if (hash->owners[v] == s)
            test(hash, mesh, PAPER_BARYCENTRIC, v, t);
        if (hash->owners[w] == t)
            test(hash, mesh, PAPER_BARYCENTRIC, w, s);
    }
}

static bool keep_key(paper_hash *hash, size_t link, uint64_t key)
{
    if (link >= hash->key_capacity) {
        uint64_t *grown = realloc(hash->keys, hash->link_capacity * sizeof *grown);
        if (!grown)
            return false;
        hash->keys = grown;
        hash->key_capacity = hash->link_capacity;
    }
    hash->keys[link] = key;
    return true;
}

static void visit_cell_once(paper_hash *hash, const paper_mesh *mesh, table_cell *cell, const int32_t at[3], uint32_t t)
{
    uint64_t key = cell_key(at);
    if (cell->stamp == hash->stamp)
        for (uint32_t link = cell->head; link != END && !hash->failed; link = hash->links[link].next) {
            uint32_t s = hash->links[link].item;
            if (hash->keys[link] == key && first_shared_cell(hash, s, t) == key)
                test_owned(hash, mesh, s, t);
        }
    append(hash, cell, t);
    if (!hash->failed && !keep_key(hash, hash->link_count - 1, key))
        hash->failed = true;
}

static void visit_cell(paper_hash *hash, const paper_mesh *mesh, paper_variant variant, table_cell *cell, uint32_t t)
{
    if (cell->stamp == hash->stamp)
        for (uint32_t link = cell->head; link != END && !hash->failed; link = hash->links[link].next) {
            if (variant == PAPER_ONE_PASS)
                test_tets(hash, mesh, hash->links[link].item, t);
            else
                test(hash, mesh, variant, hash->links[link].item, t);
        }
    if (variant == PAPER_ONE_PASS)
        append(hash, cell, t);
}

static void hash_tets(paper_hash *hash, const paper_mesh *mesh, paper_variant variant)
{
    for (size_t t = 0; t < mesh->tet_count; t++) {
        int32_t first[3], last[3];
        for (int k = 0; k < 3; k++) {
            first[k] = cell_of(hash, hash->boxes[t].lo[k]);
            last[k] = cell_of(hash, hash->boxes[t].hi[k]);
        }
        for (int32_t x = first[0]; x <= last[0]; x++)
            for (int32_t y = first[1]; y <= last[1]; y++)
                for (int32_t z = first[2]; z <= last[2]; z++) {
                    if (variant == PAPER_ONE_PASS_ONCE)
                        visit_cell_once(hash, mesh, find_cell(hash, x, y, z), (const int32_t[3]){x, y, z}, (uint32_t)t);
                    else
                        visit_cell(hash, mesh, variant, find_cell(hash, x, y, z), (uint32_t)t);
                }
    }
}

bool paper_hash_step(paper_hash *hash, const paper_mesh *mesh, paper_variant variant, const paper_pair **pairs, size_t *count)
{
    hash->stamp++;
    hash->link_count = hash->pair_count = 0;
    hash->failed = false;
    if (variant == PAPER_ONE_PASS_ONCE && !find_owners(hash, mesh))
        return false;
    if (variant < PAPER_ONE_PASS)
        hash_vertices(hash, mesh);
    find_boxes(hash, mesh);
    hash_tets(hash, mesh, variant);
    *pairs = hash->pairs;
    *count = hash->pair_count;
    return !hash->failed;
}

static int by_pair(const void *a, const void *b)
{
    const paper_pair *x = a, *y = b;
    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    return (x->tet > y->tet) - (x->tet < y->tet);
}

size_t paper_pairs_sort(paper_pair *pairs, size_t count)
{
    qsort(pairs, count, sizeof *pairs, by_pair);
    size_t kept = count > 0;
    for (size_t i = 1; i < count; i++)
        if (by_pair(&pairs[i], &pairs[kept - 1]) != 0)
            pairs[kept++] = pairs[i];
    return kept;
}

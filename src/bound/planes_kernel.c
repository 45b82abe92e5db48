// Wide kernels of planes.h.
#include "bound/plane_math.h"
#include "bound/planes.h"

// ---- records ----

static void fill(const snag__mesh *mesh, const uint32_t (*triangles)[3], uint32_t first_vertex, const double centre[3],
                 size_t count, snag__plane_record *records)
{
    for (size_t i = 0; i < count; i += SNAG__WD) {
        size_t lanes = count - i < SNAG__WD ? count - i : SNAG__WD;
        double transposed[3][3][SNAG__WD], planes[4][SNAG__WD];
        for (size_t lane = 0; lane < SNAG__WD; lane++) {
            const uint32_t *vertex = triangles[i + (lane < lanes ? lane : 0)];
            for (int c = 0; c < 3; c++)
                for (int axis = 0; axis < 3; axis++)
                    transposed[c][axis][lane] = mesh->x_t1[vertex[c]][axis] - centre[axis];
        }
        snag__f64w corner[3], u[3], v[3], n[3], d;
        for (int axis = 0; axis < 3; axis++) {
            corner[axis] = snag__f64w_load(transposed[0][axis]);
            u[axis] = snag__f64w_load(transposed[1][axis]) - corner[axis];
            v[axis] = snag__f64w_load(transposed[2][axis]) - corner[axis];
        }
        snag__find_planes(u, v, corner, n, &d);
        for (int axis = 0; axis < 3; axis++)
            snag__f64w_store(planes[axis], n[axis]);
        snag__f64w_store(planes[3], d);
        for (size_t lane = 0; lane < lanes; lane++) {
            snag__plane_record *record = &records[i + lane];
            for (int c = 0; c < 3; c++) {
                record->x[c] = (float)transposed[c][0][lane];
                record->y[c] = (float)transposed[c][1][lane];
                record->z[c] = (float)transposed[c][2][lane];
                record->vertex[c] = first_vertex + triangles[i + lane][c];
            }
            record->x[3] = (float)planes[0][lane];
            record->y[3] = (float)planes[1][lane];
            record->z[3] = (float)planes[2][lane];
            record->d = (float)planes[3][lane];
        }
    }
}

// ---- the test ----

// Two records side by side, whatever the instruction set: lanes 0..3 are the columns of a, lanes 4..7 those of b.
typedef float both __attribute__((vector_size(32)));
typedef int32_t both_mask __attribute__((vector_size(32)));
typedef float quad __attribute__((vector_size(16)));

static inline both side_by_side(const float *a, const float *b)
{
    quad x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Column 3 of b for the lanes of a, and of a for those of b: each corner meets the other's plane.
static inline both planes_of_the_other(both x)
{
    return __builtin_shufflevector(x, x, 7, 7, 7, 7, 3, 3, 3, 3);
}

static inline uint32_t bits_of(both_mask mask)
{
#if SNAG__W >= 8
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif SNAG__W == 4 && defined(__SSE4_1__)
    __m128 halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (uint32_t)_mm_movemask_ps(halves[0]) | (uint32_t)_mm_movemask_ps(halves[1]) << 4;
#else
    uint32_t bits = 0;
    for (int i = 0; i < 8; i++)
        bits |= ((uint32_t)mask[i] & 1u) << i;
    return bits;
#endif
}

// Lanes of corners that are vertices of the other triangle too.
static inline both_mask shared_corners(both numbers)
{
    both_mask v;
    memcpy(&v, &numbers, sizeof v);
    return (v == __builtin_shufflevector(v, v, 4, 4, 4, 4, 0, 0, 0, 0)) |
           (v == __builtin_shufflevector(v, v, 5, 5, 5, 5, 1, 1, 1, 1)) |
           (v == __builtin_shufflevector(v, v, 6, 6, 6, 6, 2, 2, 2, 2));
}

// All corners of a, or all of b.
static inline uint32_t has_all_corners(uint32_t bits)
{
    return (uint32_t)((bits & 0x07u) == 0x07u) | (uint32_t)((bits & 0x70u) == 0x70u);
}

// Whether all corners of one triangle, but for shared ones, lie strictly on one side of the other's plane. Triangles with
// the same three vertices are never apart. Numbers, not truth values: nothing here may become a branch.
static inline uint32_t are_apart(const snag__plane_record *a, const snag__plane_record *b, both margin)
{
    both x = side_by_side(a->x, b->x), y = side_by_side(a->y, b->y), z = side_by_side(a->z, b->z);
    both last = side_by_side((const float *)(const void *)a->vertex, (const float *)(const void *)b->vertex);
    both distance = x * planes_of_the_other(x) + y * planes_of_the_other(y) + z * planes_of_the_other(z) -
                    planes_of_the_other(last);
    both_mask shared = shared_corners(last);
    uint32_t above = bits_of((distance > margin) | shared), below = bits_of((distance < -margin) | shared);
    uint32_t differ = (bits_of(shared) & 0x07u) != 0x07u;
    return (has_all_corners(above) | has_all_corners(below)) & differ;
}

static size_t cull(const snag__plane_record *records, float margin, uint32_t *rows, uint32_t *columns, size_t count)
{
    size_t kept = 0;
    both margins = {margin, margin, margin, margin, margin, margin, margin, margin};
    for (size_t i = 0; i < count; i++) {
        uint32_t row = rows[i], column = columns[i];
        rows[kept] = row;
        columns[kept] = column;
        kept += 1u - are_apart(&records[row], &records[column], margins);
    }
    return kept;
}

const snag__plane_kernels SNAG__KERNEL(snag__plane_kernels) = {.fill = fill, .cull = cull};

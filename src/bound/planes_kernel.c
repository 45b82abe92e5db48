// Wide kernels of planes.h.
#include "base/simd.h"
#include "bound/planes.h"

// ---- records ----

// A cross product smaller than this part of the product of its factors may have lost its direction.
#define NEEDLE 1e-6

static inline snag__f64w largest(const snag__f64w v[3])
{
    return snag__f64w_max(snag__f64w_abs(v[0]), snag__f64w_max(snag__f64w_abs(v[1]), snag__f64w_abs(v[2])));
}

// The planes of SNAG__WD triangles whose corners are given: normal (largest component 1) and offset; zero for needles.
static inline void find_planes(snag__f64w corner[3][3], snag__f64w n[3], snag__f64w *d)
{
    snag__f64w u[3], v[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = corner[1][axis] - corner[0][axis];
        v[axis] = corner[2][axis] - corner[0][axis];
    }
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    snag__f64w size = largest(n), zero = snag__f64w_all(0.0);
    snag__i64w sure = snag__f64w_lt(largest(u) * largest(v) * snag__f64w_all(NEEDLE), size);
    for (int axis = 0; axis < 3; axis++)
        n[axis] = snag__f64w_select(sure, n[axis] / size, zero);
    *d = (n[0] * corner[0][0] + n[1] * corner[0][1]) + n[2] * corner[0][2];
}

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
        snag__f64w corner[3][3], n[3], d;
        for (int c = 0; c < 3; c++)
            for (int axis = 0; axis < 3; axis++)
                corner[c][axis] = snag__f64w_load(transposed[c][axis]);
        find_planes(corner, n, &d);
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

// Four lanes whatever the instruction set: a record is four columns wide.
typedef float quad __attribute__((vector_size(16)));
typedef int32_t quad_mask __attribute__((vector_size(16)));

static inline quad load_quad(const float *from)
{
    quad q;
    memcpy(&q, from, sizeof q);
    return q;
}

static inline uint32_t quad_bits(quad_mask mask)
{
#if SNAG__W > 1 && defined(__SSE4_1__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
    return ((uint32_t)mask[0] & 1u) | ((uint32_t)mask[1] & 2u) | ((uint32_t)mask[2] & 4u) | ((uint32_t)mask[3] & 8u);
#endif
}

// Corners of `a` that are vertices of `b`: all bits of their lanes.
static inline quad_mask shared_corners(const snag__plane_record *a, const snag__plane_record *b)
{
    quad_mask of_a;
    memcpy(&of_a, a->vertex, sizeof of_a);
    quad_mask none = {0};
    return (of_a == (none + (int32_t)b->vertex[0])) | (of_a == (none + (int32_t)b->vertex[1])) |
           (of_a == (none + (int32_t)b->vertex[2]));
}

// Whether the corners of `a`, but for shared ones, lie strictly on one side of the plane of `b`.
static inline bool on_one_side(const snag__plane_record *a, const snag__plane_record *b, quad_mask shared, quad margin)
{
    quad distance = load_quad(a->x) * b->x[3] + load_quad(a->y) * b->y[3] + load_quad(a->z) * b->z[3] - b->d;
    uint32_t above = quad_bits((distance > margin) | shared), below = quad_bits((distance < -margin) | shared);
    return ((above & 7u) == 7u) | ((below & 7u) == 7u);
}

static size_t cull(const snag__plane_record *records, float margin, uint32_t *rows, uint32_t *columns, size_t count)
{
    size_t kept = 0;
    quad margins = {margin, margin, margin, margin};
    for (size_t i = 0; i < count; i++) {
        const snag__plane_record *a = &records[rows[i]], *b = &records[columns[i]];
        quad_mask shared_a = shared_corners(a, b), shared_b = shared_corners(b, a);
        bool same = (quad_bits(shared_a) & 7u) == 7u;
        bool apart = (on_one_side(a, b, shared_a, margins) | on_one_side(b, a, shared_b, margins)) & !same;
        rows[kept] = rows[i];
        columns[kept] = columns[i];
        kept += !apart;
    }
    return kept;
}

const snag__plane_kernels SNAG__KERNEL(snag__plane_kernels) = {.fill = fill, .cull = cull};

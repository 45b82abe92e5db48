// Wide kernels of plane culls.h.
#include "bound/plane_cull.h"
#include "geom/f32_filter_store.h"

// A normal faces an axis if that component is at least this (its largest is 1): far above its error, which the bound on
// needles keeps below 1e-9 before it is rounded to a float.
#define FACING 1e-3

enum { FETCH_AHEAD = 16 };

// The words of plane culls.h, of the coordinates as given.
static inline snag__i64w turns_of(snag__f64w corner[3][3], const snag__f64w n[3], snag__i64w certain)
{
    snag__i64w turns = ~certain & snag__i64w_all(SNAG__TURN_UNSURE);
    for (int axis = 0; axis < 3; axis++) {
        int height = (axis + 2) % 3;
        for (int c = 0; c < 3; c++) {
            snag__f64w level = corner[c][height];
            snag__i64w from_below = snag__f64w_lt(corner[(c + 1) % 3][height], level);
            snag__i64w to_below = snag__f64w_lt(corner[(c + 2) % 3][height], level);
            turns |= (from_below ^ to_below) & snag__i64w_all(1 << (3 * c + axis));
        }
        turns |= snag__f64w_lt(snag__f64w_all(FACING), n[axis]) & snag__i64w_all(1 << (SNAG__TURN_FACING + axis));
        turns |= snag__f64w_lt(n[axis], snag__f64w_all(-FACING)) & snag__i64w_all(1 << (SNAG__TURN_FACING + 3 + axis));
    }
    return turns;
}

static inline void store_as_words(uint16_t *to, snag__i64w x)
{
#if SNAG__LANES_F64 == 1
    *to = (uint16_t)x;
#else
    typedef uint16_t quarter __attribute__((vector_size(SNAG__LANES_F64 * 2)));
    quarter words = __builtin_convertvector(x, quarter);
    memcpy(to, &words, sizeof words);
#endif
}

static inline void store_as_floats(float *to, snag__f64w x)
{
#if SNAG__LANES_F64 == 1
    *to = (float)x;
#else
    typedef float half __attribute__((vector_size(SNAG__LANES_F64 * 4)));
    half floats = __builtin_convertvector(x, half);
    memcpy(to, &floats, sizeof floats);
#endif
}

// The boxes of triangles as the nearest floats; rounding keeps what is smallest the smallest.
SNAG__INLINE void store_bounds(snag__kdops *bounds, size_t slot, size_t lanes, snag__f64w corner[3][3])
{
    for (int axis = 0; axis < 3; axis++) {
        float lo[SNAG__LANES_F64], hi[SNAG__LANES_F64];
        store_as_floats(lo, snag__f64w_min(snag__f64w_min(corner[0][axis], corner[1][axis]), corner[2][axis]));
        store_as_floats(hi, snag__f64w_max(snag__f64w_max(corner[0][axis], corner[1][axis]), corner[2][axis]));
        memcpy(bounds->lo[axis] + slot, lo, lanes * sizeof *lo);
        memcpy(bounds->hi[axis] + slot, hi, lanes * sizeof *hi);
    }
}

// One group of lanes; those that are not there repeat the last triangle.
SNAG__INLINE void fill_group(const snag__mesh *mesh, const uint32_t (*triangles)[3], size_t slot, size_t lanes,
                             snag__plane_cull *plane_cull, snag__kdops *bounds)
{
    const uint32_t *vertices[SNAG__LANES_F64];
    for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
        vertices[lane] = triangles[slot + (lane < lanes ? lane : lanes - 1)];
    snag__plane_cull_block *block = &plane_cull->blocks[slot / SNAG__LEAF_ELEMENTS];
    size_t at = slot % SNAG__LEAF_ELEMENTS;
    snag__f64w corner[3][3], origin[3], u[3], v[3], n[3], d;
    for (int c = 0; c < 3; c++) {
        snag__simd_vec3 x = snag__simd_vec3_corner((const double(*)[3])mesh->x_t1, vertices, c);
        corner[c][0] = x.x;
        corner[c][1] = x.y;
        corner[c][2] = x.z;
    }
    if (bounds != NULL)
        store_bounds(bounds, slot, lanes, corner);
    for (int axis = 0; axis < 3; axis++) {
        // Edges of the coordinates as given: their relative error is small however far the triangle is from the centre.
        u[axis] = corner[1][axis] - corner[0][axis];
        v[axis] = corner[2][axis] - corner[0][axis];
        snag__f64w centre = snag__f64w_all(plane_cull->local_origin.centre[axis]);
        origin[axis] = corner[0][axis] - centre;
        for (int c = 0; c < 3; c++)
            store_as_floats(&block->corner[c][axis][at], corner[c][axis] - centre);
    }
    snag__i64w certain = snag__find_planes(u, v, origin, n, &d);
    snag__f32_filter_store(plane_cull->f32 + slot, lanes, vertices, origin, u, v, n, certain);
    for (int axis = 0; axis < 3; axis++)
        store_as_floats(&block->normal[axis][at], n[axis]);
    snag__f64w margin = snag__f64w_all((double)plane_cull->margin);
    store_as_floats(&block->below[at], d - margin);
    store_as_floats(&block->above[at], d + margin);
    store_as_words(&plane_cull->turns[slot], turns_of(corner, n, certain));
}

// Vertices are far apart, and all that is done with a group is more than a processor looks ahead.
SNAG__INLINE void fetch_group(const snag__mesh *mesh, const uint32_t (*triangles)[3])
{
    for (size_t lane = 0; lane < SNAG__LANES_F64; lane++)
        for (int c = 0; c < 3; c++)
            __builtin_prefetch(mesh->x_t1[triangles[lane][c]]);
}

static void fill(const snag__mesh *mesh, const uint32_t (*triangles)[3], size_t first, size_t count, snag__plane_cull *plane_cull,
                 snag__kdops *bounds)
{
    size_t whole = count - count % SNAG__LANES_F64;
    for (size_t i = 0; i < whole; i += SNAG__LANES_F64) {
        if (i + FETCH_AHEAD + SNAG__LANES_F64 <= count)
            fetch_group(mesh, triangles + first + i + FETCH_AHEAD);
        fill_group(mesh, triangles, first + i, SNAG__LANES_F64, plane_cull, bounds);
    }
    if (whole < count)
        fill_group(mesh, triangles, first + whole, count - whole, plane_cull, bounds);
}

const snag__plane_cull_kernels SNAG__KERNEL(snag__plane_cull_kernels) = {.fill = fill};

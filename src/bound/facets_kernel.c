// Wide kernels of facets.h.
#include "bound/facets.h"
#include "geom/near_store.h"

// A normal faces an axis if that component is at least this (its largest is 1): far above its error, which the bound on
// needles keeps below 1e-9 before it is rounded to a float.
#define FACING 1e-3

typedef struct facing_bits {
    uint32_t lanes[6];
} facing_bits;

static inline facing_bits facing_of(const snag__f64w n[3])
{
    facing_bits bits;
    for (size_t axis = 0; axis < 3; axis++) {
        bits.lanes[2 * axis] = snag__i64w_bits(snag__f64w_lt(snag__f64w_all(FACING), n[axis]));
        bits.lanes[2 * axis + 1] = snag__i64w_bits(snag__f64w_lt(n[axis], snag__f64w_all(-FACING)));
    }
    return bits;
}

static inline void store_as_floats(float *to, snag__f64w x)
{
#if SNAG__WD == 1
    *to = (float)x;
#else
    typedef float half __attribute__((vector_size(SNAG__WD * 4)));
    half floats = __builtin_convertvector(x, half);
    memcpy(to, &floats, sizeof floats);
#endif
}

// One group of lanes; those that are not there repeat the last triangle.
static inline void fill_group(const snag__mesh *mesh, const uint32_t (*triangles)[3], size_t place, size_t lanes,
                              snag__facets *facets)
{
    const uint32_t *vertices[SNAG__WD];
    for (size_t lane = 0; lane < SNAG__WD; lane++)
        vertices[lane] = triangles[place + (lane < lanes ? lane : lanes - 1)];
    snag__facet_block *block = &facets->blocks[place / SNAG__LEAF_ELEMENTS];
    size_t at = place % SNAG__LEAF_ELEMENTS;
    snag__f64w corner[3][3], u[3], v[3], n[3], d;
    for (int c = 0; c < 3; c++) {
        snag__wide3 x = snag__wide3_corner((const double(*)[3])mesh->x_t1, vertices, c);
        corner[c][0] = x.x;
        corner[c][1] = x.y;
        corner[c][2] = x.z;
    }
    for (int axis = 0; axis < 3; axis++) {
        // Edges of the coordinates as given: their relative error is small however far the triangle is from the centre.
        u[axis] = corner[1][axis] - corner[0][axis];
        v[axis] = corner[2][axis] - corner[0][axis];
        for (int c = 0; c < 3; c++) {
            corner[c][axis] -= snag__f64w_all(facets->frame.centre[axis]);
            store_as_floats(&block->corner[c][axis][at], corner[c][axis]);
        }
    }
    snag__i64w certain = snag__find_planes(u, v, corner[0], n, &d);
    snag__near_store(facets->near + place, lanes, vertices, corner[0], u, v, n, certain);
    uint32_t sure = snag__i64w_bits(certain);
    for (int axis = 0; axis < 3; axis++)
        store_as_floats(&block->normal[axis][at], n[axis]);
    store_as_floats(&block->offset[at], d);

    facing_bits bits = facing_of(n);
    for (size_t lane = 0; lane < SNAG__WD; lane++) {
        uint32_t facing = sure >> lane & 1 ? 0 : SNAG__FACING_UNSURE;
        for (int i = 0; i < 6; i++)
            facing |= (bits.lanes[i] >> lane & 1) << i;
        facets->facing[place + lane] = (uint8_t)facing;
    }
}

static void fill(const snag__mesh *mesh, const uint32_t (*triangles)[3], size_t first, size_t count, snag__facets *facets)
{
    for (size_t i = 0; i < count; i += SNAG__WD)
        fill_group(mesh, triangles, first + i, count - i < SNAG__WD ? count - i : SNAG__WD, facets);
}

const snag__facet_kernels SNAG__KERNEL(snag__facet_kernels) = {.fill = fill};

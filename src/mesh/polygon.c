// Splitting polygons into triangles, exactly, as they lie when the body is added.
//
// A polygon of n corners gives n - 2 triangles, whatever its shape, so that all who count agree. It is seen along the
// axis along which its area is largest: one coordinate is dropped, so nothing is rounded, and a flat polygon keeps its
// shape. Which axis is largest is decided in double (of equal ones the first): for a flat polygon every axis with an
// area gives the same triangles.
//
// The fan from the first corner is taken wherever it tiles the polygon without triangles of no area, as it does for
// every convex polygon without straight corners beside the first. That is cheap to tell, and surfaces that were right
// when all polygons were split into fans keep their triangles and so their answers, byte for byte. Otherwise ears are
// clipped (ears.c).
#include "mesh/polygon.h"

#include "geom/exact.h"
#include "geom/geom.h"
#include "mesh/ears.h"

#include <math.h>
#include <string.h>

// ---- the area, seen along each axis ----

// Within these, products of differences of coordinates neither overflow nor lose digits to underflow.
#define LEAST_COORDINATE 1e-100
#define MOST_COORDINATE 1e100
// Above this, what products lose by underflow is far below their rounding.
#define LEAST_CROSS 1e-250

// The power of two by which coordinates are divided; 0 for ordinary ones.
static int exponent_of(const snag__loop *loop)
{
    double most = 0;
    for (uint32_t i = 0; i < loop->count; i++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(loop->x[loop->vertices[i]][k]));
    int exponent = 0;
    if (most != 0 && !(most > LEAST_COORDINATE && most < MOST_COORDINATE))
        frexp(most, &exponent);
    return exponent;
}

// b - a, scaled.
static void difference(const double a[3], const double b[3], int exponent, double d[3])
{
    for (int k = 0; k < 3; k++)
        d[k] = exponent == 0 ? b[k] - a[k] : ldexp(b[k], -exponent) - ldexp(a[k], -exponent);
}

static int largest_of(const double area[3])
{
    int axis = fabs(area[1]) > fabs(area[0]) ? 1 : 0;
    return fabs(area[2]) > fabs(area[axis]) ? 2 : axis;
}

// Sets axis and turn by the area in double. False if rounding might have made it.
static bool see_in_double(snag__loop *loop)
{
    int exponent = exponent_of(loop);
    double area[3] = {0}, sum[3] = {0};  // and the sum of the sizes of all terms
    const double *first = loop->x[loop->vertices[0]];
    double from[3], to[3];
    difference(first, loop->x[loop->vertices[1]], exponent, from);
    for (uint32_t i = 2; i < loop->count; i++) {
        difference(first, loop->x[loop->vertices[i]], exponent, to);
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            double one = from[u] * to[v], other = from[v] * to[u];
            area[k] += one - other;
            sum[k] += fabs(one) + fabs(other);
        }
        memcpy(from, to, sizeof from);
    }
    loop->axis = largest_of(area);
    loop->turn = area[loop->axis] > 0 ? 1 : -1;
    // Each term goes through three roundings and at most count additions.
    return fabs(area[loop->axis]) > (loop->count + 4.0) * 0x1p-52 * sum[loop->axis] && sum[loop->axis] > LEAST_CROSS;
}

// Room for a sum of 2^32 products.
enum { AREA_LIMBS = SNAG__EXACT_LIMBS(2) + 2 };

static snag__exact exact_area(const snag__loop *loop, int axis, int unit, uint64_t (*limbs)[AREA_LIMBS])
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double *first = loop->x[loop->vertices[0]];
    snag__exact area = {0};
    for (uint32_t i = 1; i + 1 < loop->count; i++) {
        uint64_t inner[4 * SNAG__EXACT_LIMBS(1) + 5 * SNAG__EXACT_LIMBS(2)];
        snag__exact_room room = snag__exact_room_of(inner, sizeof inner / sizeof *inner);
        const double *from = loop->x[loop->vertices[i]], *to = loop->x[loop->vertices[i + 1]];
        snag__exact term = snag__exact_determinant2(&room, snag__exact_from_difference(&room, from[u], first[u], unit),
                                                    snag__exact_from_difference(&room, from[v], first[v], unit),
                                                    snag__exact_from_difference(&room, to[u], first[u], unit),
                                                    snag__exact_from_difference(&room, to[v], first[v], unit));
        // The sum so far is in one of two places, and the next goes to the other; it may be one of its terms.
        snag__exact_room place = snag__exact_room_of(limbs[i % 2], AREA_LIMBS);
        snag__exact sum = snag__exact_add(&place, area, term);
        place = snag__exact_room_of(limbs[i % 2], AREA_LIMBS);
        area = snag__exact_keep(&place, sum);
    }
    return area;
}

// Sets axis and turn by the exact area. False if it is zero along all axes.
static bool see_exactly(snag__loop *loop)
{
    uint64_t limbs[3][2][AREA_LIMBS];
    snag__exact largest = {0};
    int unit = SNAG__EXACT_NO_UNIT;
    for (uint32_t i = 0; i < loop->count; i++)
        for (int k = 0; k < 3; k++)
            unit = snag__exact_unit(unit, loop->x[loop->vertices[i]][k]);
    for (int axis = 0; axis < 3; axis++) {
        snag__exact area = exact_area(loop, axis, unit, limbs[axis]), size = area.sign < 0 ? snag__exact_negate(area) : area;
        if (snag__exact_compare(size, largest) > 0) {
            largest = size;
            loop->axis = axis;
            loop->turn = area.sign;
        }
    }
    return largest.sign != 0;
}

// For a loop that has no area: the first axis along which some corner is not on the line through the first and the next
// at another place. False: all are.
static bool see_a_corner(snag__loop *loop)
{
    const double *a = loop->x[loop->vertices[0]], *b = a;
    loop->turn = 1;
    for (uint32_t i = 1; i < loop->count; i++) {
        const double *c = loop->x[loop->vertices[i]];
        if (b[0] == a[0] && b[1] == a[1] && b[2] == a[2])
            b = c;
        for (loop->axis = 0; loop->axis < 3; loop->axis++)
            if (snag__orient2d(a, b, c, loop->axis) != 0)
                return true;
    }
    return false;
}

// ---- triangles ----

static void write_triangle(uint32_t (*triangle)[3], uint32_t a, uint32_t b, uint32_t c)
{
    (*triangle)[0] = a;
    (*triangle)[1] = b;
    (*triangle)[2] = c;
}

static void write_fan(const snag__loop *loop, uint32_t (*triangles)[3])
{
    for (uint32_t i = 1; i + 1 < loop->count; i++)
        write_triangle(triangles++, loop->vertices[0], loop->vertices[i], loop->vertices[i + 1]);
}

static int turn_of(const snag__loop *loop, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t *v = loop->vertices;
    return snag__orient2d(loop->x[v[a]], loop->x[v[b]], loop->x[v[c]], loop->axis);
}

// Whether the triangles of the fan from the first corner all turn as the polygon does, and go around the first corner
// less than once: then they tile the polygon. They have gone halfway when a corner is not left of the first side, and
// all the way when a later one is again.
static bool fan_tiles(const snag__loop *loop)
{
    bool halfway = false;
    for (uint32_t i = 1; i + 1 < loop->count; i++) {
        if (turn_of(loop, 0, i, i + 1) != loop->turn)
            return false;
        int side = turn_of(loop, 0, 1, i + 1);
        if (halfway && side != -loop->turn)
            return false;
        halfway = side != loop->turn;
    }
    return true;
}

// ---- quads ----

// The areas of the two triangles on the first diagonal of a quad, seen along each axis, and a bound of their errors:
// each product goes through three roundings, and a difference of two through one more.
typedef struct quad_areas {
    double one[3], other[3], error;
} quad_areas;

static inline quad_areas areas_of_quad(const double *a, const double *b, const double *c, const double *d)
{
    double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
    double largest = fabs(cx) + fabs(cy) + fabs(cz);
    double others = fabs(bx) + fabs(by) + fabs(bz) + fabs(dx) + fabs(dy) + fabs(dz);
    return (quad_areas){{by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx},
                        {cy * dz - cz * dy, cz * dx - cx * dz, cx * dy - cy * dx},
                        16 * 0x1p-53 * largest * others + LEAST_CROSS};
}

static inline int axis_of_quad(const quad_areas *areas)
{
    double area[3];
    for (int k = 0; k < 3; k++)
        area[k] = areas->one[k] + areas->other[k];
    return largest_of(area);
}

// Nearly all quads: convex, or a dart with its tip at one end of the first diagonal, and not so thin that rounding
// matters.
static inline bool is_plain_quad(const double *a, const double *b, const double *c, const double *d)
{
    quad_areas areas = areas_of_quad(a, b, c, d);
    int axis = axis_of_quad(&areas);
    double one = areas.one[axis], other = areas.other[axis];
    return (one > areas.error && other > areas.error) || (one < -areas.error && other < -areas.error);
}

// A quad is split along the diagonal whose triangles turn the same way, the first if both do. False: neither, or the
// numbers are too large or too small to see along which axis.
static bool split_quad(snag__loop *loop, uint32_t (*triangles)[3])
{
    const uint32_t *v = loop->vertices;
    quad_areas areas = areas_of_quad(loop->x[v[0]], loop->x[v[1]], loop->x[v[2]], loop->x[v[3]]);
    loop->axis = axis_of_quad(&areas);
    double area = areas.one[loop->axis] + areas.other[loop->axis];
    if (!(fabs(area) > LEAST_CROSS && fabs(area) < MOST_COORDINATE))
        return false;
    loop->turn = area > 0 ? 1 : -1;
    if (turn_of(loop, 0, 1, 2) == loop->turn && turn_of(loop, 0, 2, 3) == loop->turn) {
        write_fan(loop, triangles);
        return true;
    }
    if (turn_of(loop, 1, 2, 3) != loop->turn || turn_of(loop, 1, 3, 0) != loop->turn)
        return false;
    write_triangle(&triangles[0], v[3], v[0], v[1]);
    write_triangle(&triangles[1], v[1], v[2], v[3]);
    return true;
}

// ---- polygons ----

typedef struct splitting {
    snag__mesh *mesh;
    snag__buffer room, crossed;
    size_t crossed_count;
} splitting;

static bool note_crossed(splitting *s, uint32_t polygon)
{
    if (!snag__buffer_reserve(&s->mesh->allocator, &s->crossed, s->crossed_count, s->crossed_count + 1, sizeof(uint32_t)))
        return false;
    ((uint32_t *)s->crossed.data)[s->crossed_count++] = polygon;
    return true;
}

// Nearly all polygons are split here, without memory.
static bool split_at_once(snag__loop *loop, uint32_t (*triangles)[3])
{
    if (loop->count == 4)
        return split_quad(loop, triangles);
    if (loop->count > 4 && !(see_in_double(loop) && fan_tiles(loop)))
        return false;
    write_fan(loop, triangles);
    return true;
}

static bool split_polygon(splitting *s, snag__loop *loop, uint32_t polygon, uint32_t (*triangles)[3])
{
    if (split_at_once(loop, triangles))
        return true;
    if (!see_in_double(loop) && !see_exactly(loop) && !see_a_corner(loop)) {
        write_fan(loop, triangles);  // all corners on one line
        return true;
    }
    uint64_t bytes = snag__ears_bytes(loop->count);
    if (bytes > SIZE_MAX || !snag__buffer_reserve(&s->mesh->allocator, &s->room, 0, (size_t)bytes, 1))
        return false;
    return snag__clip_ears(loop, s->room.data, triangles) || note_crossed(s, polygon);
}

// Gives the list to the mesh, with no room to spare.
static bool keep_crossed(splitting *s)
{
    snag__mesh *mesh = s->mesh;
    if (s->crossed_count == 0)
        return true;
    mesh->crossed = snag__mesh_array(mesh, s->crossed_count, sizeof *mesh->crossed);
    if (mesh->crossed == NULL)
        return false;
    mesh->crossed_count = (uint32_t)s->crossed_count;
    memcpy(mesh->crossed, s->crossed.data, s->crossed_count * sizeof *mesh->crossed);
    return true;
}

bool snag__split_polygons(snag__mesh *mesh, const snag_body_def *def)
{
    splitting s = {.mesh = mesh};
    const double(*x)[3] = (const double(*)[3])mesh->x_t1;
    const uint32_t *v = def->polygon_vertices;
    size_t t = 0;
    bool split = true;
    for (size_t i = 0; i < def->polygon_count && split; i++) {
        uint32_t size = def->polygon_sizes[i];
        if (size == 4 && is_plain_quad(x[v[0]], x[v[1]], x[v[2]], x[v[3]])) {
            write_triangle(&mesh->triangles[t], v[0], v[1], v[2]);
            write_triangle(&mesh->triangles[t + 1], v[0], v[2], v[3]);
        } else {
            snag__loop loop = {.x = x, .vertices = v, .count = size};
            split = split_polygon(&s, &loop, (uint32_t)i, mesh->triangles + t);
        }
        for (uint32_t c = 2; c < size; c++)
            mesh->triangle_faces[t++] = (uint32_t)i;
        v += size;
    }
    split = split && keep_crossed(&s);
    snag__buffer_free(&mesh->allocator, &s.room);
    snag__buffer_free(&mesh->allocator, &s.crossed);
    return split;
}

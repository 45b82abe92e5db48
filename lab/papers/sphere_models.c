// Models with the triangle counts of the paper's, which are not public: bodies of tubes along curved lines, with what makes the
// paper's a test of shape: thin and flat parts, concave places, parts that stand out of a bulk.
#include "sphere_models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KNOTS = 6, PARTS = 12 };

// A closed tube: a line through knots, with a radius at each, and a cross-section that is `flat` times as thick as wide.
typedef struct tube {
    double knots[KNOTS][4];  // x, y, z, radius; those with radius 0 end the line
    double flat;  // 1: round
    double fine;  // how fine beside the other tubes
} tube;

typedef struct design {
    const char *name;
    tube parts[PARTS];
} design;

static const design designs[] = {
    // dragon-like: a long curved body, thin tail and neck, wings like sheets, horns
    {"winged serpent",
     {{{{-1.5, 0.6, 0.1, 0.02},
        {-1, 0.25, 0.15, 0.08},
        {-0.4, 0.3, 0.35, 0.2},
        {0.2, 0.05, 0.5, 0.28},
        {0.6, -0.1, 0.9, 0.12},
        {0.75, 0, 1.2, 0.1}},
       1,
       1.3},
      {{{0.7, 0, 1.22, 0.1}, {0.9, 0, 1.2, 0.13}, {1.15, 0, 1.1, 0.05}}, 0.8, 0.7},
      {{{0, 0.2, 0.6, 0.1}, {-0.1, 0.7, 1, 0.35}, {-0.3, 1.3, 1.2, 0.3}, {-0.5, 1.6, 1.1, 0.02}}, 0.04, 0.9},
      {{{0, -0.1, 0.6, 0.1}, {-0.1, -0.6, 1, 0.35}, {-0.3, -1.2, 1.2, 0.3}, {-0.5, -1.5, 1.1, 0.02}}, 0.04, 0.9},
      {{{-0.05, 0.25, 0.3, 0.1}, {0, 0.35, 0, 0.06}, {0.1, 0.35, -0.02, 0.03}}, 1, 0.5},
      {{{-0.05, -0.05, 0.3, 0.1}, {0, -0.2, 0, 0.06}, {0.1, -0.2, -0.02, 0.03}}, 1, 0.5},
      {{{0.35, 0.2, 0.4, 0.1}, {0.4, 0.3, 0, 0.06}, {0.5, 0.3, -0.02, 0.03}}, 1, 0.5},
      {{{0.35, -0.1, 0.4, 0.1}, {0.4, -0.25, 0, 0.06}, {0.5, -0.25, -0.02, 0.03}}, 1, 0.5},
      {{{0.85, 0.06, 1.3, 0.03}, {0.7, 0.12, 1.5, 0.01}}, 1, 0.35},
      {{{0.85, -0.06, 1.3, 0.03}, {0.7, -0.12, 1.5, 0.01}}, 1, 0.35}}},
    // bunny-like: a bulk with long flat ears
    {"long ears",
     {{{{-0.5, 0, 0.35, 0.3}, {-0.2, 0, 0.45, 0.45}, {0.2, 0, 0.45, 0.38}, {0.4, 0, 0.55, 0.2}}, 1, 1.5},
      {{{0.35, 0, 0.85, 0.22}, {0.55, 0, 0.9, 0.24}, {0.72, 0, 0.82, 0.12}}, 1, 1},
      {{{0.4, 0.08, 1.05, 0.06}, {0.3, 0.14, 1.35, 0.12}, {0.15, 0.18, 1.65, 0.03}}, 0.25, 0.8},
      {{{0.4, -0.08, 1.05, 0.06}, {0.32, -0.16, 1.35, 0.12}, {0.2, -0.25, 1.62, 0.03}}, 0.25, 0.8},
      {{{-0.68, 0, 0.4, 0.1}, {-0.78, 0, 0.45, 0.1}}, 1, 0.5},
      {{{-0.4, 0.3, 0.12, 0.1}, {0, 0.32, 0.06, 0.08}}, 0.7, 0.6},
      {{{-0.4, -0.3, 0.12, 0.1}, {0, -0.32, 0.06, 0.08}}, 0.7, 0.6},
      {{{0.35, 0.15, 0.35, 0.08}, {0.42, 0.15, 0.06, 0.07}}, 1, 0.5},
      {{{0.35, -0.15, 0.35, 0.08}, {0.42, -0.15, 0.06, 0.07}}, 1, 0.5}}},
    // cow-like: a barrel on thin legs, horns, a tail
    {"four legs",
     {{{{-0.8, 0, 0.8, 0.25}, {-0.4, 0, 0.82, 0.36}, {0.2, 0, 0.82, 0.36}, {0.6, 0, 0.9, 0.26}, {0.85, 0, 1.05, 0.14}}, 0.85, 1.5},
      {{{0.85, 0, 1.1, 0.14}, {1.05, 0, 1.05, 0.15}, {1.3, 0, 0.88, 0.09}}, 0.8, 0.9},
      {{{-0.65, 0.2, 0.7, 0.12}, {-0.62, 0.22, 0.35, 0.06}, {-0.66, 0.22, 0, 0.06}}, 1, 0.6},
      {{{-0.65, -0.2, 0.7, 0.12}, {-0.62, -0.22, 0.35, 0.06}, {-0.66, -0.22, 0, 0.06}}, 1, 0.6},
      {{{0.5, 0.2, 0.7, 0.12}, {0.5, 0.22, 0.35, 0.06}, {0.48, 0.22, 0, 0.06}}, 1, 0.6},
      {{{0.5, -0.2, 0.7, 0.12}, {0.5, -0.22, 0.35, 0.06}, {0.48, -0.22, 0, 0.06}}, 1, 0.6},
      {{{0.95, 0.1, 1.2, 0.03}, {0.95, 0.22, 1.28, 0.025}, {0.98, 0.25, 1.4, 0.01}}, 1, 0.4},
      {{{0.95, -0.1, 1.2, 0.03}, {0.95, -0.22, 1.28, 0.025}, {0.98, -0.25, 1.4, 0.01}}, 1, 0.4},
      {{{-0.95, 0, 0.9, 0.03}, {-1.1, 0, 0.7, 0.02}, {-1.12, 0, 0.35, 0.03}}, 1, 0.45},
      {{{-0.3, 0, 0.46, 0.1}, {-0.2, 0, 0.4, 0.08}}, 1, 0.4}}},
    // lamp-like: a disc, a thin stem, a shade that is a shell
    {"desk lamp",
     {{{{0, 0, 0, 0.4}, {0, 0, 0.04, 0.38}}, 1, 1.2},
      {{{0, 0, 0.03, 0.03}, {-0.15, 0, 0.5, 0.025}, {-0.1, 0, 1, 0.025}, {0.4, 0, 1.35, 0.025}, {0.75, 0, 1.35, 0.03}}, 1, 0.7},
      {{{0.8, 0, 1.34, 0.1},
        {0.9, 0, 1.22, 0.22},
        {1, 0, 1.1, 0.3},
        {0.98, 0, 1.12, 0.27},
        {0.88, 0, 1.24, 0.18},
        {0.82, 0, 1.3, 0.06}},
       1,
       1.2}}},
};

// By the order of the paper's Table 1.
static const struct {
    int design;
    size_t triangles;
} models[] = {{0, 1496}, {1, 1500}, {2, 1500}, {3, 600}, {0, 5104}, {1, 5110}, {2, 5144}};

static const char *const likeness[] = {"dragon", "bunny", "cow", "lamp"};

// ---- tubes ---------------------------------------------------------------------------------------------------------

static int knot_count(const tube *t)
{
    int count = 0;
    while (count < KNOTS && t->knots[count][3] > 0)
        count++;
    return count;
}

// Segments around and cells along a tube at a fineness.
static void tube_cells(const tube *t, double fine, uint32_t *around, uint32_t *along)
{
    *around = (uint32_t)fmax(4, floor(fine * t->fine));
    *along = (uint32_t)fmax(knot_count(t) + 1, floor(1.4 * fine * t->fine));
}

static size_t tube_triangles(const tube *t, double fine)
{
    uint32_t around, along;
    tube_cells(t, fine, &around, &along);
    return (size_t)2 * around * (along - 1);
}

static size_t design_triangles(const design *d, double fine)
{
    size_t count = 0;
    for (int i = 0; i < PARTS && knot_count(&d->parts[i]) > 0; i++)
        count += tube_triangles(&d->parts[i], fine);
    return count;
}

// The line at s in 0..1, by a spline through the knots.
static void along_line(const tube *t, double s, double out[4])
{
    int count = knot_count(t), i = (int)floor(s * (count - 1));
    i = i < 0 ? 0 : i > count - 2 ? count - 2 : i;
    double u = s * (count - 1) - i;
    const double *p1 = t->knots[i], *p2 = t->knots[i + 1];
    const double *p0 = i > 0 ? t->knots[i - 1] : p1, *p3 = i + 2 < count ? t->knots[i + 2] : p2;
    for (int k = 0; k < 4; k++)
        out[k] =
            p1[k] +
            0.5 * u * (p2[k] - p0[k] + u * (2 * p0[k] - 5 * p1[k] + 4 * p2[k] - p3[k] + u * (3 * (p1[k] - p2[k]) + p3[k] - p0[k])));
    out[3] = fmax(out[3], 0.005);
}

static void normalise(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++)
        v[k] /= length > 0 ? length : 1;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// A point of the tube. Ends are round: the last cell goes from the line's end to a pole.
static void tube_point(const tube *t, double s, double angle, double shrink, double out[3])
{
    double at[4], next[4], way[3], side[3], up[3];
    along_line(t, s, at);
    along_line(t, s < 0.99 ? s + 0.01 : s - 0.01, next);
    for (int k = 0; k < 3; k++)
        way[k] = s < 0.99 ? next[k] - at[k] : at[k] - next[k];
    normalise(way);
    cross(fabs(way[0]) < 0.9 ? (const double[3]){1, 0, 0} : (const double[3]){0, 0, 1}, way, side);
    normalise(side);
    cross(way, side, up);
    for (int k = 0; k < 3; k++)
        out[k] = at[k] + shrink * at[3] * (cos(angle) * side[k] + t->flat * sin(angle) * up[k]);
}

static void put_triangle(snag_shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = &shape->triangles[3 * shape->triangle_count++];
    to[0] = a, to[1] = b, to[2] = c;
}

static void add_tube(snag_shape *shape, const tube *t, double fine)
{
    uint32_t around, along, first = (uint32_t)shape->vertex_count;
    tube_cells(t, fine, &around, &along);
    uint32_t rings = along - 1;  // of vertices between the poles
    for (uint32_t r = 0; r < rings; r++)
        for (uint32_t i = 0; i < around; i++)
            tube_point(t, rings > 1 ? (double)r / (rings - 1) : 0.5, 6.283185307179586 * i / around, 1,
                       &shape->positions[3 * shape->vertex_count++]);
    for (int end = 0; end < 2; end++) {
        // A pole stands out by half the radius.
        double *pole = &shape->positions[3 * shape->vertex_count++], at[4], before[4], way[3];
        along_line(t, end, at);
        along_line(t, end == 0 ? 0.02 : 0.98, before);
        for (int k = 0; k < 3; k++)
            way[k] = at[k] - before[k];
        normalise(way);
        for (int k = 0; k < 3; k++)
            pole[k] = at[k] + 0.5 * t->flat * at[3] * way[k];
    }
    uint32_t low = first + rings * around, high = low + 1;
    for (uint32_t i = 0; i < around; i++) {
        uint32_t j = (i + 1) % around, last = first + (rings - 1) * around;
        put_triangle(shape, low, first + j, first + i);
        put_triangle(shape, high, last + i, last + j);
        for (uint32_t r = 0; r + 1 < rings; r++) {
            uint32_t at = first + r * around;
            put_triangle(shape, at + i, at + j, at + around + i);
            put_triangle(shape, at + j, at + around + j, at + around + i);
        }
    }
}

// ---- models --------------------------------------------------------------------------------------------------------

static double area_of(const snag_shape *shape, size_t t)
{
    const double *p[3];
    double u[3], v[3], n[3];
    for (int c = 0; c < 3; c++)
        p[c] = &shape->positions[3 * (size_t)shape->triangles[3 * t + (size_t)c]];
    for (int k = 0; k < 3; k++) {
        u[k] = p[1][k] - p[0][k];
        v[k] = p[2][k] - p[0][k];
    }
    cross(u, v, n);
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
}

// Cuts the largest triangle in three at its middle: two more.
static void cut_largest(snag_shape *shape)
{
    size_t largest = 0;
    for (size_t t = 1; t < shape->triangle_count; t++)
        if (area_of(shape, t) > area_of(shape, largest))
            largest = t;
    uint32_t *corners = &shape->triangles[3 * largest], middle = (uint32_t)shape->vertex_count, c = corners[2];
    double *at = &shape->positions[3 * shape->vertex_count++];
    for (int k = 0; k < 3; k++)
        at[k] = (shape->positions[3 * corners[0] + (uint32_t)k] + shape->positions[3 * corners[1] + (uint32_t)k] +
                 shape->positions[3 * c + (uint32_t)k]) /
                3;
    uint32_t a = corners[0], b = corners[1];
    corners[2] = middle;
    put_triangle(shape, b, c, middle);
    put_triangle(shape, c, a, middle);
}

bool sphere_model(size_t index, const char **name, const char **like, snag_shape *shape)
{
    *shape = (snag_shape){0};
    if (index >= sizeof models / sizeof *models)
        return false;
    const design *d = &designs[models[index].design];
    size_t wanted = models[index].triangles;
    double fine = 4;
    while (design_triangles(d, fine + 0.05) <= wanted)
        fine += 0.05;
    *name = d->name;
    *like = likeness[models[index].design];
    // Tubes have half as many vertices as triangles and two more; each cut adds one for two triangles.
    shape->positions = calloc(3 * (wanted + 4), sizeof *shape->positions);
    shape->triangles = calloc(3 * (wanted + 4), sizeof *shape->triangles);
    if (!shape->positions || !shape->triangles) {
        snag_shape_free(shape);
        return false;
    }
    for (int i = 0; i < PARTS && knot_count(&d->parts[i]) > 0; i++)
        add_tube(shape, &d->parts[i], fine);
    while (shape->triangle_count + 2 <= wanted)
        cut_largest(shape);
    return true;
}

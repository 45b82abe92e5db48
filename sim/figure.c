#include "figure.h"

#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;

// ---- outlines ----

static const double man_points[][2] = {{0.78, 0.000}, {0.82, 0.120}, {0.92, 0.155}, {1.05, 0.140}, {1.28, 0.175}, {1.40, 0.130},
                                       {1.46, 0.060}, {1.53, 0.060}, {1.64, 0.090}, {1.74, 0.070}, {1.78, 0.000}};
static const double walker_points[][2] = {{0.78, 0.000}, {0.81, 0.110}, {0.92, 0.160}, {1.06, 0.112}, {1.20, 0.148}, {1.34, 0.105},
                                          {1.42, 0.052}, {1.49, 0.050}, {1.60, 0.085}, {1.70, 0.065}, {1.74, 0.000}};
// Along a leg from the hip (0) to the sole (1).
static const double leg_points[][2] = {{0.00, 0.000}, {0.06, 0.080}, {0.25, 0.080}, {0.50, 0.055},
                                       {0.62, 0.055}, {0.88, 0.036}, {0.97, 0.040}, {1.00, 0.000}};

static const snag__outline trunks[] = {
    {snag__form_points, sizeof snag__form_points / sizeof *snag__form_points},
    {man_points, sizeof man_points / sizeof *man_points},
    {walker_points, sizeof walker_points / sizeof *walker_points},
};
static const snag__outline leg = {leg_points, sizeof leg_points / sizeof *leg_points};

double snag__figure_radius(snag__figure_kind kind, double z)
{
    const snag__outline *o = &trunks[kind];
    return z <= o->points[0][0] || z >= o->points[o->count - 1][0] ? 0 : snag__outline_radius(o, z);
}

double snag__figure_height(snag__figure_kind kind)
{
    return trunks[kind].points[trunks[kind].count - 1][0];
}

// ---- motion ----

#define PACE 0.75  // double steps a second
#define HIP_HEIGHT 0.88
#define HIP_ASIDE 0.1
#define LEG_LENGTH 0.87

// The first second eases into the motion, so that garments start at rest.
static double ease(double time)
{
    double s = fmin(fmax(time, 0), 1);
    return s * s * (3 - 2 * s);
}

static void sway(double time, const double rest[3], double x[3])
{
    double z = rest[2], e = ease(time), turn = 0.25 * e * sin(TURN * 0.7 * time) * z;
    double aside = 0.06 * e * sin(TURN * 0.5 * time), nod = 0.03 * e * sin(TURN * 0.8 * time);
    x[0] = cos(turn) * rest[0] - sin(turn) * rest[1] + aside * z * z;
    x[1] = sin(turn) * rest[0] + cos(turn) * rest[1] + nod * z * z;
    x[2] = z;
}

// The hips turn with the legs, the shoulders against them; the trunk goes up and down twice a double step.
static void walk(double time, const double rest[3], double x[3])
{
    double e = ease(time), phase = TURN * PACE * time, up = (rest[2] - HIP_HEIGHT) / 0.5;
    double turn = 0.12 * e * sin(phase) * (1 - 1.6 * up), aside = 0.02 * e * sin(phase);
    x[0] = cos(turn) * rest[0] - sin(turn) * rest[1] + aside;
    x[1] = sin(turn) * rest[0] + cos(turn) * rest[1];
    x[2] = rest[2] + 0.012 * e * cos(2 * phase);
}

void snag__figure_carry(snag__figure_kind kind, double time, const double rest[3], double x[3])
{
    (kind == SNAG__WALKER ? walk : sway)(time, rest, x);
}

static double smooth_step(double from, double to, double s)
{
    double t = fmin(fmax((s - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

// The centre line of a leg that swings about the hip and bends at the knee, by its fraction from hip to sole, in the yz plane;
// and its direction.
typedef struct leg_line {
    double y[33], z[33], slope[33];
} leg_line;

static leg_line swing_leg(double time, double side)
{
    leg_line line = {.y = {0}, .z = {HIP_HEIGHT}};
    double e = ease(time), phase = TURN * PACE * time + (side > 0 ? TURN / 2 : 0);
    double hip = 0.32 * e * sin(phase), knee = 0.5 * e * (0.5 + 0.5 * cos(phase - 0.4));
    for (int i = 0; i < 33; i++) {
        line.slope[i] = hip - knee * smooth_step(0.4, 0.6, i / 32.0);
        if (i > 0) {
            double mean = 0.5 * (line.slope[i] + line.slope[i - 1]);
            line.y[i] = line.y[i - 1] + LEG_LENGTH / 32 * sin(mean);
            line.z[i] = line.z[i - 1] - LEG_LENGTH / 32 * cos(mean);
        }
    }
    return line;
}

static void place_leg(const snag__figure_vertex *v, const leg_line *line, double x[3])
{
    double at = fmin(fmax(v->along, 0), 1) * 32, r = snag__outline_radius(&leg, v->along);
    int i = (int)fmin(floor(at), 31);
    double t = at - i, slope = line->slope[i] + t * (line->slope[i + 1] - line->slope[i]);
    double side = v->part == 1 ? -1 : 1, ahead = r * sin(v->angle);
    x[0] = side * HIP_ASIDE + r * cos(v->angle);
    x[1] = line->y[i] + t * (line->y[i + 1] - line->y[i]) + ahead * cos(slope);
    x[2] = line->z[i] + t * (line->z[i + 1] - line->z[i]) + ahead * sin(slope);
}

// A figure with unknown parts walks too: everything below the hips moves with them and is sheared back and forth by its height,
// left against right. The shear is along y only and depends on x and z, so the surface cannot cross itself.
static void stride(double time, const double rest[3], double x[3])
{
    double above[3] = {rest[0], rest[1], fmax(rest[2], HIP_HEIGHT)}, below = fmax(HIP_HEIGHT - rest[2], 0);
    double swing = 0.28 * ease(time) * sin(TURN * PACE * time) * (1 - 2 * smooth_step(-0.06, 0.06, rest[0]));
    walk(time, above, x);
    x[1] += swing * below * smooth_step(0, 0.3, below);
    x[2] -= below;
}

static void pose_whole(const snag__figure *figure, double time, double (*x)[3])
{
    for (size_t i = 0; i < figure->vertex_count; i++)
        (figure->kind == SNAG__WALKER ? stride : sway)(time, figure->rest[i], x[i]);
}

void snag__figure_pose(const snag__figure *figure, double time, double (*x)[3])
{
    snag__figure_kind kind = figure->kind;
    if (figure->vertices == NULL) {
        pose_whole(figure, time, x);
        return;
    }
    double step_time = kind == SNAG__WALKER ? time : 0;  // the others do not walk
    leg_line lines[2] = {swing_leg(step_time, -1), swing_leg(step_time, 1)};
    double hip_rest[3] = {0, 0, HIP_HEIGHT}, hip[3];
    snag__figure_carry(kind, time, hip_rest, hip);
    for (size_t i = 0; i < figure->vertex_count; i++) {
        const snag__figure_vertex *v = &figure->vertices[i];
        double rest[3];
        if (v->part == 0) {
            double r = snag__outline_radius(&trunks[kind], v->along);
            rest[0] = SNAG__FIGURE_WIDE * r * cos(v->angle);
            rest[1] = SNAG__FIGURE_DEEP * r * sin(v->angle);
            rest[2] = v->along;
        } else {
            place_leg(v, &lines[v->part - 1], rest);
        }
        if (v->part > 0 && kind == SNAG__WALKER)
            for (int k = 0; k < 3; k++)
                x[i][k] = rest[k] + hip[k] - hip_rest[k];
        else
            snag__figure_carry(kind, time, rest, x[i]);
    }
}

// ---- the mesh ----

// A sphere of 2 n x n cells becomes a part: latitude runs along it, longitude around it.
static bool add_part(snag__figure *figure, uint32_t part, const snag_shape *ball, snag_shape *shape)
{
    const snag__outline *o = part == 0 ? &trunks[figure->kind] : &leg;
    double from = o->points[0][0], to = o->points[o->count - 1][0];
    uint32_t base = (uint32_t)shape->vertex_count;
    for (size_t i = 0; i < ball->vertex_count; i++) {
        const double *p = ball->positions + 3 * i;
        double polar = acos(fmin(fmax(p[2], -1), 1)) / (TURN / 2);
        // A trunk is parametrized from its lower end, a leg from the hip down; both have their upper end at the pole.
        double along = part == 0 ? to - (to - from) * polar : from + (to - from) * polar;
        figure->vertices[base + i] = (snag__figure_vertex){part, along, atan2(p[1], p[0])};
    }
    for (size_t i = 0; i < 3 * ball->triangle_count; i++)
        shape->triangles[3 * shape->triangle_count + i] = base + ball->triangles[i];
    shape->vertex_count += ball->vertex_count;
    shape->triangle_count += ball->triangle_count;
    return true;
}

static uint32_t rings_for(double triangles)
{
    return (uint32_t)fmax(round(sqrt(triangles / 4)), 6);
}

bool snag__figure_make(snag__figure *figure, snag__figure_kind kind, double triangles, snag_shape *shape, snag__sim_memory *memory)
{
    bool legs = kind != SNAG__FORM;
    uint32_t trunk_rings = rings_for(legs ? 0.5 * triangles : triangles), leg_rings = rings_for(0.25 * triangles);
    snag_shape trunk = {0}, limb = {0};
    *shape = (snag_shape){0};
    *figure = (snag__figure){.kind = kind};
    bool made = snag_shape_sphere(2 * trunk_rings, trunk_rings + 1, 1, &trunk) == SNAG_OK &&
                snag_shape_sphere(2 * leg_rings, leg_rings + 1, 1, &limb) == SNAG_OK;
    size_t vertices = trunk.vertex_count + (legs ? 2 * limb.vertex_count : 0);
    size_t elements = trunk.triangle_count + (legs ? 2 * limb.triangle_count : 0);
    if (made) {
        shape->positions = malloc(3 * vertices * sizeof *shape->positions);
        shape->triangles = malloc(3 * elements * sizeof *shape->triangles);
        figure->vertices = snag__sim_new(memory, vertices, sizeof *figure->vertices);
        made = shape->positions != NULL && shape->triangles != NULL && figure->vertices != NULL;
    }
    for (uint32_t part = 0; part < (legs ? 3u : 1u) && made; part++)
        made = add_part(figure, part, part == 0 ? &trunk : &limb, shape);
    if (made) {
        figure->vertex_count = vertices;
        snag__figure_pose(figure, 0, (double(*)[3])shape->positions);
    }
    snag_shape_free(&trunk);
    snag_shape_free(&limb);
    return made;
}

// ---- garments ----

static bool allocate(snag_shape *shape, size_t vertices, size_t triangles)
{
    *shape = (snag_shape){.vertex_count = vertices, .triangle_count = triangles};
    shape->positions = malloc(3 * vertices * sizeof *shape->positions);
    shape->triangles = malloc(3 * triangles * sizeof *shape->triangles);
    return shape->positions != NULL && shape->triangles != NULL;
}

bool snag__tube_make(const snag__tube *tube, snag_shape *shape)
{
    uint32_t columns = tube->columns, rows = tube->rows;
    if (!allocate(shape, (size_t)columns * (rows + 1), 2 * (size_t)columns * rows))
        return false;
    snag__put_tube(shape->triangles, columns, rows);
    for (uint32_t row = 0; row <= rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            double angle = TURN * column / columns, z = tube->bottom + (tube->top - tube->bottom) * row / rows;
            double r = tube->radius(angle, z), *x = &shape->positions[3 * ((size_t)row * columns + column)];
            x[0] = SNAG__FIGURE_WIDE * r * cos(angle);
            x[1] = SNAG__FIGURE_DEEP * r * sin(angle);
            x[2] = z;
        }
    return true;
}

#define HEM 0.12
#define CROTCH 0.745
#define WAIST 1.0
#define TROUSER_GAP 0.012

// The angle at which vertex k of a leg's ring stands, from the front seam over the outside to the back seam (the first
// `outer` steps) and back between the legs. Mirrored for the other leg.
static double leg_angle(uint32_t k, uint32_t columns, uint32_t outer)
{
    double open = TURN / 8;  // half of the side that faces the other leg
    if (k <= outer)
        return -TURN / 2 + open + (TURN - 2 * open) * k / outer;
    return TURN / 2 - open + 2 * open * (k - outer) / (columns - outer);
}

static void put_leg_ring(double *positions, uint32_t columns, uint32_t outer, double side, double z)
{
    double s = (HIP_HEIGHT - z) / LEG_LENGTH, r = snag__outline_radius(&leg, s) + 0.018;
    for (uint32_t k = 0; k < columns; k++) {
        double angle = leg_angle(k, columns, outer);
        positions[3 * (size_t)k] = side * (HIP_ASIDE + r * cos(angle));
        positions[3 * (size_t)k + 1] = r * sin(angle);
        positions[3 * (size_t)k + 2] = z;
    }
}

// A point of the waist part: at least the gap away from the trunk.
static void keep_outside(double x[3])
{
    double u = x[0] / SNAG__FIGURE_WIDE, w = x[1] / SNAG__FIGURE_DEEP, r = sqrt(u * u + w * w);
    double least = snag__figure_radius(SNAG__MAN, x[2]) + TROUSER_GAP;
    for (int k = 0; k < 2 && r > 0 && r < least; k++)
        x[k] *= least / r;
}

// The pattern: two tubes of rings for the legs, whose top rings share the seam between them (columns - outer + 1 vertices,
// ends included), and a tube from both outer arcs to the waist.
typedef struct pattern {
    uint32_t columns, outer, leg_rows, waist_rows, waist;
    uint32_t top[2];  // the first vertex of each leg's top ring
} pattern;

// The vertex of ring `row` of a leg; at the top the seam belongs to the first leg. k may be the number of columns, which is
// the first again.
static uint32_t leg_vertex(const pattern *p, uint32_t which, uint32_t row, uint32_t k)
{
    k = k == p->columns ? 0 : k;
    if (row < p->leg_rows)
        return (2 * row + which) * p->columns + k;
    if (which == 0 || k == 0 || k >= p->outer)
        return p->top[0] + k;
    return p->top[1] + k - 1;
}

// The waist's first ring goes over the outside of the first leg from front to back, then over the other's from back to front.
static uint32_t waist_vertex(const pattern *p, uint32_t row, uint32_t k)
{
    k = k == p->waist ? 0 : k;
    if (row > 0)
        return p->top[1] + p->outer - 1 + (row - 1) * p->waist + k;
    return k < p->outer ? leg_vertex(p, 0, p->leg_rows, k) : leg_vertex(p, 1, p->leg_rows, 2 * p->outer - k);
}

static void put_trouser_vertices(const pattern *p, double *positions)
{
    for (uint32_t row = 0; row < p->leg_rows; row++)
        for (uint32_t which = 0; which < 2; which++)
            put_leg_ring(positions + 3 * (size_t)leg_vertex(p, which, row, 0), p->columns, p->outer, which == 0 ? -1 : 1,
                         HEM + (CROTCH - HEM) * row / p->leg_rows);
    double ring[3 * 256];
    for (uint32_t which = 0; which < 2; which++) {
        put_leg_ring(ring, p->columns, p->outer, which == 0 ? -1 : 1, CROTCH);
        for (uint32_t k = 0; k < p->columns; k++) {
            double *x = positions + 3 * (size_t)leg_vertex(p, which, p->leg_rows, k);
            memcpy(x, ring + 3 * (size_t)k, 3 * sizeof *x);
            if (k == 0 || k >= p->outer)
                x[0] = 0;
            keep_outside(x);
        }
    }
    for (uint32_t row = 1; row <= p->waist_rows; row++)
        for (uint32_t k = 0; k < p->waist; k++) {
            double t = (double)row / p->waist_rows, *x = positions + 3 * (size_t)waist_vertex(p, row, k);
            const double *below = positions + 3 * (size_t)waist_vertex(p, 0, k);
            double angle = atan2(below[1] / SNAG__FIGURE_DEEP, below[0] / SNAG__FIGURE_WIDE);
            double r = snag__figure_radius(SNAG__MAN, WAIST) + TROUSER_GAP;
            x[0] = (1 - t) * below[0] + t * SNAG__FIGURE_WIDE * r * cos(angle);
            x[1] = (1 - t) * below[1] + t * SNAG__FIGURE_DEEP * r * sin(angle);
            x[2] = CROTCH + (WAIST - CROTCH) * t;
            keep_outside(x);
        }
}

bool snag__trousers_make(uint32_t columns, uint32_t rows, snag_shape *shape, uint32_t *waist)
{
    pattern p = {.columns = columns < 4 ? 4 : columns < 255 ? columns : 255, .leg_rows = rows};
    p.outer = p.columns - p.columns / 4;
    p.waist = 2 * p.outer;
    p.waist_rows = (uint32_t)fmax(round(rows * (WAIST - CROTCH) / (CROTCH - HEM)), 1);
    p.top[0] = 2 * rows * p.columns;
    p.top[1] = p.top[0] + p.columns;
    size_t vertices = (size_t)p.top[1] + p.outer - 1 + (size_t)p.waist * p.waist_rows;
    if (!allocate(shape, vertices, 4 * (size_t)p.columns * rows + 2 * (size_t)p.waist * p.waist_rows))
        return false;
    put_trouser_vertices(&p, shape->positions);
    uint32_t *t = shape->triangles;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t which = 0; which < 2; which++)
            for (uint32_t k = 0; k < p.columns; k++) {
                // The other leg is a mirror image, and runs the other way around.
                uint32_t left = which == 0 ? k : k + 1, right = which == 0 ? k + 1 : k;
                t = snag__put_quad(t, leg_vertex(&p, which, row, left), leg_vertex(&p, which, row, right),
                                   leg_vertex(&p, which, row + 1, left), leg_vertex(&p, which, row + 1, right), (row + k) % 2 == 0);
            }
    for (uint32_t row = 0; row < p.waist_rows; row++)
        for (uint32_t k = 0; k < p.waist; k++)
            t = snag__put_quad(t, waist_vertex(&p, row, k), waist_vertex(&p, row, k + 1), waist_vertex(&p, row + 1, k),
                               waist_vertex(&p, row + 1, k + 1), (row + k) % 2 == 0);
    *waist = p.waist;
    return true;
}

// Shapes of all kinds, well made and bad, in local coordinates of about the unit cube.
#include "helpers/hard.h"
#include "helpers/scenes.h"
#include "helpers/surfaces.h"
#include "torture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum shape_kind {
    CRUMPLED,
    ICOSPHERE,
    SPHERE,
    TORUS,
    BOX,
    CYLINDER,
    BLOCK,
    SMOOTH,
    SOUP,
    GRID_SOUP,
    TET_SOUP,
    MOEBIUS,
    KLEIN,
    FAN,
    SPIRAL,
    STAR,
    ROLL,
    CLOUD,
    EMPTY,
    NEEDLES,
    FOLDED,
    HARD,
    COPY,
    POLYGONS,
    WELDED,
    TETS_OF_ONE,
    SHAPE_KINDS
} shape_kind;

static const char *const shape_names[SHAPE_KINDS] = {"crumpled sheet",
                                                     "icosphere",
                                                     "sphere",
                                                     "torus",
                                                     "box",
                                                     "cylinder",
                                                     "block",
                                                     "smooth sheet",
                                                     "soup",
                                                     "soup on a grid",
                                                     "soup of tetrahedra",
                                                     "moebius strip",
                                                     "klein bottle",
                                                     "fan",
                                                     "spiral",
                                                     "star",
                                                     "roll",
                                                     "cloud",
                                                     "empty body",
                                                     "needles",
                                                     "sheet folded flat",
                                                     "hard triangles",
                                                     "copy",
                                                     "polygons",
                                                     "welded soup",
                                                     "tetrahedra at one vertex"};

// Positions and elements of malloc, as snag_shape_free wants them.
static snag_shape reserve(size_t vertices, size_t triangles, size_t tets)
{
    snag_shape shape = {.vertex_count = vertices, .triangle_count = triangles, .tet_count = tets};
    shape.positions = calloc(3 * vertices + 1, sizeof *shape.positions);
    shape.triangles = calloc(3 * triangles + 1, sizeof *shape.triangles);
    shape.tets = calloc(4 * tets + 1, sizeof *shape.tets);
    if (shape.positions == NULL || shape.triangles == NULL || shape.tets == NULL)
        abort();
    return shape;
}

// Triangles whose third corner is next to the line through the others, or on it.
static snag_shape make_needles(uint32_t n, snag__random *random)
{
    snag_shape shape = surface_soup(2 * n + 1, false, random);
    for (size_t t = 0; t < shape.triangle_count; t++) {
        double *p = shape.positions + 9 * t, part = snag__random_below(random, 5) / 4.0;
        double off = torture_chance(random, 0.3) ? 0 : pow(10, -snag__random_range(random, 2, 17));
        for (int k = 0; k < 3; k++)
            p[6 + k] = p[k] + part * (p[3 + k] - p[k]) + off * snag__random_range(random, -1, 1);
    }
    return shape;
}

static snag_shape make_folded(uint32_t n)
{
    snag_shape shape;
    if (snag_shape_sheet(n + 1, n, 1, 1, &shape) != SNAG_OK)
        abort();
    for (size_t v = 0; v < shape.vertex_count; v++)
        shape.positions[3 * v] = fabs(shape.positions[3 * v]);
    return shape;
}

// A sheet with a few wide waves, which large patches of face one direction.
static snag_shape make_smooth(uint32_t n, snag__random *random)
{
    snag_shape shape;
    uint32_t cells = n < 2 ? 2 : n > 24 ? n + n / 2 : n;
    if (snag_shape_sheet(cells, cells, 1, 1, &shape) != SNAG_OK)
        abort();
    surface_bend(&shape, snag__random_range(random, 0, 0.2), random);
    return shape;
}

static snag_shape make_hard(uint32_t n, snag__random *random)
{
    snag_shape shape = reserve(12 * (size_t)n, 4 * (size_t)n, 0);
    for (uint32_t i = 0; i < 2 * n; i++) {
        hard_pair pair;
        do {
            hard_triangle_pair(random, &pair);
        } while (!(fabs(pair.a[0][0]) < 1e30 && fabs(pair.b[0][0]) < 1e30));
        memcpy(shape.positions + 18 * (size_t)i, pair.a, sizeof pair.a);
        memcpy(shape.positions + 18 * (size_t)i + 9, pair.b, sizeof pair.b);
        for (uint32_t k = 0; k < 3; k++) {
            shape.triangles[6 * (size_t)i + k] = 6 * i + pair.va[k];
            shape.triangles[6 * (size_t)i + 3 + k] = 6 * i + pair.vb[k];
        }
    }
    for (size_t i = 0; i < 3 * shape.vertex_count; i++)
        shape.positions[i] *= 0.2;
    return shape;
}

// Tetrahedra that share their first vertex, or an edge; some are flat, inverted or the same.
static snag_shape make_tets_of_one(uint32_t n, snag__random *random)
{
    snag_shape shape = reserve(n + 4u, 0, n + 1u);
    for (size_t i = 0; i < 3 * shape.vertex_count; i++)
        shape.positions[i] = torture_chance(random, 0.5) ? hard_grid(random, 2) / 2 : snag__random_range(random, -1, 1);
    for (size_t k = 0; k < shape.tet_count; k++) {
        uint32_t *tet = shape.tets + 4 * k;
        tet[0] = 0;
        for (int i = 1; i < 4; i++)
            tet[i] = 1 + snag__random_below(random, n + 3);
        if (torture_chance(random, 0.8)) {  // four different ones
            tet[1] = 1 + snag__random_below(random, n + 1);
            tet[2] = tet[1] + 1;
            tet[3] = tet[1] + 2;
        }
    }
    return shape;
}

static snag_shape made(snag_status status, snag_shape shape)
{
    if (status != SNAG_OK)
        abort();
    return shape;
}

static snag_shape make_library_shape(shape_kind kind, uint32_t n, snag__random *random)
{
    snag_shape shape = {0};
    uint32_t few = n / 3 > 5 ? 5 : n / 3;
    switch (kind) {
    case ICOSPHERE: return made(snag_shape_icosphere(n < 4 ? 0 : n < 8 ? 1 : n < 20 ? 2 : 3, 0.5, &shape), shape);
    case SPHERE: return made(snag_shape_sphere(3 + n, 2 + n / 2, 0.5, &shape), shape);
    case TORUS: return made(snag_shape_torus(3 + n, 3 + n / 2, 0.4, 0.15, &shape), shape);
    case BOX: return made(snag_shape_box(1 + n / 3, 0.8, 0.6, 0.7, &shape), shape);
    case CYLINDER: return made(snag_shape_cylinder(3 + n, 1 + n / 2, 0.3, 0.9, &shape), shape);
    default: break;
    }
    uint32_t cells[3];
    for (int k = 0; k < 3; k++)
        cells[k] = 1 + snag__random_below(random, few + 1);
    shape = made(snag_shape_block(cells[0], cells[1], cells[2], 0.8 / (few + 1), &shape), shape);
    snag_shape_transform(&shape, 1, -0.4, -0.4, -0.4);
    return shape;
}

static snag_shape make_of_kind(shape_kind kind, uint32_t n, snag__random *random)
{
    switch (kind) {
    case CRUMPLED: return scene_crumpled_sheet(n, snag__random_range(random, 0, 0.2), random);
    case SMOOTH: return make_smooth(n, random);
    case SOUP: return scene_soup(6 * n, 0, torture_chance(random, 0.5), random);
    case GRID_SOUP: return scene_soup(5 * n, 1 + snag__random_below(random, 4), torture_chance(random, 0.5), random);
    case TET_SOUP: return scene_tet_soup(1 + n, snag__random_below(random, 4), random);
    case MOEBIUS: return surface_moebius(3 + n, 1 + n / 4);
    case KLEIN: return surface_klein(3 + n, 3 + n / 2);
    case FAN: return surface_fan(1 + n);
    case SPIRAL: return surface_spiral(4 + 2 * n, 1 + n / 4, 0.1, 0.5, 0.15, snag__random_range(random, 0.5, 3));
    case STAR: return surface_star(2 + n / 3, 1 + n / 4, 0.6);
    case ROLL: return surface_roll(2 + n / 3, snag__random_range(random, 0.5, 2.5), 0.05);
    case NEEDLES: return make_needles(n, random);
    case FOLDED: return make_folded(n);
    case HARD: return make_hard(n > 10 ? 10 : n, random);
    case TETS_OF_ONE: return make_tets_of_one(n, random);
    case EMPTY: return reserve(torture_chance(random, 0.5) ? 0 : n, 0, 0);
    default: return make_library_shape(kind, n, random);
    }
}

static void spoil(snag_shape *shape, snag__random *random)
{
    double part = snag__random_unit(random);
    bool surface = shape->triangle_count > 0;
    if (part < 0.08)
        surface_snap(shape, ldexp(1, -1 - (int)snag__random_below(random, 4)));
    else if (part < 0.12 && shape->vertex_count > 0)
        surface_collapse(shape, 1 + snag__random_below(random, 1 + (uint32_t)shape->vertex_count / 2), random);
    else if (part < 0.16 && surface)
        surface_flip_triangles(shape, 0.3, random);
    else if (part < 0.20 && surface)
        surface_remove_triangles(shape, 0.2, random);
    else if (part < 0.24 && surface)
        surface_repeat_triangles(shape, 1 + snag__random_below(random, 6), random);
    else if (part < 0.28 && surface)
        surface_slit(shape, random);
    else if (part < 0.32)
        for (size_t v = 0; v < shape->vertex_count; v++)
            shape->positions[3 * v + 2] = 0;
}

// Gives every triangle corners of its own, for bodies that are welded or stay on disk.
static void explode(snag_shape *shape)
{
    snag_shape apart = reserve(3 * shape->triangle_count, shape->triangle_count, 0);
    for (size_t i = 0; i < 3 * shape->triangle_count; i++) {
        memcpy(apart.positions + 3 * i, shape->positions + 3 * (size_t)shape->triangles[i], 3 * sizeof(double));
        apart.triangles[i] = (uint32_t)i;
    }
    snag_shape_free(shape);
    *shape = apart;
}

// The triangles of a surface as polygons: two that follow each other and share an edge become a quad, the rest stay.
// Beside them there are stars with many corners, which are not convex.
static void make_polygons(torture_body *body, uint32_t n, snag__random *random)
{
    uint32_t stars = 1 + n / 3;
    snag_shape shape = reserve(12 * (size_t)stars, 0, 0);
    body->polygon_sizes = calloc(stars + 1, sizeof *body->polygon_sizes);
    body->polygon_vertices = calloc(12 * (size_t)stars + 1, sizeof *body->polygon_vertices);
    if (body->polygon_sizes == NULL || body->polygon_vertices == NULL)
        abort();
    size_t at = 0;
    for (uint32_t i = 0; i < stars; i++) {
        uint32_t corners = 3 + snag__random_below(random, 8);
        double centre[3], bend = torture_chance(random, 0.4) ? 0.1 : 0, hollow = torture_chance(random, 0.5) ? 0.7 : 0;
        for (int k = 0; k < 3; k++)
            centre[k] = snag__random_range(random, -0.3, 0.3);
        for (uint32_t c = 0; c < corners; c++) {
            double angle = 6.283185307179586 * c / corners, r = 0.4 * (1 - hollow * snag__random_unit(random));
            uint32_t v = 12 * i + c;
            shape.positions[3 * v] = centre[0] + r * cos(angle);
            shape.positions[3 * v + 1] = centre[1] + r * sin(angle);
            shape.positions[3 * v + 2] = centre[2] + bend * snag__random_range(random, -1, 1);
            // Now and then a corner of the star before, so that polygons are connected.
            body->polygon_vertices[at++] = i > 0 && torture_chance(random, 0.1) ? v - 12 : v;
        }
        body->polygon_sizes[i] = corners;
    }
    body->polygon_count = stars;
    body->shape = shape;
}

// Another body once more: where it is, or a little larger or smaller, so that one is nested in the other.
static bool copy_body(torture_life *life, torture_body *body, snag__random *random)
{
    const torture_body *of = torture_pick(life, random);
    double grow = torture_chance(random, 0.5) ? 1 : snag__random_range(random, 0.7, 1.1);
    if (of == NULL || of->source || of->polygon_count > 0)
        return false;
    body->shape = reserve(of->shape.vertex_count, of->shape.triangle_count, of->shape.tet_count);
    if (of->shape.triangle_count > 0)
        memcpy(body->shape.triangles, of->shape.triangles, 3 * of->shape.triangle_count * sizeof(uint32_t));
    if (of->shape.tet_count > 0)
        memcpy(body->shape.tets, of->shape.tets, 4 * of->shape.tet_count * sizeof(uint32_t));
    for (size_t i = 0; i < 3 * of->shape.vertex_count; i++)
        body->shape.positions[i] = grow * of->local[i];
    body->factor = of->factor;
    return true;
}

static void turn_and_shift(snag_shape *shape, snag__random *random)
{
    double angle = torture_chance(random, 0.3) ? 0 : snag__random_range(random, 0, 6.28), c = cos(angle), s = sin(angle);
    double size = snag__random_range(random, 0.4, 1.2), shift[3];
    int axis = (int)snag__random_below(random, 3), u = (axis + 1) % 3, w = (axis + 2) % 3;
    for (int k = 0; k < 3; k++)
        shift[k] = snag__random_range(random, -0.25, 0.25);
    for (size_t v = 0; v < shape->vertex_count; v++) {
        double *p = shape->positions + 3 * v, x = p[u], y = p[w];
        p[u] = c * x - s * y;
        p[w] = s * x + c * y;
        for (int k = 0; k < 3; k++)
            p[k] = size * p[k] + shift[k];
    }
}

const char *torture_make_shape(torture_life *life, snag__random *random, torture_body *body)
{
    shape_kind kind = (shape_kind)snag__random_below(random, SHAPE_KINDS);
    if (life->profile.size > 10 && torture_chance(random, 0.6))
        kind = torture_chance(random, 0.5) ? SMOOTH : ICOSPHERE;
    uint32_t n = 1 + snag__random_below(random, life->profile.size);
    if (life->profile.size > 10)
        n = life->profile.size / 2 + n / 2;
    if (life->profile.smooth) {
        kind = SMOOTH;
        n = life->profile.size;
    }
    body->factor = 1;
    if (kind == COPY && copy_body(life, body, random))
        return shape_names[kind];
    if (kind == POLYGONS)
        make_polygons(body, n, random);
    else
        body->shape = make_of_kind(kind == COPY || kind == CLOUD || kind == WELDED ? ICOSPHERE : kind, n, random);
    if (body->polygon_count == 0)
        spoil(&body->shape, random);
    turn_and_shift(&body->shape, random);
    if (kind == CLOUD)
        body->shape.triangle_count = 0;
    body->weld = kind == WELDED || (body->shape.triangle_count > 0 && torture_chance(random, 0.05));
    if (kind == WELDED || (body->source && body->shape.triangle_count > 0))
        explode(&body->shape);
    return shape_names[kind];
}

#include "subdivide.h"

#include <math.h>
#include <string.h>

#include "vector.h"

// ---- topology ----

static bool allocate_level(snag__quad_level *level, uint32_t vertices, uint32_t quads, snag__sim_memory *memory)
{
    *level = (snag__quad_level){.vertex_count = vertices, .quad_count = quads};
    level->quads = snag__sim_new(memory, quads, sizeof *level->quads);
    level->sides = snag__sim_new(memory, quads, sizeof *level->sides);
    level->edges = snag__sim_new(memory, 2 * (size_t)quads, sizeof *level->edges);  // closed: each edge has two quads
    level->valence = snag__sim_new(memory, vertices, sizeof *level->valence);
    level->x = snag__sim_new(memory, vertices, sizeof *level->x);
    return !memory->failed;
}

// The edge of two vertices, a new one if it is met for the first time. Cages are small: looked for one by one.
static uint32_t find_edge(snag__quad_level *level, uint32_t a, uint32_t b)
{
    for (uint32_t e = 0; e < level->edge_count; e++)
        if (level->edges[e][0] == b && level->edges[e][1] == a)
            return e;
    level->edges[level->edge_count][0] = a;
    level->edges[level->edge_count][1] = b;
    return level->edge_count++;
}

static void count_valence(snag__quad_level *level)
{
    for (uint32_t e = 0; e < level->edge_count; e++)
        for (int k = 0; k < 2; k++)
            level->valence[level->edges[e][k]]++;
}

// Half of an edge of the coarse level that begins at a vertex.
static uint32_t half_at(const snag__quad_level *coarse, uint32_t edge, uint32_t vertex)
{
    return 2 * edge + (coarse->edges[edge][0] == vertex ? 0 : 1);
}

// Vertices of the fine level: those of the coarse one, its edges' and its quads' points. Quad 4 q + k is at corner k of quad q and begins there.
static bool refine(const snag__quad_level *coarse, snag__quad_level *fine, snag__sim_memory *memory)
{
    uint32_t edge_point = coarse->vertex_count, quad_point = edge_point + coarse->edge_count;
    if (!allocate_level(fine, quad_point + coarse->quad_count, 4 * coarse->quad_count, memory))
        return false;
    fine->edge_count = 2 * coarse->edge_count + 4 * coarse->quad_count;
    for (uint32_t e = 0; e < coarse->edge_count; e++)
        for (uint32_t k = 0; k < 2; k++) {
            fine->edges[2 * e + k][0] = coarse->edges[e][k];
            fine->edges[2 * e + k][1] = edge_point + e;
        }
    uint32_t inner = 2 * coarse->edge_count;
    for (uint32_t q = 0; q < coarse->quad_count; q++)
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t before = (k + 3) % 4, corner = coarse->quads[q][k], side = coarse->sides[q][k],
                     last = coarse->sides[q][before];
            uint32_t *quad = fine->quads[4 * q + k], *sides = fine->sides[4 * q + k];
            quad[0] = corner, quad[1] = edge_point + side, quad[2] = quad_point + q, quad[3] = edge_point + last;
            sides[0] = half_at(coarse, side, corner), sides[1] = inner + 4 * q + k;
            sides[2] = inner + 4 * q + before, sides[3] = half_at(coarse, last, corner);
            fine->edges[inner + 4 * q + k][0] = edge_point + side;
            fine->edges[inner + 4 * q + k][1] = quad_point + q;
        }
    count_valence(fine);
    return true;
}

bool snag__smooth_make(snag__smooth *smooth, const uint32_t (*quads)[4], uint32_t quad_count, uint32_t vertex_count,
                       uint32_t fineness, snag__sim_memory *memory)
{
    *smooth = (snag__smooth){.level_count = 1};
    snag__quad_level *cage = &smooth->levels[0];
    if (!allocate_level(cage, vertex_count, quad_count, memory))
        return false;
    memcpy(cage->quads, quads, quad_count * sizeof *quads);
    for (uint32_t q = 0; q < quad_count; q++)
        for (int k = 0; k < 4; k++)
            cage->sides[q][k] = find_edge(cage, quads[q][k], quads[q][(k + 1) % 4]);
    count_valence(cage);
    for (uint32_t steps = 1; (steps < fineness || smooth->level_count < 4) && smooth->level_count < SNAG__MAX_LEVELS; steps *= 2) {
        if (!refine(&smooth->levels[smooth->level_count - 1], &smooth->levels[smooth->level_count], memory))
            return false;
        smooth->level_count++;
    }
    smooth->normals = snag__sim_new(memory, smooth->levels[smooth->level_count - 1].vertex_count, sizeof *smooth->normals);
    return smooth->normals != NULL;
}

// ---- positions ----

static void update_level(const snag__quad_level *coarse, snag__quad_level *fine)
{
    uint32_t edge_point = coarse->vertex_count, quad_point = edge_point + coarse->edge_count;
    memset(fine->x, 0, fine->vertex_count * sizeof *fine->x);
    for (uint32_t q = 0; q < coarse->quad_count; q++) {
        double *middle = fine->x[quad_point + q];
        for (int k = 0; k < 4; k++)
            snag__add_scaled3(middle, 0.25, coarse->x[coarse->quads[q][k]]);
        // Sums of the quads' points, for the edges and the vertices.
        for (int k = 0; k < 4; k++) {
            snag__add_scaled3(fine->x[edge_point + coarse->sides[q][k]], 0.25, middle);
            snag__add_scaled3(fine->x[coarse->quads[q][k]], 1, middle);
        }
    }
    // A vertex: ((quads' points) / n + 2 (edges' middles) / n + (n - 3) x) / n.
    for (uint32_t e = 0; e < coarse->edge_count; e++)
        for (int k = 0; k < 2; k++) {
            const double *end = coarse->x[coarse->edges[e][k]];
            snag__add_scaled3(fine->x[edge_point + e], 0.25, end);
            for (int j = 0; j < 2; j++)
                snag__add_scaled3(fine->x[coarse->edges[e][j]], 1, end);
        }
    for (uint32_t v = 0; v < coarse->vertex_count; v++) {
        double n = coarse->valence[v];
        for (int k = 0; k < 3; k++)
            fine->x[v][k] = fine->x[v][k] / (n * n) + (n - 3) / n * coarse->x[v][k];
    }
}

void snag__smooth_update(snag__smooth *smooth)
{
    for (int l = 0; l + 1 < smooth->level_count; l++)
        update_level(&smooth->levels[l], &smooth->levels[l + 1]);
    const snag__quad_level *last = &smooth->levels[smooth->level_count - 1];
    memset(smooth->normals, 0, last->vertex_count * sizeof *smooth->normals);
    for (uint32_t q = 0; q < last->quad_count; q++) {
        double a[3], b[3], n[3];
        snag__subtract3(last->x[last->quads[q][2]], last->x[last->quads[q][0]], a);
        snag__subtract3(last->x[last->quads[q][3]], last->x[last->quads[q][1]], b);
        snag__cross3(a, b, n);
        for (int k = 0; k < 4; k++)
            snag__add_scaled3(smooth->normals[last->quads[q][k]], 1, n);
    }
    for (uint32_t v = 0; v < last->vertex_count; v++) {
        double length = snag__length3(smooth->normals[v]);
        for (int k = 0; k < 3; k++)
            smooth->normals[v][k] /= length;
    }
}

void snag__smooth_at(const snag__smooth *smooth, const snag__surface_sample *sample, double x[3], double normal[3])
{
    const snag__quad_level *last = &smooth->levels[smooth->level_count - 1];
    const double u = sample->u, v = sample->v, weights[4] = {(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v};
    for (int k = 0; k < 3; k++)
        x[k] = normal[k] = 0;
    for (int k = 0; k < 4; k++) {
        uint32_t corner = last->quads[sample->quad][k];
        snag__add_scaled3(x, weights[k], last->x[corner]);
        snag__add_scaled3(normal, weights[k], smooth->normals[corner]);
    }
}

// ---- grids ----

// Goes down the levels: the child at corner k has its own axes, turned by k quarters.
static snag__surface_sample sample_at(const snag__smooth *smooth, uint32_t quad, double u, double v)
{
    for (int l = 0; l + 1 < smooth->level_count; l++) {
        uint32_t k = v < 0.5 ? (u < 0.5 ? 0 : 1) : (u < 0.5 ? 3 : 2);
        const double x = 2 * u, y = 2 * v;
        const double local[4][2] = {{x, y}, {y, 2 - x}, {2 - x, 2 - y}, {2 - y, x}};
        quad = 4 * quad + k, u = local[k][0], v = local[k][1];
    }
    return (snag__surface_sample){quad, u, v};
}

typedef struct grid_maker {
    snag__surface_grid *grid;
    const snag__smooth *smooth;
    uint32_t *corners, *sides;  // first vertex plus 1, by vertex and edge of the cage; 0: none yet
} grid_maker;

static uint32_t new_vertices(grid_maker *m, uint32_t *first, uint32_t count)
{
    if (*first == 0) {
        *first = (uint32_t)m->grid->vertex_count + 1;
        m->grid->vertex_count += count;
    }
    return *first - 1;
}

// The vertex at (i, j) on the border of a quad's grid: at its corner or on one of its sides.
static uint32_t border_vertex(grid_maker *m, uint32_t quad, uint32_t i, uint32_t j)
{
    const snag__quad_level *cage = &m->smooth->levels[0];
    uint32_t n = m->grid->n, k, t;
    if (j == 0 && i < n)
        k = 0, t = i;
    else if (i == n && j < n)
        k = 1, t = j;
    else if (j == n && i > 0)
        k = 2, t = n - i;
    else
        k = 3, t = n - j;
    uint32_t corner = cage->quads[quad][k], side = cage->sides[quad][k];
    if (t == 0)
        return new_vertices(m, &m->corners[corner], 1);
    uint32_t first = new_vertices(m, &m->sides[side], n - 1);
    return first + (cage->edges[side][0] == corner ? t - 1 : n - 1 - t);
}

static void fill_grid(grid_maker *m, uint32_t quad)
{
    snag__surface_grid *grid = m->grid;
    uint32_t n = grid->n, inner = 0, *id = grid->ids[quad];
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t i = 0; i <= n; i++, id++) {
            bool border = i == 0 || j == 0 || i == n || j == n;
            *id = border ? border_vertex(m, quad, i, j) : new_vertices(m, &inner, (n - 1) * (n - 1)) + (j - 1) * (n - 1) + i - 1;
            grid->samples[*id] = sample_at(m->smooth, quad, (double)i / n, (double)j / n);
        }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t *low = grid->ids[quad] + (size_t)j * (n + 1) + i, *high = low + n + 1;
            const uint32_t even[6] = {low[0], low[1], high[1], low[0], high[1], high[0]};
            const uint32_t odd[6] = {low[0], low[1], high[0], low[1], high[1], high[0]};
            memcpy(grid->triangles + 3 * grid->triangle_count, (i + j) % 2 == 0 ? even : odd, sizeof even);
            grid->triangle_count += 2;
        }
}

bool snag__surface_grid_make(snag__surface_grid *grid, const snag__smooth *smooth, const bool *chosen, uint32_t n,
                             snag__sim_memory *memory)
{
    const snag__quad_level *cage = &smooth->levels[0];
    *grid = (snag__surface_grid){.n = n};
    size_t quads = 0;
    for (uint32_t q = 0; q < cage->quad_count; q++)
        quads += chosen[q];
    grid->ids = snag__sim_new(memory, cage->quad_count, sizeof *grid->ids);
    grid->samples = snag__sim_new(memory, quads * (n + 1) * (n + 1), sizeof *grid->samples);
    grid->triangles = snag__sim_new(memory, 6 * quads * n * n, sizeof *grid->triangles);
    grid_maker maker = {.grid = grid, .smooth = smooth};
    maker.corners = snag__sim_new(memory, cage->vertex_count, sizeof *maker.corners);
    maker.sides = snag__sim_new(memory, cage->edge_count, sizeof *maker.sides);
    for (uint32_t q = 0; q < cage->quad_count && !memory->failed; q++)
        if (chosen[q]) {
            grid->ids[q] = snag__sim_new(memory, (size_t)(n + 1) * (n + 1), sizeof *grid->ids[q]);
            if (grid->ids[q] != NULL)
                fill_grid(&maker, q);
        }
    return !memory->failed;
}

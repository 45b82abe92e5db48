// Implicit cloth: springs along edges for stretch and shear, a quadratic energy over pairs of triangles for bending.
// Van Gelder: Approximate simulation of elastic membranes by triangulated spring meshes, 1998 (stiffness by area);
// Choi, Ko: Stable but responsive cloth, SIGGRAPH 2002 (no stiffness across a compressed spring);
// Bergou, Wardetzky, Harmon, Zorin, Grinspun: A quadratic bending model for inextensible surfaces, SGP 2006.
// Differs: both are kept as one list of pairs of points, since the rows of the bending matrix sum to zero; threads
// along and across the warp make the bias softer than warp and weft.
#include "cloth.h"

#include <stdlib.h>
#include <string.h>

// ---- building ----

// An edge as one triangle sees it.
typedef struct half_edge {
    uint32_t low, high;
    uint32_t opposite;
} half_edge;

static int compare_half_edges(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return (p->opposite > q->opposite) - (p->opposite < q->opposite);
}

static void list_half_edges(const snag_shape *sheet, half_edge *halves)
{
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        const uint32_t *c = sheet->triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            uint32_t a = c[k], b = c[(k + 1) % 3];
            halves[3 * t + (size_t)k] = (half_edge){a < b ? a : b, a < b ? b : a, c[(k + 2) % 3]};
        }
    }
    qsort(halves, 3 * sheet->triangle_count, sizeof *halves, compare_half_edges);
}

static double triangle_area(const double *a, const double *b, const double *c)
{
    double u[3], w[3], n[3];
    snag__subtract3(b, a, u);
    snag__subtract3(c, a, w);
    snag__cross3(u, w, n);
    return snag__length3(n) / 2;
}

static double cotangent(const double *at, const double *b, const double *c)
{
    double u[3], w[3];
    snag__subtract3(b, at, u);
    snag__subtract3(c, at, w);
    return snag__dot3(u, w) / (2 * triangle_area(at, b, c));
}

static const double *rest_of(const snag_shape *sheet, uint32_t v)
{
    return sheet->positions + 3 * (size_t)v;
}

// The stiffness of an edge grows with the area it stands for. On the bias it is reduced: (cos^2 - sin^2)^2 is 1 along
// the threads and 0 at 45 degrees, where (2 cos sin)^2 is 1.
static double edge_stiffness(const snag_shape *sheet, const half_edge *halves, size_t count, const snag__fabric *fabric)
{
    const double *a = rest_of(sheet, halves->low), *b = rest_of(sheet, halves->high);
    double area = 0, d[3];
    for (size_t k = 0; k < count; k++)
        area += triangle_area(a, b, rest_of(sheet, halves[k].opposite));
    snag__subtract3(b, a, d);
    int warp = fabric->warp;
    double other = d[(warp + 1) % 3], third = d[(warp + 2) % 3];
    double xx = d[warp] * d[warp], yy = other * other + third * third, square = xx + yy;
    double threads = (xx - yy) * (xx - yy), bias = 4 * xx * yy;
    return fabric->stretch * area / square * (threads + fabric->shear * bias) / (square * square);
}

typedef struct bend_term {
    uint32_t low, high;
    double weight;
} bend_term;

static int compare_bend_terms(const void *a, const void *b)
{
    const bend_term *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

// The six pairs of a hinge. Its energy is s/2 |sum k_i x_i|^2 where the k_i sum to zero, so that the force on point i
// is the sum over j of s k_i k_j (x_i - x_j).
static void hinge_terms(const snag_shape *sheet, const half_edge *halves, double bend, bend_term terms[6])
{
    uint32_t v[4] = {halves[0].low, halves[0].high, halves[0].opposite, halves[1].opposite};
    const double *x[4];
    for (int i = 0; i < 4; i++)
        x[i] = rest_of(sheet, v[i]);
    double c02 = cotangent(x[0], x[1], x[2]), c03 = cotangent(x[0], x[1], x[3]);
    double c12 = cotangent(x[1], x[0], x[2]), c13 = cotangent(x[1], x[0], x[3]);
    double k[4] = {c12 + c13, c02 + c03, -c02 - c12, -c03 - c13};
    // The paper's factor of 3 makes a sheet of squares three times as stiff along its threads as the continuum is.
    double s = bend / (triangle_area(x[0], x[1], x[2]) + triangle_area(x[0], x[1], x[3]));
    int n = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            terms[n++] = (bend_term){v[i] < v[j] ? v[i] : v[j], v[i] < v[j] ? v[j] : v[i], -s * k[i] * k[j]};
}

static bool pairs_create(snag__pairs *pairs, uint32_t points, size_t count, snag__sim_memory *memory)
{
    pairs->row = snag__sim_new(memory, (size_t)points + 1, sizeof *pairs->row);
    pairs->other = snag__sim_new(memory, count, sizeof *pairs->other);
    pairs->bend = snag__sim_new(memory, count, sizeof *pairs->bend);
    return !memory->failed;
}

// Pairs come sorted by their lower point: counts of each row, summed up afterwards.
static void pairs_put(snag__pairs *pairs, size_t at, uint32_t low, uint32_t high)
{
    pairs->other[at] = high;
    pairs->row[low + 1]++;
}

static void pairs_finish(snag__pairs *pairs, uint32_t points)
{
    for (uint32_t i = 0; i < points; i++)
        pairs->row[i + 1] += pairs->row[i];
}

// The pair's place in the list, or UINT32_MAX.
static uint32_t pairs_find(const snag__pairs *pairs, uint32_t low, uint32_t high)
{
    for (uint32_t e = pairs->row[low]; e < pairs->row[low + 1]; e++)
        if (pairs->other[e] == high)
            return e;
    return UINT32_MAX;
}

// The half edges of one edge stand together; how many, from the first on.
static size_t same_edge(const half_edge *halves, size_t from, size_t count)
{
    size_t to = from + 1;
    while (to < count && halves[to].low == halves[from].low && halves[to].high == halves[from].high)
        to++;
    return to - from;
}

static bool build_edges(snag__cloth *cloth, const snag_shape *sheet, const half_edge *halves, size_t half_count,
                        const snag__fabric *fabric, snag__sim_memory *memory)
{
    size_t count = 0;
    for (size_t i = 0; i < half_count; i += same_edge(halves, i, half_count))
        count++;
    cloth->rest = snag__sim_new(memory, count, sizeof *cloth->rest);
    cloth->stiffness = snag__sim_new(memory, count, sizeof *cloth->stiffness);
    cloth->along = snag__sim_new(memory, count, sizeof *cloth->along);
    cloth->across = snag__sim_new(memory, count, sizeof *cloth->across);
    if (!pairs_create(&cloth->edges, cloth->point_count, count, memory))
        return false;
    for (size_t i = 0, e = 0, n; i < half_count; i += n, e++) {
        n = same_edge(halves, i, half_count);
        double d[3];
        snag__subtract3(rest_of(sheet, halves[i].high), rest_of(sheet, halves[i].low), d);
        cloth->rest[e] = (float)snag__length3(d);
        cloth->stiffness[e] = (float)edge_stiffness(sheet, halves + i, n, fabric);
        pairs_put(&cloth->edges, e, halves[i].low, halves[i].high);
    }
    pairs_finish(&cloth->edges, cloth->point_count);
    return true;
}

// Sorts the terms by pair; those of edges are added to the edges, the others become opposites.
static bool build_bending(snag__cloth *cloth, bend_term *terms, size_t term_count, snag__sim_memory *memory)
{
    qsort(terms, term_count, sizeof *terms, compare_bend_terms);
    size_t opposite_count = 0;
    for (size_t i = 0; i < term_count; i++) {
        uint32_t e = pairs_find(&cloth->edges, terms[i].low, terms[i].high);
        if (e != UINT32_MAX)
            cloth->edges.bend[e] += (float)terms[i].weight;
        else if (opposite_count > 0 && compare_bend_terms(&terms[opposite_count - 1], &terms[i]) == 0)
            terms[opposite_count - 1].weight += terms[i].weight;
        else
            terms[opposite_count++] = terms[i];
    }
    if (!pairs_create(&cloth->opposites, cloth->point_count, opposite_count, memory))
        return false;
    for (size_t i = 0; i < opposite_count; i++) {
        pairs_put(&cloth->opposites, i, terms[i].low, terms[i].high);
        cloth->opposites.bend[i] = (float)terms[i].weight;
    }
    pairs_finish(&cloth->opposites, cloth->point_count);
    return true;
}

static size_t list_bend_terms(const snag_shape *sheet, const half_edge *halves, size_t half_count, double bend,
                              bend_term *terms)
{
    size_t count = 0;
    for (size_t i = 0, n; i < half_count; i += n) {
        n = same_edge(halves, i, half_count);
        if (n < 2)
            continue;
        hinge_terms(sheet, halves + i, bend, terms + count);
        count += 6;
    }
    return count;
}

static void add_masses(const snag_shape *sheet, double density, double *mass)
{
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        const uint32_t *c = sheet->triangles + 3 * t;
        double area = triangle_area(rest_of(sheet, c[0]), rest_of(sheet, c[1]), rest_of(sheet, c[2]));
        for (int k = 0; k < 3; k++)
            mass[c[k]] += density * area / 3;
    }
}

bool snag__cloth_create(snag__cloth *cloth, const snag_shape *sheet, const snag__fabric *fabric, double *mass,
                        snag__sim_memory *memory)
{
    *cloth = (snag__cloth){.point_count = (uint32_t)sheet->vertex_count, .damping = fabric->damping};
    size_t half_count = 3 * sheet->triangle_count;
    snag__sim_memory scratch = {0};  // for building only
    half_edge *halves = snag__sim_new(&scratch, half_count, sizeof *halves);
    bend_term *terms = snag__sim_new(&scratch, 3 * half_count, sizeof *terms);  // a hinge has two half edges, six terms
    bool done = !scratch.failed;
    if (done) {
        list_half_edges(sheet, halves);
        size_t term_count = list_bend_terms(sheet, halves, half_count, fabric->bend, terms);
        done = build_edges(cloth, sheet, halves, half_count, fabric, memory) &&
               build_bending(cloth, terms, term_count, memory);
        add_masses(sheet, fabric->density, mass);
    }
    snag__sim_free_all(&scratch);
    return done;
}

// ---- forces and their matrix ----

static void add_bending_forces(const snag__pairs *pairs, uint32_t points, const double (*x)[3], double (*force)[3])
{
    for (uint32_t i = 0; i < points; i++) {
        for (uint32_t e = pairs->row[i]; e < pairs->row[i + 1]; e++) {
            uint32_t j = pairs->other[e];
            for (int k = 0; k < 3; k++) {
                double f = (double)pairs->bend[e] * (x[j][k] - x[i][k]);
                force[i][k] += f;
                force[j][k] -= f;
            }
        }
    }
}

static void add_to_diagonal(float diagonal[6], float across, snag__f4 g)
{
    diagonal[0] += across + g[0] * g[0];
    diagonal[1] += across + g[1] * g[1];
    diagonal[2] += across + g[2] * g[2];
    diagonal[3] += g[0] * g[1];
    diagonal[4] += g[0] * g[2];
    diagonal[5] += g[1] * g[2];
}

// Force and matrix of the spring along edge e from i to j. A compressed spring would push its ends aside; that part of
// the matrix is left out, so that the matrix stays positive.
static void stretch_edge(snag__cloth *cloth, uint32_t e, const double *xi, const double *xj, double h, double *fi,
                         double *fj)
{
    double d[3], k = (double)cloth->stiffness[e], rest = (double)cloth->rest[e];
    snag__subtract3(xj, xi, d);
    double length = snag__length3(d), tension = 0, across = 0;
    if (length > 0) {
        tension = k * (1 - rest / length);
        snag__add_scaled3(fi, tension, d);
        snag__add_scaled3(fj, -tension, d);
        across = fmax(tension, 0);
        for (int c = 0; c < 3; c++)
            d[c] /= length;
    }
    double scale = sqrt(h * h * (k - across) + h * cloth->damping * k);
    cloth->along[e] = (float)scale * snag__f4_from(d);
    cloth->across[e] = (float)(h * h * across) + cloth->bend_scale * cloth->edges.bend[e];
}

static void linearise(void *self, const double (*x)[3], const double (*v)[3], double h, double (*force)[3],
                      float (*diagonal)[6])
{
    (void)v;
    snag__cloth *cloth = self;
    cloth->bend_scale = (float)(h * h + h * cloth->damping);
    add_bending_forces(&cloth->edges, cloth->point_count, x, force);
    add_bending_forces(&cloth->opposites, cloth->point_count, x, force);
    for (uint32_t i = 0; i < cloth->point_count; i++) {
        for (uint32_t e = cloth->edges.row[i]; e < cloth->edges.row[i + 1]; e++) {
            uint32_t j = cloth->edges.other[e];
            stretch_edge(cloth, e, x[i], x[j], h, force[i], force[j]);
            add_to_diagonal(diagonal[i], cloth->across[e], cloth->along[e]);
            add_to_diagonal(diagonal[j], cloth->across[e], cloth->along[e]);
        }
        for (uint32_t e = cloth->opposites.row[i]; e < cloth->opposites.row[i + 1]; e++) {
            float bend = cloth->bend_scale * cloth->opposites.bend[e];
            add_to_diagonal(diagonal[i], bend, (snag__f4){0});
            add_to_diagonal(diagonal[cloth->opposites.other[e]], bend, (snag__f4){0});
        }
    }
}

static void multiply(const void *self, const snag__f4 *x, snag__f4 *y)
{
    const snag__cloth *cloth = self;
    const snag__pairs *edges = &cloth->edges, *opposites = &cloth->opposites;
    for (uint32_t i = 0; i < cloth->point_count; i++) {
        snag__f4 xi = x[i], sum = {0};
        for (uint32_t e = edges->row[i]; e < edges->row[i + 1]; e++) {
            snag__f4 d = xi - x[edges->other[e]], g = cloth->along[e];
            snag__f4 product = cloth->across[e] * d + snag__f4_dot(g, d) * g;
            sum += product;
            y[edges->other[e]] -= product;
        }
        for (uint32_t e = opposites->row[i]; e < opposites->row[i + 1]; e++) {
            snag__f4 product = (cloth->bend_scale * opposites->bend[e]) * (xi - x[opposites->other[e]]);
            sum += product;
            y[opposites->other[e]] -= product;
        }
        y[i] += sum;
    }
}

snag__model snag__cloth_model(snag__cloth *cloth)
{
    return (snag__model){.self = cloth, .linearise = linearise, .multiply = multiply};
}

// Implicit cloth: springs along edges for stretch and shear, a quadratic energy over pairs of triangles for bending.
// Van Gelder: Approximate simulation of elastic membranes by triangulated spring meshes, 1998 (stiffness by area);
// Bergou, Wardetzky, Harmon, Zorin, Grinspun: A quadratic bending model for inextensible surfaces, SGP 2006.
// Differs: both are kept as pairs of points, since the rows of the bending matrix sum to zero; threads along and across the
// warp make the bias softer than warp and weft.
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

// The stiffness of an edge is proportional to its share of the area. On the bias it is reduced: (cos^2 - sin^2)^2 is 1 along the
// threads and 0 at 45 degrees, where (2 cos sin)^2 is 1.
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

// The half edges of one edge are adjacent; returns how many, from the first on.
static size_t same_edge(const half_edge *halves, size_t from, size_t count)
{
    size_t to = from + 1;
    while (to < count && halves[to].low == halves[from].low && halves[to].high == halves[from].high)
        to++;
    return to - from;
}

// The half edges and bending terms of a sheet.
typedef struct cut {
    const snag_shape *sheet;
    half_edge *halves;  // sorted
    size_t half_count;
    bend_term *terms;
    size_t term_count;
} cut;

// Lists the terms of all hinges, sorted by pair and summed per pair.
static void list_bend_terms(cut *made, double bend)
{
    size_t count = 0;
    for (size_t i = 0, n; i < made->half_count; i += n) {
        n = same_edge(made->halves, i, made->half_count);
        if (n < 2)
            continue;
        hinge_terms(made->sheet, made->halves + i, bend, made->terms + count);
        count += 6;
    }
    qsort(made->terms, count, sizeof *made->terms, compare_bend_terms);
    made->term_count = 0;
    for (size_t i = 0; i < count; i++) {
        bend_term *last = made->terms + made->term_count;
        if (made->term_count > 0 && compare_bend_terms(last - 1, &made->terms[i]) == 0) {
            last[-1].weight += made->terms[i].weight;
        } else {
            *last = made->terms[i];
            made->term_count++;
        }
    }
}

// Looks up a pair in the sorted terms. 0 if it has none.
static float bend_between(const bend_term *terms, size_t count, uint32_t low, uint32_t high)
{
    bend_term wanted = {low, high, 0};
    const bend_term *found = bsearch(&wanted, terms, count, sizeof *terms, compare_bend_terms);
    return found != NULL ? (float)found->weight : 0;
}

static bool build_edges(snag__cloth *cloth, const cut *made, const snag__fabric *fabric, snag__spring *list,
                        snag__sim_memory *memory)
{
    size_t count = 0;
    for (size_t i = 0, n; i < made->half_count; i += n) {
        const half_edge *edge = &made->halves[i];
        n = same_edge(made->halves, i, made->half_count);
        double d[3];
        snag__subtract3(rest_of(made->sheet, edge->high), rest_of(made->sheet, edge->low), d);
        list[count++] =
            (snag__spring){edge->low, edge->high, (float)snag__length3(d), (float)edge_stiffness(made->sheet, edge, n, fabric),
                           bend_between(made->terms, made->term_count, edge->low, edge->high)};
    }
    return snag__springs_create(&cloth->edges, cloth->point_count, list, count, fabric->damping, memory);
}

static bool is_edge(const snag__pairs *edges, uint32_t low, uint32_t high)
{
    for (uint32_t e = edges->row[low]; e < edges->row[low + 1]; e++)
        if (edges->other[e] == high)
            return true;
    return false;
}

static void ends_of(const void *list, size_t at, uint32_t pair[2])
{
    const bend_term *term = (const bend_term *)list + at;
    pair[0] = term->low;
    pair[1] = term->high;
}

// The terms between points that are not joined by an edge.
static bool build_bending(snag__cloth *cloth, cut *made, snag__sim_memory *memory)
{
    bend_term *terms = made->terms;
    size_t count = 0;
    for (size_t i = 0; i < made->term_count; i++)
        if (!is_edge(&cloth->edges.pairs, terms[i].low, terms[i].high))
            terms[count++] = terms[i];
    cloth->bends.bend = snag__sim_new(memory, count, sizeof *cloth->bends.bend);
    if (memory->failed)
        return false;
    for (size_t i = 0; i < count; i++)
        cloth->bends.bend[i] = (float)terms[i].weight;
    return snag__pairs_create(&cloth->bends.pairs, cloth->point_count, count, ends_of, terms, memory);
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
    *cloth = (snag__cloth){.point_count = (uint32_t)sheet->vertex_count};
    snag__sim_memory scratch = {0};  // for building only
    cut made = {.sheet = sheet, .half_count = 3 * sheet->triangle_count};
    made.halves = snag__sim_new(&scratch, made.half_count, sizeof *made.halves);
    made.terms = snag__sim_new(&scratch, 3 * made.half_count, sizeof *made.terms);  // a hinge has two half edges, six terms
    snag__spring *springs = snag__sim_new(&scratch, made.half_count, sizeof *springs);
    bool done = !scratch.failed;
    if (done) {
        list_half_edges(sheet, made.halves);
        list_bend_terms(&made, fabric->bend);
        done = build_edges(cloth, &made, fabric, springs, memory) && build_bending(cloth, &made, memory);
        add_masses(sheet, fabric->density, mass);
    }
    snag__sim_free_all(&scratch);
    return done;
}

// ---- forces and their matrix ----

static void begin(void *self, double h)
{
    snag__cloth *cloth = self;
    snag__springs_begin(&cloth->edges, h);
}

static void linearise(void *self, const double (*x)[3], uint32_t from, uint32_t to, double (*force)[3], float (*diagonal)[6])
{
    snag__cloth *cloth = self;
    const snag__bends *bends = &cloth->bends;
    const snag__pairs *p = &bends->pairs;
    snag__springs_linearise(&cloth->edges, x, from, to, force, diagonal);
    for (uint32_t i = from; i < to; i++) {
        double d[3];
        float diagonal_sum = 0;
        for (uint32_t b = p->back_row[i]; b < p->back_row[i + 1]; b++) {
            snag__subtract3(x[p->back_other[b]], x[i], d);
            snag__add_scaled3(force[i], (double)bends->bend[p->back_pair[b]], d);
            diagonal_sum += bends->bend[p->back_pair[b]];
        }
        for (uint32_t e = p->row[i]; e < p->row[i + 1]; e++) {
            snag__subtract3(x[p->other[e]], x[i], d);
            snag__add_scaled3(force[i], (double)bends->bend[e], d);
            diagonal_sum += bends->bend[e];
        }
        snag__add_to_diagonal(diagonal[i], cloth->edges.bend_scale * diagonal_sum, (snag__f4){0});
    }
}

static void multiply(const void *self, const snag__f4 *x, uint32_t from, uint32_t to, snag__f4 *y)
{
    const snag__cloth *cloth = self;
    const float *bend = cloth->bends.bend, scale = cloth->edges.bend_scale;
    const snag__pairs *p = &cloth->bends.pairs;
    snag__springs_multiply(&cloth->edges, x, from, to, y);
    for (uint32_t i = from; i < to; i++) {
        snag__f4 xi = x[i], sum = {0};
        for (uint32_t b = p->back_row[i]; b < p->back_row[i + 1] && p->back_other[b] < from; b++)
            sum += (scale * bend[p->back_pair[b]]) * (xi - x[p->back_other[b]]);
        uint32_t e = p->row[i], end = p->row[i + 1];
        for (; e < end && p->other[e] < to; e++) {
            snag__f4 product = (scale * bend[e]) * (xi - x[p->other[e]]);
            sum += product;
            y[p->other[e]] -= product;
        }
        for (; e < end; e++)
            sum += (scale * bend[e]) * (xi - x[p->other[e]]);
        y[i] += sum;
    }
}

static double energy(const void *self, const double (*x)[3])
{
    const snag__cloth *cloth = self;
    const snag__pairs *p = &cloth->bends.pairs;
    double sum = 0;
    for (uint32_t i = 0; i < cloth->point_count; i++)
        for (uint32_t e = p->row[i]; e < p->row[i + 1]; e++) {
            double d[3];
            snag__subtract3(x[p->other[e]], x[i], d);
            sum += (double)cloth->bends.bend[e] * snag__dot3(d, d) / 2;
        }
    return sum + snag__springs_energy(&cloth->edges, x);
}

snag__model snag__cloth_model(snag__cloth *cloth)
{
    return (snag__model){.self = cloth,
                         .point_count = cloth->point_count,
                         .begin = begin,
                         .linearise = linearise,
                         .multiply = multiply,
                         .energy = energy};
}

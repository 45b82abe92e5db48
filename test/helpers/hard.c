#include "helpers/hard.h"

#include <math.h>
#include <string.h>

double hard_any_double(snag__random *random)
{
    double value;
    uint64_t bits;
    do {
        bits = snag__random_u64(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

double hard_grid(snag__random *random, uint32_t n)
{
    return (double)snag__random_below(random, 2 * n + 1) - n;
}

double hard_nudged(snag__random *random, double value)
{
    for (uint32_t steps = snag__random_below(random, 4); steps > 0; steps--)
        value = nextafter(value, snag__random_below(random, 2) ? INFINITY : -INFINITY);
    return isfinite(value) ? value : 0.0;
}

// ---- pairs of triangles ----

static uint32_t below(snag__random *random, uint32_t n)
{
    return snag__random_below(random, n);
}

static void random_point(snag__random *random, double p[3])
{
    for (int k = 0; k < 3; k++)
        p[k] = snag__random_range(random, -1, 1);
}

static void grid_point(snag__random *random, uint32_t n, double p[3])
{
    for (int k = 0; k < 3; k++)
        p[k] = hard_grid(random, n);
}

// origin + i u + j v with small integers: exact, so that points of one plane are truly in one plane.
static void plane_point(snag__random *random, const double frame[3][3], double p[3])
{
    double i = hard_grid(random, 4), j = hard_grid(random, 4);
    for (int k = 0; k < 3; k++)
        p[k] = frame[0][k] + i * frame[1][k] + j * frame[2][k];
}

// p = a point of the line through q and r; exact if both have few bits.
static void line_point(snag__random *random, const double q[3], const double r[3], double p[3])
{
    double t = hard_grid(random, 4) / 4;
    for (int k = 0; k < 3; k++)
        p[k] = q[k] + t * (r[k] - q[k]);
}

enum { RANDOM, SMALL_GRID, GRID, IN_ONE_PLANE, NEAR_ONE_PLANE, NEEDLES, ZERO_AREA, RESTING, ANY_DOUBLES };

static void make_points(snag__random *random, int family, double p[6][3])
{
    double frame[3][3];
    for (int i = 0; i < 3; i++)
        grid_point(random, 5, frame[i]);
    for (int i = 0; i < 6; i++)
        switch (family) {
        case SMALL_GRID: grid_point(random, 1, p[i]); break;
        case GRID: grid_point(random, 3, p[i]); break;
        case IN_ONE_PLANE:
        case NEAR_ONE_PLANE: plane_point(random, frame, p[i]); break;
        case ANY_DOUBLES:
            for (int k = 0; k < 3; k++)
                p[i][k] = hard_any_double(random);
            break;
        default: random_point(random, p[i]);
        }
    for (int i = 0; i < 6; i++) {
        int first = i / 3 * 3;
        if (family == NEEDLES && i % 3 == 2)
            line_point(random, p[first], p[first + 1], p[i]);
        if ((family == NEAR_ONE_PLANE && below(random, 3) == 0) || (family == NEEDLES && i % 3 == 2))
            for (int k = 0; k < 3; k++)
                p[i][k] = hard_nudged(random, p[i][k]);
        if (family == ZERO_AREA && i % 3 == 2 && below(random, 2)) {
            grid_point(random, 4, p[first]);
            grid_point(random, 4, p[first + 1]);
            line_point(random, p[first], p[first + 1], p[i]);
        }
        // Corners of b on corners, edges and, by two steps along edges, the inside of a.
        if (family == RESTING && i >= 3 && below(random, 2)) {
            for (int j = 0; j < 3; j++)
                grid_point(random, 4, p[j]);
            line_point(random, p[0], p[1], p[i]);
            line_point(random, p[2], p[i], p[i]);
        }
    }
}

// Numbers for the vertices: b takes over some of a's, in any places.
static void share_vertices(uint32_t shared, hard_pair *pair)
{
    for (uint32_t i = 0; i < 3; i++) {
        pair->va[i] = i;
        pair->vb[i] = i < shared ? i : 3 + i;
        if (i < shared)
            memcpy(pair->b[i], pair->a[i], sizeof pair->b[i]);
    }
}

static void rotate_corners(snag__random *random, double t[3][3], uint32_t v[3])
{
    for (uint32_t i = 2; i > 0; i--) {
        uint32_t j = below(random, i + 1);
        double point[3];
        memcpy(point, t[i], sizeof point);
        memcpy(t[i], t[j], sizeof point);
        memcpy(t[j], point, sizeof point);
        uint32_t number = v[i];
        v[i] = v[j];
        v[j] = number;
    }
}

static void rescale(snag__random *random, hard_pair *pair)
{
    double scale[3], shift = 0;
    uint32_t how = below(random, 32);
    for (int k = 0; k < 3; k++)
        scale[k] = how == 0 ? ldexp(1, (int)below(random, 1900) - 1000) : 1;
    if (how >= 1 && how < 5)  // one magnitude for all: from where products underflow to where they overflow
        scale[0] = scale[1] = scale[2] = ldexp(1, (int)below(random, 1900) - 1000);
    if (how >= 5 && how < 10)
        shift = ldexp(1, (int)below(random, 40));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            pair->a[i][k] = pair->a[i][k] * scale[k] + shift;
            pair->b[i][k] = pair->b[i][k] * scale[k] + shift;
        }
}

void hard_triangle_pair(snag__random *random, hard_pair *pair)
{
    double p[6][3];
    // Of any doubles but a few: they are hard on the judge, too.
    int family = below(random, 64) == 0 ? ANY_DOUBLES : (int)below(random, ANY_DOUBLES);
    make_points(random, family, p);
    memcpy(pair->a, p, sizeof pair->a);
    memcpy(pair->b, p + 3, sizeof pair->b);
    share_vertices(below(random, 2) ? 0 : below(random, 16) ? 1 + below(random, 2) : 3, pair);
    if (family != ANY_DOUBLES)
        rescale(random, pair);
    rotate_corners(random, pair->a, pair->va);
    rotate_corners(random, pair->b, pair->vb);
}

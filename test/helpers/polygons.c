#include "helpers/polygons.h"

#include <math.h>
#include <string.h>

static double rounded(double x)
{
    return nearbyint(x * 0x1p20) * 0x1p-20;
}

static void begin(test_polygon *p)
{
    memset(p, 0, sizeof *p);
}

static void add_point(test_polygon *p, double x, double y)
{
    p->x[p->vertex_count][0] = x;
    p->x[p->vertex_count][1] = y;
    p->x[p->vertex_count][2] = 0;
    p->vertices[p->count++] = p->vertex_count++;
}

// ---- simple ----

static void add_star(snag__random *random, uint32_t count, double x, double y, double size, bool backward, test_polygon *p)
{
    double turn = 6.283185307179586 / count;
    for (uint32_t i = 0; i < count; i++) {
        double angle = turn * ((backward ? count - i : i) + 0.8 * snag__random_unit(random));
        double radius = size * snag__random_range(random, 0.2, 1);
        add_point(p, x + rounded(radius * cos(angle)), y + rounded(radius * sin(angle)));
    }
}

void make_star(snag__random *random, uint32_t count, test_polygon *made)
{
    begin(made);
    add_star(random, count, 0, 0, 1, false, made);
}

void make_monotone(snag__random *random, uint32_t count, test_polygon *made)
{
    begin(made);
    uint32_t below = 1 + snag__random_below(random, count - 3), above = count - 2 - below;
    add_point(made, 0, 0);
    for (uint32_t i = 0; i < below; i++)
        add_point(made, rounded((i + 1.0) / (below + 1)), rounded(-snag__random_range(random, 0.01, 1)));
    add_point(made, 1, 0);
    for (uint32_t i = above; i-- > 0;)
        add_point(made, rounded((i + 1.0) / (above + 1)), rounded(snag__random_range(random, 0.01, 1)));
}

static double area(const test_polygon *p, uint32_t a, uint32_t b, uint32_t c)
{
    const double *x = p->x[p->vertices[a]], *y = p->x[p->vertices[b]], *z = p->x[p->vertices[c]];
    return (y[0] - x[0]) * (z[1] - x[1]) - (y[1] - x[1]) * (z[0] - x[0]);  // exact, for coordinates of a small grid
}

static bool edges_cross(const test_polygon *p, uint32_t i, uint32_t k)
{
    uint32_t i1 = (i + 1) % p->count, k1 = (k + 1) % p->count;
    if (i1 == k || k1 == i)
        return false;
    return area(p, i, i1, k) * area(p, i, i1, k1) <= 0 && area(p, k, k1, i) * area(p, k, k1, i1) <= 0;
}

static bool uncross_once(test_polygon *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = i + 2; k < p->count; k++)
            if (edges_cross(p, i, k)) {
                for (uint32_t a = i + 1, b = k; a < b; a++, b--) {
                    uint32_t swap = p->vertices[a];
                    p->vertices[a] = p->vertices[b];
                    p->vertices[b] = swap;
                }
                return true;
            }
    return false;
}

bool make_untangled(snag__random *random, uint32_t count, uint32_t grid, test_polygon *made)
{
    begin(made);
    for (uint32_t i = 0; i < count; i++)
        add_point(made, snag__random_below(random, grid), snag__random_below(random, grid));
    for (int step = 0; step < 2000; step++)
        if (!uncross_once(made))
            return true;
    return false;
}

void make_spiral(uint32_t count, double (*x)[3])
{
    uint32_t half = count / 2;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = i < half ? i : count - 1 - i;  // the outer wall inward, the inner one back
        double angle = 0.1 * k, radius = 1 + 0.01 * (half - k) + (i < half ? 0 : -0.2);
        x[i][0] = radius * cos(angle);
        x[i][1] = radius * sin(angle);
        x[i][2] = 0;
    }
}

// ---- holes ----

static bool segment_is_free(const test_polygon *p, const double a[3], const double b[3])
{
    test_polygon probe = {.vertex_count = 2, .count = 4};
    memcpy(probe.x[0], a, sizeof probe.x[0]);
    memcpy(probe.x[1], b, sizeof probe.x[1]);
    for (uint32_t i = 0; i < p->count; i++) {
        const double *c = p->x[p->vertices[i]], *d = p->x[p->vertices[(i + 1) % p->count]];
        memcpy(probe.x[2], c, sizeof probe.x[2]);
        memcpy(probe.x[3], d, sizeof probe.x[3]);
        for (uint32_t k = 0; k < 4; k++)
            probe.vertices[k] = k;
        double abc = area(&probe, 0, 1, 2), abd = area(&probe, 0, 1, 3), cda = area(&probe, 2, 3, 0), cdb = area(&probe, 2, 3, 1);
        bool touches_end = !memcmp(a, c, sizeof probe.x[0]) || !memcmp(a, d, sizeof probe.x[0]);
        if (!touches_end && abc * abd <= 0 && cda * cdb <= 0)
            return false;
        if (touches_end && abc == 0 && abd == 0)
            return false;
    }
    return true;
}

// A path of no width from corner i of the loop to the first of `inner`, around that, and back.
static void join(test_polygon *p, uint32_t i, const test_polygon *inner)
{
    uint32_t more = inner->count + 2, old = p->count;
    memmove(p->vertices + i + 1 + more, p->vertices + i + 1, (old - i - 1) * sizeof *p->vertices);
    p->count = i + 1;
    for (uint32_t k = 0; k <= inner->count; k++) {
        const double *x = inner->x[inner->vertices[k % inner->count]];
        add_point(p, x[0], x[1]);
    }
    const double *back = p->x[p->vertices[i]];
    add_point(p, back[0], back[1]);
    p->count = old + more;
}

// Whether no edge of the loop passes through a hole.
static bool hole_is_free(const test_polygon *p, const test_polygon *hole)
{
    for (uint32_t i = 0; i < hole->count; i++)
        if (!segment_is_free(p, hole->x[hole->vertices[i]], hole->x[hole->vertices[(i + 1) % hole->count]]))
            return false;
    return true;
}

// Whether the way from corner i leads to the left of the loop, strictly.
static bool leads_inside(const test_polygon *p, uint32_t i, const double to[3])
{
    const double *at = p->x[p->vertices[i]], *before = p->x[p->vertices[(i + p->count - 1) % p->count]];
    const double *after = p->x[p->vertices[(i + 1) % p->count]];
    double in = (at[0] - before[0]) * (to[1] - before[1]) - (at[1] - before[1]) * (to[0] - before[0]);
    double out = (after[0] - at[0]) * (to[1] - at[1]) - (after[1] - at[1]) * (to[0] - at[0]);
    double bend = (at[0] - before[0]) * (after[1] - at[1]) - (at[1] - before[1]) * (after[0] - at[0]);
    return bend > 0 ? in > 0 && out > 0 : in > 0 || out > 0;
}

static void try_to_bridge(snag__random *random, test_polygon *p, const test_polygon *hole)
{
    uint32_t first = snag__random_below(random, p->count);
    const double *to = hole->x[hole->vertices[0]];
    for (uint32_t k = 0; k < p->count; k++) {
        uint32_t i = (first + k) % p->count;
        const double *from = p->x[p->vertices[i]];
        if (segment_is_free(p, from, to) && segment_is_free(hole, to, from) && leads_inside(p, i, to)) {
            join(p, i, hole);
            return;
        }
    }
}

void make_holes(snag__random *random, uint32_t count, uint32_t holes, test_polygon *made)
{
    make_star(random, count, made);
    for (uint32_t i = 0; i < made->vertex_count; i++)  // room in the middle
        for (int k = 0; k < 2; k++)
            made->x[i][k] *= 8;
    for (uint32_t n = 0; n < holes; n++) {
        test_polygon hole;
        begin(&hole);
        add_star(random, 4 + snag__random_below(random, 5), n % 3 * 0.375 - 0.375, n / 3 * 0.375 - 0.375, 0.15, true, &hole);
        if (hole_is_free(made, &hole))
            try_to_bridge(random, made, &hole);
    }
}

// ---- cells ----

enum { SIDE = 6 };

typedef struct cells {
    bool there[SIDE + 2][SIDE + 2];
    bool glued[SIDE + 2][SIDE + 2][4];
    bool seen[SIDE + 2][SIDE + 2];
    bool path[SIDE + 3][SIDE + 3][4];  // taken by a path of no width
} cells;

// Sides of a cell, and directions: east, north, west, south. Side s of a cell runs in direction s.
static const int step_x[4] = {1, 0, -1, 0}, step_y[4] = {0, 1, 0, -1};
static const int across_x[4] = {0, 1, 0, -1}, across_y[4] = {-1, 0, 1, 0};

typedef struct spot {
    int x, y;
    bool tip;  // the end of an antenna: outside all around
} spot;

typedef struct walk {
    spot at[POLYGON_MOST];
    uint32_t count;
} walk;

// Glues the cells of one component along a random tree.
static void glue(snag__random *random, cells *c, int x, int y)
{
    int stack[(SIDE + 2) * (SIDE + 2)][2] = {{x, y}}, depth = 1;
    c->seen[x][y] = true;
    while (depth > 0) {
        int pick = (int)snag__random_below(random, (uint32_t)depth), cx = stack[pick][0], cy = stack[pick][1], ways = 0, way[4];
        for (int s = 0; s < 4; s++)
            if (c->there[cx + across_x[s]][cy + across_y[s]] && !c->seen[cx + across_x[s]][cy + across_y[s]])
                way[ways++] = s;
        if (ways == 0) {
            depth--;
            memcpy(stack[pick], stack[depth], sizeof stack[pick]);
            continue;
        }
        int s = way[snag__random_below(random, (uint32_t)ways)], nx = cx + across_x[s], ny = cy + across_y[s];
        c->glued[cx][cy][s] = c->glued[nx][ny][(s + 2) % 4] = true;
        c->seen[nx][ny] = true;
        stack[depth][0] = nx;
        stack[depth++][1] = ny;
    }
}

// The boundary of the component that the cell belongs to, left of the walk the cells.
static void walk_around(const cells *c, int x, int y, walk *w)
{
    int side = 0;
    while (c->glued[x][y][side])
        side++;
    int first_x = x, first_y = y, first_side = side;
    w->count = 0;
    do {
        // The corner at which side s starts: 0 low left, 1 low right, 2 high right, 3 high left.
        w->at[w->count++] = (spot){x + (side == 1 || side == 2), y + (side == 2 || side == 3), false};
        side = (side + 1) % 4;
        while (c->glued[x][y][side]) {
            x += across_x[side];
            y += across_y[side];
            side = (side + 3) % 4;
        }
    } while (x != first_x || y != first_y || side != first_side);
}

static int direction(const spot *from, const spot *to)
{
    return to->x > from->x ? 0 : to->y > from->y ? 1 : to->x < from->x ? 2 : 3;
}

// Whether direction d leaves corner i of the walk to the outside, strictly.
static bool leaves(const walk *w, uint32_t i, int d)
{
    if (w->count == 1)
        return true;
    const spot *at = &w->at[i], *before = &w->at[(i + w->count - 1) % w->count], *after = &w->at[(i + 1) % w->count];
    int back = direction(at, before), on = direction(at, after);
    if (back == on)
        return at->tip && d != back;
    for (int k = (back + 1) % 4; k != on; k = (k + 1) % 4)
        if (k == d)
            return true;
    return false;
}

// Whether the edge from (x, y) in direction d has no cell and no path beside it.
static bool is_empty(const cells *c, int x, int y, int d)
{
    int nx = x + step_x[d], ny = y + step_y[d];
    if (nx < 1 || ny < 1 || nx > SIDE + 1 || ny > SIDE + 1 || c->path[x][y][d])
        return false;
    int low_x = nx < x ? nx : x, low_y = ny < y ? ny : y;
    return d % 2 == 0 ? !c->there[low_x][low_y] && !c->there[low_x][low_y - 1]
                      : !c->there[low_x][low_y] && !c->there[low_x - 1][low_y];
}

// Whether nothing passes a spot: an antenna that went on from elsewhere might cross what does.
static bool is_free(const cells *c, const walk *w, const spot *at)
{
    for (int k = 0; k < 4; k++)
        if (c->there[at->x - k % 2][at->y - k / 2])
            return false;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->at[i].x == at->x && w->at[i].y == at->y)
            return false;
    return true;
}

// Joins `other` to the walk by an edge from corner i to corner k of it.
static void join_walks(cells *c, walk *w, uint32_t i, int d, const walk *other, uint32_t k)
{
    spot from = w->at[i];
    uint32_t more = other->count == 1 ? 2 : other->count + 2;
    memmove(w->at + i + 1 + more, w->at + i + 1, (w->count - i - 1) * sizeof *w->at);
    for (uint32_t n = 0; n + 1 < more; n++)
        w->at[i + 1 + n] = other->at[(k + n) % other->count];
    w->at[i].tip = from.tip = false;
    w->at[i + more] = from;
    w->count += more;
    int nx = from.x + step_x[d], ny = from.y + step_y[d];
    c->path[from.x][from.y][d] = c->path[nx][ny][(d + 2) % 4] = true;
}

static void try_to_join(snag__random *random, cells *c, walk *w, const walk *other)
{
    uint32_t i = snag__random_below(random, w->count);
    int d = (int)snag__random_below(random, 4);
    if (!leaves(w, i, d) || !is_empty(c, w->at[i].x, w->at[i].y, d) || w->count + other->count + 4 > POLYGON_MOST / 2)
        return;
    spot to = {w->at[i].x + step_x[d], w->at[i].y + step_y[d], true};
    if (other->count == 0) {
        walk point = {.at = {to}, .count = 1};
        if (is_free(c, w, &to))
            join_walks(c, w, i, d, &point, 0);
        return;
    }
    for (uint32_t k = 0; k < other->count; k++)
        if (other->at[k].x == to.x && other->at[k].y == to.y && leaves(other, k, (d + 2) % 4)) {
            join_walks(c, w, i, d, other, k);
            return;
        }
}

// Takes the ends of some slits away.
static void zip(snag__random *random, walk *w, uint32_t tries)
{
    for (uint32_t n = 0; n < tries && w->count > 4; n++) {
        uint32_t i = snag__random_below(random, w->count), before = (i + w->count - 1) % w->count, after = (i + 1) % w->count;
        if (w->at[i].tip || w->at[before].x != w->at[after].x || w->at[before].y != w->at[after].y || after < i || before > i)
            continue;
        memmove(w->at + i, w->at + i + 2, (w->count - i - 2) * sizeof *w->at);
        w->count -= 2;
    }
}

// A cell of each component.
static uint32_t glue_all(snag__random *random, cells *c, int (*starts)[2])
{
    uint32_t count = 0;
    for (int x = 1; x <= SIDE; x++)
        for (int y = 1; y <= SIDE; y++)
            if (c->there[x][y] && !c->seen[x][y]) {
                glue(random, c, x, y);
                starts[count][0] = x;
                starts[count++][1] = y;
            }
    return count;
}

void make_cells(snag__random *random, test_polygon *made)
{
    static const uint32_t densities[4] = {30, 50, 70, 95};
    cells c;
    walk w, other;
    int starts[SIDE * SIDE][2];
    bool joined[SIDE * SIDE] = {true};
    memset(&c, 0, sizeof c);
    uint32_t percent = densities[snag__random_below(random, 4)];
    for (int x = 1; x <= SIDE; x++)
        for (int y = 1; y <= SIDE; y++)
            c.there[x][y] = (x == 3 && y == 3) || snag__random_below(random, 100) < percent;
    uint32_t count = glue_all(random, &c, starts);
    walk_around(&c, starts[0][0], starts[0][1], &w);
    uint32_t antennas = snag__random_below(random, 3) == 0 ? 25 : 0;
    for (int n = 0; n < 400; n++) {
        uint32_t k = snag__random_below(random, count), before = w.count;
        other.count = 0;
        if (snag__random_below(random, 100) >= antennas) {
            if (joined[k])
                continue;
            walk_around(&c, starts[k][0], starts[k][1], &other);
        }
        try_to_join(random, &c, &w, &other);
        joined[k] = joined[k] || (other.count > 0 && w.count > before);
    }
    zip(random, &w, snag__random_below(random, 3) * 60);
    begin(made);
    for (uint32_t i = 0; i < w.count; i++)
        add_point(made, w.at[i].x, w.at[i].y);
}

// ---- changes ----

// A new corner after corner i.
static void insert(test_polygon *p, uint32_t i, double x, double y)
{
    uint32_t old = p->count;
    memmove(p->vertices + i + 2, p->vertices + i + 1, (old - i - 1) * sizeof *p->vertices);
    p->count = i + 1;
    add_point(p, x, y);
    p->count = old + 1;
}

void add_straight_corners(snag__random *random, uint32_t count, test_polygon *p)
{
    for (uint32_t n = 0; n < count && p->vertex_count < POLYGON_MOST; n++) {
        uint32_t i = snag__random_below(random, p->count);
        const double *a = p->x[p->vertices[i]], *b = p->x[p->vertices[(i + 1) % p->count]];
        insert(p, i, 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]));
    }
}

void drop_straight_corners(snag__random *random, uint32_t percent, test_polygon *p)
{
    for (uint32_t i = 0; i < p->count && p->count > 3; i++) {
        uint32_t before = (i + p->count - 1) % p->count, after = (i + 1) % p->count;
        const double *a = p->x[p->vertices[before]], *b = p->x[p->vertices[i]], *c = p->x[p->vertices[after]];
        bool onward = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) > 0;
        if (area(p, before, i, after) == 0 && onward && snag__random_below(random, 100) < percent) {
            memmove(p->vertices + i, p->vertices + i + 1, (p->count - i - 1) * sizeof *p->vertices);
            p->count--;
        }
    }
}

void add_repeated_corners(snag__random *random, uint32_t count, test_polygon *p)
{
    for (uint32_t n = 0; n < count && p->vertex_count < POLYGON_MOST; n++) {
        uint32_t i = snag__random_below(random, p->count);
        insert(p, i, p->x[p->vertices[i]][0], p->x[p->vertices[i]][1]);
    }
}

void add_spikes(snag__random *random, uint32_t count, double length, test_polygon *p)
{
    for (uint32_t n = 0; n < count && p->vertex_count + 2 < POLYGON_MOST; n++) {
        uint32_t i = snag__random_below(random, p->count);
        double x = p->x[p->vertices[i]][0], y = p->x[p->vertices[i]][1];
        insert(p, i, x + rounded(snag__random_range(random, -length, length)),
               y + rounded(snag__random_range(random, -length, length)));
        insert(p, i + 1, x, y);
    }
}

static void reverse(uint32_t *v, uint32_t count)
{
    for (uint32_t a = 0, b = count - 1; a < b; a++, b--) {
        uint32_t swap = v[a];
        v[a] = v[b];
        v[b] = swap;
    }
}

void turn_loop(snag__random *random, test_polygon *p)
{
    uint32_t first = snag__random_below(random, p->count);
    if (first > 0) {
        reverse(p->vertices, first);
        reverse(p->vertices + first, p->count - first);
        reverse(p->vertices, p->count);
    }
    if (snag__random_below(random, 2))
        reverse(p->vertices, p->count);
}

void share_vertices(test_polygon *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!memcmp(p->x[p->vertices[i]], p->x[p->vertices[k]], sizeof p->x[0])) {
                p->vertices[i] = p->vertices[k];
                break;
            }
}

// ---- into space ----

void shear(snag__random *random, test_polygon *p)
{
    int m[3][2];
    do {
        for (int k = 0; k < 6; k++)
            m[k / 2][k % 2] = (int)snag__random_below(random, 7) - 3;
    } while (m[0][0] * m[1][1] == m[0][1] * m[1][0] && m[0][0] * m[2][1] == m[0][1] * m[2][0]);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        double x = p->x[i][0], y = p->x[i][1];
        for (int k = 0; k < 3; k++)
            p->x[i][k] = m[k][0] * x + m[k][1] * y + 1;
    }
}

void rotate(snag__random *random, test_polygon *p)
{
    double a = snag__random_range(random, 0, 6.28), b = snag__random_range(random, 0, 6.28);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        double x = p->x[i][0], y = p->x[i][1], z = p->x[i][2];
        double x1 = x * cos(a) - z * sin(a), z1 = x * sin(a) + z * cos(a);
        p->x[i][0] = x1;
        p->x[i][1] = y * cos(b) - z1 * sin(b);
        p->x[i][2] = y * sin(b) + z1 * cos(b);
    }
}

#include "person.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"

static const double TURN = 6.283185307179586;

// A ring of a uniform cubic B-spline is smaller than its control polygon by (2 + cos(turn / n)) / 3.
static double ring_scale(int n)
{
    return 3 / (2 + cos(TURN / n));
}

// ---- the cage at rest: metres, z up, facing y, its left side at positive x ----

typedef struct trunk_ring {
    double z, wide, deep, y;
    uint8_t bones[2];
    double share;
} trunk_ring;

#define TRUNK_ROWS 7  // between the first eight rings; then neck and head
static const trunk_ring trunk_rings[] = {
    {0.865, 0.163, 0.108, -0.014, {SNAG__PELVIS, SNAG__PELVIS}, 0},  // hips, where the legs begin
    {0.945, 0.172, 0.118, -0.018, {SNAG__PELVIS, SNAG__PELVIS}, 0},
    {1.025, 0.150, 0.100, -0.008, {SNAG__PELVIS, SNAG__CHEST}, 0.25},  // belt
    {1.105, 0.128, 0.088, 0.000, {SNAG__PELVIS, SNAG__CHEST}, 0.5},  // waist
    {1.215, 0.142, 0.102, 0.004, {SNAG__PELVIS, SNAG__CHEST}, 0.85},
    {1.325, 0.164, 0.114, 0.002, {SNAG__CHEST, SNAG__CHEST}, 0},  // below the arms
    {1.435, 0.166, 0.084, -0.014, {SNAG__CHEST, SNAG__CHEST}, 0},  // above them
    {1.490, 0.080, 0.068, -0.020, {SNAG__CHEST, SNAG__CHEST}, 0},  // base of the neck
    {1.545, 0.052, 0.056, -0.012, {SNAG__CHEST, SNAG__HEAD}, 0.5},
    {1.590, 0.054, 0.068, 0.006, {SNAG__HEAD, SNAG__HEAD}, 0},  // chin
    {1.650, 0.072, 0.092, 0.010, {SNAG__HEAD, SNAG__HEAD}, 0},
    {1.710, 0.077, 0.098, 0.000, {SNAG__HEAD, SNAG__HEAD}, 0},
    {1.762, 0.062, 0.078, -0.006, {SNAG__HEAD, SNAG__HEAD}, 0},
    {1.785, 0.030, 0.038, -0.008, {SNAG__HEAD, SNAG__HEAD}, 0},
};
#define TRUNK_RINGS (sizeof trunk_rings / sizeof *trunk_rings)
#define BELOW_ARM 5  // rings between which the arms begin
#define ABOVE_ARM 6

typedef struct leg_ring {
    double z, x, wide, deep, y;
    uint8_t bones[2];  // of snag__limb_bone
    double share;
} leg_ring;

#define LEG_X 0.097
static const leg_ring leg_rings[] = {
    {0.745, 0.105, 0.073, 0.090, -0.010, {SNAG__THIGH, SNAG__THIGH}, 0},
    {0.650, LEG_X, 0.073, 0.082, -0.002, {SNAG__THIGH, SNAG__THIGH}, 0},
    {0.545, LEG_X, 0.058, 0.064, 0.002, {SNAG__THIGH, SNAG__SHIN}, 0.12},
    {0.485, LEG_X, 0.053, 0.060, 0.002, {SNAG__THIGH, SNAG__SHIN}, 0.5},  // knee
    {0.425, LEG_X, 0.050, 0.055, -0.006, {SNAG__THIGH, SNAG__SHIN}, 0.88},
    {0.325, LEG_X, 0.052, 0.059, -0.018, {SNAG__SHIN, SNAG__SHIN}, 0},  // calf
    {0.190, LEG_X, 0.038, 0.042, -0.016, {SNAG__SHIN, SNAG__SHIN}, 0},
    {0.105, LEG_X, 0.034, 0.042, -0.012, {SNAG__SHIN, SNAG__FOOT}, 0.5},  // ankle
    {0.062, LEG_X, 0.037, 0.092, 0.026, {SNAG__FOOT, SNAG__FOOT}, 0},
    {0.024, LEG_X, 0.042, 0.132, 0.056, {SNAG__FOOT, SNAG__FOOT}, 0},
    {0.000, LEG_X, 0.036, 0.120, 0.056, {SNAG__FOOT, SNAG__FOOT}, 0},  // sole
};
#define LEG_RINGS (sizeof leg_rings / sizeof *leg_rings)

// Along the arm from the shoulder; `lean` is the angle of its axis from straight down.
typedef struct arm_ring {
    double along, lean, wide, thick;
    uint8_t bones[2];
    double share;
} arm_ring;

#define CHEST_BONE 255  // instead of a bone of the limb
#define ARM_LEAN 0.50
static const double shoulder[3] = {0.192, -0.014, 1.400};
static const arm_ring arm_rings[] = {
    {0.045, 0.95, 0.050, 0.051, {CHEST_BONE, SNAG__UPPER_ARM}, 0.5},
    {0.110, 0.55, 0.046, 0.046, {CHEST_BONE, SNAG__UPPER_ARM}, 0.92},
    {0.190, ARM_LEAN, 0.042, 0.042, {SNAG__UPPER_ARM, SNAG__UPPER_ARM}, 0},
    {0.255, ARM_LEAN, 0.037, 0.038, {SNAG__UPPER_ARM, SNAG__FOREARM}, 0.12},
    {0.285, ARM_LEAN, 0.036, 0.037, {SNAG__UPPER_ARM, SNAG__FOREARM}, 0.5},  // elbow
    {0.320, ARM_LEAN, 0.037, 0.038, {SNAG__UPPER_ARM, SNAG__FOREARM}, 0.88},
    {0.390, ARM_LEAN, 0.036, 0.036, {SNAG__FOREARM, SNAG__FOREARM}, 0},
    {0.520, ARM_LEAN, 0.027, 0.022, {SNAG__FOREARM, SNAG__FOREARM}, 0},  // wrist
    {0.565, ARM_LEAN, 0.037, 0.018, {SNAG__FOREARM, SNAG__FOREARM}, 0},
    {0.610, ARM_LEAN, 0.041, 0.017, {SNAG__FOREARM, SNAG__FOREARM}, 0},
    {0.670, ARM_LEAN, 0.036, 0.013, {SNAG__FOREARM, SNAG__FOREARM}, 0},
    {0.712, ARM_LEAN, 0.022, 0.009, {SNAG__FOREARM, SNAG__FOREARM}, 0},  // fingertips
};
#define ARM_RINGS (sizeof arm_rings / sizeof *arm_rings)
#define THUMB_ROW 9  // the row of the arm on whose front it stands

static const double knee[3] = {LEG_X, 0, 0.485}, hip[3] = {LEG_X, -0.01, 0.85}, ankle[3] = {LEG_X, -0.012, 0.09};
static const double waist[3] = {0, 0, 1.07}, neck[3] = {0, -0.012, 1.53};
#define ELBOW 0.285

static uint32_t add_vertex(snag__person *p, double x, double y, double z, const uint8_t bones[2], double share)
{
    p->vertices[p->vertex_count] = (snag__cage_vertex){{x, y, z}, {bones[0], bones[1]}, share};
    return p->vertex_count++;
}

// The right side is a mirror image: its quads run the other way around, and begin at the same side.
static void add_quad(snag__person *p, snag__region region, size_t row, bool mirrored, const uint32_t q[4])
{
    const uint32_t order[2][4] = {{q[0], q[1], q[2], q[3]}, {q[1], q[0], q[3], q[2]}};
    memcpy(p->quads[p->quad_count], order[mirrored], sizeof order[0]);
    p->parts[p->quad_count].region = (uint8_t)region;
    p->parts[p->quad_count++].row = (uint8_t)row;
}

// Quads between two rings of n vertices, the first of which is lower, or further out.
static void join_rings(snag__person *p, snag__region region, size_t row, bool mirrored, int n, const uint32_t *low,
                       const uint32_t *high)
{
    for (int k = 0; k < n; k++)
        add_quad(p, region, row, mirrored, (const uint32_t[4]){low[k], low[(k + 1) % n], high[(k + 1) % n], high[k]});
}

// Closes a ring of six that is seen from inside as join_rings sees it from its low side.
static void close_ring(snag__person *p, bool mirrored, const uint32_t r[6])
{
    add_quad(p, SNAG__OTHER, 0, mirrored, (const uint32_t[4]){r[3], r[2], r[1], r[0]});
    add_quad(p, SNAG__OTHER, 0, mirrored, (const uint32_t[4]){r[5], r[4], r[3], r[0]});
}

// Ring vertices: k eighths of a turn from the left over the front.
static void put_trunk(snag__person *p, uint32_t rings[TRUNK_RINGS][8])
{
    for (size_t r = 0; r < TRUNK_RINGS; r++) {
        const trunk_ring *ring = &trunk_rings[r];
        for (int k = 0; k < 8; k++) {
            double c = cos(TURN / 8 * k), s = sin(TURN / 8 * k), scale = ring_scale(8);
            double x = scale * ring->wide * c, y = ring->y + scale * ring->deep * s, z = ring->z;
            bool diagonal = k % 2 == 1;
            if (r == 0)
                z += k % 4 == 0 ? 0.02 : diagonal ? 0 : -0.02;  // the hips are higher at the sides
            if (r < 2 && diagonal && s < 0)
                y -= 0.014;
            if ((r == 4 || r == BELOW_ARM) && diagonal && s > 0)
                y += 0.010;
            if (r == BELOW_ARM && k % 4 == 0)
                x *= 0.92, z -= 0.018;  // armpits
            if (r == 10 && k == 2)
                y += 0.014;  // nose
            rings[r][k] = add_vertex(p, x, y, z, ring->bones, ring->share);
        }
    }
    for (size_t r = 0; r + 1 < TRUNK_RINGS; r++)
        for (uint32_t k = 0; k < 8; k++) {
            bool arm_hole = r == BELOW_ARM && (k == 0 || k == 7 || k == 3 || k == 4);
            uint32_t next = (k + 1) % 8;
            if (!arm_hole)
                add_quad(p, r < TRUNK_ROWS ? SNAG__TRUNK : SNAG__OTHER, r, false,
                         (const uint32_t[4]){rings[r][k], rings[r][next], rings[r + 1][next], rings[r + 1][k]});
        }
    const trunk_ring *top = &trunk_rings[TRUNK_RINGS - 1];
    const uint32_t *last = rings[TRUNK_RINGS - 1], crown = add_vertex(p, 0, top->y, top->z + 0.008, top->bones, top->share);
    for (int k = 0; k < 8; k += 2)
        add_quad(p, SNAG__OTHER, 0, false, (const uint32_t[4]){crown, last[k], last[k + 1], last[(k + 2) % 8]});
}

static uint8_t limb_bone(int side, uint8_t bone)
{
    return bone == CHEST_BONE ? SNAG__CHEST : (uint8_t)((side == 0 ? SNAG__LEFT : SNAG__RIGHT) + bone);
}

static uint32_t add_limb_vertex(snag__person *p, int side, double x, double y, double z, const uint8_t bones[2], double share)
{
    const uint8_t named[2] = {limb_bone(side, bones[0]), limb_bone(side, bones[1])};
    return add_vertex(p, side == 0 ? x : -x, y, z, named, share);
}

static void put_leg(snag__person *p, int side, const uint32_t top[6])
{
    uint32_t above[6], ring[6];
    memcpy(above, top, sizeof above);
    for (size_t r = 0; r < LEG_RINGS; r++) {
        const leg_ring *at = &leg_rings[r];
        double scale = ring_scale(6);
        for (int k = 0; k < 6; k++) {
            double angle = TURN / 6 * k, ahead = sin(angle);
            double z = at->z + (r == 8 ? -0.012 * ahead : 0);  // the instep falls to the toes
            ring[k] = add_limb_vertex(p, side, at->x + scale * at->wide * cos(angle), at->y + scale * at->deep * ahead, z,
                                      at->bones, at->share);
        }
        join_rings(p, SNAG__LEG, r, side == 1, 6, ring, above);
        memcpy(above, ring, sizeof above);
    }
    memcpy(p->soles + 6 * (size_t)side, above, sizeof above);
    close_ring(p, side == 1, above);
}

// The thumb is pulled out of the quad on the front of the hand, forward and down.
static void pull_thumb(snag__person *p, int side)
{
    uint32_t base = p->quad_count - 6 + 1, low[4], high[4];
    memcpy(high, p->quads[base], sizeof high);
    p->quad_count--;
    memmove(p->quads + base, p->quads + base + 1, (p->quad_count - base) * sizeof *p->quads);
    for (int step = 0; step < 2; step++) {
        double middle[3] = {0};
        for (int k = 0; k < 4; k++)
            snag__add_scaled3(middle, 0.25, p->vertices[high[k]].rest);
        for (int k = 0; k < 4; k++) {
            const snag__cage_vertex *from = &p->vertices[high[k]];
            double x[3];
            for (int i = 0; i < 3; i++)
                x[i] = middle[i] + (step == 0 ? 0.9 : 0.7) * (from->rest[i] - middle[i]);
            low[k] = add_vertex(p, x[0], x[1] + 0.014, x[2] - 0.020, from->bones, from->share);
        }
        for (int k = 0; k < 4; k++)
            add_quad(p, SNAG__OTHER, 0, false, (const uint32_t[4]){high[k], high[(k + 1) % 4], low[(k + 1) % 4], low[k]});
        memcpy(high, low, sizeof high);
    }
    add_quad(p, SNAG__OTHER, 0, false, high);
    (void)side;
}

static void put_arm(snag__person *p, int side, const uint32_t hole[6])
{
    uint32_t inner[6], ring[6];
    memcpy(inner, hole, sizeof inner);
    for (size_t r = 0; r < ARM_RINGS; r++) {
        const arm_ring *at = &arm_rings[r];
        double c = cos(at->lean), s = sin(at->lean), scale = ring_scale(6);
        double centre[3] = {shoulder[0] + at->along * sin(ARM_LEAN), shoulder[1], shoulder[2] - at->along * cos(ARM_LEAN)};
        for (int k = 0; k < 6; k++) {
            double angle = TURN / 6 * k - TURN / 4, up = scale * at->thick * sin(angle), ahead = scale * at->wide * cos(angle);
            ring[k] = add_limb_vertex(p, side, centre[0] + up * c, centre[1] + ahead, centre[2] + up * s, at->bones, at->share);
        }
        // Seen from the end of the arm the rings run as seen from above at the trunk: the inner one is the low one.
        join_rings(p, r < THUMB_ROW ? SNAG__ARM : SNAG__OTHER, r, side == 1, 6, inner, ring);
        if (r == THUMB_ROW)
            pull_thumb(p, side);
        memcpy(inner, ring, sizeof inner);
    }
    const uint32_t end[6] = {inner[5], inner[4], inner[3], inner[2], inner[1], inner[0]};
    close_ring(p, side == 1, end);
}

static void make_cage(snag__person *p)
{
    uint32_t rings[TRUNK_RINGS][8];
    put_trunk(p, rings);
    const uint8_t pelvis[2] = {SNAG__PELVIS, SNAG__PELVIS};
    uint32_t crotch = add_vertex(p, 0, -0.012, 0.795, pelvis, 0);
    // The vertices of a trunk's ring at each side: outside, before and behind it; front and back are shared.
    static const int outside[2] = {0, 4}, before[2] = {1, 3}, behind[2] = {7, 5};
    for (int side = 0; side < 2; side++) {
        const uint32_t *h = rings[0], *low = rings[BELOW_ARM], *high = rings[ABOVE_ARM];
        int out = outside[side], front = before[side], back = behind[side];
        put_leg(p, side, (const uint32_t[6]){h[out], h[front], h[2], crotch, h[6], h[back]});
        put_arm(p, side, (const uint32_t[6]){low[out], low[front], high[front], high[out], high[back], low[back]});
    }
}

// ---- bones ----

#define PACE 0.8  // double steps a second

// Rigid motion: x -> rows (x - from) + to.
typedef struct motion {
    double rows[3][3], from[3], to[3];
} motion;

static void apply(const motion *m, const double x[3], double moved[3])
{
    double d[3];
    snag__subtract3(x, m->from, d);
    for (int i = 0; i < 3; i++)
        moved[i] = snag__dot3(m->rows[i], d) + m->to[i];
}

// A joint of a parent that turns about x (forward is positive for what hangs down), then about z.
static motion hang(const motion *parent, const double joint[3], double forward, double turn)
{
    double c = cos(forward), s = sin(forward), ct = cos(turn), st = sin(turn);
    const double own[3][3] = {{ct, -st * c, st * s}, {st, ct * c, -ct * s}, {0, s, c}};
    motion m;
    memcpy(m.from, joint, sizeof m.from);
    apply(parent, joint, m.to);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            m.rows[i][k] = parent->rows[i][0] * own[0][k] + parent->rows[i][1] * own[1][k] + parent->rows[i][2] * own[2][k];
    return m;
}

// The first second eases into the walk, so that garments start at rest.
static double ease(double time)
{
    double s = fmin(fmax(time, 0), 1);
    return s * s * (3 - 2 * s);
}

static motion hang_limb(const motion *parent, int side, const double joint[3], double forward)
{
    const double at[3] = {side == 0 ? joint[0] : -joint[0], joint[1], joint[2]};
    return hang(parent, at, forward, 0);
}

static void move_bones(double time, motion bones[SNAG__BONES])
{
    double e = ease(time), phase = TURN * PACE * time;
    // Faces -y, where the page and most programs look from.
    const motion ground = {.rows = {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};
    motion *pelvis = &bones[SNAG__PELVIS], *chest = &bones[SNAG__CHEST];
    *pelvis = hang(&ground, hip, 0, 0.09 * e * sin(phase));
    for (int k = 0; k < 3; k++)
        pelvis->from[k] = pelvis->to[k] = k == 2 ? hip[2] : 0;
    pelvis->to[0] += -0.014 * e * cos(phase);  // over the leg that carries
    *chest = hang(pelvis, waist, -0.03 * e, -0.20 * e * sin(phase));
    bones[SNAG__HEAD] = hang(chest, neck, 0.02 * e, 0.11 * e * sin(phase));
    for (int side = 0; side < 2; side++) {
        double p = phase + (side == 0 ? 0 : TURN / 2), lift = 0.5 + 0.5 * cos(p - 0.25);
        double thigh = e * (0.06 + 0.40 * sin(p)), bend = e * (0.10 + 0.85 * lift * lift);
        motion *limb = bones + (side == 0 ? SNAG__LEFT : SNAG__RIGHT);
        limb[SNAG__THIGH] = hang_limb(pelvis, side, hip, thigh);
        limb[SNAG__SHIN] = hang_limb(&limb[SNAG__THIGH], side, knee, -bend);
        limb[SNAG__FOOT] = hang_limb(&limb[SNAG__SHIN], side, ankle, 0.7 * (bend - thigh));
        const double elbow[3] = {shoulder[0] + ELBOW * sin(ARM_LEAN), shoulder[1], shoulder[2] - ELBOW * cos(ARM_LEAN)};
        limb[SNAG__UPPER_ARM] = hang_limb(chest, side, shoulder, -0.34 * e * sin(p));
        limb[SNAG__FOREARM] = hang_limb(&limb[SNAG__UPPER_ARM], side, elbow, e * (0.30 - 0.16 * sin(p)));
    }
}

// The height of the lowest sole, rounded off where the weight goes from one foot to the other.
static double lowest(const snag__person *p, const double (*x)[3])
{
    double sum = 0;
    for (int k = 0; k < 12; k++)
        sum += exp(-x[p->soles[k]][2] / 0.008);
    return -0.008 * log(sum / 12);
}

void snag__person_move(snag__person *p, double time)
{
    motion bones[SNAG__BONES];
    move_bones(time, bones);
    double(*x)[3] = p->smooth.levels[0].x;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        const snag__cage_vertex *c = &p->vertices[v];
        double a[3], b[3];
        apply(&bones[c->bones[0]], c->rest, a);
        apply(&bones[c->bones[1]], c->rest, b);
        for (int k = 0; k < 3; k++)
            x[v][k] = a[k] + c->share * (b[k] - a[k]);
    }
    double down = lowest(p, x);
    for (uint32_t v = 0; v < p->vertex_count; v++)
        x[v][2] -= down;
    snag__smooth_update(&p->smooth);
}

// ---- the mesh ----

static bool make_shape(snag_shape *shape, size_t vertices, size_t triangles)
{
    *shape = (snag_shape){.vertex_count = vertices, .triangle_count = triangles};
    shape->positions = malloc(3 * vertices * sizeof *shape->positions);
    shape->triangles = malloc(3 * triangles * sizeof *shape->triangles);
    return shape->positions != NULL && shape->triangles != NULL;
}

static uint32_t cells_for(double triangles, size_t quads)
{
    return (uint32_t)fmax(round(sqrt(triangles / (2 * (double)quads))), 2);
}

bool snag__person_make(snag__person *p, double triangles, snag_shape *shape, snag__sim_memory *memory)
{
    *p = (snag__person){0};
    *shape = (snag_shape){0};
    make_cage(p);
    bool all[SNAG__CAGE_QUADS];
    memset(all, true, sizeof all);
    uint32_t n = cells_for(triangles, p->quad_count);
    if (!snag__smooth_make(&p->smooth, (const uint32_t(*)[4])p->quads, p->quad_count, p->vertex_count, n, memory) ||
        !snag__surface_grid_make(&p->skin, &p->smooth, all, n, memory) ||
        !make_shape(shape, p->skin.vertex_count, p->skin.triangle_count))
        return false;
    memcpy(shape->triangles, p->skin.triangles, 3 * shape->triangle_count * sizeof *shape->triangles);
    snag__person_move(p, 0);
    snag__person_skin(p, (double(*)[3])shape->positions);
    return true;
}

void snag__person_skin(const snag__person *p, double (*x)[3])
{
    double normal[3];
    for (size_t v = 0; v < p->skin.vertex_count; v++)
        snag__smooth_at(&p->smooth, &p->skin.samples[v], x[v], normal);
}

// ---- garments ----

#define HEM 0.48  // height of a skirt's lower border

static bool covers(snag__garment_kind kind, unsigned region, unsigned row)
{
    bool trunk = region == SNAG__TRUNK, arm = region == SNAG__ARM, leg = region == SNAG__LEG;
    switch (kind) {
    case SNAG__DRESS: return trunk && row >= 1;
    case SNAG__SHIRT: return (trunk && row >= 1) || (arm && row <= 2);
    case SNAG__TROUSERS: return (trunk && row <= 1) || (leg && row <= 6);
    }
    return false;
}

static double smooth_step(double from, double to, double s)
{
    double t = fmin(fmax((s - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

// A shirt hangs over the trousers.
static double gap_at(snag__garment_kind kind, bool sleeve, double z)
{
    switch (kind) {
    case SNAG__DRESS: return 0.0065;
    case SNAG__SHIRT: return 0.0070 + (sleeve ? 0.004 : 0) + 0.016 * smooth_step(1.12, 1.03, z);
    case SNAG__TROUSERS: return 0.0065 + 0.014 * smooth_step(0.78, 0.30, z);
    }
    return 0;
}

void snag__garment_stick(const snag__garment *garment, const snag__person *person, uint32_t vertex, double x[3])
{
    double normal[3];
    snag__smooth_at(&person->smooth, &garment->grid.samples[vertex], x, normal);
    snag__add_scaled3(x, garment->gaps[vertex] / snag__length3(normal), normal);
}

// Vertices along a ring of the trunk: the lower border of a row, or its upper one. Returns how many.
static size_t list_ring(const snag__garment *garment, const snag__person *p, unsigned row, bool upper, uint32_t *ring)
{
    uint32_t n = garment->grid.n;
    size_t count = 0;
    for (uint32_t q = 0; q < p->quad_count; q++)
        if (p->parts[q].region == SNAG__TRUNK && p->parts[q].row == row)
            for (uint32_t i = 0; i < n; i++)
                ring[count++] = garment->grid.ids[q][(upper ? n * (n + 1) : 0) + i];
    return count;
}

// Rows of a skirt from the hips, straight down and wider, in folds.
static void put_skirt(snag_shape *shape, size_t first, const uint32_t *ring, size_t around, uint32_t rows)
{
    uint32_t *t = shape->triangles + 3 * (shape->triangle_count - 2 * around * rows);
    for (uint32_t row = 1; row <= rows; row++)
        for (size_t k = 0; k < around; k++) {
            const double *top = shape->positions + 3 * (size_t)ring[k];
            double s = (double)row / rows, fold = 0.016 * s * (1 + sin(10 * TURN * (double)k / (double)around));
            double out = 1 + 0.62 * s + fold / sqrt(top[0] * top[0] + top[1] * top[1]);
            double *x = shape->positions + 3 * (first + (row - 1) * around + k);
            x[0] = top[0] * out;
            x[1] = top[1] * out;
            x[2] = (1 - s) * top[2] + s * HEM;
            uint32_t next = (uint32_t)((k + 1) % around);
            uint32_t high[2] = {ring[k], ring[next]}, low[2];
            low[0] = (uint32_t)(first + (row - 1) * around + k);
            low[1] = (uint32_t)(first + (row - 1) * around + next);
            if (row > 1) {
                high[0] = low[0] - (uint32_t)around;
                high[1] = low[1] - (uint32_t)around;
            }
            const uint32_t even[6] = {low[0], low[1], high[1], low[0], high[1], high[0]};
            const uint32_t odd[6] = {low[0], low[1], high[0], low[1], high[1], high[0]};
            memcpy(t, (row + k) % 2 == 0 ? even : odd, sizeof even);
            t += 6;
        }
}

bool snag__garment_make(snag__garment *garment, snag__garment_kind kind, double triangles, const snag__person *p, snag_shape *shape,
                        snag__sim_memory *memory)
{
    *garment = (snag__garment){0};
    *shape = (snag_shape){0};
    bool chosen[SNAG__CAGE_QUADS] = {false};
    size_t quads = 0, around_quads = 8;
    for (uint32_t q = 0; q < p->quad_count; q++)
        quads += chosen[q] = covers(kind, p->parts[q].region, p->parts[q].row);
    // A skirt is about as long as five rows of the trunk.
    uint32_t n = cells_for(triangles, quads + (kind == SNAG__DRESS ? 5 * around_quads : 0)), rows = kind == SNAG__DRESS ? 5 * n : 0;
    size_t around = around_quads * n;
    uint32_t *ring = snag__sim_new(memory, around, sizeof *ring);
    if (ring == NULL || !snag__surface_grid_make(&garment->grid, &p->smooth, chosen, n, memory) ||
        !make_shape(shape, garment->grid.vertex_count + around * rows, garment->grid.triangle_count + 2 * around * rows))
        return false;
    size_t skin = garment->grid.vertex_count;
    garment->gaps = snag__sim_new(memory, skin, sizeof *garment->gaps);
    if (garment->gaps == NULL)
        return false;
    memcpy(shape->triangles, garment->grid.triangles, 3 * garment->grid.triangle_count * sizeof *shape->triangles);
    for (uint32_t q = 0; q < p->quad_count; q++)
        for (uint32_t i = 0; chosen[q] && i < (n + 1) * (n + 1); i++) {
            uint32_t v = garment->grid.ids[q][i];
            double x[3], normal[3];
            snag__smooth_at(&p->smooth, &garment->grid.samples[v], x, normal);
            garment->gaps[v] = gap_at(kind, p->parts[q].region == SNAG__ARM, x[2]);
        }
    for (uint32_t v = 0; v < skin; v++)
        snag__garment_stick(garment, p, v, shape->positions + 3 * (size_t)v);
    if (kind == SNAG__DRESS)
        put_skirt(shape, skin, ring, list_ring(garment, p, 1, false, ring), rows);
    if (kind == SNAG__TROUSERS) {
        garment->waist = ring;
        garment->waist_count = list_ring(garment, p, 1, true, ring);
    }
    return true;
}

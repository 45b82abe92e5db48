// What an ask will cost, before it is asked.
#include "torture.h"

#include <math.h>

// Other asks have at most 85,000 pairs that may meet, nearly all of them fewer than 3,000. Two fine sheets that lie in each other have 450,000.
// One pair takes 10 to 200 us where it needs exact arithmetic, as nearly none does but in a few lives, in which all do.
enum { SAMPLES = 4096, MANY = 100000, MANY_EXACT = 10000 };
// A sheet that has collapsed has some 20 million pairs in contact, which fill the memory of a life twice: as the answer and beside it.
enum { TOO_MANY = 2000000 };

// The box of an element's whole motion.
static void add_vertex(const torture_body *body, uint32_t v, double low[3], double high[3])
{
    for (size_t k = 0; k < 3; k++) {
        double t0 = body->t0[3 * (size_t)v + k], t1 = body->t1[3 * (size_t)v + k];
        low[k] = fmin(low[k], fmin(t0, t1));
        high[k] = fmax(high[k], fmax(t0, t1));
    }
}

// Triangles of all bodies are counted one after the other, and four for each tetrahedron.
static void swept_box(torture_body *const *alive, size_t at, double low[3], double high[3])
{
    for (size_t k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (;; alive++) {
        const snag_shape *shape = &(*alive)->shape;
        size_t count = shape->triangle_count + 4 * shape->tet_count;
        if (at >= count) {
            at -= count;
            continue;
        }
        for (size_t c = 0; c < 3; c++) {
            size_t corner = at - shape->triangle_count;
            uint32_t v =
                at < shape->triangle_count ? shape->triangles[3 * at + c] : shape->tets[corner - corner % 4 + (corner + c) % 4];
            add_vertex(*alive, v, low, high);
        }
        return;
    }
}

static double all_pairs(size_t count)
{
    return 0.5 * (double)count * (double)count;
}

static bool boxes_meet(const double low_a[3], const double high_a[3], const double low_b[3], const double high_b[3])
{
    bool meet = true;
    for (int k = 0; k < 3; k++)
        meet = meet && low_a[k] <= high_b[k] && low_b[k] <= high_a[k];
    return meet;
}

// About how many pairs of triangles may meet while they move: from a sample, the same for each world of so many triangles.
static double count_pairs(torture_body *const *alive, size_t count)
{
    snag__random random = {count};
    double low[2][3], high[2][3];
    size_t met = 0;
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < 2; k++)
            swept_box(alive, snag__random_below(&random, (uint32_t)count), low[k], high[k]);
        met += boxes_meet(low[0], high[0], low[1], high[1]);
    }
    return all_pairs(count) * (double)met / SAMPLES;
}

// The most pairs of triangles that there may be, if they were worth counting; 0: fewer than `least`.
static double pairs_of(const torture_life *life, double least)
{
    torture_body *alive[TORTURE_BODIES];
    uint32_t bodies = torture_alive(life, alive);
    size_t count = 0;
    for (uint32_t i = 0; i < bodies; i++)
        count += alive[i]->shape.triangle_count + 4 * alive[i]->shape.tet_count;
    return all_pairs(count) > least ? count_pairs(alive, count) : 0;
}

bool torture_impacts_are_dear(const torture_life *life)
{
    return life->exact_impacts > MANY_EXACT || pairs_of(life, MANY) > MANY;
}

bool torture_contacts_are_too_many(const torture_life *life)
{
    return pairs_of(life, TOO_MANY) > TOO_MANY;
}

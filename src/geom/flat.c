#include "geom/flat.h"

#include "geom/geom.h"

#include <math.h>

SNAG__DECLARE_KERNELS(snag__flat_kernels, snag__flat_kernels);

const snag__flat_kernels *snag__flat_kernels_for(snag_isa isa)
{
    SNAG__RETURN_KERNELS(snag__flat_kernels, isa)
}

enum { BLOCK = 1024, BLOCKS_OF_A_PIECE = 4, PIECES_MAX = 64 };

// What one piece has found.
typedef struct finding {
    size_t flat, doubtful;
    double squared;  // width
} finding;

typedef struct count_job {
    const double (*x)[3];
    const uint32_t (*triangles)[3];
    size_t count;
    uint32_t pieces;
    const snag__flat_kernels *kernels;
    finding *found;  // by piece
} count_job;

static void count_piece(void *context, uint32_t piece)
{
    count_job *job = context;
    const double(*x)[3] = job->x;
    size_t last = job->count * (piece + 1) / job->pieces;
    uint32_t maybe[BLOCK];
    finding f = {.squared = INFINITY};
    for (size_t first = job->count * piece / job->pieces; first < last; first += BLOCK) {
        size_t now = last - first < BLOCK ? last - first : BLOCK;
        size_t left = job->kernels->maybe_flat(x, job->triangles, first, now, maybe, &f.squared);
        f.doubtful += left;
        for (size_t i = 0; i < left; i++) {
            const uint32_t *v = job->triangles[maybe[i]];
            f.flat += snag__is_collinear(x[v[0]], x[v[1]], x[v[2]]);
        }
    }
    job->found[piece] = f;
}

size_t snag__count_flat(const double (*x)[3], const uint32_t (*triangles)[3], size_t count, const snag__parallel *parallel,
                        snag_isa isa, double *width)
{
    size_t pieces = count / ((size_t)BLOCK * BLOCKS_OF_A_PIECE) + 1;
    finding found[PIECES_MAX];
    count_job job = {x, triangles, count, pieces < PIECES_MAX ? (uint32_t)pieces : PIECES_MAX, snag__flat_kernels_for(isa), found};
    snag__parallel_for(parallel, job.pieces, count_piece, &job);
    finding all = found[0];
    for (uint32_t i = 1; i < job.pieces; i++) {
        all.flat += found[i].flat;
        all.doubtful += found[i].doubtful;
        all.squared = fmin(all.squared, found[i].squared);
    }
    *width = all.doubtful == 0 ? sqrt(all.squared) * (1 - 0x1p-10) : 0;
    return all.flat;
}

// Hashes the state of a scene: equal bytes give equal hashes.
#ifndef SNAG_BENCH_SIM_HASH_H
#define SNAG_BENCH_SIM_HASH_H

#include "snag/sim.h"

// FNV-1a over the positions of all bodies.
static inline uint64_t sim_hash(const snag_sim *sim)
{
    uint64_t h = 14695981039346656037u;
    for (size_t b = 0; b < snag_sim_body_count(sim); b++) {
        snag_sim_body body = snag_sim_body_at(sim, b);
        const unsigned char *bytes = (const unsigned char *)body.positions;
        for (size_t i = 0; i < body.vertex_count * 3 * sizeof(double); i++)
            h = (h ^ bytes[i]) * 1099511628211u;
    }
    return h;
}

#endif

#include "method/hash_proof.h"

#include <string.h>

enum { FIRST_STEPS = 8 };

SNAG__DECLARE_KERNELS(snag__hash_proof_kernels, snag__hash_proof_kernels);

// A module for browsers does without: it is downloaded, and has a limit.
const snag__hash_proof_kernels *snag__hash_proof_kernels_for(snag_isa isa)
{
#ifdef __wasm__
    (void)isa;
    return NULL;
#else
    SNAG__RETURN_KERNELS(snag__hash_proof_kernels, isa)
#endif
}

bool snag__proofs_reserve(snag__proofs *proofs, const snag__blocks *blocks, const snag_allocator *allocator)
{
    size_t count = blocks->block_count, vertices = 0;
    if (count > 0) {
        const snag__block *last = &blocks->blocks[count - 1];
        vertices = (size_t)last->first_vertex + last->vertex_count;
    }
    size_t places = vertices + count * (SNAG__PROOF_RING + 8) + 1;
    const snag__room rooms[] = {
        {NULL, &proofs->proofs, count + 1, sizeof *proofs->proofs},
        {NULL, &proofs->x[0], places, sizeof *proofs->x[0]},
        {NULL, &proofs->x[1], places, sizeof *proofs->x[1]},
        {NULL, &proofs->x[2], places, sizeof *proofs->x[2]},
        {NULL, &proofs->ring, count * SNAG__PROOF_RING + 1, sizeof *proofs->ring},
    };
    if (!snag__rooms_carve(allocator, &proofs->memory, rooms, sizeof rooms / sizeof *rooms))
        return false;
    memset(proofs->proofs, 0, count * sizeof *proofs->proofs);
    // Each step makes a part of the first proofs, so that none takes much longer; before that a block is searched, and measured.
    for (size_t i = 0; i < count; i++)
        proofs->proofs[i].wait = (uint8_t)(2 + i % FIRST_STEPS);
    return true;
}

void snag__proofs_free(const snag_allocator *allocator, snag__proofs *proofs)
{
    snag__buffer_free(allocator, &proofs->memory);
    *proofs = (snag__proofs){0};
}

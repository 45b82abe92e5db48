// What must hold of the shapes that are read from any bytes.
#ifndef SNAG_FUZZ_SHAPES_INPUTS_H
#define SNAG_FUZZ_SHAPES_INPUTS_H

#include "inputs.h"
#include "shapes.h"

static inline int fuzz_shapes(bool (*read)(const char *, size_t, snag__shapes *), const uint8_t *data, size_t size)
{
    snag__shapes shapes = {0};
    fuzz_require(read((const char *)data, size, &shapes));
    for (size_t s = 0; s < shapes.shape_count; s++)
        for (size_t k = 0; k < 3 * shapes.shapes[s].vertex_count; k++)
            fuzz_require(isfinite(shapes.shapes[s].positions[k]));
    for (size_t p = 0; p < shapes.part_count; p++) {
        const snag__shape_part *part = &shapes.parts[p];
        fuzz_require(part->shape < shapes.shape_count && part->corner_count > 0);
        for (size_t c = 0; c < part->corner_count; c++)
            fuzz_require(part->corners[c] < shapes.shapes[part->shape].vertex_count);
    }
    snag__shapes_free(&shapes);
    return 0;
}

#endif

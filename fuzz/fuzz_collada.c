// Any bytes as a COLLADA file, of which the shapes are read.
#include "shapes_inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_shapes(snag__read_collada_shapes, data, size);
}

// Any bytes as an FBX file, of which the shapes are read.
#include "shapes_inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_shapes(snag__read_fbx_shapes, data, size);
}

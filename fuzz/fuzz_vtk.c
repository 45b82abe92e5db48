// Any bytes as a legacy VTK file.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("x.vtk", data, size);
}

// Any bytes as an Ansys archive.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("x.cdb", data, size);
}

// Any bytes as an Abaqus deck.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("x.inp", data, size);
}

// Any bytes as a Nastran deck.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("x.bdf", data, size);
}

// Any bytes as an LS-DYNA file.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("x.k", data, size);
}

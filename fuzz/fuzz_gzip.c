// Any bytes as a packed OFF file.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("x.off.gz", data, size);
}

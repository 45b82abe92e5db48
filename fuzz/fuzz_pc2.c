// Any bytes as a PC2 cache.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cache("x.pc2", data, size);
}

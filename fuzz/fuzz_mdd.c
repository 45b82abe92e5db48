// Any bytes as an MDD cache.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_cache("x.mdd", data, size);
}

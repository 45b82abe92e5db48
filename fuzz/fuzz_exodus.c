// Any bytes as an Exodus file.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_results("x.exo", data, size);
}

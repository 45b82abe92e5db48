// Any bytes as a VTP file.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("x.vtp", data, size);
}

// Any bytes as an XDMF file.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_results("x.xdmf", data, size);
}

// Any bytes as a MED file. MED files are HDF5, whose library is not ours to test; what reads MED takes named arrays from either library,
// so the seeds are netCDF files with MED's names.
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_results("x.med", data, size);
}

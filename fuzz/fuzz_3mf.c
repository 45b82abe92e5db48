// Any bytes as a 3MF: as the archive itself, or, since hardly any change of an archive passes its checksums, as the model in a
// sound one.
#include "helpers/zip_writer.h"
#include "inputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 2 && data[0] == 'P' && data[1] == 'K')
        return fuzz_mesh("x.3mf", data, size);
    // What follows a zero byte is a second part, "/o.model".
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t first = zero ? (size_t)(zero - data) : size;
    const zip_file files[] = {{"[Content_Types].xml", "<Types/>", 8},
                              {"3D/3dmodel.model", data, first},
                              {"o.model", zero ? zero + 1 : data, zero ? size - first - 1 : 0}};
    size_t room = size + 2000;
    uint8_t *archive = malloc(room);
    fuzz_require(archive != NULL);
    fuzz_mesh("x.3mf", archive, write_zip(archive, room, files, 3, ZIP_STORED));
    free(archive);
    return 0;
}

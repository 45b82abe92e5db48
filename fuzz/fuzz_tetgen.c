// Any bytes as TetGen's two files, with a zero byte between them.
#include "inputs.h"
#include "tetgen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *zero = size ? memchr(text, 0, size) : NULL;
    size_t first = zero ? (size_t)(zero - text) : size;
    snag_io_mesh mesh = {0};
    snag_io_error error = {.status = SNAG_OK};
    snag__source nodes = {"x.node", text, first, &error, NULL};
    snag__source elements = {"x.ele", zero ? zero + 1 : text + size, zero ? size - first - 1 : 0, &error, NULL};
    snag__builder builder = {0};
    snag_status status = snag__read_tetgen(&nodes, &elements, size % 2 ? 4 : 3, &builder);
    if (status == SNAG_OK)
        status = snag__builder_finish(&builder, &nodes, &mesh);
    snag__builder_free(&builder);
    for (size_t b = 0; status == SNAG_OK && b < mesh.body_count; b++)
        fuzz_check_body(&mesh.bodies[b]);
    fuzz_require(status == error.status);
    snag_io_mesh_free(&mesh);
    return 0;
}

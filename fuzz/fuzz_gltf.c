// Any bytes as a glTF file, text or binary, and its poses.
#include "inputs.h"

static void check_poses(snag_io_motion *motion)
{
    const snag_io_mesh *mesh = snag_io_motion_mesh(motion);
    snag_io_error error;
    size_t animations = snag_io_motion_animation_count(motion);
    for (size_t a = 0; a < animations && a < 3; a++) {
        double seconds = 0.6 * snag_io_motion_animation(motion, a).seconds;
        fuzz_require(snag_io_motion_pose(motion, a, seconds, &error) == SNAG_OK);
        for (size_t b = 0; b < mesh->body_count; b++) {
            double *xyz = malloc(mesh->bodies[b].vertex_count * 3 * sizeof *xyz);
            snag_status status = xyz ? snag_io_motion_positions(motion, b, xyz, &error) : SNAG_ERROR_NOT_FINITE;
            for (size_t i = 0; status == SNAG_OK && i < 3 * mesh->bodies[b].vertex_count; i++)
                fuzz_require(isfinite(xyz[i]));
            free(xyz);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snag_io_motion *motion = NULL;
    snag_io_error error;
    snag_status status = snag_io_motion_open_memory("x.glb", data, size, &motion, &error);
    if (status != SNAG_OK) {
        fuzz_check_error(&error, status, "x.glb");
        fuzz_require(motion == NULL);
        return 0;
    }
    const snag_io_mesh *mesh = snag_io_motion_mesh(motion);
    for (size_t b = 0; b < mesh->body_count; b++) {
        fuzz_check_body(&mesh->bodies[b]);
        for (size_t v = 0; v < mesh->bodies[b].vertex_count; v++)
            fuzz_require(mesh->bodies[b].vertex_numbers[v] < mesh->vertex_count);
    }
    check_poses(motion);
    snag_io_motion_close(motion);
    return 0;
}

// Writes surfaces as binary little-endian PLY, all in one vertex list and one face list.
#include "bytes.h"
#include "file.h"
#include "surface.h"

static void write_header(FILE *stream, const snag__io_totals *totals, bool places)
{
    const char *scalar = totals->doubles ? "double" : "float";
    fprintf(stream, "ply\nformat binary_little_endian 1.0\nelement vertex %llu\n", (unsigned long long)totals->vertices);
    fprintf(stream, "property %s x\nproperty %s y\nproperty %s z\n", scalar, scalar, scalar);
    // Most programs expect int here; the bits are the same for numbers below 2^31.
    fprintf(stream, "element face %llu\nproperty list uchar %s vertex_indices\n", (unsigned long long)totals->triangles,
            totals->vertices > INT32_MAX ? "uint" : "int");
    if (totals->colours)
        fputs("property uchar red\nproperty uchar green\nproperty uchar blue\n", stream);
    if (places)
        fputs("property int place\n", stream);
    fputs("end_header\n", stream);
}

static void write_vertices(FILE *stream, const snag_positions *positions, bool as_double)
{
    for (size_t v = 0; v < positions->count; v++) {
        double xyz[3];
        uint8_t bytes[3 * sizeof(double)];
        size_t size = 0;
        snag__io_position_get(positions, v, xyz);
        for (int axis = 0; axis < 3; axis++)
            size += snag__bytes_put_scalar(bytes + size, xyz[axis], as_double);
        fwrite(bytes, 1, size, stream);
    }
}

static void write_triangles(FILE *stream, const snag_io_surface *surface, uint64_t first, bool colours, bool places)
{
    for (size_t i = 0; i < surface->triangle_count; i++) {
        uint8_t bytes[1 + 3 * sizeof(uint32_t) + 3 + sizeof(uint32_t)] = {3};
        size_t size = 1;
        for (size_t corner = 0; corner < 3; corner++)
            size += snag__bytes_put(bytes + size, first + surface->triangles[3 * i + corner], sizeof(uint32_t));
        for (size_t channel = 0; colours && channel < 3; channel++)
            bytes[size++] = surface->rgb ? surface->rgb[3 * i + channel] : 255;  // white, next to coloured surfaces
        if (places)
            size += snag__bytes_put(bytes + size, surface->places ? (uint32_t)surface->places[i] : 0, sizeof(uint32_t));
        fwrite(bytes, 1, size, stream);
    }
}

snag_status snag_io_write_ply(const char *path, const snag_io_surface *surfaces, size_t surface_count, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    snag__io_totals totals;
    snag__output output;
    snag_status status = snag__io_surfaces_check(path, surfaces, surface_count, &totals, error);
    if (status == SNAG_OK)
        status = snag__output_open(&output, path, error);
    if (status != SNAG_OK)
        return status;
    bool places = false;
    for (size_t i = 0; i < surface_count; i++)
        places = places || surfaces[i].places;
    write_header(output.stream, &totals, places);
    for (size_t i = 0; i < surface_count && !ferror(output.stream); i++)
        write_vertices(output.stream, &surfaces[i].positions, totals.doubles);
    uint64_t first = 0;
    for (size_t i = 0; i < surface_count && !ferror(output.stream); i++) {
        write_triangles(output.stream, &surfaces[i], first, totals.colours, places);
        first += surfaces[i].positions.count;
    }
    return snag__output_close(&output, true, error);
}

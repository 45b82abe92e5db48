// Writes surfaces as Wavefront OBJ: one object (`o`) per surface, vertices numbered through the file.
#include "file.h"
#include "surface.h"
#include "utf8.h"

#include <inttypes.h>

// A name must stay on its line and must not look like a line continuation.
static void write_object_line(FILE *stream, const snag_io_surface *surface, size_t number)
{
    if (!surface->name || !surface->name[0]) {
        fprintf(stream, "o surface_%zu\n", number);
        return;
    }
    fputs("o ", stream);
    for (const char *c = surface->name; *c;) {
        uint32_t code;
        size_t length = snag_io_utf8(c, &code);
        if (code < ' ' || code == '\\')
            fputc('_', stream);
        else
            snag__utf8_write(stream, c, length ? length : 1);
        c += length ? length : 1;
    }
    fputc('\n', stream);
}

static void write_vertices(FILE *stream, const snag_positions *positions)
{
    for (size_t v = 0; v < positions->count; v++) {
        double xyz[3];
        char line[3 * SNAG__NUMBER_BYTES + 8] = "v";
        size_t length = 1;
        snag__io_position_get(positions, v, xyz);
        for (int axis = 0; axis < 3; axis++) {
            line[length++] = ' ';
            length += snag__io_print_number(line + length, xyz[axis], positions->scalar);
        }
        line[length++] = '\n';
        fwrite(line, 1, length, stream);
    }
}

static void write_triangles(FILE *stream, const snag_io_surface *surface, uint64_t first)
{
    for (size_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *v = &surface->triangles[3 * i];
        fprintf(stream, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", first + v[0], first + v[1], first + v[2]);
    }
}

snag_status snag_io_write_obj(const char *path, const snag_io_surface *surfaces, size_t surface_count, snag_io_error *error)
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
    uint64_t first = 1;  // OBJ counts from 1
    for (size_t i = 0; i < surface_count && !ferror(output.stream); i++) {
        // A single surface without a name is not an object; several surfaces must be told apart.
        if (surfaces[i].name || surface_count > 1)
            write_object_line(output.stream, &surfaces[i], i);
        write_vertices(output.stream, &surfaces[i].positions);
        write_triangles(output.stream, &surfaces[i], first);
        first += surfaces[i].positions.count;
    }
    return snag__output_close(&output, true, error);
}

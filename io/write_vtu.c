// Writes VTU, the XML format of VTK for unstructured grids, with uncompressed base64 arrays, and PVD, the ParaView list of
// the files of a sequence.
#include "bytes.h"
#include "file.h"
#include "surface.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

// ---- base64 ----

typedef struct encoder {
    FILE *out;
    uint8_t held[3];
    size_t count;
} encoder;

static void put_group(encoder *e)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)e->held[0] << 16 | (uint32_t)e->held[1] << 8 | e->held[2];
    char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63]};
    for (size_t i = e->count + 1; i < 4; i++)
        text[i] = '=';
    fwrite(text, 1, sizeof text, e->out);
    e->count = 0;
    memset(e->held, 0, sizeof e->held);
}

static void put_bytes(encoder *e, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        e->held[e->count++] = bytes[i];
        if (e->count == 3)
            put_group(e);
    }
}

static void put_number(encoder *e, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    put_bytes(e, bytes, snag__bytes_put(bytes, value, size));
}

// XML does not allow control characters, even as entities.
static void put_attribute(FILE *out, const char *text)
{
    while (*text) {
        uint32_t code;
        size_t length = snag_io_utf8(text, &code);
        switch (code) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            if (code < 0x20 || code == 0xFFFE || code == 0xFFFF)
                fputc('?', out);
            else
                snag__utf8_write(out, text, length ? length : 1);
        }
        text += length ? length : 1;
    }
}

// An array starts with its size in bytes.
static encoder begin_array(FILE *out, const char *type, const char *name, unsigned components, uint64_t bytes)
{
    fprintf(out, "        <DataArray type=\"%s\" Name=\"", type);
    put_attribute(out, name);
    fprintf(out, "\" NumberOfComponents=\"%u\" format=\"binary\">", components);
    encoder e = {.out = out};
    put_number(&e, bytes, 8);
    return e;
}

static void end_array(encoder *e)
{
    if (e->count)
        put_group(e);
    fputs("</DataArray>\n", e->out);
}

// ---- pieces ----

static void put_points(FILE *out, const snag_positions *positions)
{
    bool doubles = positions->scalar == SNAG_F64;
    fputs("      <Points>\n", out);
    encoder e = begin_array(out, doubles ? "Float64" : "Float32", "Points", 3,
                            (uint64_t)positions->count * 3 * (doubles ? sizeof(double) : sizeof(float)));
    for (size_t v = 0; v < positions->count; v++) {
        double xyz[3];
        uint8_t bytes[8];
        snag__io_position_get(positions, v, xyz);
        for (int k = 0; k < 3; k++)
            put_bytes(&e, bytes, snag__bytes_put_scalar(bytes, xyz[k], doubles));
    }
    end_array(&e);
    fputs("      </Points>\n", out);
}

static void put_cells(FILE *out, const snag_io_grid *grid)
{
    enum { TRIANGLE = 5, TETRAHEDRON = 10 };
    size_t corners = grid->cell_count * grid->corners;
    fputs("      <Cells>\n", out);
    encoder e = begin_array(out, "Int64", "connectivity", 1, (uint64_t)corners * 8);
    for (size_t i = 0; i < corners; i++)
        put_number(&e, grid->cells[i], 8);
    end_array(&e);
    e = begin_array(out, "Int64", "offsets", 1, (uint64_t)grid->cell_count * 8);
    for (size_t i = 0; i < grid->cell_count; i++)
        put_number(&e, (uint64_t)(i + 1) * grid->corners, 8);
    end_array(&e);
    e = begin_array(out, "UInt8", "types", 1, grid->cell_count);
    for (size_t i = 0; i < grid->cell_count; i++)
        put_number(&e, grid->corners == 4 ? TETRAHEDRON : TRIANGLE, 1);
    end_array(&e);
    fputs("      </Cells>\n", out);
}

static void put_fields(FILE *out, const snag_io_grid *grid, const char *const *names, size_t count, bool depths)
{
    fputs("      <CellData>\n", out);
    for (size_t f = 0; f < count; f++) {
        encoder e = begin_array(out, "Int32", names[f], 1, (uint64_t)grid->cell_count * 4);
        for (size_t i = 0; i < grid->cell_count; i++)
            put_number(&e, (uint32_t)grid->fields[f][i], 4);
        end_array(&e);
    }
    if (depths) {
        encoder e = begin_array(out, "Float64", "depth", 1, (uint64_t)grid->cell_count * 8);
        for (size_t i = 0; i < grid->cell_count; i++) {
            uint8_t bytes[8];
            put_bytes(&e, bytes, snag__bytes_put_scalar(bytes, grid->depths ? grid->depths[i] : 0, true));
        }
        end_array(&e);
    }
    fputs("      </CellData>\n", out);
}

// ---- checks ----

static snag_status check_grid(const char *path, const snag_io_grid *grid, snag_io_error *error)
{
    const char *shown = snag__path_shown(path);
    size_t bad = 0;
    snag_status status = snag__io_positions_check(&grid->positions, false, &bad);
    if (status != SNAG_OK)
        return snag__io_fail(error, status, "%s: cannot write vertex %zu: it is not finite or missing", shown, bad);
    if ((grid->corners != 3 && grid->corners != 4) || (grid->cell_count && !grid->cells))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: cells are triangles or tetrahedra", shown);
    for (size_t i = 0; i < grid->cell_count * grid->corners; i++)
        if (grid->cells[i] >= grid->positions.count)
            return snag__io_fail(error, SNAG_ERROR_INDEX, "%s: cell %zu names vertex %lu, but there are %zu", shown,
                                 i / grid->corners, (unsigned long)grid->cells[i], grid->positions.count);
    return SNAG_OK;
}

snag_status snag_io_write_vtu(const char *path, const snag_io_grid *grids, size_t grid_count, const char *const *field_names,
                              size_t field_count, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!path || (!grids && grid_count) || (!field_names && field_count))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "VTU: path, parts and field names must be given");
    snag_status status = SNAG_OK;
    bool depths = false;
    for (size_t i = 0; i < grid_count; i++)
        depths = depths || grids[i].depths;
    for (size_t i = 0; i < grid_count && status == SNAG_OK; i++)
        status = check_grid(path, &grids[i], error);
    snag__output output;
    if (status == SNAG_OK)
        status = snag__output_open(&output, path, error);
    if (status != SNAG_OK)
        return status;
    FILE *out = output.stream;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n  <UnstructuredGrid>\n",
          out);
    for (size_t i = 0; i < grid_count && !ferror(out); i++) {
        fprintf(out, "    <Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", grids[i].positions.count, grids[i].cell_count);
        put_points(out, &grids[i].positions);
        put_cells(out, &grids[i]);
        put_fields(out, &grids[i], field_names, field_count, depths);
        fputs("    </Piece>\n", out);
    }
    fputs("  </UnstructuredGrid>\n</VTKFile>\n", out);
    return snag__output_close(&output, true, error);
}

// ---- PVD ----

snag_status snag_io_write_pvd(const char *path, const char *const *names, const double *times, size_t count, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!path || ((!names || !times) && count))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "PVD: path, names and times must be given");
    snag__output output;
    snag_status status = snag__output_open(&output, path, error);
    if (status != SNAG_OK)
        return status;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n", output.stream);
    for (size_t i = 0; i < count; i++) {
        char time[SNAG__NUMBER_BYTES];
        snag__io_print_number(time, times[i], SNAG_F64);
        fprintf(output.stream, "    <DataSet timestep=\"%s\" part=\"0\" file=\"", time);
        put_attribute(output.stream, names[i]);
        fputs("\"/>\n", output.stream);
    }
    fputs("  </Collection>\n</VTKFile>\n", output.stream);
    return snag__output_close(&output, true, error);
}

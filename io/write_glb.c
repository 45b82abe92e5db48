// Writes surfaces as binary glTF 2.0: one node and mesh per surface, float positions, and one primitive per triangle colour.
#include "bytes.h"
#include "file.h"
#include "surface.h"
#include "utf8.h"

#include <math.h>
#include <stdlib.h>

// Maximum number of colours; programs make a material of each.
enum { MOST_COLOURS = 64, WHITE = 0xFFFFFF };

// The triangles of one surface with one colour.
typedef struct part {
    size_t surface;
    uint32_t colour;
    size_t triangle_count;
} part;

typedef struct layout {
    const snag_io_surface *surfaces;
    size_t surface_count;
    part *parts;  // grouped by surface
    size_t part_count, part_capacity;
    uint32_t colours[MOST_COLOURS];
    size_t colour_count;
    double (*boxes)[2][3];
    bool places;  // some surface has numbers of places
    int32_t *vertex_places;  // of one surface, while they are written
} layout;

static uint32_t colour_of(const snag_io_surface *surface, size_t triangle)
{
    const uint8_t *rgb = surface->rgb ? surface->rgb + 3 * triangle : NULL;
    return rgb ? (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2] : WHITE;
}

// The index of a colour; the last index is for all colours beyond the maximum.
static size_t number_of_colour(layout *l, uint32_t colour)
{
    for (size_t i = 0; i < l->colour_count; i++)
        if (l->colours[i] == colour)
            return i;
    if (l->colour_count == MOST_COLOURS)
        return MOST_COLOURS - 1;
    l->colours[l->colour_count] = colour;
    return l->colour_count++;
}

static bool add_parts(layout *l, size_t surface)
{
    const snag_io_surface *s = &l->surfaces[surface];
    size_t counts[MOST_COLOURS] = {0};
    for (size_t t = 0; t < s->triangle_count; t++)
        counts[number_of_colour(l, colour_of(s, t))]++;
    for (size_t i = 0; i < l->colour_count; i++) {
        if (counts[i] == 0)
            continue;
        if (l->part_count == l->part_capacity) {
            size_t larger = 2 * l->part_capacity + 16;
            part *parts = realloc(l->parts, larger * sizeof *parts);
            if (!parts)
                return false;
            l->parts = parts;
            l->part_capacity = larger;
        }
        l->parts[l->part_count++] = (part){surface, (uint32_t)i, counts[i]};
    }
    return true;
}

// glTF requires the bounding box of the written values, after rounding to float.
static void measure(const snag_positions *positions, double box[2][3])
{
    for (int k = 0; k < 3; k++) {
        box[0][k] = INFINITY;
        box[1][k] = -INFINITY;
    }
    for (size_t v = 0; v < positions->count; v++) {
        double xyz[3];
        snag__io_position_get(positions, v, xyz);
        for (int k = 0; k < 3; k++) {
            box[0][k] = fmin(box[0][k], (double)(float)xyz[k]);
            box[1][k] = fmax(box[1][k], (double)(float)xyz[k]);
        }
    }
}

static bool has_faces(const layout *l, size_t surface)
{
    return l->surfaces[surface].triangle_count > 0 && l->surfaces[surface].positions.count > 0;
}

// ---- JSON ----

static void put_name(FILE *out, const char *name)
{
    fputs(",\"name\":\"", out);
    while (*name) {
        uint32_t code;
        size_t length = snag_io_utf8(name, &code);
        if (length == 1 && (code < 0x20 || code == 0x7F || code == '"' || code == '\\'))
            fprintf(out, "\\u%04x", (unsigned)code);
        else
            snag__utf8_write(out, name, length ? length : 1);
        name += length ? length : 1;
    }
    fputc('"', out);
}

static void put_numbers(FILE *out, const char *key, const double *values)
{
    char text[SNAG__NUMBER_BYTES];
    fprintf(out, ",\"%s\":[", key);
    for (int k = 0; k < 3; k++) {
        snag__io_print_number(text, values[k], SNAG_F32);
        fprintf(out, "%s%s", k ? "," : "", text);
    }
    fputc(']', out);
}

// Converts an sRGB byte to linear light, as glTF requires.
static double linear(uint32_t byte)
{
    double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static void put_materials(FILE *out, const layout *l)
{
    fputs("\"materials\":[", out);
    for (size_t i = 0; i < l->colour_count; i++) {
        const double rgb[3] = {linear(l->colours[i] >> 16), linear(l->colours[i] >> 8 & 255), linear(l->colours[i] & 255)};
        char text[3][SNAG__NUMBER_BYTES];
        for (int k = 0; k < 3; k++)
            snag__io_print_number(text[k], rgb[k], SNAG_F32);
        fprintf(out,
                "%s{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s,%s,%s,1],"
                "\"metallicFactor\":0,\"roughnessFactor\":0.8}}",
                i ? "," : "", text[0], text[1], text[2]);
    }
    fputs("],", out);
}

// Accessors: the positions of all surfaces with faces, then the triangles of all parts. Each has its own buffer view.
static void put_meshes(FILE *out, const layout *l, size_t position_count)
{
    size_t node = 0, index = 0;
    fputs("\"nodes\":[", out);
    for (size_t i = 0; i < l->surface_count; i++)
        if (has_faces(l, i)) {
            fprintf(out, "%s{\"mesh\":%zu", node ? "," : "", node);
            if (l->surfaces[i].name)
                put_name(out, l->surfaces[i].name);
            fputc('}', out);
            node++;
        }
    fputs("],\"scenes\":[{\"nodes\":[", out);
    for (size_t i = 0; i < node; i++)
        fprintf(out, "%s%zu", i ? "," : "", i);
    fputs("]}],\"scene\":0,\"meshes\":[", out);
    node = 0;
    for (size_t i = 0; i < l->surface_count; i++) {
        if (!has_faces(l, i))
            continue;
        fprintf(out, "%s{\"primitives\":[", node ? "," : "");
        for (bool first = true; index < l->part_count && l->parts[index].surface == i; index++, first = false) {
            fprintf(out, "%s{\"attributes\":{\"POSITION\":%zu", first ? "" : ",", node);
            if (l->places)
                fprintf(out, ",\"_PLACE\":%zu", position_count + l->part_count + node);
            fprintf(out, "},\"indices\":%zu,\"material\":%lu}", position_count + index, (unsigned long)l->parts[index].colour);
        }
        fputs("]}", out);
        node++;
    }
    fputs("],", out);
}

static void put_accessors(FILE *out, const layout *l)
{
    size_t view = 0;
    fputs("\"accessors\":[", out);
    for (size_t i = 0; i < l->surface_count; i++)
        if (has_faces(l, i)) {
            fprintf(out, "%s{\"bufferView\":%zu,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\"", view ? "," : "", view,
                    l->surfaces[i].positions.count);
            put_numbers(out, "min", l->boxes[i][0]);
            put_numbers(out, "max", l->boxes[i][1]);
            fputc('}', out);
            view++;
        }
    for (size_t i = 0; i < l->part_count; i++)
        fprintf(out, ",{\"bufferView\":%zu,\"componentType\":5125,\"count\":%zu,\"type\":\"SCALAR\"}", view + i,
                3 * l->parts[i].triangle_count);
    view += l->part_count;
    for (size_t i = 0; i < l->surface_count && l->places; i++)
        if (has_faces(l, i))
            fprintf(out, ",{\"bufferView\":%zu,\"componentType\":5126,\"count\":%zu,\"type\":\"SCALAR\"}", view++,
                    l->surfaces[i].positions.count);
    fputs("],", out);
}

// Returns the size of the buffer in bytes.
static uint64_t put_views(FILE *out, const layout *l)
{
    uint64_t offset = 0;
    const char *comma = "";
    fputs("\"bufferViews\":[", out);
    for (size_t i = 0; i < l->surface_count; i++)
        if (has_faces(l, i)) {
            uint64_t size = (uint64_t)l->surfaces[i].positions.count * 12;
            fprintf(out, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":34962}", comma,
                    (unsigned long long)offset, (unsigned long long)size);
            offset += size;
            comma = ",";
        }
    for (size_t i = 0; i < l->part_count; i++) {
        uint64_t size = (uint64_t)l->parts[i].triangle_count * 12;
        fprintf(out, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":34963}", (unsigned long long)offset,
                (unsigned long long)size);
        offset += size;
    }
    for (size_t i = 0; i < l->surface_count && l->places; i++)
        if (has_faces(l, i)) {
            uint64_t size = (uint64_t)l->surfaces[i].positions.count * 4;
            fprintf(out, ",{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu,\"target\":34962}", (unsigned long long)offset,
                    (unsigned long long)size);
            offset += size;
        }
    fprintf(out, "],\"buffers\":[{\"byteLength\":%llu}]}", (unsigned long long)offset);
    return offset;
}

// ---- bytes ----

static void put_u32(FILE *out, uint32_t value)
{
    uint8_t bytes[4];
    fwrite(bytes, 1, snag__bytes_put(bytes, value, sizeof bytes), out);
}

static void put_positions(FILE *out, const snag_positions *positions)
{
    for (size_t v = 0; v < positions->count; v++) {
        double xyz[3];
        uint8_t bytes[12];
        snag__io_position_get(positions, v, xyz);
        for (size_t k = 0; k < 3; k++)
            snag__bytes_put_scalar(bytes + 4 * k, xyz[k], false);
        fwrite(bytes, 1, sizeof bytes, out);
    }
}

static void put_triangles(FILE *out, layout *l, const part *p)
{
    const snag_io_surface *surface = &l->surfaces[p->surface];
    for (size_t t = 0; t < surface->triangle_count; t++)
        if (number_of_colour(l, colour_of(surface, t)) == p->colour)
            for (size_t k = 0; k < 3; k++)
                put_u32(out, surface->triangles[3 * t + k]);
}

// As floats, since glTF has no attributes of 32-bit integers. The lowest number of the triangles at a vertex; 0: none.
static void put_places(FILE *out, layout *l, const snag_io_surface *surface)
{
    for (size_t v = 0; v < surface->positions.count; v++)
        l->vertex_places[v] = 0;
    for (size_t t = 0; surface->places && t < surface->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            int32_t *at = &l->vertex_places[surface->triangles[3 * t + k]], place = surface->places[t];
            if (place && (*at == 0 || place < *at))
                *at = place;
        }
    for (size_t v = 0; v < surface->positions.count; v++) {
        uint8_t bytes[4];
        fwrite(bytes, 1, snag__bytes_put_scalar(bytes, l->vertex_places[v], false), out);
    }
}

static void write_all(FILE *out, layout *l)
{
    enum { HEADER = 12, CHUNK = 8 };
    size_t position_count = 0;
    for (size_t i = 0; i < l->surface_count; i++)
        position_count += has_faces(l, i);
    for (int i = 0; i < (HEADER + CHUNK) / 4; i++)
        put_u32(out, 0);  // filled in at the end
    fputs("{\"asset\":{\"version\":\"2.0\",\"generator\":\"snag\"},", out);
    put_materials(out, l);
    put_meshes(out, l, position_count);
    put_accessors(out, l);
    uint64_t binary = put_views(out, l);
    long end = ftell(out);
    for (; end % 4; end++)
        fputc(' ', out);
    put_u32(out, (uint32_t)binary);
    fwrite("BIN", 1, 4, out);
    for (size_t i = 0; i < l->surface_count; i++)
        if (has_faces(l, i))
            put_positions(out, &l->surfaces[i].positions);
    for (size_t i = 0; i < l->part_count; i++)
        put_triangles(out, l, &l->parts[i]);
    for (size_t i = 0; i < l->surface_count && l->places; i++)
        if (has_faces(l, i))
            put_places(out, l, &l->surfaces[i]);
    rewind(out);
    fwrite("glTF", 1, 4, out);
    put_u32(out, 2);
    put_u32(out, (uint32_t)((uint64_t)end + CHUNK + binary));
    put_u32(out, (uint32_t)(end - HEADER - CHUNK));
    fwrite("JSON", 1, 4, out);
}

static snag_status plan(layout *l, const char *path, snag_io_error *error)
{
    uint64_t bytes = 0;
    size_t most = 0;
    bool enough = (l->boxes = malloc((l->surface_count + 1) * sizeof *l->boxes)) != NULL;
    for (size_t i = 0; i < l->surface_count && enough; i++) {
        size_t bad;
        if (snag__io_positions_check(&l->surfaces[i].positions, true, &bad) != SNAG_OK)
            return snag__io_fail(error, SNAG_ERROR_NOT_FINITE, "%s: vertex %zu is out of the range of float, which glTF uses",
                                 snag__path_shown(path), bad);
        measure(&l->surfaces[i].positions, l->boxes[i]);
        enough = !has_faces(l, i) || add_parts(l, i);
        l->places = l->places || l->surfaces[i].places;
        most = l->surfaces[i].positions.count > most ? l->surfaces[i].positions.count : most;
        bytes += 4 * (uint64_t)l->surfaces[i].positions.count;
        bytes += 12 * ((uint64_t)l->surfaces[i].positions.count + l->surfaces[i].triangle_count);
    }
    if (enough && l->places)
        enough = (l->vertex_places = malloc((most + 1) * sizeof *l->vertex_places)) != NULL;
    if (!enough)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to write it", snag__path_shown(path));
    if (l->part_count == 0)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: no triangles to write", snag__path_shown(path));
    // The header uses 32-bit sizes; leave some room for the JSON.
    if (bytes > UINT32_MAX - (1u << 24))
        return snag__io_fail(error, SNAG_ERROR_SIZE, "%s: too large for binary glTF (limit 4 GB)", snag__path_shown(path));
    return SNAG_OK;
}

snag_status snag_io_write_glb(const char *path, const snag_io_surface *surfaces, size_t surface_count, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    snag__io_totals totals;
    snag__output output;
    layout l = {.surfaces = surfaces, .surface_count = surface_count};
    snag_status status = snag__io_surfaces_check(path, surfaces, surface_count, &totals, error);
    if (status == SNAG_OK)
        status = plan(&l, path, error);
    if (status == SNAG_OK)
        status = snag__output_open(&output, path, error);
    if (status == SNAG_OK) {
        write_all(output.stream, &l);
        status = snag__output_close(&output, true, error);
    }
    free(l.parts);
    free(l.boxes);
    free(l.vertex_places);
    return status;
}

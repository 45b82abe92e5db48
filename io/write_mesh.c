// Writes a mesh that was read, with its polygons and tetrahedra, in another format: OBJ, PLY, OFF, STL, Medit, VTU or Abaqus.
//
// Vertices are sorted by number, and elements are written body by body, so a file whose objects follow each other keeps its
// numbers. Cells that were cut stay tetrahedra; VTU has a field with the cell numbers.
#include "file.h"
#include "mesh.h"
#include "surface.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

typedef struct mesh_writer {
    FILE *out;
    const snag_io_mesh *mesh;
    const char *path;
    snag_io_error *error;
    uint32_t **vertices;  // per body: numbers of its vertices in the written file
    double *positions;
    uint32_t *labels;  // NULL: there are none
    size_t vertex_count;
    uint32_t highest_label;  // of elements, with own_labels
    bool own_labels;  // elements keep their labels
} mesh_writer;

// ---- vertices ----

typedef struct numbered {
    uint32_t number, body, local;
} numbered;

static int compare_numbered(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->body != y->body ? (x->body < y->body ? -1 : 1) : (x->local > y->local) - (x->local < y->local);
}

static size_t count_vertices(const snag_io_mesh *mesh)
{
    size_t count = 0;
    for (size_t b = 0; b < mesh->body_count; b++)
        count += mesh->bodies[b].vertex_count;
    return count;
}

static bool make_vertices(mesh_writer *w)
{
    size_t count = count_vertices(w->mesh), at = 0;
    numbered *all = malloc((count + 1) * sizeof *all);
    w->positions = calloc(3 * count + 1, sizeof *w->positions);
    w->labels = calloc(count + 1, sizeof *w->labels);
    w->vertices = calloc(w->mesh->body_count + 1, sizeof *w->vertices);
    bool room = all && w->positions && w->labels && w->vertices;
    for (size_t b = 0; b < w->mesh->body_count && room; b++) {
        const snag_io_body *body = &w->mesh->bodies[b];
        w->vertices[b] = malloc((body->vertex_count + 1) * sizeof **w->vertices);
        room = w->vertices[b] != NULL;
        for (size_t v = 0; v < body->vertex_count && room; v++)
            all[at++] = (numbered){body->vertex_numbers ? body->vertex_numbers[v] : (uint32_t)v, (uint32_t)b, (uint32_t)v};
    }
    if (room)
        qsort(all, count, sizeof *all, compare_numbered);
    for (size_t i = 0; i < count && room; i++) {
        const snag_io_body *body = &w->mesh->bodies[all[i].body];
        // If several bodies have copies of one vertex, each copy is written as a separate vertex.
        w->vertices[all[i].body][all[i].local] = (uint32_t)i;
        memcpy(w->positions + 3 * i, body->positions + 3 * (size_t)all[i].local, 3 * sizeof(double));
        w->labels[i] = body->vertex_labels ? body->vertex_labels[all[i].local] : (uint32_t)i + 1;
    }
    w->vertex_count = count;
    free(all);
    return room;
}

static int compare_labels(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_unique(uint32_t *labels, size_t count)
{
    qsort(labels, count, sizeof *labels, compare_labels);
    for (size_t i = 1; i < count; i++)
        if (labels[i] == labels[i - 1])
            return false;
    return count == 0 || labels[0] > 0;
}

// Keeps the labels of the file if they are unique: instances of a part repeat them.
static bool decide_labels(mesh_writer *w)
{
    size_t count = 0, elements = 0;
    for (size_t b = 0; b < w->mesh->body_count; b++)
        elements += w->mesh->bodies[b].polygon_count + w->mesh->bodies[b].tet_count;
    uint32_t *labels = malloc((elements + w->vertex_count + 1) * sizeof *labels);
    if (!labels)
        return false;
    memcpy(labels, w->labels, w->vertex_count * sizeof *labels);
    bool vertices = is_unique(labels, w->vertex_count);
    for (size_t i = 0; i < w->vertex_count && !vertices; i++)
        w->labels[i] = (uint32_t)i + 1;
    for (size_t b = 0; b < w->mesh->body_count; b++) {
        const snag_io_body *body = &w->mesh->bodies[b];
        for (size_t p = 0; p < body->polygon_count; p++)
            labels[count++] = body->polygon_numbers ? body->polygon_numbers[p] : (uint32_t)p;
        for (size_t k = 0; k < body->tet_count; k++)
            labels[count++] = body->tet_numbers ? body->tet_numbers[k] : (uint32_t)k;
    }
    w->own_labels = w->mesh->labelled && is_unique(labels, count);
    w->highest_label = w->own_labels && count > 0 ? labels[count - 1] : 0;
    free(labels);
    return true;
}

static uint32_t size_of(const snag_io_body *body, size_t polygon)
{
    return body->polygon_sizes ? body->polygon_sizes[polygon] : 3;
}

static void put_positions(const mesh_writer *w, const char *before, const char *between, const char *after)
{
    char text[SNAG__NUMBER_BYTES];
    for (size_t v = 0; v < w->vertex_count; v++) {
        fputs(before, w->out);
        for (int k = 0; k < 3; k++) {
            fwrite(text, 1, snag__io_print_number(text, w->positions[3 * v + (size_t)k], SNAG_F64), w->out);
            fputs(k < 2 ? between : after, w->out);
        }
    }
}

// A name as valid UTF-8 without line ends and, with `plain`, without the separators of a deck.
static void put_name(FILE *out, const char *name, bool plain)
{
    while (*name) {
        uint32_t code;
        size_t length = snag_io_utf8(name, &code);
        bool odd = length == 0 || code < 0x20 || (plain && (code == ',' || code == '"' || code == '=' || code == '*'));
        if (odd)
            fputc('_', out);
        else
            fwrite(name, 1, length, out);
        name += length ? length : 1;
    }
}

static size_t count_tets(const mesh_writer *w)
{
    size_t count = 0;
    for (size_t b = 0; b < w->mesh->body_count; b++)
        count += w->mesh->bodies[b].tet_count;
    return count;
}

// How many polygons have this many corners; 0: more than four.
static size_t count_polygons(const mesh_writer *w, uint32_t size)
{
    size_t count = 0;
    for (size_t b = 0; b < w->mesh->body_count; b++)
        for (size_t p = 0; p < w->mesh->bodies[b].polygon_count; p++) {
            uint32_t found = size_of(&w->mesh->bodies[b], p);
            count += size ? found == size : found > 4;
        }
    return count;
}

static snag_status refuse(const mesh_writer *w, const char *what)
{
    return snag__io_fail(w->error, SNAG_ERROR_UNSUPPORTED, "%s: this format has no %s; write .vtu", snag__path_shown(w->path),
                         what);
}

static size_t count_thin(const mesh_writer *w, bool points)
{
    size_t count = 0;
    for (size_t b = 0; b < w->mesh->body_count; b++)
        count += points ? w->mesh->bodies[b].point_count : w->mesh->bodies[b].edge_count;
    return count;
}

// ---- OBJ and OFF ----

static snag_status write_obj(mesh_writer *w)
{
    if (count_tets(w))
        return refuse(w, "tetrahedra");
    put_positions(w, "v ", " ", "\n");
    for (size_t b = 0; b < w->mesh->body_count; b++) {
        const snag_io_body *body = &w->mesh->bodies[b];
        const uint32_t *corner = body->polygon_vertices, *vertices = w->vertices[b];
        fputs("o ", w->out);
        put_name(w->out, body->name, false);
        fputc('\n', w->out);
        for (size_t p = 0; corner && vertices && p < body->polygon_count; p++) {
            fputc('f', w->out);
            for (uint32_t i = 0; i < size_of(body, p); i++)
                fprintf(w->out, " %lu", (unsigned long)vertices[*corner++] + 1);
            fputc('\n', w->out);
        }
        for (size_t e = 0; vertices && e < body->edge_count; e++)
            fprintf(w->out, "l %lu %lu\n", (unsigned long)vertices[body->edges[2 * e]] + 1,
                    (unsigned long)vertices[body->edges[2 * e + 1]] + 1);
        for (size_t i = 0; vertices && i < body->point_count; i++)
            fprintf(w->out, "p %lu\n", (unsigned long)vertices[body->points[i]] + 1);
    }
    return SNAG_OK;
}

// A line for each face: how many corners it has, then their numbers.
static void put_counted_faces(const mesh_writer *w)
{
    for (size_t b = 0; b < w->mesh->body_count; b++) {
        const snag_io_body *body = &w->mesh->bodies[b];
        const uint32_t *corner = body->polygon_vertices;
        for (size_t p = 0; corner && p < body->polygon_count; p++) {
            fprintf(w->out, "%lu", (unsigned long)size_of(body, p));
            for (uint32_t i = 0; i < size_of(body, p); i++)
                fprintf(w->out, " %lu", (unsigned long)w->vertices[b][*corner++]);
            fputc('\n', w->out);
        }
    }
}

static size_t count_faces(const mesh_writer *w)
{
    size_t faces = 0;
    for (size_t b = 0; b < w->mesh->body_count; b++)
        faces += w->mesh->bodies[b].polygon_count;
    return faces;
}

static snag_status write_off(mesh_writer *w)
{
    if (count_tets(w))
        return refuse(w, "tetrahedra");
    if (count_thin(w, false) + count_thin(w, true))
        return refuse(w, "lines and points");
    fprintf(w->out, "OFF\n%zu %zu 0\n", w->vertex_count, count_faces(w));
    put_positions(w, "", " ", "\n");
    put_counted_faces(w);
    return SNAG_OK;
}

// ---- PLY and STL ----

// As text, in doubles: reading it gives the same bits.
static snag_status write_ply(mesh_writer *w)
{
    if (count_tets(w))
        return refuse(w, "tetrahedra");
    if (count_thin(w, true))
        return refuse(w, "points");
    const size_t edges = count_thin(w, false);
    fprintf(w->out, "ply\nformat ascii 1.0\nelement vertex %zu\n", w->vertex_count);
    fputs("property double x\nproperty double y\nproperty double z\n", w->out);
    fprintf(w->out, "element face %zu\nproperty list uint uint vertex_indices\n", count_faces(w));
    if (edges)
        fprintf(w->out, "element edge %zu\nproperty uint vertex1\nproperty uint vertex2\n", edges);
    fputs("end_header\n", w->out);
    put_positions(w, "", " ", "\n");
    put_counted_faces(w);
    for (size_t b = 0; b < w->mesh->body_count; b++)
        for (size_t e = 0; e < w->mesh->bodies[b].edge_count; e++) {
            const uint32_t *v = w->mesh->bodies[b].edges + 2 * e;
            fprintf(w->out, "%lu %lu\n", (unsigned long)w->vertices[b][v[0]], (unsigned long)w->vertices[b][v[1]]);
        }
    return SNAG_OK;
}

static void put_floats(FILE *out, const double *values)
{
    for (int k = 0; k < 3; k++) {
        unsigned char bytes[4];
        float value = (float)values[k];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (int i = 0; i < 4; i++)
            bytes[i] = (unsigned char)(bits >> 8 * i);
        fwrite(bytes, 1, sizeof bytes, out);
    }
}

// Binary: floats, as programs that read STL expect. Normals are zero, which tells them to compute their own.
static snag_status write_stl(mesh_writer *w)
{
    static const double none[3] = {0, 0, 0};
    size_t faces = count_faces(w);
    if (count_tets(w))
        return refuse(w, "tetrahedra");
    if (count_thin(w, false) + count_thin(w, true))
        return refuse(w, "lines and points");
    if (count_polygons(w, 3) != faces)
        return refuse(w, "faces of more than three corners");
    if (faces > UINT32_MAX)
        return refuse(w, "room for 2^32 faces");
    unsigned char head[84] = "written by snag";
    for (int i = 0; i < 4; i++)
        head[80 + i] = (unsigned char)(faces >> 8 * i);
    fwrite(head, 1, sizeof head, w->out);
    for (size_t b = 0; b < w->mesh->body_count; b++) {
        const snag_io_body *body = &w->mesh->bodies[b];
        for (size_t p = 0; body->polygon_vertices && p < body->polygon_count; p++) {
            put_floats(w->out, none);
            for (size_t k = 0; k < 3; k++)
                put_floats(w->out, body->positions + 3 * (size_t)body->polygon_vertices[3 * p + k]);
            fwrite("\0", 1, 2, w->out);
        }
    }
    return SNAG_OK;
}

// ---- Medit and Abaqus: a list for each kind of element ----

// Elements of one kind with `size` corners each; `put` writes the text around them on each line.
static void put_kind(mesh_writer *w, uint32_t size, bool tets,
                     void (*put)(mesh_writer *w, size_t body, size_t element, const uint32_t *corners))
{
    for (size_t b = 0; b < w->mesh->body_count; b++) {
        const snag_io_body *body = &w->mesh->bodies[b];
        const uint32_t *corner = tets ? body->tets : body->polygon_vertices;
        for (size_t e = 0; e < (tets ? body->tet_count : body->polygon_count); e++) {
            uint32_t count = tets ? 4 : size_of(body, e), corners[4];
            for (uint32_t i = 0; i < count && count == size; i++)
                corners[i] = w->vertices[b][corner[i]];
            if (count == size)
                put(w, b, e, corners);
            corner += count;
        }
    }
}

static void put_medit_3(mesh_writer *w, size_t body, size_t element, const uint32_t *c)
{
    (void)element;
    fprintf(w->out, "%lu %lu %lu %zu\n", c[0] + 1ul, c[1] + 1ul, c[2] + 1ul, body + 1);
}

static void put_medit_4(mesh_writer *w, size_t body, size_t element, const uint32_t *c)
{
    (void)element;
    fprintf(w->out, "%lu %lu %lu %lu %zu\n", c[0] + 1ul, c[1] + 1ul, c[2] + 1ul, c[3] + 1ul, body + 1);
}

static snag_status write_medit(mesh_writer *w)
{
    if (count_polygons(w, 0))
        return refuse(w, "polygons of more than four corners");
    if (count_thin(w, true))
        return refuse(w, "points");
    fprintf(w->out, "MeshVersionFormatted 2\nDimension 3\nVertices\n%zu\n", w->vertex_count);
    put_positions(w, "", " ", " 0\n");
    static const char *const names[3] = {"Triangles", "Quadrilaterals", "Tetrahedra"};
    const size_t counts[3] = {count_polygons(w, 3), count_polygons(w, 4), count_tets(w)};
    for (uint32_t kind = 0; kind < 3; kind++) {
        if (counts[kind] == 0)
            continue;
        fprintf(w->out, "%s\n%zu\n", names[kind], counts[kind]);
        put_kind(w, kind == 0 ? 3 : 4, kind == 2, kind == 0 ? put_medit_3 : put_medit_4);
    }
    if (count_thin(w, false))
        fprintf(w->out, "Edges\n%zu\n", count_thin(w, false));
    for (size_t b = 0; b < w->mesh->body_count; b++)
        for (size_t e = 0; e < w->mesh->bodies[b].edge_count; e++) {
            const uint32_t *v = w->mesh->bodies[b].edges + 2 * e;
            fprintf(w->out, "%lu %lu %zu\n", w->vertices[b][v[0]] + 1ul, w->vertices[b][v[1]] + 1ul, b + 1);
        }
    fputs("End\n", w->out);
    return SNAG_OK;
}

static void put_deck_element(mesh_writer *w, uint32_t label, size_t *running, const uint32_t *corners, const uint32_t *vertices,
                             uint32_t size)
{
    fprintf(w->out, "%lu", w->own_labels ? (unsigned long)label : (unsigned long)++*running);
    for (uint32_t i = 0; i < size; i++)
        fprintf(w->out, ", %lu", (unsigned long)w->labels[vertices[corners[i]]]);
    fputc('\n', w->out);
}

// The elements of one kind in a body, in a set with the name of the body.
static void put_deck_kind(mesh_writer *w, size_t b, const char *type, uint32_t size, bool tets, size_t *running)
{
    const snag_io_body *body = &w->mesh->bodies[b];
    const uint32_t *corner = tets ? body->tets : body->polygon_vertices,
                   *numbers = tets ? body->tet_numbers : body->polygon_numbers;
    bool begun = false;
    for (size_t e = 0; e < (tets ? body->tet_count : body->polygon_count); e++) {
        uint32_t count = tets ? 4 : size_of(body, e);
        if (count == size && !begun) {
            fprintf(w->out, "*ELEMENT, TYPE=%s, ELSET=", type);
            put_name(w->out, body->name, true);
            fputc('\n', w->out);
            begun = true;
        }
        if (count == size)
            put_deck_element(w, numbers ? numbers[e] : (uint32_t)e, running, corner, w->vertices[b], size);
        corner += count;
    }
}

// Rods as trusses. They have no labels of their own.
static void put_deck_rods(mesh_writer *w, size_t b, size_t *running)
{
    const snag_io_body *body = &w->mesh->bodies[b];
    if (body->edge_count) {
        fputs("*ELEMENT, TYPE=T3D2, ELSET=", w->out);
        put_name(w->out, body->name, true);
        fputc('\n', w->out);
    }
    for (size_t e = 0; e < body->edge_count; e++)
        fprintf(w->out, "%lu, %lu, %lu\n", (unsigned long)w->highest_label + (unsigned long)++*running,
                (unsigned long)w->labels[w->vertices[b][body->edges[2 * e]]],
                (unsigned long)w->labels[w->vertices[b][body->edges[2 * e + 1]]]);
}

static snag_status write_abaqus(mesh_writer *w)
{
    size_t running = 0;
    if (count_polygons(w, 0))
        return refuse(w, "polygons of more than four corners");
    if (count_thin(w, true))
        return refuse(w, "points");
    fputs("*NODE\n", w->out);
    char text[SNAG__NUMBER_BYTES];
    for (size_t v = 0; v < w->vertex_count; v++) {
        fprintf(w->out, "%lu", (unsigned long)w->labels[v]);
        for (size_t k = 0; k < 3; k++) {
            fputs(", ", w->out);
            fwrite(text, 1, snag__io_print_number(text, w->positions[3 * v + k], SNAG_F64), w->out);
        }
        fputc('\n', w->out);
    }
    for (size_t b = 0; b < w->mesh->body_count; b++) {
        put_deck_kind(w, b, "S3", 3, false, &running);
        put_deck_kind(w, b, "S4", 4, false, &running);
        put_deck_kind(w, b, "C3D4", 4, true, &running);
        put_deck_rods(w, b, &running);
    }
    return SNAG_OK;
}

// ---- VTU ----

static void begin_array(FILE *out, const char *type, const char *name)
{
    fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" format=\"ascii\">\n", type, name);
}

static void put_piece_cells(const mesh_writer *w, const snag_io_body *body)
{
    size_t offset = 0;
    const uint32_t *corner = body->polygon_vertices;
    begin_array(w->out, "Int64", "connectivity");
    for (size_t p = 0; p < body->polygon_count; p++) {
        for (uint32_t i = 0; i < size_of(body, p); i++)
            fprintf(w->out, "%lu ", (unsigned long)*corner++);
        fputc('\n', w->out);
    }
    for (size_t k = 0; k < body->tet_count; k++) {
        const uint32_t *t = body->tets + 4 * k;
        fprintf(w->out, "%lu %lu %lu %lu\n", (unsigned long)t[0], (unsigned long)t[1], (unsigned long)t[2], (unsigned long)t[3]);
    }
    for (size_t e = 0; e < body->edge_count; e++)
        fprintf(w->out, "%lu %lu\n", (unsigned long)body->edges[2 * e], (unsigned long)body->edges[2 * e + 1]);
    for (size_t i = 0; i < body->point_count; i++)
        fprintf(w->out, "%lu\n", (unsigned long)body->points[i]);
    fputs("</DataArray>\n", w->out);
    begin_array(w->out, "Int64", "offsets");
    for (size_t p = 0; p < body->polygon_count; p++)
        fprintf(w->out, "%zu\n", offset += size_of(body, p));
    for (size_t k = 0; k < body->tet_count; k++)
        fprintf(w->out, "%zu\n", offset += 4);
    for (size_t e = 0; e < body->edge_count; e++)
        fprintf(w->out, "%zu\n", offset += 2);
    for (size_t i = 0; i < body->point_count; i++)
        fprintf(w->out, "%zu\n", ++offset);
    fputs("</DataArray>\n", w->out);
    begin_array(w->out, "UInt8", "types");
    for (size_t p = 0; p < body->polygon_count; p++)
        fputs(size_of(body, p) == 3 ? "5\n" : size_of(body, p) == 4 ? "9\n" : "7\n", w->out);
    for (size_t k = 0; k < body->tet_count; k++)
        fputs("10\n", w->out);
    for (size_t e = 0; e < body->edge_count; e++)
        fputs("3\n", w->out);
    for (size_t i = 0; i < body->point_count; i++)
        fputs("1\n", w->out);
    fputs("</DataArray>\n", w->out);
}

static void put_piece(const mesh_writer *w, const snag_io_body *body)
{
    char text[SNAG__NUMBER_BYTES];
    fprintf(w->out, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<CellData>\n", body->vertex_count,
            body->polygon_count + body->tet_count + body->edge_count + body->point_count);
    begin_array(w->out, "UInt32", "number");
    for (size_t p = 0; p < body->polygon_count; p++)
        fprintf(w->out, "%lu\n", body->polygon_numbers ? (unsigned long)body->polygon_numbers[p] : (unsigned long)p);
    for (size_t k = 0; k < body->tet_count; k++)
        fprintf(w->out, "%lu\n", body->tet_numbers ? (unsigned long)body->tet_numbers[k] : (unsigned long)k);
    for (size_t i = 0; i < body->edge_count + body->point_count; i++)
        fputs("0\n", w->out);  // lines and points have no numbers
    fputs("</DataArray>\n</CellData>\n<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n", w->out);
    for (size_t i = 0; i < 3 * body->vertex_count; i++) {
        fwrite(text, 1, snag__io_print_number(text, body->positions[i], SNAG_F64), w->out);
        fputc(i % 3 == 2 ? '\n' : ' ', w->out);
    }
    fputs("</DataArray>\n</Points>\n<Cells>\n", w->out);
    put_piece_cells(w, body);
    fputs("</Cells>\n</Piece>\n", w->out);
}

static snag_status write_vtu(mesh_writer *w)
{
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n",
          w->out);
    for (size_t b = 0; b < w->mesh->body_count; b++)
        put_piece(w, &w->mesh->bodies[b]);
    fputs("</UnstructuredGrid>\n</VTKFile>\n", w->out);
    return SNAG_OK;
}

// ---- the call ----

typedef snag_status write_function(mesh_writer *w);

static write_function *writer_of(const char *path)
{
    static const struct {
        const char *ending;
        write_function *write;
    } writers[] = {{".obj", write_obj},    {".off", write_off},    {".ply", write_ply}, {".stl", write_stl},
                   {".mesh", write_medit}, {".inp", write_abaqus}, {".vtu", write_vtu}};
    for (size_t i = 0; i < sizeof writers / sizeof *writers && !snag__path_is_gzip(path); i++)
        if (snag__path_has_ending(path, writers[i].ending))
            return writers[i].write;
    return NULL;
}

snag_status snag_io_write_mesh(const char *path, const snag_io_mesh *mesh, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!path || !mesh || (!mesh->bodies && mesh->body_count))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "writing a mesh needs its path and the mesh");
    write_function *write = writer_of(path);
    if (!write)
        return snag__io_fail(error, SNAG_ERROR_UNSUPPORTED, "%s: meshes are written as .obj .ply .off .stl .mesh .inp .vtu",
                             snag__path_shown(path));
    mesh_writer w = {.mesh = mesh, .path = path, .error = error};
    snag__output output = {0};
    snag_status status = SNAG_OK;
    if (!make_vertices(&w) || !decide_labels(&w))
        status = snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: there is not enough memory to write it", snag__path_shown(path));
    if (status == SNAG_OK)
        status = snag__output_open(&output, path, error);
    if (status == SNAG_OK) {
        w.out = output.stream;
        status = write(&w);
        snag_status closed = snag__output_close(&output, status == SNAG_OK, error);
        status = status == SNAG_OK ? closed : status;
    }
    for (size_t b = 0; w.vertices && b < mesh->body_count; b++)
        free(w.vertices[b]);
    free(w.vertices);
    free(w.positions);
    free(w.labels);
    return status;
}

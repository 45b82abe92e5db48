// Loading speed of every text format: 100 MB of a surface of triangles, or of a block of hexahedra (TetGen: tetrahedra), with coordinates of nine
// digits, as exporters write them. Files are created in a temporary folder and removed. Prints a line each: size, elements, and the best of three
// readings in processor time, which other programs disturb less than the clock on the wall. Cutting cells into tetrahedra is included.
// usage: bench_text [MEGABYTES] [FORMAT...]      exit code 1 if a format is below 200 MB/s
#define _POSIX_C_SOURCE 200809L
#include "snag/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "temporary.h"

enum { REPEATS = 3, BAR = 200, START = 24 };

// ---- two meshes: vertices and elements by number ----

// Element e of n in a row: three corners of a triangle, or eight of a hexahedron, counted from 0.
typedef struct block {
    int n;
    bool volume;
} block;

static long vertices_of(block b)
{
    long side = b.n + 1;
    return b.volume ? side * side * side : side * side;
}

static long elements_of(block b)
{
    long n = b.n;
    return b.volume ? n * n * n : 2 * n * n;
}

static void vertex_at(block b, long v, double x[3])
{
    long side = b.n + 1, i = v % side, j = v / side % side, k = v / side / side;
    double h = 1.0 / b.n;
    x[0] = 3.7 * h * (double)i + 1e-4 * sin(0.7 * (double)v);
    x[1] = 12.9 * h * (double)j - 4.2;
    x[2] = b.volume ? 7.3 * h * (double)k : 0.4 * sin(0.031 * (double)i) * cos(0.027 * (double)j);
}

static int element_at(block b, long e, long corners[8])
{
    long n = b.n, side = n + 1;
    if (b.volume) {
        long i = e % n, j = e / n % n, k = e / n / n, v = (k * side + j) * side + i, up = side * side;
        const long hexahedron[8] = {v, v + 1, v + side + 1, v + side, v + up, v + up + 1, v + up + side + 1, v + up + side};
        memcpy(corners, hexahedron, sizeof hexahedron);
        return 8;
    }
    long cell = e / 2, v = cell / n * side + cell % n;
    const long low[3] = {v, v + 1, v + side}, high[3] = {v + 1, v + side + 1, v + side};
    memcpy(corners, e % 2 == 0 ? low : high, sizeof low);
    return 3;
}

// ---- parts of files ----

// Vertices, a line each; numbered from `first` with `label` (which has a %ld) unless it is empty.
static void put_vertices(FILE *f, block b, const char *label, long first, const char *format)
{
    for (long v = 0; v < vertices_of(b); v++) {
        double x[3];
        vertex_at(b, v, x);
        if (*label)
            fprintf(f, label, v + first);
        fprintf(f, format, x[0], x[1], x[2]);
    }
}

static void put_elements(FILE *f, block b, const char *label, long first, const char *before, const char *corner, const char *after)
{
    for (long e = 0; e < elements_of(b); e++) {
        long corners[8];
        int count = element_at(b, e, corners);
        if (*label)
            fprintf(f, label, e + 1);
        fputs(before, f);
        for (int k = 0; k < count; k++)
            fprintf(f, corner, corners[k] + first);
        fputs(after, f);
    }
}

static void put_repeated(FILE *f, block b, const char *text)
{
    for (long e = 0; e < elements_of(b); e++)
        fputs(text, f);
}

#define PLAIN "%.9g %.9g %.9g\n"

static void write_obj(FILE *f, block b)
{
    put_vertices(f, b, "", 0, "v " PLAIN);
    put_elements(f, b, "", 1, "f", " %ld", "\n");
}

static void write_ply(FILE *f, block b)
{
    fprintf(f, "ply\nformat ascii 1.0\nelement vertex %ld\nproperty double x\nproperty double y\nproperty double z\n",
            vertices_of(b));
    fprintf(f, "element face %ld\nproperty list uchar int vertex_indices\nend_header\n", elements_of(b));
    put_vertices(f, b, "", 0, PLAIN);
    put_elements(f, b, "", 0, "3", " %ld", "\n");
}

static void write_off(FILE *f, block b)
{
    fprintf(f, "OFF\n%ld %ld 0\n", vertices_of(b), elements_of(b));
    put_vertices(f, b, "", 0, PLAIN);
    put_elements(f, b, "", 0, "3", " %ld", "\n");
}

static void write_stl(FILE *f, block b)
{
    fputs("solid grid\n", f);
    for (long e = 0; e < elements_of(b); e++) {
        long corners[8];
        element_at(b, e, corners);
        fputs("  facet normal 0 0 1\n    outer loop\n", f);
        for (int k = 0; k < 3; k++) {
            double x[3];
            vertex_at(b, corners[k], x);
            fprintf(f, "      vertex %.9g %.9g %.9g\n", x[0], x[1], x[2]);
        }
        fputs("    endloop\n  endfacet\n", f);
    }
    fputs("endsolid grid\n", f);
}

static void write_msh2(FILE *f, block b)
{
    fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%ld\n", vertices_of(b));
    put_vertices(f, b, "%ld ", 1, PLAIN);
    fprintf(f, "$EndNodes\n$Elements\n%ld\n", elements_of(b));
    put_elements(f, b, "%ld", 1, " 5 2 1 1", " %ld", "\n");
    fputs("$EndElements\n", f);
}

static void write_msh4(FILE *f, block b)
{
    long v = vertices_of(b), e = elements_of(b);
    fprintf(f, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 %ld 1 %ld\n3 1 0 %ld\n", v, v, v);
    for (long i = 1; i <= v; i++)
        fprintf(f, "%ld\n", i);
    put_vertices(f, b, "", 0, PLAIN);
    fprintf(f, "$EndNodes\n$Elements\n1 %ld 1 %ld\n3 1 5 %ld\n", e, e, e);
    put_elements(f, b, "%ld", 1, "", " %ld", "\n");
    fputs("$EndElements\n", f);
}

static void write_medit(FILE *f, block b)
{
    fprintf(f, "MeshVersionFormatted 2\nDimension 3\nVertices\n%ld\n", vertices_of(b));
    put_vertices(f, b, "", 0, "%.9g %.9g %.9g 0\n");
    fprintf(f, "Hexahedra\n%ld\n", elements_of(b));
    put_elements(f, b, "", 1, "", "%ld ", "1\n");
    fputs("End\n", f);
}

static void write_vtk(FILE *f, block b)
{
    fprintf(f, "# vtk DataFile Version 3.0\nblock\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %ld double\n", vertices_of(b));
    put_vertices(f, b, "", 0, PLAIN);
    fprintf(f, "CELLS %ld %ld\n", elements_of(b), 9 * elements_of(b));
    put_elements(f, b, "", 0, "8", " %ld", "\n");
    fprintf(f, "CELL_TYPES %ld\n", elements_of(b));
    put_repeated(f, b, "12\n");
}

static void put_offsets(FILE *f, block b, int corners)
{
    fputs("</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n", f);
    for (long e = 1; e <= elements_of(b); e++)
        fprintf(f, "%ld\n", corners * e);
    fputs("</DataArray>\n", f);
}

static void write_vtu(FILE *f, block b)
{
    fprintf(f,
            "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\"><UnstructuredGrid><Piece NumberOfPoints=\"%ld\" "
            "NumberOfCells=\"%ld\">\n<Points>"
            "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
            vertices_of(b), elements_of(b));
    put_vertices(f, b, "", 0, PLAIN);
    fputs("</DataArray></Points>\n<Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n", f);
    put_elements(f, b, "", 0, "", "%ld ", "\n");
    put_offsets(f, b, 8);
    fputs("<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">\n", f);
    put_repeated(f, b, "12\n");
    fputs("</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>\n", f);
}

static void write_vtp(FILE *f, block b)
{
    fprintf(f,
            "<VTKFile type=\"PolyData\" version=\"0.1\"><PolyData><Piece NumberOfPoints=\"%ld\" NumberOfPolys=\"%ld\">\n<Points>"
            "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n",
            vertices_of(b), elements_of(b));
    put_vertices(f, b, "", 0, PLAIN);
    fputs("</DataArray></Points>\n<Polys><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n", f);
    put_elements(f, b, "", 0, "", "%ld ", "\n");
    put_offsets(f, b, 3);
    fputs("</Polys></Piece></PolyData></VTKFile>\n", f);
}

static void write_xdmf(FILE *f, block b)
{
    fprintf(f,
            "<Xdmf Version=\"3.0\"><Domain><Grid Name=\"block\"><Geometry GeometryType=\"XYZ\"><DataItem Dimensions=\"%ld 3\" "
            "NumberType=\"Float\" "
            "Precision=\"8\" Format=\"XML\">\n",
            vertices_of(b));
    put_vertices(f, b, "", 0, PLAIN);
    fprintf(f,
            "</DataItem></Geometry><Topology TopologyType=\"Hexahedron\" NumberOfElements=\"%ld\"><DataItem Dimensions=\"%ld 8\" "
            "NumberType=\"Int\" Format=\"XML\">\n",
            elements_of(b), elements_of(b));
    put_elements(f, b, "", 0, "", "%ld ", "\n");
    fputs("</DataItem></Topology></Grid></Domain></Xdmf>\n", f);
}

static void write_inp(FILE *f, block b)
{
    fputs("*HEADING\nblock\n*NODE\n", f);
    put_vertices(f, b, "%ld", 1, ", %.9g, %.9g, %.9g\n");
    fputs("*ELEMENT, TYPE=C3D8\n", f);
    put_elements(f, b, "%ld", 1, "", ", %ld", "\n");
}

static void put_nastran_elements(FILE *f, block b, const char *type, const char *corner, const char *next)
{
    for (long e = 0; e < elements_of(b); e++) {
        long c[8];
        element_at(b, e, c);
        fprintf(f, type, e + 1);
        for (int k = 0; k < 8; k++) {
            if (k == 6)
                fputs(next, f);
            fprintf(f, corner, c[k] + 1);
        }
        fputc('\n', f);
    }
}

static void write_nastran_small(FILE *f, block b)
{
    fputs("BEGIN BULK\n", f);
    put_vertices(f, b, "GRID    %8ld        ", 1, "%8.5f%8.5f%8.5f\n");
    put_nastran_elements(f, b, "CHEXA   %8ld       1", "%8ld", "\n        ");
    fputs("ENDDATA\n", f);
}

static void write_nastran_large(FILE *f, block b)
{
    fputs("BEGIN BULK\n", f);
    put_vertices(f, b, "GRID*   %16ld                ", 1, "%16.9f%16.9f\n*       %16.9f\n");
    put_nastran_elements(f, b, "CHEXA   %8ld       1", "%8ld", "\n        ");
    fputs("ENDDATA\n", f);
}

static void write_nastran_free(FILE *f, block b)
{
    fputs("BEGIN BULK\n", f);
    put_vertices(f, b, "GRID,%ld,", 1, ",%.9f,%.9f,%.9f\n");
    put_nastran_elements(f, b, "CHEXA,%ld,1", ",%ld", "\n");
    fputs("ENDDATA\n", f);
}

static void write_dyna(FILE *f, block b)
{
    fputs("*KEYWORD\n*NODE\n", f);
    put_vertices(f, b, "%8ld", 1, "%16.8f%16.8f%16.8f       0       0\n");
    fputs("*ELEMENT_SOLID\n", f);
    put_elements(f, b, "%8ld", 1, "       1", "%8ld", "\n");
    fputs("*END\n", f);
}

static void write_cdb(FILE *f, block b)
{
    fprintf(f, "/PREP7\nET,1,185\nNBLOCK,6,SOLID,%ld,%ld\n(3i9,6e21.13e3)\n", vertices_of(b), vertices_of(b));
    put_vertices(f, b, "%9ld        0        0", 1, "%21.13E%21.13E%21.13E\n");
    fprintf(f, "N,R5.3,LOC,       -1,\nEBLOCK,19,SOLID,%ld,%ld\n(19i9)\n", elements_of(b), elements_of(b));
    for (long e = 0; e < elements_of(b); e++) {
        long c[8];
        element_at(b, e, c);
        fprintf(f, "        1        1        1        1        0        0        0        0        8        0%9ld", e + 1);
        for (int k = 0; k < 8; k++)
            fprintf(f, "%9ld", c[k] + 1);
        fputc('\n', f);
    }
    fputs("       -1\n", f);
}

static void write_node(FILE *f, block b)
{
    fprintf(f, "%ld 3 0 0\n", vertices_of(b));
    put_vertices(f, b, "%ld ", 1, PLAIN);
}

static void write_ele(FILE *f, block b)
{
    static const int cut[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    fprintf(f, "%ld 4 0\n", 6 * elements_of(b));
    for (long e = 0; e < elements_of(b); e++) {
        long c[8];
        element_at(b, e, c);
        for (int t = 0; t < 6; t++)
            fprintf(f, "%ld %ld %ld %ld %ld\n", 6 * e + t + 1, c[cut[t][0]] + 1, c[cut[t][1]] + 1, c[cut[t][2]] + 1,
                    c[cut[t][3]] + 1);
    }
}

// ---- measuring ----

typedef struct text_format {
    const char *name, *ending;
    bool volume;
    void (*write)(FILE *, block);
    const char *second_ending;  // of formats with two files, or NULL
    void (*write_second)(FILE *, block);
} text_format;

static const text_format formats[] = {
    {"obj", "obj", false, write_obj, NULL, NULL},
    {"ply", "ply", false, write_ply, NULL, NULL},
    {"off", "off", false, write_off, NULL, NULL},
    {"stl", "stl", false, write_stl, NULL, NULL},
    {"vtp", "vtp", false, write_vtp, NULL, NULL},
    {"msh2", "msh", true, write_msh2, NULL, NULL},
    {"msh4", "msh", true, write_msh4, NULL, NULL},
    {"mesh", "mesh", true, write_medit, NULL, NULL},
    {"vtk", "vtk", true, write_vtk, NULL, NULL},
    {"vtu", "vtu", true, write_vtu, NULL, NULL},
    {"xdmf", "xdmf", true, write_xdmf, NULL, NULL},
    {"inp", "inp", true, write_inp, NULL, NULL},
    {"bdf-small", "bdf", true, write_nastran_small, NULL, NULL},
    {"bdf-large", "bdf", true, write_nastran_large, NULL, NULL},
    {"bdf-free", "bdf", true, write_nastran_free, NULL, NULL},
    {"k", "k", true, write_dyna, NULL, NULL},
    {"cdb", "cdb", true, write_cdb, NULL, NULL},
    {"tetgen", "node", true, write_node, "ele", write_ele},
};
#define FORMATS (sizeof formats / sizeof *formats)

static double write_one(const char *folder, const char *ending, void (*write)(FILE *, block), block b)
{
    char path[300];
    snprintf(path, sizeof path, "%s/mesh.%s", folder, ending);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 0;
    write(file, b);
    struct stat about;
    return fclose(file) == 0 && stat(path, &about) == 0 ? (double)about.st_size : 0;
}

// The size in bytes, or 0.
static double write_files(const text_format *format, int n, const char *folder)
{
    const block b = {n, format->volume};
    double size = write_one(folder, format->ending, format->write, b);
    double second = format->second_ending == NULL ? 0 : write_one(folder, format->second_ending, format->write_second, b);
    return size + second;
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Seconds of the best reading; negative on failure.
static double read_file(const text_format *format, int n, const char *path)
{
    const block b = {n, format->volume};
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        snag_io_read_options options = snag_io_default_read_options();
        snag_io_mesh mesh;
        snag_io_error error;
        double began = processor_time();
        snag_status status = snag_io_read_mesh_with(path, &options, &mesh, &error);
        best = fmin(best, processor_time() - began);
        bool whole = status == SNAG_OK && mesh.vertex_count == (size_t)vertices_of(b) &&
                     (b.volume ? mesh.tet_count == 6 * (size_t)elements_of(b) : mesh.face_count == (size_t)elements_of(b));
        if (!whole) {
            fprintf(stderr, "%s: %s\n", format->name, status != SNAG_OK ? error.message : "the mesh has lost elements");
            best = -1;
        }
        if (status == SNAG_OK)
            snag_io_mesh_free(&mesh);
        if (!whole)
            break;
    }
    return best;
}

// 1: fast enough, 0: too slow, -1: failed.
static int measure(const text_format *format, double megabytes, const char *folder)
{
    char path[300];
    snprintf(path, sizeof path, "%s/mesh.%s", folder, format->ending);
    double size = write_files(format, START, folder);
    int n = (int)ceil(START * pow(1e6 * megabytes / fmax(size, 1), format->volume ? 1.0 / 3 : 0.5));
    size = write_files(format, n, folder);
    double seconds = size > 0 ? read_file(format, n, path) : -1;
    unlink(path);
    if (format->second_ending != NULL) {
        snprintf(path, sizeof path, "%s/mesh.%s", folder, format->second_ending);
        unlink(path);
    }
    if (seconds < 0)
        return -1;
    double speed = 1e-6 * size / seconds;
    printf("%-10s %7.1f MB %9ld %-10s %6.2f s %6.0f MB/s%s\n", format->name, 1e-6 * size, elements_of((block){n, format->volume}),
           format->volume ? "hexahedra" : "triangles", seconds, speed, speed < BAR ? "  below 200" : "");
    fflush(stdout);
    return speed >= BAR;
}

static bool is_named(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    char folder[256];
    double megabytes = argc > 1 ? strtod(argv[1], NULL) : 100;
    if (!(megabytes > 0)) {
        fprintf(stderr, "usage: bench_text [MEGABYTES] [FORMAT...]\n");
        return 2;
    }
    if (!temporary_folder(folder, sizeof folder)) {
        perror(folder);
        return 2;
    }
    int worst = 1;
    for (size_t i = 0; i < FORMATS && worst >= 0; i++)
        if (is_named(formats[i].name, argc > 2 ? argc - 2 : 0, argv + 2)) {
            int result = measure(&formats[i], megabytes, folder);
            worst = result < worst ? result : worst;
        }
    rmdir(folder);
    return worst == 1 ? 0 : worst == 0 ? 1 : 2;
}

// Reads a mesh from standard input: `snag check -`.
#include "reading.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

// Reads stdin to its end.
static bool read_all(char **data, size_t *size)
{
    size_t capacity = 0, got;
    *data = NULL;
    *size = 0;
    do {
        if (!words_grow((void **)data, &capacity, *size + ((size_t)1 << 16), 1))
            return false;
        got = fread(*data + *size, 1, capacity - *size, stdin);
        *size += got;
    } while (got > 0);
    return true;
}

static bool begins(const char *data, size_t size, const char *word)
{
    size_t length = strlen(word);
    return size > length && memcmp(data, word, length) == 0;
}

// STL is text that begins with "solid", or 84 bytes and 50 for each triangle.
static bool is_stl(const char *data, size_t size)
{
    const unsigned char *count = (const unsigned char *)data + 80;
    if (size >= 84) {
        size_t triangles = count[0] | (size_t)count[1] << 8 | (size_t)count[2] << 16 | (size_t)count[3] << 24;
        if (size - 84 == 50 * triangles)
            return true;
    }
    return begins(data, size, "solid");
}

// A name with the extension of the detected format. Its stem becomes the body's name.
static const char *guess_name(const char *data, size_t size)
{
    if (begins(data, size, "ply"))
        return "stdin.ply";
    if (begins(data, size, "OFF") || begins(data, size, "COFF") || begins(data, size, "NOFF"))
        return "stdin.off";
    if (begins(data, size, "glTF"))
        return "stdin.glb";
    if (begins(data, size, "<?xml") || begins(data, size, "<VTKFile"))
        return "stdin.vtu";
    if (begins(data, size, "PK\3\4"))
        return "stdin.3mf";
    if (begins(data, size, "# vtk"))
        return "stdin.vtk";
    if (begins(data, size, "$MeshFormat"))
        return "stdin.msh";
    return is_stl(data, size) ? "stdin.stl" : "stdin.obj";
}

int scene_read_stdin(scene_file *file, const options *o, words *w)
{
    snag_io_read_options reading = reading_options(o);
    char *data;
    size_t size;
    snag_io_error error;
    int result = EXIT_CLEAN;
    if (!read_all(&data, &size))
        result = words_out_of_memory(w);
    else if (ferror(stdin) || size == 0)
        result = words_error(w, "-: standard input is empty");
    else if (snag_io_parse_mesh_with(guess_name(data, size), data, size, &reading, &file->mesh, &error) != SNAG_OK)
        result = reading_failed(o, &error, w);
    else if (error.message[0])
        words_note(w, "%s", error.message);
    free(data);
    return result;
}

// Frames of a sequence that are files: which body of a frame is which of the first frame's.
#define _POSIX_C_SOURCE 200809L
#include "scene_match.h"

#include "common/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The length of a file's name without its ending.
static size_t stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    // A packed file has two endings.
    if (dot && strcmp(dot, ".gz") == 0)
        for (size_t i = length; i-- > 1;)
            if (name[i] == '.')
                return i;
    return length;
}

// Bodies without a name of their own are named like their file, which is another one in each frame: what follows the file's name counts.
static const char *own_name(const snag_io_body *body, const char *path, bool *of_file)
{
    const char *slash = sys_last_separator(path), *stem = slash ? slash + 1 : path;
    size_t length = stem_length(stem);
    *of_file = length > 0 && strncmp(body->name, stem, length) == 0;
    return *of_file ? body->name + length : body->name;
}

static bool same_name(const snag_io_body *a, const char *path_a, const snag_io_body *b, const char *path_b)
{
    bool of_file_a, of_file_b;
    const char *name_a = own_name(a, path_a, &of_file_a), *name_b = own_name(b, path_b, &of_file_b);
    return strcmp(a->name, b->name) == 0 || (of_file_a && of_file_b && strcmp(name_a, name_b) == 0);
}

// matches[i]: the body of the frame that is body i of the first one, or SIZE_MAX. Equal names are matched in their order. Returns the first
// body of the frame that is none of them, or SIZE_MAX. `taken` is by body of the frame.
static size_t match(const snag_io_mesh *first, const char *first_path, const snag_io_mesh *mesh, const char *path, size_t *matches,
                    bool *taken)
{
    for (size_t i = 0; i < first->body_count; i++) {
        matches[i] = SIZE_MAX;
        for (size_t step = 0; step < mesh->body_count && matches[i] == SIZE_MAX; step++) {
            size_t k = (i + step) % mesh->body_count;  // most are where they were
            // Of several of one name the first that is left; those before it are taken.
            if (!taken[k] && same_name(&first->bodies[i], first_path, &mesh->bodies[k], path))
                matches[i] = k;
        }
        if (matches[i] != SIZE_MAX)
            taken[matches[i]] = true;
    }
    for (size_t k = 0; k < mesh->body_count; k++)
        if (!taken[k])
            return k;
    return SIZE_MAX;
}

// Puts the bodies in the order of the first frame; those that are missing are empty.
static bool reorder(const snag_io_mesh *first, snag_io_mesh *mesh, const size_t *matches)
{
    snag_io_body *bodies = calloc(first->body_count + 1, sizeof *bodies);
    bool good = bodies != NULL;
    for (size_t i = 0; i < first->body_count && good; i++)
        if (matches[i] == SIZE_MAX) {
            size_t length = strlen(first->bodies[i].name) + 1;
            bodies[i].name = malloc(length);
            good = bodies[i].name != NULL;
            if (good)
                memcpy(bodies[i].name, first->bodies[i].name, length);
        }
    for (size_t i = 0; i < first->body_count && good; i++)
        if (matches[i] != SIZE_MAX)
            bodies[i] = mesh->bodies[matches[i]];
    if (!good) {
        for (size_t i = 0; bodies && i < first->body_count; i++)
            free(bodies[i].name);
        free(bodies);
        return false;
    }
    free(mesh->bodies);
    mesh->bodies = bodies;
    mesh->body_count = first->body_count;
    return true;
}

int scene_match(const snag_io_mesh *first, size_t own_count, const char *first_path, snag_io_mesh *mesh, const char *path, words *w)
{
    size_t *matches = calloc(first->body_count + 1, sizeof *matches);
    bool *taken = calloc(mesh->body_count + 1, sizeof *taken);
    int result = EXIT_CLEAN;
    size_t extra = matches && taken ? match(first, first_path, mesh, path, matches, taken) : 0;
    if (!matches || !taken)
        result = words_out_of_memory(w);
    else if (extra != SIZE_MAX && mesh->body_count == own_count)
        for (size_t i = 0; i < first->body_count; i++)
            matches[i] = i < own_count ? i : SIZE_MAX;  // as many bodies, but of other names: taken in the order of the file
    else if (extra != SIZE_MAX)
        result = words_error(
            w,
            "%s: %zu bodies, but %s has %zu: \"%s\" is not among them. Begin the sequence with a file that has all bodies, "
            "or check such files one by one",
            path, mesh->body_count, first_path, own_count, mesh->bodies[extra].name);
    if (result == EXIT_CLEAN && matches)
        result = reorder(first, mesh, matches) ? EXIT_CLEAN : words_out_of_memory(w);
    free(matches);
    free(taken);
    return result;
}

// ---- bodies that only later frames have ----------------------------------------------------------------------------

bool scene_match_knows(const snag_io_mesh *first, const char *name, size_t length)
{
    for (size_t i = 0; i < first->body_count; i++)
        if (strlen(first->bodies[i].name) == length && strncmp(first->bodies[i].name, name, length) == 0)
            return true;
    return false;
}

bool scene_match_knows_file(const snag_io_mesh *first, const char *first_path)
{
    bool of_file = false;
    for (size_t i = 0; i < first->body_count && !of_file; i++)
        of_file = own_name(&first->bodies[i], first_path, &of_file)[0] == 0 && of_file;
    return of_file;
}

// What follows the name of its file is kept; the rest becomes the name of the first frame's file.
static char *name_as_in(const snag_io_body *body, const char *path, const char *first_path)
{
    bool of_file;
    const char *rest = own_name(body, path, &of_file);
    if (!of_file)
        return sys_strdup(body->name);
    const char *slash = sys_last_separator(first_path), *stem = slash ? slash + 1 : first_path;
    size_t length = stem_length(stem), size = length + strlen(rest) + 1;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s%s", (int)length, stem, rest);
    return name;
}

// Appends an empty body.
static bool append(snag_io_mesh *first, char *name)
{
    snag_io_body *bodies = name ? realloc(first->bodies, (first->body_count + 1) * sizeof *bodies) : NULL;
    if (!bodies) {
        free(name);
        return false;
    }
    first->bodies = bodies;
    bodies[first->body_count++] = (snag_io_body){.name = name};
    return true;
}

bool scene_match_adopt(snag_io_mesh *first, size_t own_count, const char *first_path, const snag_io_mesh *mesh, const char *path,
                       size_t *which)
{
    size_t before = first->body_count;
    size_t *matches = calloc(first->body_count + 1, sizeof *matches);
    bool *taken = calloc(mesh->body_count + 1, sizeof *taken);
    bool good = matches && taken;
    if (good && match(first, first_path, mesh, path, matches, taken) != SIZE_MAX && mesh->body_count != own_count)
        for (size_t k = 0; k < mesh->body_count && good; k++)
            if (!taken[k]) {
                which[first->body_count - before] = k;
                good = append(first, name_as_in(&mesh->bodies[k], path, first_path));
            }
    free(matches);
    free(taken);
    return good;
}

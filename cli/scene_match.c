// Frames of a sequence that are files: which body of a frame is which of the first frame's.
#include "scene_match.h"

#include "common/system.h"

#include <stdlib.h>
#include <string.h>

// Bodies without a name of their own are named like their file, which is another one in each frame: what follows the file's name counts.
static const char *own_name(const snag_io_body *body, const char *path, bool *of_file)
{
    const char *slash = sys_last_separator(path), *stem = slash ? slash + 1 : path;
    const char *dot = strrchr(stem, '.');
    size_t length = dot && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    // A packed file has two endings.
    if (dot && strcmp(dot, ".gz") == 0)
        while (length > 0 && stem[length] != '.')
            length--;
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

int scene_match(const snag_io_mesh *first, const char *first_path, snag_io_mesh *mesh, const char *path, words *w)
{
    size_t *matches = malloc((first->body_count + 1) * sizeof *matches);
    bool *taken = calloc(mesh->body_count + 1, sizeof *taken);
    int result = EXIT_CLEAN;
    size_t extra = matches && taken ? match(first, first_path, mesh, path, matches, taken) : 0;
    if (!matches || !taken)
        result = words_out_of_memory(w);
    else if (extra == SIZE_MAX)
        result = reorder(first, mesh, matches) ? EXIT_CLEAN : words_out_of_memory(w);
    else if (mesh->body_count != first->body_count)
        result = words_error(
            w,
            "%s: %zu bodies, but %s has %zu: \"%s\" is not among them. Begin the sequence with a file that has all bodies, "
            "or check such files one by one",
            path, mesh->body_count, first_path, first->body_count, mesh->bodies[extra].name);
    // As many bodies, but of other names: taken in the order of the file.
    free(matches);
    free(taken);
    return result;
}

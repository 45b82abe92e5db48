// Elements of input files that are not read.
#include "skipped.h"

size_t skipped_count(const scene *s)
{
    size_t sum = 0;
    for (size_t i = 0; i < s->file_count; i++)
        sum += s->files[i].mesh.left_out;
    return sum;
}

static size_t without_area(const snag_io_mesh *mesh)
{
    return mesh->skipped - mesh->left_out;
}

void skipped_note(const char *path, const snag_io_mesh *mesh, bool curved, words *w)
{
    if (mesh->left_out)
        words_note(w,
                   "%s: %zu elements ignored: unsupported kinds, cells without volume, or faces that belong to no cell of their "
                   "volume; contacts with them are not found",
                   path, mesh->left_out);
    if (mesh->curved)
        words_note(w, "%s: %zu %s cells are treated as linear: corners only, straight edges%s", path, mesh->curved,
                   curved ? "higher-order" : "second- or higher-order",
                   curved ? "" : "; --curved cuts those of second order at their mid-nodes");
    if (mesh->curved_cut)
        words_note(w, "%s: %zu second-order cells are cut at their mid-nodes", path, mesh->curved_cut);
    if (without_area(mesh))
        words_note(
            w,
            "%s: %zu elements ignored: points, lines and faces that only repeat parts of other elements, or springs and the like",
            path, without_area(mesh));
}

void skipped_warn(const scene *s, words *w)
{
    const scene_file *most = NULL;
    for (size_t i = 0; i < s->file_count; i++)
        if (s->files[i].mesh.left_out && (!most || s->files[i].mesh.left_out > most->mesh.left_out))
            most = &s->files[i];
    if (most)
        words_error(w, "%s: %zu elements were ignored, so finding no contacts does not mean clean", most->path,
                    most->mesh.left_out);
}

void skipped_print(FILE *out, const scene *s)
{
    for (size_t i = 0; s && i < s->file_count; i++) {
        const scene_file *file = &s->files[i];
        if (file->mesh.left_out == 0)
            continue;
        fprintf(out, "ignored: %zu element%s of ", file->mesh.left_out, file->mesh.left_out == 1 ? "" : "s");
        words_put(out, file->path, 0);
        fputs("; contacts with them are not found\n", out);
    }
}

void skipped_json(json *j, const scene *s)
{
    json_array(j, "files");
    for (size_t i = 0; s && i < s->file_count; i++) {
        const scene_file *file = &s->files[i];
        json_flat_object(j, NULL);
        json_text(j, "file", file->path);
        json_count(j, "skipped_elements", file->mesh.left_out);
        json_count(j, "other_elements", without_area(&file->mesh));
        json_close_object(j);
    }
    json_close_array(j);
    json_count(j, "skipped_elements", s ? skipped_count(s) : 0);
}

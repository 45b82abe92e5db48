// Frames of a sequence that are files: bodies that only later frames have. All bodies must be known before the first frame is checked, since
// the outputs begin with them; so the files are looked through in advance. Files are read twice only where their text tells of a new body, or
// where only reading tells.
#define _POSIX_C_SOURCE 200809L
#include "scene_late.h"

#include "common/system.h"
#include "reading.h"
#include "scene_match.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 18 };

// ---- looking through text ------------------------------------------------------------------------------------------

// A file in pieces: what was not yet looked at is kept for the next.
typedef struct window {
    FILE *file;
    char *text;
    size_t begin, length;  // what has been looked at, and what is there
    bool ended;
} window;

static bool window_open(window *v, const char *path)
{
    *v = (window){.file = sys_fopen(path, "rb")};
    v->text = v->file ? malloc(CHUNK) : NULL;
    return v->text != NULL;
}

static void window_close(window *v)
{
    if (v->file)
        fclose(v->file);
    free(v->text);
}

// Keeps what has not been looked at, and reads on. False: nothing is left.
static bool window_move(window *v)
{
    memmove(v->text, v->text + v->begin, v->length - v->begin);
    v->length -= v->begin;
    v->begin = 0;
    size_t got = v->ended ? 0 : fread(v->text + v->length, 1, CHUNK - v->length, v->file);
    v->ended = v->ended || got == 0;
    v->length += got;
    return v->length > 0;
}

typedef struct objects {
    const snag_io_mesh *first;
    size_t count;  // `o` lines
    bool loose;  // a face before the first of them
    bool is_new;
} objects;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// The line of an object, from its `o` on.
static void look_at_object(objects *seen, const char *line, const char *end)
{
    for (line++; line < end && is_blank(*line);)
        line++;
    while (end > line && (is_blank(end[-1]) || end[-1] == '\r'))
        end--;
    seen->count++;
    seen->is_new =
        seen->is_new || seen->count > seen->first->body_count || !scene_match_knows(seen->first, line, (size_t)(end - line));
}

// Whether a line begins at a place with this letter as its first word.
static bool begins_line(const char *text, const char *at, const char *end)
{
    if (at + 1 == end || !is_blank(at[1]))
        return false;
    while (at > text && is_blank(at[-1]))
        at--;
    return at == text || at[-1] == '\n';
}

// Looks for a letter that few lines of numbers have, so that most of a file is passed over at the speed of memory.
static void look_at_lines(objects *seen, const char *text, const char *end)
{
    const char *first_face = seen->count ? NULL : text;
    while (first_face && (first_face = memchr(first_face, 'f', (size_t)(end - first_face))) != NULL &&
           !begins_line(text, first_face, end))
        first_face++;
    for (const char *at = text; at < end && (at = memchr(at, 'o', (size_t)(end - at))) != NULL && !seen->is_new; at++)
        if (begins_line(text, at, end)) {
            const char *line_end = memchr(at, '\n', (size_t)(end - at));
            seen->loose = seen->loose || (first_face && first_face < at && seen->count == 0);
            look_at_object(seen, at, line_end ? line_end : end);
        }
    seen->loose = seen->loose || (first_face && seen->count == 0);
}

// Whether an OBJ may have a body that the first frame has not.
static bool obj_may_add(const snag_io_mesh *first, const char *first_path, const char *path)
{
    window v;
    objects seen = {.first = first};
    bool open = window_open(&v, path);
    while (open && !seen.is_new && window_move(&v)) {
        // Whole lines, but at the end of the file, and of a line that is longer than the window.
        size_t whole = v.length;
        while (!v.ended && whole > 0 && v.text[whole - 1] != '\n')
            whole--;
        whole = whole ? whole : v.length;
        look_at_lines(&seen, v.text, v.text + whole);
        v.begin = whole;
    }
    window_close(&v);
    return seen.is_new || (seen.loose && !scene_match_knows_file(first, first_path));
}

// Whether a file of VTK's XML has more pieces than the first frame has bodies.
static bool vtu_may_add(const snag_io_mesh *first, const char *path)
{
    static const char tag[] = "<Piece";
    const size_t longest = sizeof tag - 1;
    window v;
    size_t pieces = 0;
    bool open = window_open(&v, path);
    while (open && window_move(&v)) {
        size_t safe = v.ended ? v.length : v.length - (v.length < longest ? v.length : longest);
        for (const char *at; v.begin < safe && (at = memchr(v.text + v.begin, '<', safe - v.begin)) != NULL;) {
            size_t place = (size_t)(at - v.text);
            pieces += v.length - place >= longest && memcmp(at, tag, longest) == 0;
            v.begin = place + 1;
        }
        v.begin = safe;
    }
    window_close(&v);
    return pieces > first->body_count;
}

// ---- the frames ----------------------------------------------------------------------------------------------------

static bool may_add(const scene *s, const char *path)
{
    const snag_io_mesh *first = &s->files[0].mesh;
    const char *split = s->options->split;
    if (split && strcmp(split, "objects") != 0)
        return true;
    static const char *const single[] = {".ply", ".off", ".stl", ".ply.gz", ".off.gz", ".stl.gz"};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (scene_ends_in(path, single[i]))
            return false;
    if (scene_ends_in(path, ".obj"))
        return obj_may_add(first, s->files[0].path, path);
    if (scene_ends_in(path, ".vtu") || scene_ends_in(path, ".vtp"))
        return vtu_may_add(first, path);
    return true;
}

// Adds the bodies of one frame that are new. A frame that cannot be read is told of in its turn.
static int adopt_from(scene *s, size_t frame, words *w)
{
    const char *path = s->frame_paths[frame];
    snag_io_mesh mesh = {0}, *first = &s->files[0].mesh;
    snag_io_error error;
    snag_io_read_options reading = reading_options(s->options);
    snag_status status = snag_io_read_mesh_with(path, &reading, &mesh, &error);
    if (status != SNAG_OK)
        return status == SNAG_ERROR_MEMORY ? words_out_of_memory(w) : EXIT_CLEAN;
    size_t before = first->body_count, *which = malloc((mesh.body_count + 1) * sizeof *which);
    bool good = which && scene_match_adopt(first, s->own_count, s->frame_paths[s->reference], &mesh, path, which);
    int result = good ? scene_take_bodies(s, 0, before, w) : words_out_of_memory(w);
    for (size_t i = before; which && i < s->body_count && result == EXIT_CLEAN; i++) {
        const snag_io_body *seen = &mesh.bodies[which[i - before]];
        s->bodies[i].later = (scene_kinds){
            .faces = seen->polygon_count > 0, .tets = seen->tet_count > 0, .thin = seen->edge_count > 0 || seen->point_count > 0};
        if (i == s->own_count)
            words_note(w, "\"%s\" is first in frame %zu (%s)", s->bodies[i].name, frame, scene_base_name(path));
    }
    free(which);
    snag_io_mesh_free(&mesh);
    return result;
}

int scene_find_late(scene *s, words *w)
{
    const frame_range *asked = &s->options->frames;
    int result = EXIT_CLEAN;
    s->own_count = s->body_count;
    // The bodies of an animated file belong to its motion, and cannot be added to.
    if (s->options->strict || s->files[0].motion)
        return EXIT_CLEAN;
    for (size_t i = asked->first; i < s->frame_path_count && i <= asked->last && result == EXIT_CLEAN; i++)
        if (i != s->reference && may_add(s, s->frame_paths[i]))
            result = adopt_from(s, i, w);
    if (s->body_count > s->own_count + 1)
        words_note(w, "and %zu more bodies are first in that frame or later ones", s->body_count - s->own_count - 1);
    return result;
}

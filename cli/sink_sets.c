// --sets: element and node sets of what is in contact, place by place, as Abaqus and CalculiX read them.
#define _POSIX_C_SOURCE 200809L
#include "sink.h"

#include "common/system.h"

#include <stdlib.h>
#include <string.h>

// A label of the file in a place, once for all frames.
typedef struct member {
    uint64_t place;
    uint32_t body;
    uint32_t node;  // 1: of a node, 0: of an element
    uint32_t label;
} member;

// The elements at each vertex of a body, made when a vertex is first in contact: tetrahedra, or the triangles of a surface.
typedef struct vertex_star {
    size_t *starts;  // by vertex, and one more; NULL: not made
    uint32_t *elements;
} vertex_star;

typedef struct sets_sink {
    sink sink;
    const sink_scene *scene;
    const contact_body *numbering;  // of the frame
    snag_io_file *file;
    vertex_star *stars;  // by body
    bool changed;  // they are of a frame with other faces
    member *items;
    size_t count, capacity, sorted;
} sets_sink;

static int begin(sink *base, const sink_scene *about)
{
    sets_sink *s = (sets_sink *)base;
    s->scene = about;
    for (size_t b = 0; b < about->body_count; b++)
        if (!about->inputs || !about->inputs->bodies[b].source->vertex_labels)
            return words_error(base->w,
                               "--sets: %s has no labels of nodes and elements, which sets could name. Write it as a deck first "
                               "(snag convert --out model.inp FILE), and check that",
                               about->bodies[b].file ? about->bodies[b].file : "this scene");
    s->stars = calloc(about->body_count + 1, sizeof *s->stars);
    return s->stars ? EXIT_CLEAN : words_out_of_memory(base->w);
}

static int compare(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->label > y->label) - (x->label < y->label);
}

static void drop_doubles(sets_sink *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, compare);
    for (size_t i = 0; i < s->count; i++)
        if (kept == 0 || compare(&s->items[kept - 1], &s->items[i]) != 0)
            s->items[kept++] = s->items[i];
    s->count = s->sorted = kept;
}

static bool add(sets_sink *s, uint64_t place, uint32_t body, bool node, uint32_t label)
{
    // The same elements come in every frame: sort them out before the list doubles.
    if (s->count == s->capacity && s->count > 2 * s->sorted)
        drop_doubles(s);
    if (!words_grow((void **)&s->items, &s->capacity, s->count + 1, sizeof *s->items))
        return false;
    s->items[s->count++] = (member){place, body, node, label};
    return true;
}

static void free_stars(sets_sink *s)
{
    for (size_t b = 0; s->stars && b < s->scene->body_count; b++) {
        free(s->stars[b].starts);
        free(s->stars[b].elements);
        s->stars[b] = (vertex_star){NULL, NULL};
    }
}

static bool make_star(vertex_star *star, const snag_body_info *info)
{
    const uint32_t *corners = info->tet_count ? info->tets : info->triangles;
    size_t size = info->tet_count ? 4 : 3, count = size * (info->tet_count ? info->tet_count : info->triangle_count);
    star->starts = calloc(info->vertex_count + 2, sizeof *star->starts);
    star->elements = malloc((count + 1) * sizeof *star->elements);
    if (!star->starts || !star->elements)
        return false;
    // Counted two places on, so that filling moves each start to where it belongs.
    for (size_t i = 0; i < count; i++)
        star->starts[(size_t)corners[i] + 2]++;
    for (size_t v = 2; v <= info->vertex_count; v++)
        star->starts[v] += star->starts[v - 1];
    for (size_t i = 0; i < count; i++)
        star->elements[star->starts[corners[i] + 1]++] = (uint32_t)(i / size);
    return true;
}

// The file's label of a tetrahedron, or of the face that a triangle is of.
static uint32_t label_of(const sets_sink *s, uint32_t body, uint32_t element)
{
    const contact_body *numbering = &s->numbering[body];
    const snag_body_info *info = &s->scene->bodies[body].info;
    if (info->tet_count)
        return numbering->tet_numbers ? numbering->tet_numbers[element] : element;
    uint32_t face = info->triangle_faces[element];
    return numbering->polygon_numbers ? numbering->polygon_numbers[face] : numbering->first_face + face;
}

static bool has_corner(const snag_body_info *info, uint32_t element, uint32_t vertex)
{
    const uint32_t *corners = info->tet_count ? info->tets + 4 * (size_t)element : info->triangles + 3 * (size_t)element;
    for (int i = 0; i < (info->tet_count ? 4 : 3); i++)
        if (corners[i] == vertex)
            return true;
    return false;
}

// The elements that have both vertices; of a rod there are none.
static bool add_around(sets_sink *s, uint64_t place, uint32_t body, uint32_t vertex, uint32_t other)
{
    const snag_body_info *info = &s->scene->bodies[body].info;
    vertex_star *star = &s->stars[body];
    bool made = star->starts ? true : make_star(star, info);
    for (size_t i = made ? star->starts[vertex] : 0; made && i < star->starts[vertex + 1]; i++)
        if (has_corner(info, star->elements[i], other))
            made = add(s, place, body, false, label_of(s, body, star->elements[i]));
    return made;
}

// Faces and cells by their label. Vertices and edges, those of rods as well, by the labels of their nodes, and with the elements at them. A
// triangle of a volume's boundary stands for its cell.
static bool add_element(sets_sink *s, uint64_t place, uint32_t body, const snag_element *element, const contact_element *named)
{
    const snag_body_info *info = &s->scene->bodies[body].info;
    switch (element->kind) {
    case SNAG_VERTEX:
        return add(s, place, body, true, named->number[0]) && add_around(s, place, body, element->index, element->index);
    case SNAG_EDGE:
        return add(s, place, body, true, named->number[0]) && add(s, place, body, true, named->number[1]) &&
               add_around(s, place, body, info->edges[2 * (size_t)element->index], info->edges[2 * (size_t)element->index + 1]);
    case SNAG_TET: return add(s, place, body, false, named->number[0]);
    case SNAG_TRIANGLE:
        return add(s, place, body, false,
                   label_of(s, body, info->tet_count ? info->triangle_faces[element->index] : element->index));
    case SNAG_LEAF: return true;
    }
    return true;
}

static int take_frame(sink *base, const sink_frame *frame)
{
    sets_sink *s = (sets_sink *)base;
    s->numbering = frame->contacts->bodies;
    if (frame->changed || s->changed)
        free_stars(s);
    s->changed = frame->changed;
    for (size_t i = 0; i < frame->contacts->count; i++) {
        const contact_line *line = &frame->contacts->lines[i];
        const snag_contact *c = line->contact;
        if (!add_element(s, line->place, line->body_a, line->swapped ? &c->b : &c->a, &line->a) ||
            !add_element(s, line->place, line->body_b, line->swapped ? &c->a : &c->b, &line->b))
            return words_out_of_memory(base->w);
    }
    return EXIT_CLEAN;
}

// ---- the deck ------------------------------------------------------------------------------------------------------

// A name within a line of a deck: whatever it holds, it neither ends the line nor the name.
static void put_name(FILE *out, const char *name, size_t length, bool quoted)
{
    fputs(quoted ? "\"" : "", out);
    for (size_t i = 0; i < length; i++)
        fputc((unsigned char)name[i] < 0x20 || name[i] == '"' || name[i] == 0x7F ? '_' : name[i], out);
    fputs(quoted ? "\"" : "", out);
}

static void put_head(const sets_sink *s, FILE *out, const char *keyword, size_t place, uint32_t body)
{
    const snag_io_body *source = s->scene->inputs->bodies[body].source;
    fprintf(out, "*%s, %s=SNAG-%zu", keyword, keyword, place);
    if (source->instance_length) {
        fputs(", INSTANCE=", out);
        put_name(out, source->name, source->instance_length, strcspn(source->name, " ,=*\"") < source->instance_length);
    }
    fputc('\n', out);
}

// The members of a place, a set for each body and kind: sixteen labels on a line, which is the most.
static size_t put_sets(const sets_sink *s, FILE *out, size_t from, size_t place)
{
    enum { ON_A_LINE = 16 };
    size_t at = from;
    while (at < s->count && s->items[at].place == s->items[from].place) {
        const member *first = &s->items[at];
        put_head(s, out, first->node ? "NSET" : "ELSET", place, first->body);
        size_t begun = at;
        for (; at < s->count && s->items[at].place == first->place && s->items[at].body == first->body &&
               s->items[at].node == first->node;
             at++)
            fprintf(out, "%s%u", (at - begun) % ON_A_LINE ? ", " : at > begun ? "\n" : "", s->items[at].label);
        fputc('\n', out);
    }
    return at;
}

static void put_place(const sets_sink *s, FILE *out, const place_record *place, size_t number)
{
    size_t from = 0, to = s->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->items[middle].place < place->id)
            from = middle + 1;
        else
            to = middle;
    }
    const uint32_t bodies[2] = {place->body_a, place->body_b};
    fprintf(out, "** place %zu: ", number);
    for (int i = 0; i < (bodies[0] == bodies[1] ? 1 : 2); i++) {
        fputs(i ? " and " : "", out);
        put_name(out, s->scene->bodies[bodies[i]].name, strlen(s->scene->bodies[bodies[i]].name), false);
    }
    fprintf(out, ", frame %zu, at %.9g, %.9g, %.9g\n", place->worst, place->centre[0], place->centre[1], place->centre[2]);
    if (from < s->count && s->items[from].place == place->id)
        put_sets(s, out, from, number);
}

static int write_text(sets_sink *s, const char *text, size_t size)
{
    snag_io_error error;
    snag_io_file *file = s->file;
    s->file = NULL;
    bool written = snag_io_file_write(file, text, size, &error) == SNAG_OK;
    if (!written) {
        snag_io_file_close(file, false, NULL);
        return words_error(s->sink.w, "%s", error.message);
    }
    return snag_io_file_close(file, true, &error) == SNAG_OK ? EXIT_CLEAN : words_error(s->sink.w, "%s", error.message);
}

static int end(sink *base, const sink_summary *summary)
{
    sets_sink *s = (sets_sink *)base;
    char *text = NULL;
    size_t size = 0;
    FILE *out = sys_memory_stream(&text, &size);
    if (!out)
        return words_out_of_memory(base->w);
    drop_doubles(s);
    fputs("** What snag found in contact: elements and nodes of each place, the worst place first. Read it with *INCLUDE", out);
    fputs(summary->complete ? ".\n" : ".\n** The search was not complete: there may be more.\n", out);
    for (size_t i = 0; i < summary->book->count; i++)
        put_place(s, out, &summary->book->places[i], i + 1);
    int result = fclose(out) == 0 ? write_text(s, text, size) : words_out_of_memory(base->w);
    free(text);
    return result;
}

static void free_sink(sink *base)
{
    sets_sink *s = (sets_sink *)base;
    if (s->file)
        snag_io_file_close(s->file, false, NULL);
    free_stars(s);
    free(s->stars);
    free(s->items);
    free(s);
}

int sink_sets_make(const options *o, const char *path, words *w, sink **made)
{
    static const sink_type type = {.begin = begin, .frame = take_frame, .end = end, .free = free_sink};
    size_t length = strlen(path);
    snag_io_error error;
    if (length < 5 || strcmp(path + length - 4, ".inp") != 0)
        return words_error(w, "--sets %s: the output is a deck of sets; give a name that ends in .inp", path);
    sets_sink *s = calloc(1, sizeof *s);
    if (!s)
        return words_out_of_memory(w);
    s->sink = (sink){&type, o, w};
    if (snag_io_file_create(path, &s->file, &error) != SNAG_OK) {
        free(s);
        return words_error(w, "%s", error.message);
    }
    *made = &s->sink;
    return EXIT_CLEAN;
}

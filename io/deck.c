// Input decks of finite-element programs.
#define _POSIX_C_SOURCE 200809L
#include "deck.h"

#include "common/system.h"
#include "gzip.h"

#include <stdarg.h>
#include <stdlib.h>

// Makes room for `more` items; charges them to the memory limit of the file.
static snag_status grow(const snag__deck *deck, void *array, size_t *capacity, size_t count, size_t more, size_t size)
{
    if (more <= *capacity - count)
        return SNAG_OK;
    size_t larger = 2 * *capacity + more + 16;
    if (larger > SIZE_MAX / size / 2)
        return snag__builder_fail(&deck->files[0].source, SNAG_ERROR_SIZE);
    snag_status status = snag__claim_bytes(&deck->files[0].source, (larger - *capacity) * size);
    if (status == SNAG_OK)
        status = snag__reading_goes_on(&deck->files[0].source);
    if (status != SNAG_OK)
        return status;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, larger * size);
    if (!items)
        return snag__deck_no_memory(deck);
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return SNAG_OK;
}

snag_status snag__deck_no_memory(const snag__deck *deck)
{
    return snag__builder_fail(deck->builder->source, SNAG_ERROR_MEMORY);
}

// ---- files ----

// Continues reading in a file, from its start. The list of files may be reallocated, so copy its source.
static void go_to(snag__deck *deck, size_t file)
{
    deck->file = file;
    deck->source = deck->files[file].source;
    deck->text = snag__text_begin(&deck->source, 0);
}

snag_status snag__deck_begin(snag__deck *deck, const snag__source *source, snag__builder *builder)
{
    *deck = (snag__deck){.builder = builder, .files = calloc(1, sizeof *deck->files)};
    if (!deck->files)
        return snag__builder_fail(source, SNAG_ERROR_MEMORY);
    deck->files[0] = (snag__deck_file){.source = *source};
    deck->file_count = deck->file_capacity = 1;
    go_to(deck, 0);
    return SNAG_OK;
}

bool snag__deck_next(snag__deck *deck, snag__word *line)
{
    deck->returned = false;
    for (;;) {
        *line = snag__deck_line(&deck->text);
        if (line->at || deck->file == 0)
            return line->at != NULL;
        size_t from = deck->files[deck->file].from;
        go_to(deck, from);
        deck->text.at = deck->files[from].resume;
        deck->returned = true;
    }
}

void snag__deck_free(snag__deck *deck)
{
    for (size_t i = 0; i < deck->file_count; i++) {
        free(deck->files[i].path);
        free(deck->files[i].data);
        free(deck->files[i].unpacked);
    }
    for (size_t i = 0; i < deck->part_count; i++) {
        snag__deck_part *part = &deck->parts[i];
        free(part->name);
        free(part->nodes);
        free(part->elements);
        free(part->element_nodes);
        free(part->table);
        free(part->sorted);
    }
    for (size_t i = 0; i < deck->title_count; i++)
        free(deck->titles[i].name);
    free(deck->titles);
    free(deck->files);
    free(deck->parts);
    *deck = (snag__deck){0};
}

snag_status snag__deck_fail(const snag__deck *deck, const char *at, snag_status status, const char *format, ...)
{
    char words[sizeof((snag_io_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < deck->file_count; i++) {
        const snag__source *source = &deck->files[i].source;
        if (at < source->data || at > source->data + source->size)
            continue;
        snag__text text = snag__text_begin(source, 0);
        const char *first = deck->files[0].source.name;
        // Messages about an included file start with the main file.
        if (i > 0)
            return snag__io_fail(source->error, status, "%s: %s:%zu: %s", snag__path_shown(first), snag__path_shown(source->name),
                                 snag__text_line(&text, at), words);
        return snag__text_fail(&text, at, status, "%s", words);
    }
    return snag__io_fail(deck->files[0].source.error, status, "%s: %s", snag__path_shown(deck->files[0].source.name), words);
}

// The path of a file named in another file, relative to the folder of `base`. NULL: out of memory.
static char *path_from(const char *base, snag__word name)
{
    const char *slash = sys_last_separator(base);
    size_t folder = slash ? (size_t)(slash - base) + 1 : 0;
    char *path = malloc(folder + name.length + 1);
    if (path) {
        memcpy(path, base, folder);
        memcpy(path + folder, name.at, name.length);
        path[folder + name.length] = 0;
    }
    return path;
}

static snag_status read_from(const snag__deck *deck, const char *base, snag__word name, snag__deck_file *made)
{
    const snag__source *first = &deck->files[0].source;
    char *path = path_from(base, name);
    free(made->path);
    made->path = path;
    return path ? snag__file_read(path, first->reading, &made->data, &made->source.size, first->error) : snag__deck_no_memory(deck);
}

static snag_status read_included(const snag__deck *deck, snag__word name, snag__deck_file *made)
{
    const snag__source *first = &deck->files[0].source;
    snag_status status = read_from(deck, deck->source.name, name, made);
    if (status == SNAG_ERROR_FILE)
        status = read_from(deck, first->name, name, made);
    made->source.name = made->path ? made->path : "";
    made->source.data = made->data ? made->data : "";
    made->source.size = made->data ? made->source.size : 0;
    if (status == SNAG_OK)
        status = snag__claim_bytes(first, made->source.size);
    return status == SNAG_OK ? snag__gzip_open(&made->source, &made->unpacked) : status;
}

// Whether the last file is one of the files that include it. The same bytes under another name count as the same file.
static snag_status refuse_cycle(const snag__deck *deck, const char *at)
{
    enum { DEEPEST = 64 };
    const snag__deck_file *made = &deck->files[deck->file_count - 1];
    size_t file = deck->file;
    for (size_t depth = 0;; depth++) {
        const snag__source *open = &deck->files[file].source;
        bool same =
            made->source.size > 0 && open->size == made->source.size && memcmp(open->data, made->source.data, open->size) == 0;
        if (depth > DEEPEST || same)
            return snag__deck_fail(deck, at, SNAG_ERROR_FORMAT, "%s is included here, which includes itself",
                                   snag__path_shown(made->source.name));
        if (file == 0)
            return SNAG_OK;
        file = deck->files[file].from;
    }
}

// Keeps only the system's reason from the message about the file.
static snag_status fail_included(const snag__deck *deck, const char *at, snag__word path)
{
    char why[200];
    const snag_io_error *error = deck->files[0].source.error;
    const char *colon = error ? strrchr(error->message, ':') : NULL;
    snprintf(why, sizeof why, "%s", colon ? colon + 1 : "");
    return snag__deck_fail(deck, at, SNAG_ERROR_FILE, "%.*s is included here, but cannot be read:%s",
                           (int)(path.length < 150 ? path.length : 150), path.at, why);
}

snag_status snag__deck_include(snag__deck *deck, const char *at, snag__word path)
{
    enum { MOST_FILES = 10000 };
    const snag__source *first = &deck->files[0].source;
    path = snag__deck_trim(path);
    if (path.length >= 2 && (path.at[0] == '"' || path.at[0] == '\'') && path.at[path.length - 1] == path.at[0])
        path = (snag__word){path.at + 1, path.length - 2};
    if (path.length == 0 || memchr(path.at, 0, path.length))
        return snag__deck_fail(deck, at, SNAG_ERROR_FORMAT, "a file is included here, but not named");
    if (!first->reading || !first->reading->beside)
        return snag__deck_fail(deck, at, SNAG_ERROR_FILE,
                               "another file is included here, which can only be found when this one is read as a file");
    if (sys_is_absolute(path.at))
        return snag__deck_fail(deck, at, SNAG_ERROR_UNSUPPORTED,
                               "an included file is named by its whole path; name it from the folder of this one");
    if (deck->file_count >= MOST_FILES)
        return snag__deck_fail(deck, at, SNAG_ERROR_SIZE, "more than %d files are included", MOST_FILES);
    snag_status status = grow(deck, &deck->files, &deck->file_capacity, deck->file_count, 1, sizeof *deck->files);
    if (status != SNAG_OK)
        return status;
    // Listed from now on, so that it is always freed.
    deck->files[deck->file_count++] = (snag__deck_file){.source = deck->files[0].source, .from = deck->file};
    status = read_included(deck, path, &deck->files[deck->file_count - 1]);
    if (status == SNAG_OK)
        status = refuse_cycle(deck, at);
    if (status == SNAG_ERROR_FILE)
        status = fail_included(deck, at, path);
    if (status != SNAG_OK)
        return status;
    deck->files[deck->file].resume = deck->text.at;
    go_to(deck, deck->file_count - 1);
    return SNAG_OK;
}

// ---- parts ----

snag_status snag__deck_add_part(snag__deck *deck, snag__word name, size_t *index)
{
    snag_status status = grow(deck, &deck->parts, &deck->part_capacity, deck->part_count, 1, sizeof *deck->parts);
    if (status != SNAG_OK)
        return status;
    char *copy = NULL;
    if (name.length) {
        copy = malloc(name.length + 1);
        if (!copy)
            return snag__deck_no_memory(deck);
        memcpy(copy, name.at, name.length);
        copy[name.length] = 0;
    }
    *index = deck->part_count;
    deck->parts[deck->part_count++] = (snag__deck_part){.name = copy};
    return SNAG_OK;
}

// A part may get more nodes after it was handed to the builder, which then has another instance of it.
static void forget_labels(snag__deck_part *part)
{
    free(part->table);
    free(part->sorted);
    part->table = part->sorted = NULL;
    part->ready = false;
}

snag_status snag__deck_add_node(snag__deck *deck, size_t part, const char *at, uint32_t label, const double position[3])
{
    snag__deck_part *p = &deck->parts[part];
    snag_status status = SNAG_OK;
    if (p->ready)
        forget_labels(p);
    if (p->node_count == p->node_capacity)
        status = grow(deck, &p->nodes, &p->node_capacity, p->node_count, 1, sizeof *p->nodes);
    if (status == SNAG_OK)
        p->nodes[p->node_count++] = (snag__deck_node){{position[0], position[1], position[2]}, at, label};
    return status;
}

snag_status snag__deck_add_element(snag__deck *deck, size_t part, const char *at, uint32_t label, snag__cell kind,
                                   const uint32_t *nodes, size_t node_count, uint32_t group)
{
    snag__deck_part *p = &deck->parts[part];
    if (snag__cell_corners(kind) == 0) {
        p->no_area += kind == SNAG__CELL_NO_AREA;
        p->unknown += kind != SNAG__CELL_NO_AREA;
        return SNAG_OK;
    }
    snag_status status = SNAG_OK;
    if (p->element_count == p->element_capacity)
        status = grow(deck, &p->elements, &p->element_capacity, p->element_count, 1, sizeof *p->elements);
    if (status == SNAG_OK && p->element_node_capacity - p->element_node_count < node_count)
        status =
            grow(deck, &p->element_nodes, &p->element_node_capacity, p->element_node_count, node_count, sizeof *p->element_nodes);
    if (status != SNAG_OK)
        return status;
    p->elements[p->element_count++] =
        (snag__deck_element){at, p->element_node_count, label, group, (uint8_t)kind, (uint8_t)node_count};
    memcpy(p->element_nodes + p->element_node_count, nodes, node_count * sizeof *nodes);
    p->element_node_count += node_count;
    return SNAG_OK;
}

// ---- groups ----

snag_status snag__deck_name_group(snag__deck *deck, uint32_t group, snag__word name)
{
    if (!deck->grouped || name.length == 0)
        return SNAG_OK;
    snag_status status = grow(deck, &deck->titles, &deck->title_capacity, deck->title_count, 1, sizeof *deck->titles);
    char *copy = status == SNAG_OK ? malloc(name.length + 1) : NULL;
    if (status != SNAG_OK || !copy)
        return status == SNAG_OK ? snag__deck_no_memory(deck) : status;
    memcpy(copy, name.at, name.length);
    copy[name.length] = 0;
    deck->titles[deck->title_count++] = (snag__deck_title){group, copy};
    return SNAG_OK;
}

static int compare_titles(const void *a, const void *b)
{
    const snag__deck_title *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

// Call before handing an element of a group to the builder.
static snag_status begin_group(snag__deck *deck, uint32_t group)
{
    char name[40];
    if (!deck->titles_sorted && deck->title_count)
        qsort(deck->titles, deck->title_count, sizeof *deck->titles, compare_titles);
    deck->titles_sorted = true;
    const snag__deck_title wanted = {group, NULL};
    const snag__deck_title *found =
        deck->title_count ? bsearch(&wanted, deck->titles, deck->title_count, sizeof wanted, compare_titles) : NULL;
    snprintf(name, sizeof name, "%s %lu", deck->group_word ? deck->group_word : "group", (unsigned long)group);
    const char *shown = found ? found->name : group ? name : "";
    return snag__builder_group(deck->builder, shown, strlen(shown));
}

// ---- labels ----

static bool same_place(const snag__deck_node *a, const snag__deck_node *b)
{
    return a->position[0] == b->position[0] && a->position[1] == b->position[1] && a->position[2] == b->position[2];
}

// A node may be defined again at the same position; at another position it is an error.
static snag_status fail_twice(const snag__deck *deck, const snag__deck_node *node)
{
    return snag__deck_fail(deck, node->at, SNAG_ERROR_FORMAT, "node %lu is there twice, at two places", (unsigned long)node->label);
}

static snag_status make_table(const snag__deck *deck, snag__deck_part *part)
{
    size_t size = (size_t)part->highest - part->lowest + 1;
    part->table = malloc(size * sizeof *part->table);
    if (!part->table)
        return snag__deck_no_memory(deck);
    memset(part->table, 0xff, size * sizeof *part->table);
    for (size_t n = 0; n < part->node_count; n++) {
        uint32_t *found = &part->table[part->nodes[n].label - part->lowest];
        if (*found == UINT32_MAX)
            *found = (uint32_t)n;
        else if (!same_place(&part->nodes[*found], &part->nodes[n]))
            return fail_twice(deck, &part->nodes[n]);
    }
    return SNAG_OK;
}

typedef struct label_entry {
    uint32_t label, node;
} label_entry;

static int compare_labels(const void *a, const void *b)
{
    const label_entry *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static snag_status make_sorted(const snag__deck *deck, snag__deck_part *part)
{
    label_entry *entries = malloc(part->node_count * sizeof *entries);
    part->sorted = calloc(part->node_count, sizeof *part->sorted);
    if (!entries || !part->sorted) {
        free(entries);
        return snag__deck_no_memory(deck);
    }
    for (size_t n = 0; n < part->node_count; n++)
        entries[n] = (label_entry){part->nodes[n].label, (uint32_t)n};
    qsort(entries, part->node_count, sizeof *entries, compare_labels);
    snag_status status = SNAG_OK;
    for (size_t n = 0; n < part->node_count && status == SNAG_OK; n++) {
        part->sorted[n] = entries[n].node;
        bool again = n > 0 && entries[n].label == entries[n - 1].label;
        if (again && !same_place(&part->nodes[entries[n - 1].node], &part->nodes[entries[n].node]))
            status = fail_twice(deck, &part->nodes[entries[n].node]);
    }
    free(entries);
    return status;
}

static snag_status prepare_labels(const snag__deck *deck, snag__deck_part *part)
{
    if (part->ready || part->node_count == 0)
        return SNAG_OK;
    part->lowest = part->highest = part->nodes[0].label;
    for (size_t n = 1; n < part->node_count; n++) {
        uint32_t label = part->nodes[n].label;
        part->lowest = label < part->lowest ? label : part->lowest;
        part->highest = label > part->highest ? label : part->highest;
    }
    part->ready = true;
    return (part->highest - part->lowest) / 4 < part->node_count ? make_table(deck, part) : make_sorted(deck, part);
}

// UINT32_MAX: no node has this label.
static uint32_t find_node(const snag__deck_part *part, uint32_t label)
{
    if (part->node_count == 0 || label < part->lowest || label > part->highest)
        return UINT32_MAX;
    if (part->table)
        return part->table[label - part->lowest];
    size_t low = 0, high = part->node_count;  // the first one not below the label
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->nodes[part->sorted[middle]].label < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < part->node_count && part->nodes[part->sorted[low]].label == label ? part->sorted[low] : UINT32_MAX;
}

// ---- to the builder ----

static snag_status checked(const snag__deck *deck, snag_status status)
{
    return status == SNAG_OK ? SNAG_OK : snag__builder_fail(deck->builder->source, status);
}

static snag_status emit_nodes(snag__deck *deck, const snag__deck_part *part, const double m[12])
{
    snag__builder *b = deck->builder;
    snag_status status =
        grow(deck, &b->vertex_labels, &deck->label_capacity, b->vertex_count, part->node_count, sizeof *b->vertex_labels);
    for (size_t n = 0; n < part->node_count && status == SNAG_OK; n++) {
        const double *p = part->nodes[n].position;
        double moved[3] = {p[0], p[1], p[2]};
        for (size_t row = 0; m && row < 3; row++)
            moved[row] = m[4 * row] * p[0] + m[4 * row + 1] * p[1] + m[4 * row + 2] * p[2] + m[4 * row + 3];
        b->vertex_labels[b->vertex_count] = part->nodes[n].label;
        status = checked(deck, snag__builder_vertex(b, moved[0], moved[1], moved[2]));
    }
    return status;
}

static double squared_distance(const snag__builder *b, uint32_t v, uint32_t w)
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++) {
        double d = b->positions[3 * (size_t)v + k] - b->positions[3 * (size_t)w + k];
        sum += d * d;
    }
    return sum;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t other = *a;
    *a = *b;
    *b = other;
}

// Which of the three nodes of a line is its middle differs between elements (B32 and T3D3): its ends are those farthest apart, and come
// first.
static void choose_ends(const snag__builder *b, uint32_t v[3])
{
    double last = squared_distance(b, v[0], v[1]), middle = squared_distance(b, v[0], v[2]),
           first = squared_distance(b, v[1], v[2]);
    if (middle > last && middle >= first)
        swap(&v[1], &v[2]);
    else if (first > last)
        swap(&v[0], &v[2]);
}

// The number of nodes of an element whose last mid-nodes are not written.
static size_t full_count(snag__cell kind, size_t count)
{
    static const uint8_t second[SNAG__CELL_COUNT] = {
        [SNAG__CELL_TRIANGLE] = 6,    [SNAG__CELL_QUAD] = 8,   [SNAG__CELL_TET] = 10,
        [SNAG__CELL_HEXAHEDRON] = 20, [SNAG__CELL_WEDGE] = 15, [SNAG__CELL_PYRAMID] = 13,
    };
    return count > snag__cell_corners(kind) && count < second[kind] ? second[kind] : count;
}

static snag_status emit_element(snag__deck *deck, const snag__deck_part *part, const snag__deck_element *element,
                                size_t first_vertex)
{
    snag__builder *b = deck->builder;
    uint32_t nodes[SNAG__MOST_NODES];
    size_t corner_count = snag__cell_corners(element->kind), count = full_count(element->kind, element->node_count);
    for (size_t i = 0; i < (count > corner_count ? count : corner_count) && i < SNAG__MOST_NODES; i++)
        nodes[i] = SNAG__NO_NODE;
    for (size_t i = 0; i < element->node_count; i++) {
        uint32_t label = part->element_nodes[element->first_node + i];
        if (i >= corner_count && label == 0)
            continue;  // a mid-side node may be missing
        uint32_t node = find_node(part, label);
        if (node == UINT32_MAX)
            return snag__deck_fail(deck, element->at, SNAG_ERROR_INDEX, "element %lu names node %lu, which does not exist",
                                   (unsigned long)element->label, (unsigned long)label);
        if (i < SNAG__MOST_NODES)
            nodes[i] = (uint32_t)(first_vertex + node);
    }
    if (element->kind == SNAG__CELL_LINE && count == 3 && nodes[2] != SNAG__NO_NODE)
        choose_ends(b, nodes);
    if (snag__cell_is_thin(element->kind))
        return checked(deck, snag__builder_cell(b, element->kind, deck->order, nodes, count));
    bool face = element->kind == SNAG__CELL_TRIANGLE || element->kind == SNAG__CELL_QUAD;
    snag_status status =
        face ? grow(deck, &b->polygon_numbers, &deck->face_capacity, deck->face_count, 1, sizeof *b->polygon_numbers)
             : grow(deck, &b->cell_numbers, &deck->cell_capacity, deck->cell_count, 1, sizeof *b->cell_numbers);
    if (status != SNAG_OK)
        return status;
    if (face)
        b->polygon_numbers[deck->face_count++] = element->label;
    else
        b->cell_numbers[deck->cell_count++] = element->label;
    return checked(deck, snag__builder_cell(b, element->kind, deck->order, nodes, count));
}

snag_status snag__deck_emit(snag__deck *deck, size_t index, const double matrix[12], const char *name)
{
    snag__deck_part *part = &deck->parts[index];
    snag__builder_skip(deck->builder, part->no_area, false);
    snag__builder_skip(deck->builder, part->unknown, true);
    if (part->element_count == 0)
        return SNAG_OK;
    snag_status status = prepare_labels(deck, part);
    if (status == SNAG_OK && name)
        status = checked(deck, snag__builder_object(deck->builder, name, strlen(name)));
    if (status == SNAG_OK && name)
        deck->builder->objects[deck->builder->object_count - 1].instance_length = strlen(name);
    size_t first = deck->builder->vertex_count;
    if (status == SNAG_OK)
        status = emit_nodes(deck, part, matrix);
    for (size_t e = 0; e < part->element_count && status == SNAG_OK; e++) {
        const snag__deck_element *element = &part->elements[e];
        if (deck->grouped && (e == 0 || element->group != element[-1].group))
            status = checked(deck, begin_group(deck, element->group));
        if (status == SNAG_OK)
            status = emit_element(deck, part, element, first);
    }
    return status;
}

void snag__deck_note_passed(const snag__deck *deck, const char *what)
{
    if (deck->passed_over)
        snag__io_note(deck->source.error, "%s: %zu %s that are neither nodes nor elements are passed over",
                      snag__path_shown(deck->source.name), deck->passed_over, what);
}

snag_status snag__deck_finish(snag__deck *deck)
{
    snag__builder *b = deck->builder;
    if (b->vertex_count == 0 && b->skipped > 0)
        return snag__io_fail(b->source->error, SNAG_ERROR_UNSUPPORTED,
                             "%s: there are %zu elements, but all are of kinds that are not read (such as masses and springs)",
                             snag__path_shown(b->source->name), b->skipped);
    return checked(deck, snag__builder_drop_polygons(b));
}

// ---- text ----

// In pieces: a file may have no end of line of one of the two kinds, and must not be searched whole for each line.
static const char *find_line_end(const char *at, const char *end)
{
    enum { PIECE = 256 };
    while (at < end) {
        size_t size = (size_t)(end - at) < PIECE ? (size_t)(end - at) : PIECE;
        const char *feed = memchr(at, '\n', size);
        size = feed ? (size_t)(feed - at) : size;
        const char *mark = size ? memchr(at, '\r', size) : NULL;
        if (mark || feed)
            return mark ? mark : feed;
        at += size;
    }
    return end;
}

snag__word snag__deck_line(snag__text *text)
{
    if (text->at >= text->end)
        return (snag__word){NULL, 0};
    const char *begin = text->at, *at = find_line_end(begin, text->end);
    text->at = at;
    if (at < text->end)
        text->at += *at == '\r' && at + 1 < text->end && at[1] == '\n' ? 2 : 1;
    return (snag__word){begin, (size_t)(at - begin)};
}

snag__word snag__deck_trim(snag__word word)
{
    while (word.length && snag__is_blank(word.at[0]))
        word.at++, word.length--;
    while (word.length && snag__is_blank(word.at[word.length - 1]))
        word.length--;
    return word;
}

bool snag__deck_field(snag__word *line, snag__word *field)
{
    if (!line->at)
        return false;
    const char *comma = memchr(line->at, ',', line->length);
    size_t length = comma ? (size_t)(comma - line->at) : line->length;
    *field = snag__deck_trim((snag__word){line->at, length});
    *line = comma ? (snag__word){comma + 1, line->length - length - 1} : (snag__word){NULL, 0};
    return true;
}

bool snag__deck_label(snag__word word, bool zero, uint32_t *label)
{
    uint64_t value = 0;
    word = snag__deck_trim(word);
    if (word.length == 0 || word.length > 10)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        if (word.at[i] < '0' || word.at[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(word.at[i] - '0');
    }
    *label = (uint32_t)value;
    return value < UINT32_MAX && (value > 0 || zero);
}

// Rewrites an exponent without a letter, or with a D, into C syntax.
static bool read_fortran(snag__word word, const char *after, double *value)
{
    char text[64];
    size_t mantissa = (size_t)(after - word.at), skip = after[0] == 'd' || after[0] == 'D' ? 1 : 0;
    if (word.length + 2 > sizeof text || (!skip && after[0] != '+' && after[0] != '-'))
        return false;
    memcpy(text, word.at, mantissa);
    text[mantissa] = 'e';
    memcpy(text + mantissa + 1, after + skip, word.length - mantissa - skip);
    const char *end = text + word.length + 1 - skip;
    return snag__read_double(text, end, value) == end;
}

bool snag__deck_real(snag__word word, double *value)
{
    word = snag__deck_trim(word);
    const char *end = word.at + word.length, *after = word.length ? snag__read_double(word.at, end, value) : word.at;
    if (word.length == 0 || after == word.at)
        return false;
    if (after != end && !read_fortran(word, after, value))
        return false;
    return *value - *value == 0;
}

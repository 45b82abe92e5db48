// Ansys archives (.cdb): NBLOCK and EBLOCK with their stated formats, and ET or ETBLOCK, which define element types.
//
// Solids, shells, planes and contact faces are reduced to their corners. Nodes of a solid or shell may repeat; it is then a
// smaller element. Beams, links, springs and masses have no area.
#include "deck.h"

#include <stdlib.h>

enum { MOST_FIELDS = 64, MOST_NODES = 32, HEAD_FIELDS = 11 };

// Definition of an element type: ET,1,185.
typedef struct element_type {
    uint32_t type, routine;
} element_type;

typedef struct ansys {
    snag__deck deck;
    element_type *types;
    size_t type_count, type_capacity;
    bool saw_nodes;
    bool by_type;  // groups are element types; else materials
} ansys;

// A Fortran format such as (3i9,6e21.13e3): integers, then reals.
typedef struct block_format {
    size_t integers, integer_width, real_width;
} block_format;

// ---- lines ----

static snag_status fail_at(const ansys *a, const char *at, const char *what, snag__word found)
{
    return snag__deck_fail(&a->deck, at, SNAG_ERROR_FORMAT, "expected %s, found '%.*s'", what,
                           (int)(found.length < 30 ? found.length : 30), found.at);
}

// Reads digits at *at.
static size_t take_number(const char **at, const char *end)
{
    size_t number = 0;
    for (; *at < end && **at >= '0' && **at <= '9' && number < 10000; ++*at)
        number = 10 * number + (size_t)(**at - '0');
    return number;
}

static snag_status read_format(const ansys *a, snag__text *text, block_format *format)
{
    snag__word line = snag__deck_trim(snag__deck_line(text));
    const char *at = line.at ? line.at + 1 : "", *end = line.at ? line.at + line.length : at;
    *format = (block_format){0};
    if (!line.at || line.length < 4 || line.at[0] != '(')
        return fail_at(a, line.at ? line.at : text->end, "a format such as (3i9,6e21.13e3)", line.at ? line : (snag__word){"", 0});
    format->integers = take_number(&at, end);
    bool integers = at < end && (*at == 'i' || *at == 'I');
    at += integers;
    format->integer_width = take_number(&at, end);
    if (at < end && *at == ',') {
        at++;
        take_number(&at, end);
        bool reals = at < end && (*at == 'e' || *at == 'E' || *at == 'f' || *at == 'F' || *at == 'g' || *at == 'G');
        at += reals;
        format->real_width = reals ? take_number(&at, end) : 0;
    }
    if (!integers || format->integers == 0 || format->integers > MOST_FIELDS || format->integer_width == 0 ||
        format->integer_width > 40 || format->real_width > 80)
        return fail_at(a, line.at, "a format such as (3i9,6e21.13e3)", line);
    return SNAG_OK;
}

static snag__word field_at(snag__word line, size_t column, size_t width)
{
    if (column >= line.length)
        return (snag__word){line.at + line.length, 0};
    size_t left = line.length - column;
    return snag__deck_trim((snag__word){line.at + column, left < width ? left : width});
}

// The last line of a block: -1, or a command such as "N,UNBL,LOC,-1".
static bool ends_block(snag__word line)
{
    snag__word bare = snag__deck_trim(line);
    return bare.length > 0 && (bare.at[0] == '-' || bare.at[0] == 'N' || bare.at[0] == 'n');
}

static snag_status fail_end(const ansys *a, const snag__text *text, const char *block)
{
    return snag__deck_fail(&a->deck, text->end, SNAG_ERROR_FORMAT, "the file ends within %s, whose last line is -1", block);
}

// ---- nodes ----

static snag_status read_node(ansys *a, snag__word line, const block_format *format)
{
    snag__word field = field_at(line, 0, format->integer_width);
    uint32_t label = 0;
    double position[3] = {0, 0, 0};
    if (!snag__deck_label(field, false, &label))
        return fail_at(a, line.at, "the number of a node", field);
    for (size_t axis = 0; axis < 3; axis++) {
        field = field_at(line, format->integers * format->integer_width + axis * format->real_width, format->real_width);
        if (field.length && !snag__deck_real(field, &position[axis]))
            return fail_at(a, line.at, "a coordinate", field);
    }
    return snag__deck_add_node(&a->deck, 0, line.at, label, position);
}

static snag_status read_nodes(ansys *a, snag__text *text)
{
    block_format format;
    snag_status status = read_format(a, text, &format);
    if (status == SNAG_OK && format.real_width == 0)
        return snag__deck_fail(&a->deck, text->at, SNAG_ERROR_FORMAT, "the format of NBLOCK has no coordinates");
    a->saw_nodes = true;
    while (status == SNAG_OK) {
        snag__word line = snag__deck_line(text);
        if (!line.at)
            return fail_end(a, text, "NBLOCK");
        if (ends_block(line))
            return SNAG_OK;
        if (snag__deck_trim(line).length)
            status = read_node(a, line, &format);
    }
    return status;
}

// ---- types of elements ----

static bool is_one_of(uint32_t routine, const uint16_t *list)
{
    for (; *list; list++)
        if (*list == routine)
            return true;
    return false;
}

static snag__cell kind_of(uint32_t routine, size_t nodes)
{
    static const uint16_t solids[] = {5,   45,  46,  62,  64,  65,  69,  70,  73,  80,  87,  90,  92,  95,  96,  97,
                                      98,  107, 117, 120, 122, 123, 142, 147, 148, 164, 168, 185, 186, 187, 190, 191,
                                      215, 225, 226, 227, 231, 232, 236, 237, 239, 240, 278, 279, 285, 291, 0};
    static const uint16_t faces[] = {2,   13,  25,  28,  29,  35,  41,  42,  43,  53,  55,  56,  57,  63,  67,  75,
                                     77,  78,  79,  81,  82,  83,  88,  91,  93,  99,  106, 108, 115, 118, 121, 131,
                                     132, 141, 143, 145, 146, 149, 150, 152, 154, 155, 157, 162, 163, 170, 173, 174,
                                     181, 182, 183, 212, 213, 214, 222, 223, 230, 233, 238, 281, 292, 293, 0};
    static const uint16_t no_area[] = {1,   3,   4,   7,   8,   9,   10,  11,  12,  14,  16,  17,  18,  20,  21,  23,  24,
                                       26,  27,  31,  32,  33,  34,  36,  37,  38,  39,  40,  44,  48,  49,  51,  52,  54,
                                       58,  59,  60,  61,  66,  68,  71,  94,  110, 111, 116, 124, 125, 126, 127, 129, 138,
                                       151, 153, 156, 160, 161, 165, 166, 167, 169, 171, 172, 175, 176, 177, 178, 179, 180,
                                       184, 188, 189, 201, 202, 203, 208, 209, 214, 250, 251, 288, 289, 290, 0};
    // Links, beams and pipes. Further nodes say how the section is turned.
    static const uint16_t lines[] = {1,  3,  4,  8,   10,  11,  16,  18,  20,  23,  24,  33,  44,  54,
                                     59, 60, 68, 124, 160, 161, 167, 180, 188, 189, 288, 289, 290, 0};
    if (is_one_of(routine, lines))
        return nodes >= 2 ? SNAG__CELL_LINE : SNAG__CELL_NO_AREA;
    if (is_one_of(routine, solids))
        return nodes == 4 || nodes == 10 ? SNAG__CELL_TET : nodes == 8 || nodes == 20 ? SNAG__CELL_HEXAHEDRON : SNAG__CELL_UNKNOWN;
    if (is_one_of(routine, faces))
        return nodes == 3 || nodes == 6                               ? SNAG__CELL_TRIANGLE
               : nodes == 4 || nodes == 8 || nodes == 5 || nodes == 9 ? SNAG__CELL_QUAD
               : nodes < 3                                            ? SNAG__CELL_NO_AREA
                                                                      : SNAG__CELL_UNKNOWN;
    return is_one_of(routine, no_area) ? SNAG__CELL_NO_AREA : SNAG__CELL_UNKNOWN;
}

static snag_status add_type(ansys *a, uint32_t type, uint32_t routine)
{
    if (a->type_count == a->type_capacity) {
        size_t larger = 2 * a->type_capacity + 16;
        snag_status status = snag__claim_bytes(a->deck.builder->source, (larger - a->type_capacity) * sizeof *a->types);
        if (status != SNAG_OK)
            return status;
        element_type *types = realloc(a->types, larger * sizeof *types);
        if (!types)
            return snag__deck_no_memory(&a->deck);
        a->types = types;
        a->type_capacity = larger;
    }
    a->types[a->type_count++] = (element_type){type, routine};
    return SNAG_OK;
}

// The last digits of a name: 185 in SOLID185.
static uint32_t routine_in(snag__word name)
{
    const char *end = name.at + name.length, *at = end;
    while (at > name.at && at[-1] >= '0' && at[-1] <= '9' && end - at < 6)
        at--;
    return (uint32_t)take_number(&at, end);
}

static snag_status read_type(ansys *a, snag__word line)
{
    snag__word field, name;
    uint32_t type = 0;
    snag__deck_field(&line, &field);  // ET
    if (!snag__deck_field(&line, &field) || !snag__deck_label(field, false, &type) || !snag__deck_field(&line, &name))
        return SNAG_OK;  // "ET,MAX" and the like
    return add_type(a, type, routine_in(name));
}

static snag_status read_types(ansys *a, snag__text *text)
{
    block_format format;
    snag_status status = read_format(a, text, &format);
    while (status == SNAG_OK) {
        snag__word line = snag__deck_line(text);
        uint32_t type = 0, routine = 0;
        if (!line.at)
            return fail_end(a, text, "ETBLOCK");
        if (ends_block(line))
            return SNAG_OK;
        if (snag__deck_label(field_at(line, 0, format.integer_width), false, &type) &&
            snag__deck_label(field_at(line, format.integer_width, format.integer_width), false, &routine))
            status = add_type(a, type, routine);
    }
    return status;
}

static uint32_t routine_of(const ansys *a, uint32_t type)
{
    for (size_t i = a->type_count; i > 0; i--)
        if (a->types[i - 1].type == type)
            return a->types[i - 1].routine;
    return 0;
}

// ---- elements ----

static size_t split(snag__word line, size_t width, snag__word fields[MOST_FIELDS])
{
    size_t count = 0;
    for (size_t column = 0; column < line.length && count < MOST_FIELDS; column += width)
        fields[count++] = field_at(line, column, width);
    while (count && fields[count - 1].length == 0)
        count--;
    return count;
}

static snag_status read_element(ansys *a, snag__text *text, snag__word line, size_t width, element_type *last)
{
    snag__word fields[MOST_FIELDS];
    uint32_t head[HEAD_FIELDS] = {0}, nodes[MOST_NODES];
    const char *at = line.at;
    size_t count = split(line, width, fields), node_count = 0;
    if (count < HEAD_FIELDS)
        return fail_at(a, at, "an element of eleven numbers and its nodes", snag__deck_trim(line));
    static const size_t wanted[] = {0, 1, 8, 10};  // material, type, nodes, number
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!snag__deck_label(fields[wanted[i]], wanted[i] != 10, &head[wanted[i]]))
            return fail_at(a, at, "the number, type, material and node count of an element", fields[wanted[i]]);
    if (head[8] == 0 || head[8] > MOST_NODES)
        return snag__deck_fail(&a->deck, at, SNAG_ERROR_FORMAT, "element %lu has %lu nodes", (unsigned long)head[10],
                               (unsigned long)head[8]);
    for (size_t f = HEAD_FIELDS; node_count < head[8];) {
        if (f == count) {
            line = snag__deck_line(text);
            if (!line.at)
                return fail_end(a, text, "EBLOCK");
            count = split(line, width, fields);
            f = 0;
            if (count == 0)
                return fail_at(a, line.at, "the nodes of an element", line);
        }
        if (!snag__deck_label(fields[f], true, &nodes[node_count]))
            return fail_at(a, line.at, "the number of a node", fields[f]);
        node_count++;
        f++;
    }
    if (head[1] != last->type)
        *last = (element_type){head[1], routine_of(a, head[1])};
    snag__cell kind = kind_of(last->routine, node_count);
    if (kind == SNAG__CELL_LINE)
        node_count = 2;
    if (kind == SNAG__CELL_QUAD && node_count % 2)
        node_count--;  // the last node says how the face is turned
    return snag__deck_add_element(&a->deck, 0, at, head[10], kind, nodes, node_count, a->by_type ? head[1] : head[0]);
}

static snag_status read_elements(ansys *a, snag__text *text, snag__word command)
{
    block_format format;
    snag__word rest = command, field;
    snag__deck_field(&rest, &field);  // EBLOCK
    snag__deck_field(&rest, &field);  // fields per line
    if (!snag__deck_field(&rest, &field) || !snag__word_is(field, "SOLID"))
        return snag__deck_fail(&a->deck, command.at, SNAG_ERROR_UNSUPPORTED,
                               "an EBLOCK without the key SOLID cannot be read; write the archive "
                               "with CDWRITE,DB");
    snag_status status = read_format(a, text, &format);
    element_type last = {0, 0};
    while (status == SNAG_OK) {
        snag__word line = snag__deck_line(text);
        if (!line.at)
            return fail_end(a, text, "EBLOCK");
        snag__word bare = snag__deck_trim(line);
        if (bare.length && bare.at[0] == '-')
            return SNAG_OK;
        if (bare.length)
            status = read_element(a, text, line, format.integer_width, &last);
    }
    return status;
}

// ---- the file ----

static bool is_command(snag__word line, const char *name)
{
    snag__word field;
    return snag__deck_field(&line, &field) && snag__word_is(field, name);
}

static snag_status read_text(ansys *a)
{
    snag__text text = snag__text_begin(&a->deck.files[0].source, 0);
    snag_status status = SNAG_OK;
    while (status == SNAG_OK) {
        snag__word line = snag__deck_line(&text);
        if (!line.at)
            break;
        line = snag__deck_trim(line);
        if (line.length < 2 || line.at[0] == '!' || line.at[0] == '/')
            continue;
        if (is_command(line, "NBLOCK"))
            status = read_nodes(a, &text);
        else if (is_command(line, "EBLOCK"))
            status = read_elements(a, &text, line);
        else if (is_command(line, "ET"))
            status = read_type(a, line);
        else if (is_command(line, "ETBLOCK"))
            status = read_types(a, &text);
        else
            a->deck.passed_over++;
    }
    if (status == SNAG_OK && !a->saw_nodes)
        status = snag__deck_fail(&a->deck, text.end, SNAG_ERROR_FORMAT,
                                 "there is no NBLOCK in this file; write the archive with CDWRITE,DB");
    return status;
}

snag_status snag__read_ansys(const snag__source *source, snag__builder *builder)
{
    ansys a = {.type_count = 0};
    size_t all;
    snag_status status = snag__deck_begin(&a.deck, source, builder);
    if (status == SNAG_OK)
        status = snag__deck_add_part(&a.deck, (snag__word){NULL, 0}, &all);
    bool materials = snag__builder_groups_by(builder, SNAG_IO_SPLIT_MATERIALS);
    a.by_type = snag__builder_groups_by(builder, SNAG_IO_SPLIT_PARTS);
    a.deck.grouped = materials || a.by_type;
    a.deck.group_word = materials ? "material" : "type";
    if (status == SNAG_OK)
        status = read_text(&a);
    if (status == SNAG_OK)
        status = snag__deck_emit(&a.deck, 0, NULL, NULL);
    if (status == SNAG_OK)
        status = snag__deck_finish(&a.deck);
    if (status == SNAG_OK)
        snag__deck_note_passed(&a.deck, "commands");
    snag__deck_free(&a.deck);
    free(a.types);
    return status;
}

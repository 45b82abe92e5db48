// LS-DYNA keyword files (.k, .key, .dyn): fixed fields in the standard, I10 and long formats, or comma-separated; *INCLUDE.
//
// Reads *NODE, *ELEMENT_SOLID, *ELEMENT_TSHELL and *ELEMENT_SHELL with their options. Elements between single nodes have no
// area; other *ELEMENT_ keywords count as left out. *INCLUDE_TRANSFORM is rejected: its nodes would be in the wrong place.
#include "deck.h"

#include <stdlib.h>

typedef enum block {
    BLOCK_OTHER,
    BLOCK_NODES,
    BLOCK_SHELLS,
    BLOCK_SOLIDS,
    BLOCK_THICK_SHELLS,
    BLOCK_NO_AREA,
    BLOCK_BEAMS,
    BLOCK_UNKNOWN,
    BLOCK_INCLUDE,
    BLOCK_PARTS
} block;

typedef struct dyna {
    snag__deck deck;
    bool ended;  // *END
    bool i10, long_format;  // of the whole file
    bool keyword_i10, keyword_long;  // of the last keyword
    block block;
    size_t extra_cards;  // cards after each element, for its option
    size_t extra_left;
    // Label and part of a solid, until the line with its nodes.
    bool waits;
    uint32_t label, part;
    const char *at;
    snag__word title;  // title of the part whose number follows; at NULL: the title comes next
} dyna;

enum { MOST_FIELDS = 10 };

// ---- fields ----

// Splits a line by commas or by columns: the first field is `first` wide, the others `width`. Returns the number of fields.
static size_t split(snag__word line, size_t first, size_t width, snag__word fields[MOST_FIELDS])
{
    size_t count = 0;
    for (size_t i = 0; i < MOST_FIELDS; i++)
        fields[i] = (snag__word){line.at, 0};
    if (memchr(line.at, ',', line.length)) {
        while (count < MOST_FIELDS && snag__deck_field(&line, &fields[count]))
            count++;
        return count;
    }
    for (size_t column = 0; column < line.length && count < MOST_FIELDS; count++) {
        size_t wide = count ? width : first, left = line.length - column;
        fields[count] = snag__deck_trim((snag__word){line.at + column, left < wide ? left : wide});
        column += wide;
    }
    return count;
}

static snag_status fail_field(const dyna *d, snag__word field, const char *what)
{
    return snag__deck_fail(&d->deck, field.at, SNAG_ERROR_FORMAT, "expected %s, found '%.*s'", what,
                           (int)(field.length < 30 ? field.length : 30), field.at);
}

static size_t integer_width(const dyna *d)
{
    return d->keyword_long ? 20 : d->keyword_i10 ? 10 : 8;
}

// ---- nodes ----

static snag_status read_node(dyna *d, snag__word line)
{
    snag__word fields[MOST_FIELDS];
    uint32_t label = 0;
    double position[3] = {0, 0, 0};
    split(line, integer_width(d), d->keyword_long ? 20 : 16, fields);
    if (!snag__deck_label(fields[0], false, &label))
        return fail_field(d, fields[0], "the number of a node");
    for (int axis = 0; axis < 3; axis++)
        if (fields[1 + axis].length && !snag__deck_real(fields[1 + axis], &position[axis]))
            return fail_field(d, fields[1 + axis], "a coordinate");
    return snag__deck_add_node(&d->deck, 0, line.at, label, position);
}

// ---- elements ----

static snag_status read_labels(const dyna *d, const snag__word *fields, size_t count, uint32_t *labels)
{
    for (size_t i = 0; i < count; i++) {
        labels[i] = 0;
        if (fields[i].length && !snag__deck_label(fields[i], true, &labels[i]))
            return fail_field(d, fields[i], "the number of a node");
    }
    return SNAG_OK;
}

// A solid has eight node fields: tetrahedra repeat the last node or leave fields empty.
static snag_status add_solid(dyna *d, const uint32_t nodes[MOST_FIELDS])
{
    bool curved = nodes[8] && nodes[9];  // tetrahedron with ten nodes
    bool four = !nodes[4] && !nodes[5] && !nodes[6] && !nodes[7];
    bool six = !four && !nodes[6] && !nodes[7];
    snag__cell kind = curved || four ? SNAG__CELL_TET : six ? SNAG__CELL_WEDGE : SNAG__CELL_HEXAHEDRON;
    d->extra_left = d->extra_cards;
    return snag__deck_add_element(&d->deck, 0, d->at, d->label, kind, nodes, curved ? 10 : snag__cell_corners(kind), d->part);
}

static snag_status read_solid(dyna *d, snag__word line)
{
    snag__word fields[MOST_FIELDS];
    uint32_t nodes[MOST_FIELDS + 2] = {0};
    size_t count = split(line, integer_width(d), integer_width(d), fields);
    if (d->waits) {
        d->waits = false;
        snag_status status = read_labels(d, fields, MOST_FIELDS, nodes);
        return status == SNAG_OK ? add_solid(d, nodes) : status;
    }
    d->at = line.at;
    if (!snag__deck_label(fields[0], false, &d->label))
        return fail_field(d, fields[0], "the number of an element");
    if (!snag__deck_label(fields[1], true, &d->part))
        return fail_field(d, fields[1], "the number of a part");
    // The nodes are on this line or on the next.
    d->waits = count <= 2 || fields[2].length == 0;
    if (d->waits)
        return SNAG_OK;
    snag_status status = read_labels(d, fields + 2, MOST_FIELDS - 2, nodes);
    return status == SNAG_OK ? add_solid(d, nodes) : status;
}

static snag_status read_shell(dyna *d, snag__word line)
{
    snag__word fields[MOST_FIELDS];
    uint32_t nodes[MOST_FIELDS];
    split(line, integer_width(d), integer_width(d), fields);
    if (!snag__deck_label(fields[0], false, &d->label))
        return fail_field(d, fields[0], "the number of an element");
    if (!snag__deck_label(fields[1], true, &d->part))
        return fail_field(d, fields[1], "the number of a part");
    snag_status status = read_labels(d, fields + 2, 8, nodes);
    if (status != SNAG_OK)
        return status;
    d->extra_left = d->extra_cards;
    if (!nodes[3])
        nodes[3] = nodes[2];
    bool triangle = nodes[3] == nodes[2];
    size_t count = nodes[4] || nodes[5] || nodes[6] || nodes[7] ? 8 : 4;
    return snag__deck_add_element(&d->deck, 0, line.at, d->label, triangle && count == 4 ? SNAG__CELL_TRIANGLE : SNAG__CELL_QUAD,
                                  nodes, triangle && count == 4 ? 3 : count, d->part);
}

// The third node only says how the section is turned.
static snag_status read_beam(dyna *d, snag__word line)
{
    snag__word fields[MOST_FIELDS];
    uint32_t nodes[MOST_FIELDS];
    split(line, integer_width(d), integer_width(d), fields);
    if (!snag__deck_label(fields[0], false, &d->label))
        return fail_field(d, fields[0], "the number of an element");
    if (!snag__deck_label(fields[1], true, &d->part))
        return fail_field(d, fields[1], "the number of a part");
    snag_status status = read_labels(d, fields + 2, 2, nodes);
    d->extra_left = d->extra_cards;
    return status == SNAG_OK ? snag__deck_add_element(&d->deck, 0, line.at, d->label, SNAG__CELL_LINE, nodes, 2, d->part) : status;
}

// A part: a line with its title, then a line that starts with its number.
static snag_status read_part(dyna *d, snag__word line)
{
    snag__word fields[MOST_FIELDS], title = d->title;
    uint32_t part;
    if (!title.at) {
        d->title = snag__deck_trim(line);
        return SNAG_OK;
    }
    d->title = (snag__word){NULL, 0};
    split(line, d->keyword_long ? 20 : 10, d->keyword_long ? 20 : 10, fields);
    return snag__deck_label(fields[0], false, &part) ? snag__deck_name_group(&d->deck, part, title) : SNAG_OK;
}

// ---- keywords ----

static bool begins_with(snag__word word, const char *prefix)
{
    size_t length = strlen(prefix);
    return word.length >= length && snag__word_is((snag__word){word.at, length}, prefix);
}

static bool holds_word(snag__word line, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= line.length; i++)
        if (snag__word_is((snag__word){line.at + i, length}, word))
            return true;
    return false;
}

// Number of extra cards after each shell or solid, from the options in the keyword.
static size_t cards_of_options(snag__word name)
{
    size_t cards = holds_word(name, "_ORTHO") ? 2 : 0;
    if (holds_word(name, "_THICKNESS") || holds_word(name, "_BETA") || holds_word(name, "_MCID"))
        cards++;
    cards += holds_word(name, "_OFFSET");
    cards += holds_word(name, "_DOF");
    return cards;
}

// The options of beams have a line each.
static size_t cards_of_beams(snag__word name)
{
    static const char *const options[] = {"_THICKNESS", "_SECTION", "_SCALAR", "_PID", "_OFFSET", "_ORIENTATION", "_WARPAGE", NULL};
    size_t cards = 0;
    for (const char *const *option = options; *option; option++)
        cards += holds_word(name, *option);
    return cards;
}

static snag_status begin_elements(dyna *d, snag__word name)
{
    static const char *const no_area[] = {
        "*ELEMENT_BEAM_SOURCE", "*ELEMENT_BEAM_PULLEY", "*ELEMENT_DISCRETE",    "*ELEMENT_MASS",    "*ELEMENT_SEATBELT",
        "*ELEMENT_INERTIA",     "*ELEMENT_SPH",         "*ELEMENT_PLOTEL",      "*ELEMENT_TRIM",    "*ELEMENT_BLANKING",
        "*ELEMENT_LANCING",     "*ELEMENT_DIRECT",      "*ELEMENT_GENERALIZED", "*ELEMENT_BEARING", NULL};
    static const char *const not_read[] = {"_COMPOSITE", "_H20", "_H27", "_H64", "_T15", "_T20", "_P21", "_P40", "_TET", NULL};
    for (const char *const *n = no_area; *n; n++)
        if (begins_with(name, *n))
            d->block = BLOCK_NO_AREA;
    if (d->block == BLOCK_NO_AREA)
        return SNAG_OK;
    d->extra_cards = cards_of_options(name);
    d->extra_left = 0;
    for (const char *const *n = not_read; *n; n++)
        if (holds_word(name, *n) && !holds_word(name, "TET4TOTET10"))
            return snag__deck_fail(&d->deck, name.at, SNAG_ERROR_UNSUPPORTED, "elements of %.*s cannot be read",
                                   (int)(name.length < 60 ? name.length : 60), name.at);
    if (begins_with(name, "*ELEMENT_BEAM")) {
        d->block = BLOCK_BEAMS;
        d->extra_cards = cards_of_beams(name);
    } else if (begins_with(name, "*ELEMENT_SHELL"))
        d->block = BLOCK_SHELLS;
    else if (begins_with(name, "*ELEMENT_SOLID"))
        d->block = BLOCK_SOLIDS;
    else if (begins_with(name, "*ELEMENT_TSHELL"))
        d->block = BLOCK_THICK_SHELLS;
    else
        d->block = BLOCK_UNKNOWN;
    return SNAG_OK;
}

static snag_status read_keyword(dyna *d, snag__word line)
{
    if (d->waits)
        return snag__deck_fail(&d->deck, d->at, SNAG_ERROR_FORMAT, "the nodes of element %lu are missing", (unsigned long)d->label);
    // A suffix of the name changes the format of the following lines.
    d->keyword_i10 = d->i10;
    d->keyword_long = d->long_format;
    char last = line.at[line.length - 1];
    if (last == '%' || last == '+' || last == '-') {
        d->keyword_i10 = last == '%';
        d->keyword_long = last == '+';
        line = snag__deck_trim((snag__word){line.at, line.length - 1});
    }
    d->block = BLOCK_OTHER;
    d->title = (snag__word){NULL, 0};
    if (snag__word_is(line, "*END")) {
        // In an included file, *END ends only that file.
        d->ended = d->deck.file == 0;
        d->deck.text.at = d->deck.text.end;
    } else if (snag__word_is(line, "*KEYWORD") || begins_with(line, "*KEYWORD ")) {
        d->i10 = holds_word(line, "I10=Y");
        d->long_format = holds_word(line, "LONG=S") || holds_word(line, "LONG=Y");
    } else if (snag__word_is(line, "*NODE")) {
        d->block = BLOCK_NODES;
    } else if (begins_with(line, "*ELEMENT_")) {
        return begin_elements(d, line);
    } else if (snag__word_is(line, "*PART")) {
        d->block = BLOCK_PARTS;
    } else if (snag__word_is(line, "*INCLUDE")) {
        d->block = BLOCK_INCLUDE;
    } else if (begins_with(line, "*INCLUDE_TRANSFORM") || begins_with(line, "*NODE_TRANSFORM") ||
               begins_with(line, "*INCLUDE_BINARY")) {
        return snag__deck_fail(&d->deck, line.at, SNAG_ERROR_UNSUPPORTED,
                               "%.*s cannot be read; write the model out with everything in its place",
                               (int)(line.length < 60 ? line.length : 60), line.at);
    } else {
        d->deck.passed_over++;
    }
    return SNAG_OK;
}

// ---- files ----

static snag_status take_line(dyna *d, snag__word line)
{
    if (d->extra_left) {
        d->extra_left--;
        return SNAG_OK;
    }
    switch (d->block) {
    case BLOCK_NODES: return read_node(d, line);
    case BLOCK_SHELLS: return read_shell(d, line);
    case BLOCK_BEAMS: return read_beam(d, line);
    case BLOCK_SOLIDS:
    case BLOCK_THICK_SHELLS: return read_solid(d, line);
    case BLOCK_NO_AREA:
    case BLOCK_UNKNOWN:
        return snag__deck_add_element(&d->deck, 0, line.at, 0, d->block == BLOCK_NO_AREA ? SNAG__CELL_NO_AREA : SNAG__CELL_UNKNOWN,
                                      NULL, 0, 0);
    case BLOCK_PARTS: return read_part(d, line);
    case BLOCK_INCLUDE: return snag__deck_include(&d->deck, line.at, line);
    default: return SNAG_OK;
    }
}

static snag_status read_lines(dyna *d)
{
    snag_status status = SNAG_OK;
    snag__word line;
    while (status == SNAG_OK && !d->ended && snag__deck_next(&d->deck, &line)) {
        if (d->deck.returned)
            d->block = BLOCK_INCLUDE;  // more files may follow
        while (line.length && snag__is_blank(line.at[line.length - 1]))
            line.length--;
        if (line.length == 0 || line.at[0] == '$')
            continue;
        status = line.at[0] == '*' ? read_keyword(d, line) : take_line(d, line);
    }
    return status;
}

static snag_status check_end(const dyna *d)
{
    const snag__source *source = &d->deck.files[0].source;
    const char *end = source->data + source->size;
    if (d->waits)
        return snag__deck_fail(&d->deck, d->at, SNAG_ERROR_FORMAT, "the nodes of element %lu are missing", (unsigned long)d->label);
    if (d->ended || (source->size && snag__is_line_end(end[-1])))
        return SNAG_OK;
    return snag__deck_fail(&d->deck, end, SNAG_ERROR_FORMAT, "the file is cut off: neither *END nor the end of a line is here");
}

snag_status snag__read_dyna(const snag__source *source, snag__builder *builder)
{
    dyna d = {.block = BLOCK_OTHER};
    size_t all;
    snag_status status = snag__deck_begin(&d.deck, source, builder);
    if (status == SNAG_OK)
        status = snag__deck_add_part(&d.deck, (snag__word){NULL, 0}, &all);
    d.deck.grouped =
        snag__builder_groups_by(builder, SNAG_IO_SPLIT_PARTS) || snag__builder_groups_by(builder, SNAG_IO_SPLIT_GROUPS);
    d.deck.group_word = "part";
    if (status == SNAG_OK)
        status = read_lines(&d);
    if (status == SNAG_OK)
        status = check_end(&d);
    if (status == SNAG_OK)
        status = snag__deck_emit(&d.deck, 0, NULL, NULL);
    if (status == SNAG_OK)
        status = snag__deck_finish(&d.deck);
    if (status == SNAG_OK)
        snag__deck_note_passed(&d.deck, "keywords");
    snag__deck_free(&d.deck);
    return status;
}

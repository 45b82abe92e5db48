// Nastran bulk data (.bdf, .nas): small, large and free fields, continuation lines, INCLUDE.
//
// Reads GRID in the basic coordinate system and in those of CORD2R, CORD2C and CORD2S, and solid and shell elements;
// elements of second order are reduced to their corners. Other cards are ignored and counted. A card that looks like an
// unknown element counts as left out.
#include "deck.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_FIELDS = 40, TAB_BYTES = 4096 };

// A coordinate system defined by three points: the origin, one on the z axis, one in the x-z plane.
typedef struct frame {
    uint32_t id, base;
    char type;  // R, C or S
    const char *at;
    double points[3][3];
    bool done;
    double origin[3], axes[3][3];  // in the basic system
} frame;

// A node defined in a coordinate system other than the basic one.
typedef struct placed_node {
    size_t node;
    uint32_t frame;
} placed_node;

typedef struct nastran {
    snag__deck deck;
    bool ended;  // ENDDATA
    uint32_t default_frame;  // GRDSET
    frame *frames;
    size_t frame_count, frame_capacity;
    placed_node *placed;
    size_t placed_count, placed_capacity;

    snag__word read_ahead;  // the line after the last card, bare; at NULL: there is none
    const struct card *last;  // the kind of the last element; NULL: none yet

    // The current card.
    const char *at;
    snag__word fields[MOST_FIELDS];  // the first is its name
    size_t field_count;
    char tabs[TAB_BYTES];  // lines with tabs expanded to blanks
    size_t tab_bytes;
} nastran;

// ---- fields ----

static void put_field(nastran *n, size_t index, snag__word word)
{
    if (index >= MOST_FIELDS)
        return;
    n->fields[index] = snag__deck_trim(word);
    if (n->fields[index].length && index >= n->field_count)
        n->field_count = index + 1;
}

// A line of a card without comment and trailing blanks.
static snag__word bare(snag__word line)
{
    const char *comment = line.length ? memchr(line.at, '$', line.length) : NULL;
    if (comment)
        line.length = (size_t)(comment - line.at);
    while (line.length && snag__is_blank(line.at[line.length - 1]))
        line.length--;
    return line;
}

// Fixed fields depend on columns: a tab advances to the next multiple of 8.
static snag__word without_tabs(nastran *n, snag__word line)
{
    if (!memchr(line.at, '\t', line.length))
        return line;
    size_t begin = n->tab_bytes, column = 0;
    for (size_t i = 0; i < line.length && column < 128; i++)
        for (size_t next = line.at[i] == '\t' ? column / 8 * 8 + 8 : column + 1; column < next && n->tab_bytes < TAB_BYTES;
             column++)
            n->tabs[n->tab_bytes++] = line.at[i] == '\t' ? ' ' : line.at[i];
    return (snag__word){n->tabs + begin, n->tab_bytes - begin};
}

// Stores the fields of a line after the first `first` of the card; returns how many fields such a line has.
static size_t split_line(nastran *n, snag__word line, size_t first, bool begins)
{
    snag__word field = {line.at, 0};
    size_t index = first;
    if (memchr(line.at, ',', line.length)) {
        snag__deck_field(&line, &field);
        if (begins)
            put_field(n, 0, field);
        size_t most = memchr(field.at, '*', field.length) ? 4 : 8;
        for (size_t i = 0; i < most && snag__deck_field(&line, &field); i++)
            put_field(n, index++, field);
        return most;
    }
    line = without_tabs(n, line);
    size_t head = line.length < 8 ? line.length : 8, width = memchr(line.at, '*', head) ? 16 : 8;
    if (begins)
        put_field(n, 0, (snag__word){line.at, head});
    for (size_t column = 8; column < 72 && column < line.length; column += width) {
        size_t left = line.length - column;
        put_field(n, index++, (snag__word){line.at + column, left < width ? left : width});
    }
    return 64 / width;
}

static bool continues(snag__word line)
{
    if (line.length == 0)
        return false;
    if (line.at[0] == '+' || line.at[0] == '*' || line.at[0] == ',')
        return true;
    for (size_t i = 0; i < 8 && i < line.length; i++)
        if (!snag__is_blank(line.at[i]))
            return false;
        else if (line.at[i] == '\t')
            return true;
    return line.length > 8;
}

// Reads the card that starts on this line, with all continuation lines.
static void read_card(nastran *n, snag__word line)
{
    for (size_t i = 0; i < n->field_count; i++)
        n->fields[i] = (snag__word){"", 0};
    n->field_count = n->tab_bytes = 0;
    n->at = line.at;
    size_t next = 1 + split_line(n, line, 1, true);
    for (;;) {
        snag__text ahead = n->deck.text;
        snag__word raw = snag__deck_line(&ahead);
        if (!raw.at)
            break;
        line = bare(raw);
        n->deck.text = ahead;
        if (line.length && !continues(line)) {
            n->read_ahead = line;
            break;
        }
        if (line.length)
            next += split_line(n, line, next, false);
    }
    // GRID* and GRID are the same card; meshio writes CTETRA_ for second order.
    snag__word *name = &n->fields[0];
    while (name->length &&
           (name->at[name->length - 1] == '*' || name->at[name->length - 1] == '_' || snag__is_blank(name->at[name->length - 1])))
        name->length--;
}

static snag_status fail_field(const nastran *n, size_t index, const char *what)
{
    snag__word field = n->fields[index < MOST_FIELDS ? index : 0];
    return snag__deck_fail(&n->deck, n->at, SNAG_ERROR_FORMAT, "expected %s in field %zu of %.*s, found '%.*s'", what, index + 1,
                           (int)(n->fields[0].length < 8 ? n->fields[0].length : 8), n->fields[0].at,
                           (int)(field.length < 30 ? field.length : 30), field.at);
}

static snag_status get_label(const nastran *n, size_t index, const char *what, bool blank, uint32_t *label)
{
    *label = 0;
    if (blank && n->fields[index].length == 0)
        return SNAG_OK;
    return snag__deck_label(n->fields[index], blank, label) ? SNAG_OK : fail_field(n, index, what);
}

static snag_status get_real(const nastran *n, size_t index, const char *what, double *value)
{
    *value = 0;
    if (n->fields[index].length == 0)
        return SNAG_OK;
    return snag__deck_real(n->fields[index], value) ? SNAG_OK : fail_field(n, index, what);
}

// ---- nodes and their coordinate systems ----

static snag_status grow(const nastran *n, void *array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return SNAG_OK;
    size_t larger = 2 * *capacity + 16;
    snag_status status = snag__claim_bytes(n->deck.builder->source, (larger - *capacity) * size);
    if (status != SNAG_OK)
        return status;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, larger * size);
    if (!items)
        return snag__deck_no_memory(&n->deck);
    memcpy(array, &items, sizeof items);
    *capacity = larger;
    return SNAG_OK;
}

static snag_status read_grid(nastran *n)
{
    uint32_t label = 0, system = 0;
    double position[3];
    snag_status status = get_label(n, 1, "the number of a node", false, &label);
    if (status == SNAG_OK)
        status = get_label(n, 2, "a coordinate system", true, &system);
    for (size_t axis = 0; axis < 3 && status == SNAG_OK; axis++)
        status = get_real(n, 3 + axis, "a coordinate", &position[axis]);
    if (status != SNAG_OK)
        return status;
    if (n->fields[2].length == 0)
        system = n->default_frame;
    if (system) {
        status = grow(n, &n->placed, &n->placed_capacity, n->placed_count, sizeof *n->placed);
        if (status != SNAG_OK)
            return status;
        n->placed[n->placed_count++] = (placed_node){n->deck.parts[0].node_count, system};
    }
    return snag__deck_add_node(&n->deck, 0, n->at, label, position);
}

static snag_status read_frame(nastran *n, char type)
{
    frame f = {.type = type, .at = n->at};
    snag_status status = get_label(n, 1, "the number of a coordinate system", false, &f.id);
    if (status == SNAG_OK)
        status = get_label(n, 2, "a coordinate system", true, &f.base);
    for (size_t i = 0; i < 9 && status == SNAG_OK; i++)
        status = get_real(n, 3 + i, "a coordinate", &f.points[i / 3][i % 3]);
    if (status == SNAG_OK)
        status = grow(n, &n->frames, &n->frame_capacity, n->frame_count, sizeof *n->frames);
    if (status == SNAG_OK)
        n->frames[n->frame_count++] = f;
    return status;
}

// Converts coordinates of a system to Cartesian coordinates of the basic system.
static void to_basic(const frame *f, const double given[3], double basic[3])
{
    const double degree = 3.14159265358979323846 / 180;
    double local[3] = {given[0], given[1], given[2]};
    if (f->type == 'C') {
        local[0] = given[0] * cos(given[1] * degree);
        local[1] = given[0] * sin(given[1] * degree);
    } else if (f->type == 'S') {
        local[0] = given[0] * sin(given[1] * degree) * cos(given[2] * degree);
        local[1] = given[0] * sin(given[1] * degree) * sin(given[2] * degree);
        local[2] = given[0] * cos(given[1] * degree);
    }
    for (int i = 0; i < 3; i++)
        basic[i] = f->origin[i] + local[0] * f->axes[0][i] + local[1] * f->axes[1][i] + local[2] * f->axes[2][i];
}

static bool make_unit(double v[3])
{
    double length = hypot(hypot(v[0], v[1]), v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return length > 0;
}

static void cross(const double a[3], const double b[3], double made[3])
{
    for (int i = 0; i < 3; i++)
        made[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static int compare_frames(const void *a, const void *b)
{
    const frame *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// Call when all systems are read and sorted.
static frame *find_frame(nastran *n, uint32_t id)
{
    const frame wanted = {.id = id};
    return n->frame_count ? bsearch(&wanted, n->frames, n->frame_count, sizeof *n->frames, compare_frames) : NULL;
}

static snag_status fail_frame(const nastran *n, const char *at, uint32_t id)
{
    return snag__deck_fail(&n->deck, at, SNAG_ERROR_UNSUPPORTED,
                           "coordinate system %lu is not there, or not one of CORD2R, CORD2C and CORD2S, which are read",
                           (unsigned long)id);
}

// The axes from the three points, which are in the basic system by now.
static bool make_axes(frame *f, double points[3][3])
{
    double x[3], z[3];
    for (int i = 0; i < 3; i++) {
        f->origin[i] = points[0][i];
        z[i] = points[1][i] - points[0][i];
        x[i] = points[2][i] - points[0][i];
    }
    if (!make_unit(z))
        return false;
    cross(z, x, f->axes[1]);
    if (!make_unit(f->axes[1]))
        return false;
    cross(f->axes[1], z, f->axes[0]);
    memcpy(f->axes[2], z, sizeof z);
    return true;
}

// Systems may be defined in other systems. Resolves each once, after its base: follows the chain of bases up first.
static snag_status resolve_frame(nastran *n, uint32_t id, const char *at)
{
    enum { DEEPEST = 1000 };
    for (;;) {
        frame *f = find_frame(n, id), *base = NULL;
        if (!f)
            return fail_frame(n, at, id);
        if (f->done)
            return SNAG_OK;
        // The first unresolved system of the chain: its base is resolved, or it has none.
        for (size_t steps = 0; f->base && (base = find_frame(n, f->base)) != NULL && !base->done; f = base, steps++)
            if (steps > DEEPEST)
                return snag__deck_fail(&n->deck, f->at, SNAG_ERROR_FORMAT,
                                       "coordinate system %lu is given in itself, or through more than %d others",
                                       (unsigned long)f->id, DEEPEST);
        if (f->base && !base)
            return fail_frame(n, f->at, f->base);
        double points[3][3];
        memcpy(points, f->points, sizeof points);
        for (int i = 0; f->base && i < 3; i++)
            to_basic(base, f->points[i], points[i]);
        if (!make_axes(f, points))
            return snag__deck_fail(&n->deck, f->at, SNAG_ERROR_FORMAT, "the three points of coordinate system %lu lie on one line",
                                   (unsigned long)f->id);
        f->done = true;
    }
}

static snag_status place_nodes(nastran *n)
{
    const frame *f = NULL;
    if (n->frame_count)
        qsort(n->frames, n->frame_count, sizeof *n->frames, compare_frames);
    for (size_t i = 0; i < n->placed_count; i++) {
        snag__deck_node *node = &n->deck.parts[0].nodes[n->placed[i].node];
        if (!f || f->id != n->placed[i].frame) {
            snag_status status = resolve_frame(n, n->placed[i].frame, node->at);
            if (status != SNAG_OK)
                return status;
            f = find_frame(n, n->placed[i].frame);
        }
        double basic[3];
        to_basic(f, node->position, basic);
        memcpy(node->position, basic, sizeof basic);
    }
    return SNAG_OK;
}

// ---- elements ----

typedef struct card {
    const char *name;
    snag__cell kind;
    uint8_t most;  // nodes, from field 4 on
} card;

static const card cards[] = {
    {"CTETRA", SNAG__CELL_TET, 10},
    {"CHEXA", SNAG__CELL_HEXAHEDRON, 20},
    {"CPENTA", SNAG__CELL_WEDGE, 15},
    {"CPYRAM", SNAG__CELL_PYRAMID, 13},
    {"CPYRA", SNAG__CELL_PYRAMID, 13},
    {"CTRIA3", SNAG__CELL_TRIANGLE, 3},
    {"CTRIA6", SNAG__CELL_TRIANGLE, 6},
    {"CTRIAR", SNAG__CELL_TRIANGLE, 3},
    {"CQUAD4", SNAG__CELL_QUAD, 4},
    {"CQUAD8", SNAG__CELL_QUAD, 8},
    {"CQUADR", SNAG__CELL_QUAD, 4},
    {"CQUAD", SNAG__CELL_QUAD, 9},
    {"CSHEAR", SNAG__CELL_QUAD, 4},
    {"CPLSTN3", SNAG__CELL_TRIANGLE, 3},
    {"CPLSTN4", SNAG__CELL_QUAD, 4},
    {"CPLSTN6", SNAG__CELL_TRIANGLE, 6},
    {"CPLSTN8", SNAG__CELL_QUAD, 8},
    {"CPLSTS3", SNAG__CELL_TRIANGLE, 3},
    {"CPLSTS4", SNAG__CELL_QUAD, 4},
    {"CPLSTS6", SNAG__CELL_TRIANGLE, 6},
    {"CPLSTS8", SNAG__CELL_QUAD, 8},
    // By their ends. Further fields say how the section is turned.
    {"CBAR", SNAG__CELL_LINE, 2},
    {"CBEAM", SNAG__CELL_LINE, 2},
    {"CBEAM3", SNAG__CELL_LINE, 2},
    {"CBEND", SNAG__CELL_LINE, 2},
    {"CROD", SNAG__CELL_LINE, 2},
    {"CTUBE", SNAG__CELL_LINE, 2},
    {"CONROD", SNAG__CELL_LINE, 2},
};

static bool begins_with_any(snag__word name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++) {
        size_t length = strlen(*prefixes);
        if (name.length >= length && snag__word_is((snag__word){name.at, length}, *prefixes))
            return true;
    }
    return false;
}

// Elements between single nodes.
static bool is_line_card(snag__word name)
{
    static const char *const names[] = {"CBAR",   "CBEAM", "CBEND", "CROD",  "CONROD", "CTUBE",  "CELAS", "CDAMP",  "CMASS",
                                        "CBUSH",  "CGAP",  "CVISC", "CONM",  "RBE",    "RBAR",   "RROD",  "RJOINT", "RSPLINE",
                                        "RTRPLT", "CWELD", "CFAST", "CSEAM", "CFLUID", "PLOTEL", NULL};
    static const char *const not_these[] = {"CBARAO", NULL};
    return begins_with_any(name, names) && !begins_with_any(name, not_these);
}

// Whether a card is not an element: its name does not start with C, or is one of these.
static bool is_other_card(snag__word name)
{
    static const char *const names[] = {"CORD",   "CONV",    "CSET",    "CSUP",    "CREEP",   "CAERO",   "CSSCHD",
                                        "CLOAD",  "CYAX",    "CYJOIN",  "CYSUP",   "CYSYM",   "CBARAO",  "CEND",
                                        "CASE",   "CMETHOD", "CONTRLT", "CONCTL",  "CTABLE",  "CAMPBLL", "CMREBAI",
                                        "CIRCLE", "CRACKS",  "CURVE",   "COHESIV", "COMBWLD", "COSSERT", NULL};
    return name.length < 3 || (name.at[0] != 'C' && name.at[0] != 'c') || begins_with_any(name, names);
}

static snag_status read_element(nastran *n, const card *c)
{
    uint32_t label = 0, property, nodes[32];
    size_t corners = snag__cell_corners(c->kind), count = 0;
    snag_status status = get_label(n, 1, "the number of an element", false, &label);
    if (status == SNAG_OK)  // only to number groups
        property = snag__deck_label(n->fields[2], true, &property) ? property : 0;
    else
        return status;
    size_t first = snag__word_is(n->fields[0], "CONROD") ? 2 : 3;  // it names no property
    for (size_t i = 0; i < c->most && status == SNAG_OK; i++) {
        status = get_label(n, first + i, "a node", i >= corners, &nodes[i]);
        // Numbers after the nodes of a shell may be its thickness.
        if (status == SNAG_OK && (nodes[i] || i < corners))
            count = i + 1;
    }
    return status == SNAG_OK ? snag__deck_add_element(&n->deck, 0, n->at, label, c->kind, nodes, count, property) : status;
}

static snag_status take_card(nastran *n)
{
    snag__word name = n->fields[0];
    if (snag__word_is(name, "GRID"))
        return read_grid(n);
    // Cards of one kind come one after the other.
    if (n->last && snag__word_is(name, n->last->name))
        return read_element(n, n->last);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        if (snag__word_is(name, cards[i].name)) {
            n->last = &cards[i];
            return read_element(n, n->last);
        }
    if (is_line_card(name))
        return snag__deck_add_element(&n->deck, 0, n->at, 0, SNAG__CELL_NO_AREA, NULL, 0, 0);
    if (snag__word_is(name, "CORD2R") || snag__word_is(name, "CORD2C") || snag__word_is(name, "CORD2S"))
        return read_frame(n, (char)(name.at[5] & ~0x20));
    if (snag__word_is(name, "GRDSET"))
        return get_label(n, 2, "a coordinate system", true, &n->default_frame);
    uint32_t label;
    if (!is_other_card(name) && snag__deck_label(n->fields[1], false, &label))
        return snag__deck_add_element(&n->deck, 0, n->at, 0, SNAG__CELL_UNKNOWN, NULL, 0, 0);
    n->deck.passed_over++;
    return SNAG_OK;
}

// ---- files ----

static bool begins_with(snag__word line, const char *word)
{
    size_t length = strlen(word);
    return line.length >= length && snag__word_is((snag__word){line.at, length}, word);
}

// The part before BEGIN BULK is for the solver.
static void skip_control(snag__text *text)
{
    snag__text ahead = *text;
    for (;;) {
        snag__word line = snag__deck_line(&ahead);
        if (!line.at)
            return;
        line = snag__deck_trim(line);
        // Do not search a long file without it twice: a GRID means that this is bulk data.
        if (begins_with(line, "GRID"))
            return;
        if (begins_with(line, "BEGIN") && line.length > 9 && snag__is_blank(line.at[5])) {
            *text = ahead;
            return;
        }
    }
}

// The next line, bare: the one that ended the last card, or one of the file.
static bool next_line(nastran *n, snag__word *line)
{
    if (n->read_ahead.at) {
        *line = n->read_ahead;
        n->read_ahead.at = NULL;
        return true;
    }
    if (!snag__deck_next(&n->deck, line))
        return false;
    *line = bare(*line);
    return true;
}

static snag_status read_lines(nastran *n)
{
    snag_status status = SNAG_OK;
    snag__word line;
    skip_control(&n->deck.text);
    while (status == SNAG_OK && !n->ended && next_line(n, &line)) {
        if (line.length == 0)
            continue;
        if (begins_with(line, "INCLUDE")) {
            status = snag__deck_include(&n->deck, line.at, (snag__word){line.at + 7, line.length - 7});
        } else if (begins_with(line, "ENDDATA")) {
            n->ended = true;
        } else {
            read_card(n, line);
            status = take_card(n);
        }
    }
    return status;
}

// Without ENDDATA the file may be truncated; then the last line has no line end.
static snag_status check_end(const nastran *n)
{
    const snag__source *source = &n->deck.files[0].source;
    const char *end = source->data + source->size;
    if (n->ended || (source->size && snag__is_line_end(end[-1])))
        return SNAG_OK;
    return snag__deck_fail(&n->deck, end, SNAG_ERROR_FORMAT, "the file is cut off: neither ENDDATA nor the end of a line is here");
}

snag_status snag__read_nastran(const snag__source *source, snag__builder *builder)
{
    nastran *n = calloc(1, sizeof *n);
    size_t all;
    if (!n)
        return snag__builder_fail(source, SNAG_ERROR_MEMORY);
    for (size_t i = 0; i < MOST_FIELDS; i++)
        n->fields[i] = (snag__word){"", 0};
    snag_status status = snag__deck_begin(&n->deck, source, builder);
    if (status == SNAG_OK)
        status = snag__deck_add_part(&n->deck, (snag__word){NULL, 0}, &all);
    n->deck.grouped =
        snag__builder_groups_by(builder, SNAG_IO_SPLIT_PARTS) || snag__builder_groups_by(builder, SNAG_IO_SPLIT_GROUPS);
    n->deck.group_word = "property";
    n->deck.order = SNAG__ORDER_EXODUS;
    if (status == SNAG_OK)
        status = read_lines(n);
    if (status == SNAG_OK)
        status = check_end(n);
    if (status == SNAG_OK)
        status = place_nodes(n);
    if (status == SNAG_OK)
        status = snag__deck_emit(&n->deck, 0, NULL, NULL);
    if (status == SNAG_OK)
        status = snag__deck_finish(&n->deck);
    if (status == SNAG_OK)
        snag__deck_note_passed(&n->deck, "cards");
    snag__deck_free(&n->deck);
    free(n->frames);
    free(n->placed);
    free(n);
    return status;
}

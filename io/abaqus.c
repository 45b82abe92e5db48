// Abaqus decks (.inp), and the similar decks of CalculiX.
//
// *NODE and *ELEMENT define parts; *INSTANCE places a part as a body with the name of the instance. Everything outside of
// parts is one body. *INCLUDE and INPUT= read other files. Keywords that generate nodes or elements (*NGEN, *ELGEN, ...)
// and coordinates that are not Cartesian are rejected: ignoring them would give a wrong mesh. Every other keyword is
// ignored.
#include "deck.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_NODES = 32 };  // nodes of an element

typedef enum block { BLOCK_OTHER, BLOCK_NODES, BLOCK_ELEMENTS, BLOCK_INSTANCE, BLOCK_SET } block;

// A range of elements in a set: from `first` to `last` by `step`.
typedef struct set_range {
    const char *at;
    size_t part;
    uint32_t set, first, last, step;
    bool listed;  // every number stands in the file; else it is generated, and some may have no element
} set_range;

typedef struct abaqus {
    snag__deck deck;
    block block;
    size_t part;  // current part; 0: outside of parts
    bool instances;  // there is at least one

    // The elements of the last *ELEMENT.
    snag__cell kind;
    size_t nodes;  // nodes of each; 0: unknown
    // The current element.
    uint32_t element[1 + MOST_NODES];
    size_t element_count;
    const char *element_at;
    bool continues;  // of unknown kind: the line before ended in a comma

    // Element sets. If they do not become bodies, all that counts is that their elements exist.
    uint32_t set;  // set for elements of *ELEMENT or *ELSET; 0: none
    uint32_t set_count;
    bool generate;
    set_range *ranges;
    size_t range_count, range_capacity;
    size_t missing;  // ranges that name an element that does not exist
    const char *missing_at;  // the first of them
    uint32_t missing_label;

    // The last *INSTANCE.
    char *instance_name;
    size_t instance_part;
    double instance_numbers[10];  // from its data lines: a translation, two points of an axis and an angle
    size_t instance_lines;
    const char *instance_at;
} abaqus;

// ---- words ----

typedef struct keyword {
    const char *at;
    snag__word name;  // "element", "end part"
    snag__word parameters;  // the text after the first comma
} keyword;

static bool begins_with(snag__word word, const char *prefix)
{
    size_t length = strlen(prefix);
    return word.length >= length && snag__word_is((snag__word){word.at, length}, prefix);
}

// The value of the parameter NAME=value; its `at` is NULL if there is none.
static snag__word parameter(const keyword *key, const char *name)
{
    snag__word rest = key->parameters, field;
    while (snag__deck_field(&rest, &field)) {
        const char *equals = memchr(field.at, '=', field.length);
        size_t length = equals ? (size_t)(equals - field.at) : field.length;
        if (!snag__word_is(snag__deck_trim((snag__word){field.at, length}), name))
            continue;
        snag__word value = {field.at + length, 0};
        if (equals)
            value = snag__deck_trim((snag__word){equals + 1, field.length - length - 1});
        if (value.length >= 2 && value.at[0] == '"' && value.at[value.length - 1] == '"')
            value = (snag__word){value.at + 1, value.length - 2};
        return value;
    }
    return (snag__word){NULL, 0};
}

// ---- kinds of elements ----

// The first number in a name: 8 in C3D8R, after skipping "3D" or "2D".
static size_t number_in(snag__word name)
{
    size_t i = 0, number = 0;
    for (size_t k = 0; k + 1 < name.length; k++)
        if ((name.at[k] == '3' || name.at[k] == '2') && (name.at[k + 1] == 'D' || name.at[k + 1] == 'd'))
            i = k + 2;
    while (i < name.length && (name.at[i] < '0' || name.at[i] > '9'))
        i++;
    while (i < name.length && name.at[i] >= '0' && name.at[i] <= '9' && number < 100)
        number = 10 * number + (size_t)(name.at[i++] - '0');
    return number;
}

static snag__cell solid_of(size_t nodes)
{
    switch (nodes) {
    case 4:
    case 10: return SNAG__CELL_TET;
    case 5:
    case 13: return SNAG__CELL_PYRAMID;
    case 6:
    case 15: return SNAG__CELL_WEDGE;
    case 8:
    case 20:
    case 27: return SNAG__CELL_HEXAHEDRON;
    default: return SNAG__CELL_UNKNOWN;
    }
}

static snag__cell face_of(size_t nodes)
{
    switch (nodes) {
    case 3:
    case 6:
    case 7: return SNAG__CELL_TRIANGLE;
    case 4:
    case 8:
    case 9: return SNAG__CELL_QUAD;
    default: return SNAG__CELL_UNKNOWN;
    }
}

static bool begins_with_any(snag__word name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (begins_with(name, *prefixes))
            return true;
    return false;
}

// 2 in B31, B33 and T3D2, 3 in B32, PIPE32 and T3D3.
static size_t nodes_of_line(snag__word name)
{
    static const char *const three[] = {"B32", "T3D3", "PIPE32", "ELBOW32", NULL};
    return begins_with_any(name, three) ? 3 : 2;
}

static snag__cell kind_of(snag__word name, size_t *nodes)
{
    // Thick shells and cohesive layers count as solids by their nodes.
    static const char *const solids[] = {"C3D", "DC3D", "DCC3D", "AC3D", "EC3D", "Q3D", "COH3D", "SC6", "SC8", "CSS8", NULL};
    static const char *const faces[] = {"S3",  "S4",  "S8",   "S9",  "DS3",  "DS4",  "DS6",  "DS8",  "M3D", "SFM3D", "R3D",
                                        "CPS", "CPE", "CPEG", "CAX", "DC2D", "DCAX", "AC2D", "ACAX", "GPE", NULL};
    // Beams, trusses, pipes and rigid links in space.
    static const char *const lines[] = {"B3", "T3D", "PIPE3", "ELBOW3", "FRAME3D", "RB3D", NULL};
    static const char *const no_area[] = {"B2",      "B3",          "T2",    "T3",    "SPRING", "DASHPOT", "MASS", "ROTARYI",
                                          "CONN",    "PIPE",        "ELBOW", "FRAME", "R2D",    "RB",      "RAX",  "SAX",
                                          "MAX",     "DSAX",        "GAP",   "ITT",   "ITS",    "JOINT",   "DC1D", "DCOUP",
                                          "HEATCAP", "CAPACITANCE", "POINT", "PC3D",  "PD3D",   "DCC1D",   NULL};
    *nodes = number_in(name);
    if (snag__word_is(name, "STRI3") || snag__word_is(name, "STRI65")) {
        *nodes = snag__word_is(name, "STRI3") ? 3 : 6;
        return SNAG__CELL_TRIANGLE;
    }
    if (begins_with_any(name, lines)) {
        *nodes = nodes_of_line(name);
        return SNAG__CELL_LINE;
    }
    if (begins_with_any(name, no_area))
        return SNAG__CELL_NO_AREA;
    if (begins_with(name, "F3D"))  // fluid films on the faces of a cavity
        return face_of(*nodes);
    if (begins_with_any(name, solids))
        return solid_of(*nodes);
    return begins_with_any(name, faces) ? face_of(*nodes) : SNAG__CELL_UNKNOWN;
}

// ---- lines of numbers ----

static snag_status read_node(abaqus *a, snag__word line)
{
    snag__word field, rest = line;
    uint32_t label = 0;
    double position[3] = {0, 0, 0};
    snag__deck_field(&rest, &field);
    if (!snag__deck_label(field, false, &label))
        return snag__deck_fail(&a->deck, line.at, SNAG_ERROR_FORMAT, "expected the number of a node, found '%.*s'",
                               (int)(field.length < 30 ? field.length : 30), field.at);
    for (int axis = 0; axis < 3 && snag__deck_field(&rest, &field); axis++)
        if (field.length && !snag__deck_real(field, &position[axis]))
            return snag__deck_fail(&a->deck, field.at, SNAG_ERROR_FORMAT,
                                   "a coordinate of node %lu: expected a number, found '%.*s'", (unsigned long)label,
                                   (int)(field.length < 30 ? field.length : 30), field.at);
    return snag__deck_add_node(&a->deck, a->part, line.at, label, position);
}

static snag_status end_element(abaqus *a)
{
    if (a->element_count == 0)
        return SNAG_OK;
    size_t nodes = a->element_count - 1;
    a->element_count = 0;
    if (nodes != a->nodes)
        return snag__deck_fail(&a->deck, a->element_at, SNAG_ERROR_FORMAT, "element %lu has %zu nodes, but its type has %zu",
                               (unsigned long)a->element[0], nodes, a->nodes);
    return snag__deck_add_element(&a->deck, a->part, a->element_at, a->element[0], a->kind, a->element + 1, nodes, a->set);
}

// Elements of kinds that are not read: a new one starts after each line that does not end in a comma.
static snag_status count_element(abaqus *a, snag__word line)
{
    snag_status status = SNAG_OK;
    if (!a->continues)
        status = snag__deck_add_element(&a->deck, a->part, line.at, 0, a->kind, NULL, 0, 0);
    a->continues = line.at[line.length - 1] == ',';
    return status;
}

static snag_status read_element(abaqus *a, snag__word line)
{
    if (snag__cell_corners(a->kind) == 0)
        return count_element(a, line);
    snag__word field, rest = line;
    if (a->element_count == 0)
        a->element_at = line.at;
    while (snag__deck_field(&rest, &field)) {
        if (field.length == 0 && !rest.at)
            break;  // after the last comma of a continued line
        if (a->element_count > a->nodes && a->kind == SNAG__CELL_LINE)
            break;  // a further node of a beam says how its section is turned
        if (a->element_count > a->nodes)
            return snag__deck_fail(&a->deck, field.at, SNAG_ERROR_FORMAT, "element %lu has more than the %zu nodes of its type",
                                   (unsigned long)a->element[0], a->nodes);
        if (!snag__deck_label(field, false, &a->element[a->element_count]))
            return snag__deck_fail(&a->deck, field.at, SNAG_ERROR_FORMAT, "expected the number of %s, found '%.*s'",
                                   a->element_count ? "a node" : "an element", (int)(field.length < 30 ? field.length : 30),
                                   field.at);
        a->element_count++;
    }
    // An element whose line ends early continues on the next line.
    return a->element_count == a->nodes + 1 ? end_element(a) : SNAG_OK;
}

// ---- instances ----

static snag_status read_instance_line(abaqus *a, snag__word line)
{
    snag__word field, rest = line;
    size_t first = a->instance_lines == 0 ? 0 : 3, most = a->instance_lines == 0 ? 3 : 7;
    if (a->instance_lines > 1)
        return SNAG_OK;
    for (size_t i = 0; i < most && snag__deck_field(&rest, &field); i++)
        if (field.length && !snag__deck_real(field, &a->instance_numbers[first + i]))
            return snag__deck_fail(&a->deck, field.at, SNAG_ERROR_FORMAT,
                                   "expected a number of the instance's position, found '%.*s'",
                                   (int)(field.length < 30 ? field.length : 30), field.at);
    a->instance_lines++;
    return SNAG_OK;
}

// Translates first, then rotates by an angle in degrees about the line through two points.
static snag_status place_instance(abaqus *a, double m[12])
{
    const double *t = a->instance_numbers, *p = t + 3, *q = t + 6;
    double axis[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, length = hypot(hypot(axis[0], axis[1]), axis[2]);
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (a->instance_lines > 1 && t[9] != 0) {
        if (!(length > 0))
            return snag__deck_fail(&a->deck, a->instance_at, SNAG_ERROR_FORMAT,
                                   "an instance is turned about a line whose two points are one");
        double angle = t[9] * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle);
        for (int i = 0; i < 3; i++)
            axis[i] /= length;
        const double cross[3][3] = {{0, -axis[2], axis[1]}, {axis[2], 0, -axis[0]}, {-axis[1], axis[0], 0}};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                r[i][k] = (i == k ? c : 0) + (1 - c) * axis[i] * axis[k] + s * cross[i][k];
    }
    for (int i = 0; i < 3; i++) {
        m[4 * i + 3] = p[i];
        for (int k = 0; k < 3; k++) {
            m[4 * i + k] = r[i][k];
            m[4 * i + 3] += r[i][k] * (t[k] - p[k]);
        }
    }
    return SNAG_OK;
}

static snag_status apply_all_sets(abaqus *a);

static snag_status end_instance(abaqus *a)
{
    double matrix[12];
    if (!a->instance_name)
        return SNAG_OK;
    snag_status status = apply_all_sets(a);
    if (status == SNAG_OK)
        status = place_instance(a, matrix);
    bool stays = a->instance_lines == 0;
    if (status == SNAG_OK)
        status = snag__deck_emit(&a->deck, a->instance_part, stays ? NULL : matrix, a->instance_name);
    free(a->instance_name);
    a->instance_name = NULL;
    a->instances = true;
    return status;
}

static size_t find_part(const abaqus *a, snag__word name)
{
    for (size_t i = 1; i < a->deck.part_count; i++)
        if (a->deck.parts[i].name && snag__word_is(name, a->deck.parts[i].name))
            return i;
    return 0;
}

static snag_status begin_instance(abaqus *a, const keyword *key)
{
    snag__word name = parameter(key, "name"), part = parameter(key, "part");
    if (a->instance_name)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_FORMAT,
                               "an instance begins before the last one has ended (*END INSTANCE)");
    if (!part.at || !name.at)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_UNSUPPORTED,
                               "an instance without NAME and PART, such as one of an earlier "
                               "analysis, cannot be read");
    a->instance_part = find_part(a, part);
    if (!a->instance_part)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_FORMAT, "an instance of the part %.*s, which does not exist",
                               (int)(part.length < 100 ? part.length : 100), part.at);
    a->instance_name = malloc(name.length + 1);
    if (!a->instance_name)
        return snag__deck_no_memory(&a->deck);
    memcpy(a->instance_name, name.at, name.length);
    a->instance_name[name.length] = 0;
    memset(a->instance_numbers, 0, sizeof a->instance_numbers);
    a->instance_lines = 0;
    a->instance_at = key->at;
    a->block = BLOCK_INSTANCE;
    return SNAG_OK;
}

// ---- sets ----

// The number of the set with this name in this part, counted from 1; adds the set if it is new.
static snag_status find_set(abaqus *a, snag__word name, uint32_t *set)
{
    *set = 0;
    if (!a->deck.grouped || !name.length)
        return SNAG_OK;
    // Sets with the same name in several parts share one number: the object tells them apart.
    for (size_t i = 0; i < a->deck.title_count; i++)
        if (snag__word_is(name, a->deck.titles[i].name)) {
            *set = a->deck.titles[i].group;
            return SNAG_OK;
        }
    enum { MOST_SETS = 10000 };
    if (a->set_count == MOST_SETS)
        return snag__io_fail(a->deck.builder->source->error, SNAG_ERROR_SIZE,
                             "%s: more than %d sets of elements cannot become bodies",
                             snag__path_shown(a->deck.builder->source->name), MOST_SETS);
    *set = ++a->set_count;
    return snag__deck_name_group(&a->deck, *set, name);
}

static snag_status add_range(abaqus *a, set_range range)
{
    set_range *before = a->range_count ? &a->ranges[a->range_count - 1] : NULL;
    if (before && before->listed && range.listed && before->part == range.part && before->set == range.set &&
        before->at == range.at && before->last + 1 == range.first && range.first != 0) {
        before->last = range.last;
        return SNAG_OK;
    }
    if (!a->ranges || a->range_count == a->range_capacity) {
        size_t larger = 2 * a->range_capacity + 16;
        snag_status status = snag__claim_bytes(a->deck.builder->source, (larger - a->range_capacity) * sizeof range);
        set_range *ranges = status == SNAG_OK ? realloc(a->ranges, larger * sizeof *ranges) : NULL;
        // A mesh is not refused for the size of sets that it does not need.
        if (!ranges && !a->deck.grouped)
            return SNAG_OK;
        if (!ranges)
            return status == SNAG_OK ? snag__deck_no_memory(&a->deck) : status;
        a->ranges = ranges;
        a->range_capacity = larger;
    }
    a->ranges[a->range_count++] = range;
    return SNAG_OK;
}

// Element numbers; with GENERATE the first, the last and the step. Ignores names of other sets: their elements already
// belong to a set.
static snag_status read_set(abaqus *a, snag__word line)
{
    snag__word field, rest = line;
    uint32_t numbers[3] = {0, 0, 1};
    size_t count = 0;
    snag_status status = SNAG_OK;
    while (status == SNAG_OK && snag__deck_field(&rest, &field)) {
        uint32_t label = 0;
        bool number = snag__deck_label(field, false, &label);
        if (a->generate && number && count < 3)
            numbers[count++] = label;
        else if (!a->generate && number)
            status = add_range(a, (set_range){line.at, a->part, a->set, label, label, 1, true});
    }
    if (a->generate && count < 2 && !a->deck.grouped)
        return status;
    if (a->generate && count < 2)
        return snag__deck_fail(&a->deck, line.at, SNAG_ERROR_FORMAT, "a set that is generated needs its first and last element");
    return a->generate ? add_range(a, (set_range){line.at, a->part, a->set, numbers[0], numbers[1], numbers[2], false}) : status;
}

static int compare_elements(const void *a, const void *b)
{
    const snag__deck_element *x = *(snag__deck_element *const *)a, *y = *(snag__deck_element *const *)b;
    return (x->label > y->label) - (x->label < y->label);
}

// The first element, in label order, whose label is not below this one.
static size_t lower_bound(snag__deck_element *const *sorted, size_t count, uint32_t label)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle]->label < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// An error where sets become bodies; else a note at the end.
static snag_status note_missing(abaqus *a, const set_range *range, uint32_t label)
{
    if (a->deck.grouped)
        return snag__deck_fail(&a->deck, range->at, SNAG_ERROR_INDEX, "a set names element %lu, which does not exist",
                               (unsigned long)label);
    if (a->missing++ == 0) {
        a->missing_at = range->at;
        a->missing_label = label;
    }
    return SNAG_OK;
}

// Assigns the elements of a part to sets; an element goes to the first set that names it.
static snag_status apply_sets(abaqus *a, size_t index)
{
    snag__deck_part *part = &a->deck.parts[index];
    snag__deck_element **sorted = malloc((part->element_count + 1) * sizeof *sorted);
    if (!sorted)
        return snag__deck_no_memory(&a->deck);
    for (size_t i = 0; i < part->element_count; i++)
        sorted[i] = &part->elements[i];
    qsort(sorted, part->element_count, sizeof *sorted, compare_elements);
    snag_status status = SNAG_OK;
    for (size_t r = 0; r < a->range_count && status == SNAG_OK; r++) {
        const set_range *range = &a->ranges[r];
        size_t found = 0;
        uint32_t missing = range->first;
        if (range->part != index)
            continue;
        for (size_t i = lower_bound(sorted, part->element_count, range->first);
             i < part->element_count && sorted[i]->label <= range->last; i++)
            if ((sorted[i]->label - range->first) % range->step == 0) {
                found++;
                missing += sorted[i]->label == missing;
                if (!sorted[i]->group)
                    sorted[i]->group = range->set;
            }
        // Sets may contain beams and masses, which are not read.
        size_t wanted = range->listed ? range->last - range->first + (size_t)1 : 1;
        if (found < wanted && part->no_area + part->unknown == 0)
            status = note_missing(a, range, missing);
    }
    free(sorted);
    return status;
}

static snag_status apply_all_sets(abaqus *a)
{
    snag_status status = SNAG_OK;
    for (size_t i = 0; i < a->deck.part_count && status == SNAG_OK && a->range_count; i++)
        status = apply_sets(a, i);
    a->range_count = 0;
    return status;
}

// ---- keywords ----

static snag_status begin_part(abaqus *a, const keyword *key)
{
    snag__word name = parameter(key, "name");
    if (a->part)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_FORMAT, "a part begins before the last one has ended (*END PART)");
    if (!name.length)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_FORMAT, "a part without a name");
    if (find_part(a, name))
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_FORMAT, "a second part of the name %.*s",
                               (int)(name.length < 100 ? name.length : 100), name.at);
    return snag__deck_add_part(&a->deck, name, &a->part);
}

static snag_status begin_nodes(abaqus *a, const keyword *key)
{
    snag__word system = parameter(key, "system");
    if (system.at && !snag__word_is(system, "R"))
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_UNSUPPORTED,
                               "nodes in cylindrical or spherical coordinates cannot be read; write "
                               "them in Cartesian ones");
    if (a->instance_name)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_UNSUPPORTED,
                               "nodes within an instance cannot be read; put them into its part");
    a->block = BLOCK_NODES;
    return SNAG_OK;
}

static snag_status begin_elements(abaqus *a, const keyword *key)
{
    snag__word type = parameter(key, "type");
    if (!type.length)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_FORMAT, "elements without a TYPE");
    if (a->instance_name)
        return snag__deck_fail(&a->deck, key->at, SNAG_ERROR_UNSUPPORTED,
                               "elements within an instance cannot be read; put them into its part");
    a->kind = kind_of(type, &a->nodes);
    a->continues = false;
    a->block = BLOCK_ELEMENTS;
    return find_set(a, parameter(key, "elset"), &a->set);
}

static snag_status begin_set(abaqus *a, const keyword *key)
{
    // Sets of the assembly name elements of instances, and programs create internal sets.
    if (a->instances || a->instance_name || parameter(key, "instance").at || parameter(key, "internal").at)
        return SNAG_OK;
    a->generate = parameter(key, "generate").at != NULL;
    a->block = BLOCK_SET;
    return find_set(a, parameter(key, "elset"), &a->set);
}

static snag_status fail_generated(const abaqus *a, const keyword *key)
{
    return snag__deck_fail(
        &a->deck, key->at, SNAG_ERROR_UNSUPPORTED,
        "*%.*s makes or moves nodes or elements by a rule, which is not read; write the mesh out (every node and element)",
        (int)(key->name.length < 40 ? key->name.length : 40), key->name.at);
}

static bool is_generator(snag__word name)
{
    static const char *const names[] = {"ngen", "elgen", "nfill", "ncopy", "elcopy", "nmap", "system", NULL};
    for (const char *const *n = names; *n; n++)
        if (snag__word_is(name, *n))
            return true;
    return false;
}

// An analytical rigid surface has an area, although it has no elements.
static void count_surface(abaqus *a, const keyword *key)
{
    snag__word type = parameter(key, "type");
    if (snag__word_is(type, "segments") || snag__word_is(type, "cylinder") || snag__word_is(type, "revolution"))
        a->deck.parts[a->part].unknown++;
}

static snag_status begin_block(abaqus *a, const keyword *key)
{
    snag__word name = key->name;
    a->block = BLOCK_OTHER;
    if (snag__word_is(name, "node"))
        return begin_nodes(a, key);
    if (snag__word_is(name, "element"))
        return begin_elements(a, key);
    if (snag__word_is(name, "elset"))
        return begin_set(a, key);
    if (snag__word_is(name, "part"))
        return begin_part(a, key);
    if (snag__word_is(name, "instance"))
        return begin_instance(a, key);
    if (snag__word_is(name, "end instance"))
        return end_instance(a);
    if (snag__word_is(name, "end part")) {
        a->part = 0;
        return SNAG_OK;
    }
    if (snag__word_is(name, "surface"))
        count_surface(a, key);
    else if (is_generator(name))
        return fail_generated(a, key);
    static const char *const frames[] = {"heading", "assembly", "end assembly", "nset", NULL};
    for (const char *const *frame = frames; *frame; frame++)
        if (snag__word_is(name, *frame))
            return SNAG_OK;
    a->deck.passed_over++;
    return SNAG_OK;
}

static snag_status read_keyword(abaqus *a, const keyword *key)
{
    snag_status status = end_element(a);
    if (status != SNAG_OK)
        return status;
    snag__word input = parameter(key, "input");
    bool includes = snag__word_is(key->name, "include");
    if (!includes)
        status = begin_block(a, key);
    bool data = a->block == BLOCK_NODES || a->block == BLOCK_ELEMENTS;
    if (status == SNAG_OK && (includes || (input.at && data)))
        status = snag__deck_include(&a->deck, key->at, input);
    return status;
}

// ---- the file ----

// A keyword line that ends in a comma continues on the next line: join the lines.
static snag_status take_keyword(abaqus *a, snag__word line)
{
    char joined[2048];
    size_t length = 0;
    const char *at = line.at;
    for (;;) {
        if (length + line.length >= sizeof joined)
            return snag__deck_fail(&a->deck, at, SNAG_ERROR_SIZE, "this keyword is longer than %zu characters", sizeof joined);
        memcpy(joined + length, line.at, line.length);
        length += line.length;
        if (line.length == 0 || line.at[line.length - 1] != ',')
            break;
        snag__text ahead = a->deck.text;
        line = snag__deck_trim(snag__deck_line(&ahead));
        if (!line.at || (line.length && line.at[0] == '*'))
            break;
        a->deck.text = ahead;
    }
    snag__word rest = {joined + 1, length - 1};
    keyword key = {.at = at};
    snag__deck_field(&rest, &key.name);
    key.parameters = rest;
    return read_keyword(a, &key);
}

static snag_status take_data(abaqus *a, snag__word line)
{
    switch (a->block) {
    case BLOCK_NODES: return read_node(a, line);
    case BLOCK_ELEMENTS: return read_element(a, line);
    case BLOCK_INSTANCE: return read_instance_line(a, line);
    case BLOCK_SET: return read_set(a, line);
    default: return SNAG_OK;
    }
}

static snag_status read_lines(abaqus *a)
{
    snag_status status = SNAG_OK;
    snag__word line;
    while (status == SNAG_OK && snag__deck_next(&a->deck, &line)) {
        line = snag__deck_trim(line);
        if (line.length == 0 || (line.length > 1 && line.at[0] == '*' && line.at[1] == '*'))
            continue;
        status = line.at[0] == '*' ? take_keyword(a, line) : take_data(a, line);
    }
    return status;
}

// Parts without an instance, as in a library of parts: each becomes a body where it is.
static snag_status emit_rest(abaqus *a)
{
    snag_status status = apply_all_sets(a);
    for (size_t i = 1; i < a->deck.part_count && status == SNAG_OK && !a->instances; i++)
        status = snag__deck_emit(&a->deck, i, NULL, a->deck.parts[i].name);
    if (status == SNAG_OK)
        status = snag__deck_emit(&a->deck, 0, NULL, a->deck.part_count > 1 ? "" : NULL);
    return status;
}

static snag_status check_end(abaqus *a)
{
    snag_status status = end_element(a);
    const char *end = a->deck.files[0].source.data + a->deck.files[0].source.size;
    if (status == SNAG_OK && (a->part || a->instance_name))
        return snag__deck_fail(&a->deck, end, SNAG_ERROR_FORMAT, "the file is cut off: *END %s is missing",
                               a->part ? "PART" : "INSTANCE");
    // A last line without a line end may be truncated, unless it is an *END keyword or a comment.
    const snag__source *source = &a->deck.files[0].source;
    const char *line = end;
    while (line > source->data && !snag__is_line_end(line[-1]))
        line--;
    snag__word last = snag__deck_trim((snag__word){line, (size_t)(end - line)});
    if (status == SNAG_OK && last.length && !begins_with(last, "*END ") && !begins_with(last, "**"))
        return snag__deck_fail(&a->deck, end, SNAG_ERROR_FORMAT, "the file is cut off: its last line does not end");
    return status;
}

snag_status snag__read_abaqus(const snag__source *source, snag__builder *builder)
{
    abaqus a = {.block = BLOCK_OTHER};
    size_t outside;
    snag_status status = snag__deck_begin(&a.deck, source, builder);
    if (status == SNAG_OK)
        status = snag__deck_add_part(&a.deck, (snag__word){NULL, 0}, &outside);
    a.deck.order = SNAG__ORDER_ABAQUS;
    a.deck.grouped = snag__builder_groups_by(builder, SNAG_IO_SPLIT_GROUPS);
    if (status == SNAG_OK)
        status = read_lines(&a);
    if (status == SNAG_OK)
        status = check_end(&a);
    if (status == SNAG_OK)
        status = emit_rest(&a);
    if (status == SNAG_OK)
        status = snag__deck_finish(&a.deck);
    if (status == SNAG_OK)
        snag__deck_note_passed(&a.deck, "keywords");
    if (status == SNAG_OK && a.missing)
        snag__deck_fail(&a.deck, a.missing_at, SNAG_OK, "a set names element %lu, which does not exist%s",
                        (unsigned long)a.missing_label, a.missing > 1 ? "; it is not the only one" : "");
    free(a.instance_name);
    free(a.ranges);
    snag__deck_free(&a.deck);
    return status;
}

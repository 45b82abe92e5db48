// Decks: input files of finite-element programs. Nodes and elements have labels and appear in any order and in parts; a
// file may include others. The readers of Abaqus, Nastran, LS-DYNA and Ansys fill a deck, which then fills the builder.
#ifndef SNAG_IO_DECK_H
#define SNAG_IO_DECK_H

#include "cells.h"
#include "groups.h"
#include "text.h"

// A file of the deck: the main file or an included one.
typedef struct snag__deck_file {
    snag__source source;
    char *path, *data, *unpacked;  // owned data of an included file
    size_t from;  // the including file
    const char *resume;  // where reading continues after an included file
} snag__deck_file;

typedef struct snag__deck_node {
    double position[3];
    const char *at;  // position in the file, for messages
    uint32_t label;
} snag__deck_node;

typedef struct snag__deck_element {
    const char *at;
    size_t first_node;  // index into element_nodes
    uint32_t label;
    uint32_t group;  // as numbered by the reader
    uint8_t kind;  // snag__cell
    uint8_t node_count;
} snag__deck_element;

// Nodes and elements that share one range of labels.
typedef struct snag__deck_part {
    char *name;  // NULL: none
    snag__deck_node *nodes;
    size_t node_count, node_capacity;
    snag__deck_element *elements;
    size_t element_count, element_capacity;
    uint32_t *element_nodes;  // labels
    size_t element_node_count, element_node_capacity;
    size_t no_area, unknown;  // elements that are not read
    bool ready;  // the label lookup is ready
    uint32_t lowest, highest;
    uint32_t *table;  // maps label - lowest to node, or NULL
    uint32_t *sorted;  // nodes sorted by label, or NULL
} snag__deck_part;

// The name of a group of elements.
typedef struct snag__deck_title {
    uint32_t group;
    char *name;
} snag__deck_title;

typedef struct snag__deck {
    snag__builder *builder;
    bool grouped;  // element groups become bodies
    const char *group_word;  // such as "property": names groups without a title, with their number
    snag__deck_title *titles;
    size_t title_count, title_capacity;
    bool titles_sorted;
    snag__deck_file *files;
    size_t file_count, file_capacity;
    size_t file;  // the current file
    snag__source source;  // of the main file
    snag__text text;
    bool returned;  // the last line comes after an included file
    snag__deck_part *parts;
    size_t part_count, part_capacity;
    size_t label_capacity, face_capacity, cell_capacity;  // of the arrays of numbers in the builder
    size_t face_count, cell_count;
    snag__node_order order;  // of the nodes of elements
    size_t passed_over;  // cards and keywords that are neither nodes nor elements
} snag__deck;

// Starts with the main file and no part.
snag_status snag__deck_begin(snag__deck *deck, const snag__source *source, snag__builder *builder);
void snag__deck_free(snag__deck *deck);

// Fails with a message that names the file and the line of `at`, a position in one of the files. With SNAG_OK the message is a note.
snag_status snag__deck_fail(const snag__deck *deck, const char *at, snag_status status, const char *format, ...) SNAG__PRINTF(4, 5);
snag_status snag__deck_no_memory(const snag__deck *deck);

// Adds a part; *index is its number.
snag_status snag__deck_add_part(snag__deck *deck, snag__word name, size_t *index);
snag_status snag__deck_add_node(snag__deck *deck, size_t part, const char *at, uint32_t label, const double position[3]);
// Elements of kinds that are not read are only counted.
snag_status snag__deck_add_element(snag__deck *deck, size_t part, const char *at, uint32_t label, snag__cell kind,
                                   const uint32_t *nodes, size_t node_count, uint32_t group);

// Names a group, if groups become bodies; the first name wins.
snag_status snag__deck_name_group(snag__deck *deck, uint32_t group, snag__word name);

// The next line, without its line end; at the end of an included file, continues after the inclusion. False: no more lines.
bool snag__deck_next(snag__deck *deck, snag__word *line);
// Continues in a file included at `at`. Looks beside the including file, then beside the main file. Rejects a file that
// includes itself.
snag_status snag__deck_include(snag__deck *deck, const char *at, snag__word path);

// Hands the nodes and elements of part `index` to the builder, as an object if it has a name. `matrix` transforms them:
// three rows of four numbers; NULL: identity. Ignores a part without elements.
snag_status snag__deck_emit(snag__deck *deck, size_t index, const double matrix[12], const char *name);
// Call at the end: removes faces beside volumes and completes the element numbers.
snag_status snag__deck_finish(snag__deck *deck);
// Notes how many cards or keywords (`what`) were passed over, if any were.
void snag__deck_note_passed(const snag__deck *deck, const char *what);

// ---- text ----

// The next line without its line end; advances past it. at NULL: no more lines.
snag__word snag__deck_line(snag__text *text);
// Trims blanks at both ends.
snag__word snag__deck_trim(snag__word word);
// The text up to the next comma, trimmed; *line keeps the rest. False: no more fields.
bool snag__deck_field(snag__word *line, snag__word *field);
// A label: only digits, above 0 unless `zero` is allowed, and below 2^32 - 1.
bool snag__deck_label(snag__word word, bool zero, uint32_t *label);
// A number in Fortran syntax: 1.5, 1.5E3, 1.5D+3, 1.5+3. False: not a number, or not finite.
bool snag__deck_real(snag__word word, double *value);

#endif

// Decks: the input files of finite-element programs. Nodes and elements carry labels, stand in any order and in parts, and a file
// may include others. The readers of Abaqus, Nastran, LS-DYNA and Ansys fill a deck; it then fills the builder.
#ifndef SNAG_IO_DECK_H
#define SNAG_IO_DECK_H

#include "cells.h"
#include "groups.h"
#include "text.h"

// A file of the deck: the one that is read, or one that it includes.
typedef struct snag__deck_file {
    snag__source source;
    char *path, *data, *unpacked;  // of an included file, which owns them
    size_t from;  // the file that includes it
    const char *resume;  // where reading goes on after a file that it includes
} snag__deck_file;

typedef struct snag__deck_node {
    double position[3];
    const char *at;  // where it stands, for messages
    uint32_t label;
} snag__deck_node;

typedef struct snag__deck_element {
    const char *at;
    size_t first_node;  // among the labels of nodes
    uint32_t label;
    uint32_t group;  // as the reader numbers them
    uint8_t kind;  // snag__cell
    uint8_t node_count;
} snag__deck_element;

// Nodes and elements whose labels belong together.
typedef struct snag__deck_part {
    char *name;  // NULL: none
    snag__deck_node *nodes;
    size_t node_count, node_capacity;
    snag__deck_element *elements;
    size_t element_count, element_capacity;
    uint32_t *element_nodes;  // labels
    size_t element_node_count, element_node_capacity;
    size_t no_area, unknown;  // elements that are not read
    bool ready;  // labels can be looked up
    uint32_t lowest, highest;
    uint32_t *table;  // from label - lowest to node, or NULL
    uint32_t *sorted;  // nodes in the order of their labels, or NULL
} snag__deck_part;

// The name of a group of elements.
typedef struct snag__deck_title {
    uint32_t group;
    char *name;
} snag__deck_title;

typedef struct snag__deck {
    snag__builder *builder;
    bool grouped;  // groups of elements become bodies
    const char *group_word;  // such as "property": groups without a title are named by it and their number
    snag__deck_title *titles;
    size_t title_count, title_capacity;
    bool titles_sorted;
    snag__deck_file *files;
    size_t file_count, file_capacity;
    size_t file;  // the one that is being read
    snag__source source;  // its own
    snag__text text;
    bool returned;  // the last line stands after a file that was included
    snag__deck_part *parts;
    size_t part_count, part_capacity;
    size_t label_capacity, face_capacity, cell_capacity;  // of the builder's names
    size_t cell_count;
    size_t passed_over;  // cards and keywords that are neither nodes nor elements
} snag__deck;

// Begins with the one file and no part.
snag_status snag__deck_begin(snag__deck *deck, const snag__source *source, snag__builder *builder);
void snag__deck_free(snag__deck *deck);

// Fails with a message that names the file and the line of `at`, which is a place in one of the files.
snag_status snag__deck_fail(const snag__deck *deck, const char *at, snag_status status, const char *format, ...) SNAG__PRINTF(4, 5);
snag_status snag__deck_no_memory(const snag__deck *deck);

// Adds a part; *index is its number.
snag_status snag__deck_add_part(snag__deck *deck, snag__word name, size_t *index);
snag_status snag__deck_add_node(snag__deck *deck, size_t part, const char *at, uint32_t label, const double position[3]);
// An element of a kind that is not read is only counted.
snag_status snag__deck_add_element(snag__deck *deck, size_t part, const char *at, uint32_t label, snag__cell kind,
                                   const uint32_t *nodes, size_t node_count, uint32_t group);

// Names a group, where groups become bodies; of two names the first stands.
snag_status snag__deck_name_group(snag__deck *deck, uint32_t group, snag__word name);

// The next line, without its end; where a file that was included ends, it is that after its inclusion. False: there is none.
bool snag__deck_next(snag__deck *deck, snag__word *line);
// Goes on with a file that is included at `at`: beside the one that includes it, or beside the first one. Refuses a file that
// includes itself.
snag_status snag__deck_include(snag__deck *deck, const char *at, snag__word path);

// Hands the nodes and elements of part `index` to the builder, as an object if it has a name. `matrix` moves them: three rows of four
// numbers; NULL: they stay. A part without elements is left alone.
snag_status snag__deck_emit(snag__deck *deck, size_t index, const double matrix[12], const char *name);
// At the end: faces beside volumes are taken away, and the names of elements are complete.
snag_status snag__deck_finish(snag__deck *deck);

// ---- text ----

// The next line without its end, which is passed over; at NULL: there is none.
snag__word snag__deck_line(snag__text *text);
// The word without blanks around it.
snag__word snag__deck_trim(snag__word word);
// The part of a line up to the next comma, trimmed; the rest of the line is left in *line. False: there is no more.
bool snag__deck_field(snag__word *line, snag__word *field);
// A label: digits alone, more than 0 unless `zero` is allowed, and below 2^32 - 1.
bool snag__deck_label(snag__word word, bool zero, uint32_t *label);
// A number as Fortran writes it: 1.5, 1.5E3, 1.5D+3, 1.5+3. False: it is none, or not finite.
bool snag__deck_real(snag__word word, double *value);

#endif

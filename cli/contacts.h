// Contacts as users see them: elements numbered as in their files, the triangles of a split polygon named after the polygon and
// counted once, sorted, and written as CSV or as a line of text.
#ifndef SNAG_CLI_CONTACTS_H
#define SNAG_CLI_CONTACTS_H

#include "scene.h"

// How the elements of a body are numbered for the user. NULL arrays: counted from first_vertex, first_face, 0.
typedef struct contact_body {
    const char *name;
    snag_body_id id;
    bool volume;  // its triangles are boundary triangles without a number in the file: use their index
    const uint32_t *vertex_numbers, *polygon_numbers, *tet_numbers;
    const uint32_t *triangle_faces;
    uint32_t first_vertex, first_face;
    char *const *label_names;  // --label: the name of label n is label_names[n - 1]
    size_t label_count;  // 0: without labels
    // The lowest number in the file, if the body's numbers are a range: a reader may have put its elements into another order.
    uint32_t lowest_vertex, lowest_polygon, lowest_tet;  // UINT32_MAX: not a range
    uint32_t *polygon_ranks, *tet_ranks;  // cells of the body that were cut: by part, from 0; NULL: none was. Owned
} contact_body;

typedef struct contact_element {
    snag_element_kind kind;
    uint32_t number[2];  // the second, larger one only for an edge
} contact_element;

typedef struct contact_line {
    uint32_t body_a, body_b;  // in the order of the bodies given
    contact_element a, b;
    contact_element object_a, object_b;  // the same elements, counted from 0 within their bodies
    bool swapped;  // a in the line is b in the contact
    uint64_t place;  // id of its place; 0: not grouped (places.h)
    const snag_contact *contact;
} contact_line;

typedef struct contact_list {
    contact_body *bodies;
    size_t body_count;
    uint32_t *body_of_index;  // from a body id's index to its position in `bodies`
    const snag_world *world;  // NULL: lines have no labels
    snag_question question;
    contact_line *lines;
    size_t count, capacity;
    bool streamed;  // there are no lines: they were written before (stream.h)
    size_t self, between;
    size_t kinds[SNAG_CONTACT_KIND_COUNT];
} contact_list;

// An empty list for the given number of bodies; fill list->bodies before the first answer. False: out of memory. Free it in any
// case.
bool contacts_begin(contact_list *list, size_t body_count);
// The same for the bodies of a scene, which must be in a world and stay open while the list is used.
bool contacts_begin_scene(contact_list *list, const scene *s);
void contacts_free(contact_list *list);
// Call after bodies of the scene were replaced by others with the same names.
void contacts_renew(contact_list *list, const scene *s);

// Maps the indices of body ids to bodies (body_of_index). contacts_fill does it too. False: out of memory.
bool contacts_index(contact_list *list);
// Fills the list from an answer, which must stay valid while the lines are used. False: out of memory.
bool contacts_fill(contact_list *list, const snag_answer *answer);

snag_status contacts_write(const contact_list *list, uint64_t frame, snag_io_pairs *pairs, snag_io_error *error);

// An element of a body with its number in the file.
contact_element contacts_number(const contact_body *body, const snag_element *element);
// The same counted from 0 within the body, as programs number the elements of an object once they have read the file: in the order of
// the file where the body's numbers are a range of it, else in that of the reader.
contact_element contacts_object_number(const contact_body *body, const snag_element *element);

// The name of an element's group, material or part with --label; NULL: none.
const char *contacts_label(const contact_list *list, uint32_t body, const snag_element *element);
// Of the two sides of a line.
const char *contacts_label_a(const contact_list *list, const contact_line *line);
const char *contacts_label_b(const contact_list *list, const contact_line *line);

// Whether the contact is an intersection of two triangles: a joint answer to penetrations contains those too (joint.h).
bool contacts_is_intersection(snag_question question, const snag_contact *contact);

// "v7", "t12", "k5", "e3-9".
typedef struct element_text {
    char text[32];
} element_text;
element_text contacts_element(contact_element element);

// Where a contact is: the middle of an intersection's segment, else the point on a.
void contacts_point(const contact_list *list, const contact_line *line, double point[3]);

// "cloth t12 - ball t44, crossing, at (0.1, 0.2, 0.3)"; without names if there is only one body.
void contacts_describe(FILE *out, const contact_list *list, const contact_line *line);

// The most important lines, at most `most` of them: the earliest impacts, the closest pairs, the deepest penetrations, crossings
// before coplanar before touching; ties in list order. Returns how many were written to `found`.
size_t contacts_foremost(const contact_list *list, const contact_line **found, size_t most);

#endif

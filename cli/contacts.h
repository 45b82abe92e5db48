// An answer in the user's words: elements numbered as in their files, the triangles of a split polygon named by their
// polygon and counted once, sorted, and written as CSV or as a line to read.
#ifndef SNAG_CLI_CONTACTS_H
#define SNAG_CLI_CONTACTS_H

#include "scene.h"

// How the elements of a body are numbered for the user. NULL arrays: counted from first_vertex, first_face, 0.
typedef struct contact_body {
    const char *name;
    snag_body_id id;
    bool volume;  // its triangles are the boundary's and have no number in a file: their own counts
    const uint32_t *vertex_numbers, *polygon_numbers, *tet_numbers;
    const uint32_t *triangle_faces;
    uint32_t first_vertex, first_face;
} contact_body;

typedef struct contact_element {
    snag_element_kind kind;
    uint32_t number[2];  // the second of an edge only, the larger
} contact_element;

typedef struct contact_line {
    uint32_t body_a, body_b;  // in the order of the bodies given
    contact_element a, b;
    bool swapped;  // a of the line is b of the contact
    const snag_contact *contact;
} contact_line;

typedef struct contact_list {
    contact_body *bodies;
    size_t body_count;
    uint32_t *body_of_index;  // from a body id's index to its place in `bodies`
    snag_question question;
    contact_line *lines;
    size_t count, capacity;
    size_t self, between;
    size_t kinds[SNAG_CONTACT_KIND_COUNT];
} contact_list;

// An empty list for so many bodies; fill list->bodies before the first answer. False: no memory. Free it in any case.
bool contacts_begin(contact_list *list, size_t body_count);
// The same with the bodies of a scene, which must be in a world and stay open as long as the list is used.
bool contacts_begin_scene(contact_list *list, const scene *s);
void contacts_free(contact_list *list);
// After bodies of the scene were replaced by others of the same names.
void contacts_renew(contact_list *list, const scene *s);

// Replaces the lines by those of an answer, which must stay valid as long as the lines are used. False: no memory.
bool contacts_fill(contact_list *list, const snag_answer *answer);

snag_status contacts_write(const contact_list *list, uint64_t frame, snag_io_pairs *pairs, snag_io_error *error);

// An element of a body as its file numbers it.
contact_element contacts_number(const contact_body *body, const snag_element *element);

// Whether it is one of two triangles that intersect: an answer to penetrations may hold those too (joint.h).
bool contacts_is_intersection(snag_question question, const snag_contact *contact);

// "v7", "t12", "k5", "e3-9".
typedef struct element_text {
    char text[32];
} element_text;
element_text contacts_element(contact_element element);

// Where a contact is: the middle of an intersection's segment, else the point on a.
void contacts_point(const contact_list *list, const contact_line *line, double point[3]);

// "cloth t12 - ball t44, crossing, at (0.1, 0.2, 0.3)"; names are left out if there is one body.
void contacts_describe(FILE *out, const contact_list *list, const contact_line *line);

// The lines worth showing first, at most `most` of them: the earliest impacts, the closest pairs, the deepest
// penetrations, crossings before coplanar before touching; among equals the first in order. Returns how many were
// written to `found`.
size_t contacts_foremost(const contact_list *list, const contact_line **found, size_t most);

#endif

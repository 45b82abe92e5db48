// Contacts that are left out on purpose: of bodies that were not asked for (--only, --between), that are there in the first frame
// (--ignore-initial) or in a list of accepted contacts (--ignore, written by --accept).
//
// What is accepted is remembered by the vertices of the two elements: a contact is left out if it shares a vertex with an accepted
// one on both sides. So it stays left out while it slides by an element, and in a file whose faces were sorted anew; what is farther
// away is reported.
#ifndef SNAG_CLI_IGNORE_H
#define SNAG_CLI_IGNORE_H

#include "common/any_question.h"
#include "contacts.h"

typedef struct ignore_list {
    const options *o;
    const scene *scene;
    bool *wanted;  // by body: --only; NULL: all
    bool *side[2];  // by body: the two of --between; NULL: any
    bool *(*apart)[2];  // by pair of --no-contact: its two sides, by body
    size_t apart_count;
    uint64_t *first_vertex;  // by body: vertices are numbered through all bodies
    uint64_t *slots;  // accepted pairs of vertices, plus 1; open addressing
    size_t slot_count, used;
    bool initial;  // the first frame is still to come
    bool begun;  // the bodies are those of the first frame that is looked at
    bool others;  // the faces have changed since: vertices have other numbers than those that are accepted
    size_t ignored;  // contacts left out, as the tool counts them: by faces and cells of the file
    snag_contact *left;  // those of the last answer
    size_t left_count, left_capacity;
    snag_contact *contacts;  // what is left of an answer
    size_t capacity;
    snag_answer answer;
    FILE *accepting;  // --accept: written as frames pass
    char *accepted;
    size_t accepted_size, accepted_count;
} ignore_list;

// Marks the bodies of a comma-separated list of names and patterns. On failure prints the reason, with the name of the option.
int ignore_mark_bodies(const scene *s, const char *name_of_option, const char *list, bool *marks, words *w);

// Reads the names and lists of the options for a scene whose bodies are in a world. On failure prints the reason. Free it in any case.
int ignore_begin(ignore_list *list, const options *o, const scene *s, words *w);
// --rest: what meets in the pose of that file is accepted.
int ignore_rest(ignore_list *list, const any_question *question, words *w);
// The bodies are where the first frame has them. Of moves, what meets there is accepted now, and not what meets in the first one.
int ignore_first(ignore_list *list, snag_world *world, const uint32_t *index, const any_question *question, words *w);
// Whether the contacts of two bodies, by position in the scene, are wanted.
bool ignore_wants(const ignore_list *list, size_t a, size_t b);
// Leaves out what is to be ignored: *answer is the same if nothing is, else one of the list's, valid until the next call. The positions of
// bodies in the scene are found by `index` (contact_list.body_of_index).
int ignore_apply(ignore_list *list, const uint32_t *index, const snag_answer **answer, words *w);
// Adds what the last call left out to `ignored`. Uses the contact list, which must be filled anew afterwards. False: out of memory.
bool ignore_count(ignore_list *list, contact_list *contacts);
// The faces have changed: vertices have other numbers. After the first frame nothing is left out any more but by name, and nothing accepted.
int ignore_renew(ignore_list *list, words *w);
// --accept: writes the file.
int ignore_end(ignore_list *list, words *w);
void ignore_free(ignore_list *list);

#endif

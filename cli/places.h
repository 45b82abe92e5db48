// Places as users see them (snag/places.h): those of a frame beside the lines of its contacts, and a book of all places over all
// frames, with first, last and worst frame, by place and by pair of bodies.
#ifndef SNAG_CLI_PLACES_H
#define SNAG_CLI_PLACES_H

#include "contacts.h"

// The places of one frame. Valid until the next frame.
typedef struct frame_places {
    const snag_place *places;  // worst first
    size_t count;
    uint32_t *of_contact;  // by index in the answer: the position in `places`
    uint32_t *lines;  // by place: how many lines it has; fewer than contacts where polygons were split
    size_t capacity, line_capacity;
} frame_places;

// A place over all frames; what is measured is of its worst frame.
typedef struct place_record {
    uint64_t id;
    uint32_t body_a, body_b;  // in the order of contact_list.bodies
    size_t first, last, worst;  // frames
    size_t frames;  // in how many it is
    size_t contacts;  // of all frames
    size_t most;  // in its worst frame
    double depth, length, size, value;
    double centre[3];
    contact_element a, b;  // of the worst contact, numbered as in the file
    contact_element object_a, object_b;  // numbered within the object
    char *label_a, *label_b;  // --label: the groups of a and b; NULL: none
    snag_contact_kind kind;
} place_record;

// All places of two bodies, or of a body with itself.
typedef struct pair_record {
    uint32_t body_a, body_b;
    size_t first, last, worst;
    size_t frames, contacts, places;
    double depth, length, value;
    size_t frame;  // the one that was counted last
    size_t here, most;  // counts only: contacts in that frame, and in the worst one
} pair_record;

typedef struct place_book {
    snag_question question;
    place_record *places;  // by id, until place_book_close sorts them
    size_t count, capacity;
    pair_record *pairs;
    size_t pair_count, pair_capacity;
    bool counts_only;  // of pairs of bodies, without places
    bool closed;
} place_book;

// Groups the contacts of an answer and notes the ids of their places in the lines. On failure prints the reason.
int frame_places_fill(frame_places *f, snag_world *world, const snag_answer *answer, contact_list *list, words *w);
void frame_places_free(frame_places *f);
// The position of a line's place in `places`.
uint32_t frame_places_of(const frame_places *f, const snag_answer *answer, const contact_line *line);

// Enters the places of a frame. False: out of memory.
bool place_book_add(place_book *book, const frame_places *f, const contact_list *list, const snag_answer *answer, size_t frame);
// Where contacts are not grouped: enters some of two bodies. `worst`: the deepest, or least value or time. Intersections have no measure
// then: their worst frame is the one with the most. False: out of memory.
bool place_book_count(place_book *book, snag_question question, uint32_t body_a, uint32_t body_b, size_t lines, double worst,
                      size_t frame);
// Sorts places and pairs, the worst first. After this nothing is added.
void place_book_close(place_book *book);
void place_book_free(place_book *book);

// Whether places of a question are worse the smaller their value is: distances and times.
bool places_least_is_worst(snag_question question);

#endif

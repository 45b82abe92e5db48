// Contacts that keep their id from ask to ask. The last answer to each question is kept as a sorted list of keys; the next
// one is merged with it: what is in both persists, what is only in the new one begins, what is only in the old one has
// ended. One pass over two sorted lists, and nothing at all for questions that are not tracked.
#ifndef SNAG_WORLD_TRACK_H
#define SNAG_WORLD_TRACK_H

#include "query/body_snapshot.h"

// The last answer to one question.
typedef struct snag__track {
    snag__body_snapshot snapshot;
    snag__buffer entries[2];  // of what was; and of what is, while it is written
    size_t count;
} snag__track;

typedef struct snag__tracks {
    snag__track questions[SNAG_QUESTION_COUNT];
    snag__buffer ended;  // of snag_ended_contact
    uint64_t last_id;
} snag__tracks;

// Gives the contacts of an answer that was just finished their ids and phases, and lists what has ended. On failure
// (memory) nothing is changed.
snag_status snag__track_contacts(snag__tracks *tracks, const snag__ask *ask, snag_answer *answer);

void snag__tracks_free(const snag_allocator *allocator, snag__tracks *tracks);

#endif

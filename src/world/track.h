// Contact ids that persist from ask to ask. The keys of the last answer to each question are kept, sorted, and merged with the next:
// a contact in both persists, one only in the new answer begins, one only in the old answer has ended. Questions that are not
// tracked cost nothing.
#ifndef SNAG_WORLD_TRACK_H
#define SNAG_WORLD_TRACK_H

#include "query/body_snapshot.h"

// The last answer to one question.
typedef struct snag__track {
    snag__body_snapshot snapshot;
    snag__buffer entries[2];  // contacts of the last answer; and those of the present one while it is merged
    size_t count;
    snag__buffer lost;  // of snag_ended_contact: contacts whose elements an edit has removed since
    size_t lost_count;
} snag__track;

typedef struct snag__tracks {
    snag__track questions[SNAG_QUESTION_COUNT];
    snag__buffer ended;  // of snag_ended_contact
    uint64_t last_id;
} snag__tracks;

// Gives the contacts of a finished answer their ids and phases, and lists the contacts that have ended. On failure (memory) nothing
// is changed.
snag_status snag__track_contacts(snag__tracks *tracks, const snag__ask *ask, snag_answer *answer);

// Contacts keep their ids while a body is edited. First room is made for those that end, which can fail; then nothing can.
bool snag__tracks_reserve_edit(snag__tracks *tracks, const snag_allocator *allocator);
void snag__tracks_edit(snag__tracks *tracks, const snag__body_edit *edit);

void snag__tracks_free(const snag_allocator *allocator, snag__tracks *tracks);

#endif

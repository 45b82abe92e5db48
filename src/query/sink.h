// Answers that go to a sink: records leave memory in sorted runs while the search goes on, and are merged at the end.
#ifndef SNAG_QUERY_SINK_H
#define SNAG_QUERY_SINK_H

#include "query/method.h"

// Whether records leave memory during this ask.
bool snag__spills(const snag__ask *ask);
// Writes all records of the lists as a run and empties the lists, if they take too much memory. No task may be running.
snag_status snag__spill(snag__ask *ask);
// Hands the answer to the sink; `count` records are in the lists.
snag_status snag__finish_to_sink(snag__ask *ask, snag_answer *answer, size_t count);

// ---- answer.c ----

// The order of records with the same key.
bool snag__record_is_before(const snag__record *a, const snag__record *b);
// Writes contacts, or pairs if there are none, of sorted records.
void snag__write_records(snag__ask *ask, const snag__record *records, size_t count, snag_contact *contacts, snag_pair *pairs);
// Impacts: the earliest of these, and of those noted before, which come first in order.
void snag__note_earliest(const snag__ask *ask, const snag__record *records, size_t count, snag_answer *answer);
// The answer as arrays of the world.
snag_status snag__finish_in_memory(snag__ask *ask, snag_answer *answer, size_t count);

#endif

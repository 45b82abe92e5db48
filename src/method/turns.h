// Whose turn it is: that of `regularity`, which is quicker on smooth surfaces, or of `kdop`, which is on all others,
// and whose trees are made in half the time. One tries the other where a look at the surfaces promises something, and
// goes by what it then had to do: by counts, never by a clock, so that the same asks are always answered by the same
// method.
#ifndef SNAG_METHOD_TURNS_H
#define SNAG_METHOD_TURNS_H

#include "method/method.h"

// What a search of `regularity` has done.
typedef struct snag__regularity_work {
    size_t calls;  // of its two procedures
    size_t edges;  // of contours that it tested
    size_t tests;  // pairs of triangles, or of their features, that it compared
} snag__regularity_work;

// Whether `auto` lets these two take turns at a question.
bool snag__takes_turns(const snag_question_def *def);

// The turns of an ask. Those of another case (`auto` or by name, a pose or a move, self, between, the filter and its context,
// the directions) have their own.
snag__turns *snag__turns_of(const snag__ask *ask);

// To be asked once in each ask. For `auto` kdop has the first few asks about the same bodies: whoever asks once or
// twice is not to pay for two trees.
bool snag__is_turn_of_regularity(snag__turns *turns, const snag__ask *ask);

// After an ask of `kdop`: keeps how many candidates it had.
void snag__turns_note_kdop(snag__turns *turns, const snag__ask *ask);
// After a search of `regularity`: too much work hands the next asks over.
void snag__turns_note(snag__turns *turns, const snag__ask *ask, const snag__regularity_work *work);
// The next asks go to `kdop`, twice as many as the last time.
void snag__turns_hand_over(snag__turns *turns);

#endif

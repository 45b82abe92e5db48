// The account of a fix: the places of the input, the vertices that belong to each, and what is left of them.
#ifndef SNAG_RESPONSE_FIX_H
#define SNAG_RESPONSE_FIX_H

#include "response/rounds.h"

typedef struct snag__account {
    snag_fix_place *places;
    uint32_t count;
    uint32_t *label;  // per vertex: the nearest place along the surface, or SNAG__NO_PLACE
    uint32_t *start, *adjacent;  // neighbours of each vertex
    uint32_t *queue;
    struct snag__known *known;  // the pairs of the input, sorted, with their places
    size_t *left;  // per place, at the last count
    uint8_t *returned;  // per place: its vertices are back home
    uint8_t *limited;  // per place: a vertex reached max_move
    uint8_t *through;  // per place: one surface passes right through another
    size_t contacts;  // of the input
    double (*kept)[3];  // per vertex: where its place had the fewest pairs left
    size_t *kept_left;  // per place: how many
    uint8_t *given_up;  // per place: held at home while others are tried again
    double *inverse;  // per vertex: its own, while places are given up
} snag__account;

#define SNAG__NO_PLACE UINT32_MAX

// Makes the places of the input from an answer at the home positions, and labels all vertices.
snag_status snag__account_open(snag__account *account, snag__rounds *rounds, const snag_answer *answer);
// Sends home the vertices of all places that an answer has contacts of, rigid bodies excepted.
void snag__account_reset(snag__account *account, snag__rounds *rounds, const snag_answer *answer);
// Counts what is left of each place; new pairs count where most of their vertices belong.
void snag__account_count(snag__account *account, const snag__rounds *rounds, const snag_answer *answer);
// Keeps the positions of every place that an answer at group.x has fewer pairs of than ever. Returns whether one is free for the first time.
bool snag__account_keep(snag__account *account, snag__rounds *rounds, const snag_answer *answer);
// Sends the places home that would be sent home in the end, and holds their vertices. Returns whether there is one, and others.
bool snag__account_give_up(snag__account *account, snag__rounds *rounds, const snag_answer *answer);
// Whether places are left that were not given up.
bool snag__account_is_left(snag__account *account, const snag__rounds *rounds, const snag_answer *answer);
// Ends the holding.
void snag__account_let_go(const snag__account *account, snag__rounds *rounds);
// Sends home the vertices of places that got no better, and of what meets them then. Returns whether any moved.
bool snag__account_return(snag__account *account, snag__rounds *rounds, const snag_answer *answer);
// Sets left, moves and outcome of each place. `answer` is that at group.x.
void snag__account_close(snag__account *account, const snag__rounds *rounds, const snag_answer *answer);

#endif

// What methods may know of a search for impacts that ends before t1: with `until`, or when only the earliest one is wanted and one
// has been found. Then bounds of elements need hold no more than a part of the move.
#ifndef SNAG_QUERY_IMPACTS_H
#define SNAG_QUERY_IMPACTS_H

#include "query/method.h"

// The part of the move that is left to look at, in 0..1. It gets smaller while tasks run, never larger; the answer does not depend on
// when a task looks.
double snag__impact_span(const snag__ask *ask);
// How far the bounds of elements must be inflated besides their reach, where they are made of positions at the end of a part.
double snag__impact_span_margin(const snag__ask *ask);

// The candidates of a block that may come within the distance of the question and `more` in the part `span` of the move, after the filter
// in single precision, in their order: returns how many. Only with ask->f32_impacts, and for triangles with vertices and edges with edges.
size_t snag__impact_filter_wide(const snag__ask *ask, const snag__pass *pass, uint32_t i, uint32_t j, const uint32_t (*pairs)[2],
                                size_t count, double more, double span, uint32_t (*kept)[2]);

// Keeps who was the earliest, to be looked at first in the next ask.
void snag__impact_note_culprit(const snag__ask *ask, const snag_contact *contact);

#endif

// Places: an answer in groups that a person can act on. A list of 1,396 contacts becomes "the cloth and the head meet in 3 places".
//
//     const snag_place *places;
//     size_t count;
//     status = snag_answer_places(world, answer, &places, &count);
//     // places[0] is the worst
#ifndef SNAG_PLACES_H
#define SNAG_PLACES_H

#include "snag/question.h"

#ifdef __cplusplus
extern "C" {
#endif

// A connected patch of contacts between two bodies, or of a body with itself. Two contacts belong together if their elements are
// neighbours on both sides: the elements of one body share a vertex, and so do those of the other. So a garment that touches a floor
// of two triangles with both sleeves does so in two places. Overlaps, and triangles of sources, whose vertices are not known, belong
// together if they share an element.
typedef struct snag_place {
    // Never 0. A place keeps its id from call to call of the same world and question while it touches elements that it has touched
    // before, also if it was gone meanwhile. If one splits or two join, the largest common part decides; of equal ones the older id stays.
    uint64_t id;
    snag_body_id body_a, body_b;  // the lower index first; the same for self-contacts
    const uint32_t *contacts;  // indices into answer->contacts, ascending
    size_t contact_count;
    double minimum[3], maximum[3];  // box around all points of its contacts
    double centre[3];  // of the box
    double size;  // diagonal of the box
    // Intersections: the length of the curve along which the surfaces cross. Else 0.
    double length;
    // How far a vertex must go to be free. Penetrations and overlaps: the deepest contact. Intersections: where one body is closed, how
    // deep vertices of the other are below its surface; else how far a vertex of a crossing triangle is beyond the other's plane, the
    // most of all pairs. 0 for what only touches, and for other questions.
    double depth;
    // Intersections between two bodies one of which is closed: the depth of the deepest vertex inside, of the part that is bounded by this
    // place. Then it is `depth` too. 0 where no vertex is inside or neither body is closed: `depth` is then that of the pairs.
    double inside;
    // The worst contact: the deepest; proximities and distance: the closest; impacts: the earliest; intersections: the one that must go
    // farthest. Of equal ones the first.
    uint32_t worst;
    double value;  // of the worst contact: snag_contact.value; impacts: t; intersections: the depth
} snag_place;

// Groups an answer into places, the worst first: the deepest (of equally deep ones the longest, then the largest), the closest or the
// earliest. The answer is one of this world with the output `contacts`, or a list that you made from its contacts, such as two answers
// joined; it is read with the present positions, so call this before the bodies move on. The same for any number of threads.
//
// The places are owned by the world and valid until the next call of this function, remove or destroy; asks do not change them, but the
// indices they hold are into this answer. After the first few calls of similar size nothing is allocated.
// Errors: SNAG_ERROR_ARGUMENT (NULL), _UNSUPPORTED (an answer without contacts: pairs, counts and the earliest impact have no points),
// _BODY (a body that was removed), _INDEX (an element that its body does not have), _SIZE (2^32 contacts or more), _MEMORY, _BUSY.
// After an error *places is NULL, *count 0, and ids are as they were.
SNAG_API snag_status snag_answer_places(snag_world *world, const snag_answer *answer, const snag_place **places, size_t *count);

#ifdef __cplusplus
}
#endif

#endif

// A scene of volumes and surfaces needs two questions: penetrations see what is in a tetrahedron or passes through one, but not
// two surfaces that cross, nor a tetrahedron that pierces the middle of a large triangle. Both answers are joined into one.
#ifndef SNAG_CLI_JOINT_H
#define SNAG_CLI_JOINT_H

#include "common/any_question.h"
#include "scene.h"

typedef struct joint {
    bool wanted;  // two questions; else the first alone
    any_question first, second;  // of two: penetrations, and intersections in which a surface takes part
    bool *is_volume;  // by the index of a body's id
    snag_contact *contacts;  // of both answers
    size_t capacity;
    snag_answer answer;
    snag_statistics statistics;  // of both
} joint;

// Whether a scene needs both: it has volumes and surfaces with faces.
bool joint_needed(const scene *s);

// Prepares to ask both, once the bodies are in a world. `first` is the question about penetrations. False: no memory.
// Free it in any case.
bool joint_begin(joint *j, const scene *s, const any_question *first);
void joint_free(joint *j);

// Asks both and joins the answers; the question of the joined one is penetrations. Its method is `auto` if two have answered.
// It is valid until the next ask. SNAG_ERROR_MEMORY also where there is no memory for the joined list.
snag_status joint_ask(joint *j, snag_world *world, const snag_answer **answer);

#endif

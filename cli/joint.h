// A scene of volumes and surfaces needs two questions: penetrations find vertices and edges in tetrahedra, but not two crossing
// surfaces, nor a tetrahedron that pierces the middle of a large triangle. Both answers are joined into one.
#ifndef SNAG_CLI_JOINT_H
#define SNAG_CLI_JOINT_H

#include "common/any_question.h"
#include "scene.h"

typedef struct joint {
    bool wanted;  // ask two questions; else only the first
    any_question first, second;  // penetrations, and intersections that involve a surface
    bool *is_volume;  // by body id index
    snag_contact *contacts;  // of both answers
    size_t capacity;
    snag_answer answer;
    snag_statistics statistics;  // of both
} joint;

// Whether a scene needs both: it has volumes, and surfaces with faces.
bool joint_needed(const scene *s);

// Prepares both questions; the bodies must be in a world. `first` is the question about penetrations. False: out of memory.
// Free it in any case.
bool joint_begin(joint *j, const scene *s, const any_question *first);
void joint_free(joint *j);

// Asks both and joins the answers. The joined answer's question is penetrations, and its method is `auto` if two different ones
// answered. It is valid until the next ask. SNAG_ERROR_MEMORY also if the joined list cannot be allocated.
snag_status joint_ask(joint *j, snag_world *world, const snag_answer **answer);

#endif

// A scene of volumes and surfaces needs two questions: penetrations find vertices and edges in tetrahedra, but not two crossing
// surfaces, nor a tetrahedron that pierces the middle of a large triangle. Both answers are joined into one.
#ifndef SNAG_CLI_JOINT_H
#define SNAG_CLI_JOINT_H

#include "common/any_question.h"
#include "scene.h"

// Who answers questions: the world, or many ranks (mpi/check_ranks.c). `ask` NULL: the world.
typedef struct asker {
    snag_status (*ask)(void *context, snag_world *world, const any_question *question, const snag_answer **answer);
    // The bodies of the scene are in a new frame: moved there, or put there without a motion (`jump`). May be NULL.
    snag_status (*moved)(void *context, const scene *s, bool jump);
    const char *(*message)(void *context);  // of the last call that failed
    void *context;
} asker;

static inline snag_status asker_ask(const asker *by, snag_world *world, const any_question *question, const snag_answer **answer)
{
    return by->ask ? by->ask(by->context, world, question, answer) : any_ask(world, question, answer);
}

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
snag_status joint_ask(joint *j, const asker *by, snag_world *world, const snag_answer **answer);

#endif

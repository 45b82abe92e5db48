// Judges occlusion queries beside exact arithmetic: the same nodes looked at by both, and what was missed or seen too much.
#ifndef SNAG_HELPERS_GL_JUDGE_H
#define SNAG_HELPERS_GL_JUDGE_H

#include "base/random.h"
#include "method/spheres.h"

// Nodes that were judged.
typedef struct gl_score {
    size_t exact;  // that the surface meets
    size_t missed;  // of these, not seen by queries
    size_t extra;  // seen, and not met
} gl_score;

typedef struct gl_judge {
    snag_allocator allocator;
    snag__question def;
    snag__ask ask;
    snag__spheres_state state;
    gl_score score;  // of all so far; may be set back
} gl_judge;

// False, with words, where there is no OpenGL to judge.
bool gl_judge_begin(gl_judge *judge);
void gl_judge_end(gl_judge *judge);

// Looks at one box by both backends, and at all triangles.
void gl_judge_box(gl_judge *judge, const snag__sphere_geometry *geometry, const snag__octants *octants);

// Which nodes of a tree are looked at.
typedef struct gl_branches {
    uint32_t whole;  // all nodes down to this depth
    uint32_t branches;  // so many branches, at random,
    uint32_t depth;  // down to here
} gl_branches;

// Grows the trees of both backends around a surface, each from what it saw itself, as an ask would. Nodes below one that only
// queries saw count as seen too much.
void gl_judge_tree(gl_judge *judge, const snag__sphere_geometry *geometry, gl_branches which, snag__random *random);

// The share of nodes that were seen too much, in percent.
double gl_extra_percent(const gl_score *score);

// Prints the score and fails if any node was missed, or `most` percent or more were seen too much.
void gl_assert_score(const gl_score *score, const char *what, double most);

#endif

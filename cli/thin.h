// Rods and points, thickness and filters of elements: whether a question knows them.
#ifndef SNAG_CLI_THIN_H
#define SNAG_CLI_THIN_H

#include "common/any_question.h"
#include "scene.h"

// Refuses, with the reason, what cannot be asked of this scene with these options, and notes what would be overlooked.
int thin_fits(const scene *s, const options *o, const any_question *ask, words *w);

#endif

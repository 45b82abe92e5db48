// Scenes of the simulator by name.
#ifndef SNAG_CLI_SIM_SCENES_H
#define SNAG_CLI_SIM_SCENES_H

#include "words.h"

// Finds a scene; on failure it has said which there are, and which may have been meant.
int sim_scene_find(const char *name, words *w, size_t *index);

#endif

// Scenes of the simulator by name.
#ifndef SNAG_CLI_SIM_SCENES_H
#define SNAG_CLI_SIM_SCENES_H

#include "words.h"

// Finds a scene by name; on failure prints a suggestion and the list of scenes.
int sim_scene_find(const char *name, words *w, size_t *index);

#endif

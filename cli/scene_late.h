// Frames of a sequence that are files: bodies that only later frames have.
#ifndef SNAG_CLI_SCENE_LATE_H
#define SNAG_CLI_SCENE_LATE_H

#include "scene.h"

// Adds to the scene an empty body for each that only a later frame has, of the frames that the options ask for. Call it when the first frame
// has been read. With --strict it adds none.
int scene_find_late(scene *s, words *w);

#endif

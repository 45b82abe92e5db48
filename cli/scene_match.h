// Frames of a sequence that are files: which body of a frame is which of the first frame's.
#ifndef SNAG_CLI_SCENE_MATCH_H
#define SNAG_CLI_SCENE_MATCH_H

#include "snag/io.h"
#include "words.h"

// Puts the bodies of a frame in the order of the first frame's, by their names; bodies that the frame does not have become empty. If as many
// bodies have other names, they stay in the order of their file. Bodies beyond those of the first frame are an error.
int scene_match(const snag_io_mesh *first, const char *first_path, snag_io_mesh *mesh, const char *path, words *w);

#endif

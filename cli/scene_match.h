// Frames of a sequence that are files: which body of a frame is which of the first frame's.
#ifndef SNAG_CLI_SCENE_MATCH_H
#define SNAG_CLI_SCENE_MATCH_H

#include "snag/io.h"
#include "words.h"

// Puts the bodies of a frame in the order of the first frame's, by their names; bodies that the frame does not have become empty. The first
// `own_count` bodies are those that the first frame has itself; the others were adopted from later ones. If a frame has as many bodies as
// that, of other names, they are taken in the order of their file. Bodies that are none of these are an error.
int scene_match(const snag_io_mesh *first, size_t own_count, const char *first_path, snag_io_mesh *mesh, const char *path,
                words *w);

// Appends to the first frame an empty body for each of a later frame that scene_match would not know. which[i] is the body of the frame
// that the i-th of them stands for; it has room for all bodies of the frame. False: out of memory.
bool scene_match_adopt(snag_io_mesh *first, size_t own_count, const char *first_path, const snag_io_mesh *mesh, const char *path,
                       size_t *which);

// Whether a body has this name; whether one is named like its file.
bool scene_match_knows(const snag_io_mesh *first, const char *name, size_t length);
bool scene_match_knows_file(const snag_io_mesh *first, const char *first_path);

#endif

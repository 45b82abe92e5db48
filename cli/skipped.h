// Elements of input files that are not read. Those that could collide must never pass as "clean": they are counted, and
// named wherever a result is told. Points and lines have no area and take part in nothing.
#ifndef SNAG_CLI_SKIPPED_H
#define SNAG_CLI_SKIPPED_H

#include "json.h"
#include "scene.h"

// Elements of all files that could collide and are not looked at.
size_t skipped_count(const scene *s);

// Notes what is left out of a file, if anything.
void skipped_note(const char *path, const snag_io_mesh *mesh, words *w);

// An error, where nothing was found but something was left out.
void skipped_warn(const scene *s, words *w);

// A line for each file of which something is left out that could collide; `s` may be NULL: nothing was read.
void skipped_print(FILE *out, const scene *s);

// The keys `files` and `skipped_elements`; `s` may be NULL.
void skipped_json(json *j, const scene *s);

#endif

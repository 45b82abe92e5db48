// Elements of input files that are ignored. Those that could collide must never pass as "clean": they are counted and mentioned
// in every result. Points and lines have no area and cannot collide.
#ifndef SNAG_CLI_SKIPPED_H
#define SNAG_CLI_SKIPPED_H

#include "json.h"
#include "scene.h"

// Number of ignored elements of all files that could collide.
size_t skipped_count(const scene *s);

// Prints a note about ignored elements of a file, if any.
void skipped_note(const char *path, const snag_io_mesh *mesh, bool curved, words *w);

// Prints an error if no contacts were found but elements were ignored.
void skipped_warn(const scene *s, words *w);

// Prints a line for each file with ignored elements that could collide; `s` may be NULL: nothing was read.
void skipped_print(FILE *out, const scene *s);

// The keys `files` and `skipped_elements`; `s` may be NULL.
void skipped_json(json *j, const scene *s);

#endif

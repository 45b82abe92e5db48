// What may be behind contacts that nobody expects: vertices that are not joined, faces and bodies that are there twice.
#ifndef SNAG_CLI_HINTS_H
#define SNAG_CLI_HINTS_H

#include "scene.h"

typedef struct body_hints {
    size_t coincident;  // vertices of elements that stand exactly where another one stands
    size_t duplicates;  // faces or cells that have the vertices of another one
    bool inward;  // a closed surface whose faces look inward
} body_hints;

// False: no memory.
bool hints_find(const scene_body *body, bool closed, body_hints *found);

// Notes for all bodies of a scene: a line for each kind of hint, with the option that helps.
int hints_note(const scene *s, words *w);

#endif

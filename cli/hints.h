// What may be behind contacts that nobody expects: vertices that are not joined, faces and bodies that are there twice, units.
#ifndef SNAG_CLI_HINTS_H
#define SNAG_CLI_HINTS_H

#include "scene.h"

typedef struct body_hints {
    size_t coincident;  // vertices of elements that stand exactly where another one stands
    size_t duplicates;  // faces or cells that have the vertices of another one
    bool inward;  // a closed surface whose faces look inward
} body_hints;

// `closed`: the surface is known to be closed; else it is looked at by its vertices. False: no memory.
bool hints_find(const scene_body *body, bool closed, body_hints *found);

// Notes for all bodies of a scene: a line for each kind of hint, with the option that helps.
int hints_note(const scene *s, words *w);

// One of them alone: bodies that are there twice.
int hints_note_twins(const scene *s, words *w);

// A note if cells are inverted: they are looked at as if they were not, but a solver would stop there. Contacts or none.
void hints_note_inverted(const scene *s, words *w);

// A note if one file is so much larger than another that their units may differ. Contacts or none: such bodies may pass each other by.
void hints_note_sizes(const scene *s, words *w);

#endif

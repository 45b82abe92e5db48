// Lists of models (models.txt): which files of a folder stand for the bodies of which scene. Read by `snag sim --data`.
//
//     # a comment
//     [soft-blocks soft-pile]
//     tets/banana.vtk
//     figures/two.obj#left        the object `left` of a file with several
//
// A line in brackets names scenes; the lines below it are their models, in order. Paths count from the folder of --data.
#ifndef SNAG_CLI_MODEL_LIST_H
#define SNAG_CLI_MODEL_LIST_H

#include <stddef.h>

#include "words.h"

enum { MODEL_LIST_MOST = 8, MODEL_LIST_PATH = 1024 };

typedef struct model_list {
    char paths[MODEL_LIST_MOST][MODEL_LIST_PATH];  // with #OBJECT behind, as in the list
    size_t count;  // 0: the list does not name the scene
} model_list;

// Reads what the list names for a scene. On failure it has said why, with the line: a list that cannot be read, a scene that does not
// exist, a scene with no model or with too many, a path that is too long or that stands before the first scene.
int model_list_read(const char *path, const char *scene, model_list *list, words *w);

#endif

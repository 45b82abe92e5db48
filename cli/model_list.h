// Lists of models (models.txt): which files of a folder replace the bodies of which scene. Read by `snag sim --data`.
//
//     # a comment
//     [soft-blocks soft-pile]
//     tets/banana.vtk
//     figures/two.obj#left        the object `left` of a file with several
//
// A line in brackets names scenes; the lines below it are their models, in order. Paths are relative to the folder of --data.
#ifndef SNAG_CLI_MODEL_LIST_H
#define SNAG_CLI_MODEL_LIST_H

#include <stddef.h>

#include "words.h"

enum { MODEL_LIST_MOST = 8, MODEL_LIST_PATH = 1024 };

typedef struct model_list {
    char paths[MODEL_LIST_MOST][MODEL_LIST_PATH];  // with #OBJECT, as in the list
    size_t count;  // 0: the list does not name the scene
} model_list;

// Reads the models listed for a scene. On failure prints the reason with the line number: unreadable list, unknown scene, a scene
// with no or too many models, a path that is too long or comes before the first scene.
int model_list_read(const char *path, const char *scene, model_list *list, words *w);

#endif

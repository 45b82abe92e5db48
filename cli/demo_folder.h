// The output folder of a demo. It contains a list of the files written, so that the next demo overwrites only those.
#ifndef SNAG_CLI_DEMO_FOLDER_H
#define SNAG_CLI_DEMO_FOLDER_H

#include "words.h"

#define DEMO_LIST "demo.txt"

typedef struct demo_folder {
    const char *path;
    char **names;  // files to be written, without the folder
    size_t name_count, name_capacity;
} demo_folder;

// Adds a file to the list. False: out of memory.
bool demo_folder_add(demo_folder *folder, const char *name);

// Creates the folder if needed, refuses to overwrite files that no demo wrote, deletes those of an earlier demo, and writes the
// new list. On failure prints the reason.
int demo_folder_prepare(const demo_folder *folder, words *w);

// The path of a file in the folder, to be freed by the caller; NULL: out of memory.
char *demo_folder_path(const demo_folder *folder, const char *name);
void demo_folder_free(demo_folder *folder);

// Whether this folder was written by a demo or a simulation.
bool demo_folder_is(const char *path);

#endif

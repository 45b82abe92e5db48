// The folder a demo writes into. A list of what a demo wrote stands beside it, so that the next one replaces those
// files and touches no others.
#ifndef SNAG_CLI_DEMO_FOLDER_H
#define SNAG_CLI_DEMO_FOLDER_H

#include "words.h"

#define DEMO_LIST "demo.txt"

typedef struct demo_folder {
    const char *path;
    char **names;  // files to be written, without the folder
    size_t name_count, name_capacity;
} demo_folder;

// Adds a file to those that will be written. False: no memory.
bool demo_folder_add(demo_folder *folder, const char *name);

// Makes the folder if need be, refuses if a file stands in the way that no demo wrote, takes away what an earlier demo
// wrote, and writes the new list. Says what is wrong on failure.
int demo_folder_prepare(const demo_folder *folder, words *w);

// The path of a file in the folder, to be freed; NULL: no memory.
char *demo_folder_path(const demo_folder *folder, const char *name);
void demo_folder_free(demo_folder *folder);

// Whether a demo or a simulation has written into this folder.
bool demo_folder_is(const char *path);

#endif

// Parts of a check: each part searches a stretch of the frames and stores the answers in a file; a merge goes through all frames again with the stored
// answers instead of searches. So every output is written by the code that always writes it, and is what one run would have written.
#ifndef SNAG_CLI_PARTS_H
#define SNAG_CLI_PARTS_H

#include "check.h"

// "2/7", or "slurm" for the task of a Slurm job array. False, with an error: neither.
bool parts_read(const char *text, words *w, size_t *part, size_t *parts);

// Searches one part and leaves its file in o->parts. A part that is finished already, of the same question and inputs, is not searched again.
// Returns the exit code of the program.
int parts_search(const options *o, size_t part, size_t parts, words *w);

// Goes through all frames with the answers of the parts in a folder.
int parts_merge(const options *o, const char *folder, words *w);

// --jobs: all parts at the same time, in processes of their own, then the merge.
int parts_run_jobs(const options *o, words *w);

// How far the parts in a folder are.
typedef struct part_state {
    bool exists, finished;
    size_t part, parts, frames, done;
} part_state;
// The state of a part; `parts` 0: of any part in the folder, to learn how many there are. False: there is none.
bool parts_look(const char *folder, size_t part, size_t parts, part_state *state);

int verb_merge(const options *o, words *w);

#endif

// The file of a part: a head, the answers of its frames, and a tail that says that it is complete.
#ifndef SNAG_CLI_PART_FILE_H
#define SNAG_CLI_PART_FILE_H

#include "common/any_question.h"
#include "scene.h"

typedef struct part_head {
    char magic[8];
    uint32_t version, sizes;  // sizes of the structs within, so that another machine's file is not misread
    uint64_t part, parts, first, last;  // frames that the part searches; last < first: none
    uint64_t inputs;  // fingerprint of the input files: paths, sizes and times of change
    uint64_t argument_bytes;  // the arguments of `snag check`, without those about parts; each ends with a 0
} part_head;

typedef struct part_record {
    uint64_t frame, ask;  // counts the questions of a frame
    uint64_t contacts, reason_bytes, check;  // check: of the contacts
    snag_answer answer;
    snag_statistics statistics;
} part_record;

typedef struct part_writer {
    FILE *file;
    char *path, *final_path;
    uint64_t hash, records;
} part_writer;

char *part_path(const char *folder, size_t part, size_t parts, const char *ending);
uint64_t part_hash(uint64_t hash, const void *bytes, size_t count);
uint64_t part_inputs(const scene *s);
// The arguments that must agree between parts, in one block of text.
char *part_arguments(const options *o, size_t *bytes);

int part_begin(part_writer *p, const char *folder, const part_head *head, const char *arguments, words *w);
int part_add(part_writer *p, const scene *s, size_t frame, size_t ask, const snag_answer *answer, words *w);
int part_finish(part_writer *p, words *w);
void part_drop(part_writer *p);

typedef struct part_reader {
    FILE *file;
    part_head head;
    char *arguments;
    part_record next;
    char *reason;
    bool has_next;
} part_reader;

// Opens a finished part and checks all of it. On failure prints the reason.
int part_open(part_reader *r, const char *folder, size_t part, size_t parts, words *w);
// The answer to question `ask` of a frame; `contacts` has room for all after words_grow. False: the part does not have it.
bool part_read(part_reader *r, const scene *s, size_t frame, size_t ask, snag_contact **contacts, size_t *capacity,
               snag_answer *answer, snag_statistics *statistics);
void part_close(part_reader *r);

#endif

// The table of verbs and options (options_table.c): parsing, suggestions after a typo, --help, manual pages and shell
// completions (manual.h) all read it. A new option is a row there and a member of `options` here.
#ifndef SNAG_CLI_OPTIONS_H
#define SNAG_CLI_OPTIONS_H

#include <stdint.h>

#include "snag/snag.h"
#include "words.h"

enum {
    VERB_CHECK = 1,
    VERB_INFO = 2,
    VERB_DEMO = 4,
    VERB_BENCH = 8,
    VERB_SIM = 16,
    VERB_REPRO = 32,
    VERB_CONVERT = 64,
    VERB_HIERARCHY = 128,
    VERB_PROBE = 256,
    VERB_MERGE = 512,
    VERB_FIX = 1024,
};

// Frames first..last, both included, counted from 0. Without --frames: 0..SIZE_MAX.
typedef struct frame_range {
    size_t first, last;
} frame_range;

typedef struct text_list {
    const char **items;  // pointers into argv
    size_t count, capacity;
} text_list;

typedef struct options {
    bool help, json, jsonl, quiet;
    bool sequence, weld, self, between, every_pair, edges, no_edges;
    bool question_given;
    bool quick;  // repro
    snag_question question;
    snag_method method;
    uint32_t threads;  // 0: one for each processor
    frame_range frames;
    const char *up;
    size_t frame_count;  // demo: how many to simulate
    size_t repeat;  // bench; 0: as often as time allows
    double distance, tolerance, separation;  // negative: not given
    const char *regularity;  // the mode of the method regularity; NULL: not given
    size_t directions;  // of the same; 0: not given
    size_t depth, idle;  // of the method spheres; 0: not given
    const char *backend;  // of the same; NULL: not given
    const char *k, *arity, *lazy, *cell, *table, *epsilon;  // of methods, see tuning.h; NULL: not given
    const char *sweep, *bench_out;  // bench sweep; NULL: not given
    const char *convert_out;
    bool pure;  // of the method active, as are the next
    size_t new_pairs, seed;  // 0: not given
    size_t budget_us, limit_us;  // of a frame and of the whole run; 0: not given
    double started;  // when the options were parsed, in progress_seconds
    const char *split;  // NULL: objects
    const char *label;  // NULL: no labels
    bool curved;
    size_t input_memory;  // memory limit for an input, bytes; 0: not given
    bool first, strict;
    double target;
    double size;
    bool csv_safe;
    bool stream;  // pairs are written as they are found
    const char *scratch;  // folder for what does not fit in memory; NULL: the system's
    const char *pairs, *report, *hierarchy, *out, *scene;
    double within;  // distance: 0: not given
    size_t closest;  // likewise
    const char *bench_scene;  // NULL: all
    size_t sim_steps;  // sim, as are the next; 0: the scene's own
    double response_ratio;
    double step_seconds;  // 0: the scene's own
    double tear;  // 0: the scene's own
    const char *response, *sim_out, *sim_data, *sim_models;  // NULL: not given
    bool adaptive;
    const char *repro_out;
    bool ignore_initial;
    const char *rest, *ignore, *accept, *only, *between_names, *select, *sets;  // NULL: not given
    double max_depth;  // negative: not given
    size_t max_contacts;  // SIZE_MAX: not given
    const char *ply, *glb, *vtu;  // a file for each frame; NULL: not wanted
    double fps;  // 0: not given
    const char *animation;  // NULL: the first
    const char *compare;  // bench page: NULL: not given
    const char *part, *parts;  // I/N, and the folder of parts; NULL: not given
    size_t jobs;  // 0: not given
    bool batch, watch;
    const char *summary;  // batch: the page; NULL: none
    char **arguments;  // as given, after the verb
    int argument_count;
    const char *points, *rays;  // probe: NULL: not given
    bool segments, all_hits;  // likewise
    bool no_nested, solid;  // check
    const char *fix_out;  // fix: NULL: not given
    double max_move;  // likewise; 0: not given
    bool overwrite, move_solids;  // likewise
    text_list pinned, rigid;  // likewise: names, separated by commas
    text_list after;  // report: the inputs as `snag fix` wrote them
    bool after_sequence;  // these are the frames of one scene
    bool silent;  // outputs: nothing on standard output, only files
    text_list caches;  // NAME=FILE
    text_list thickness;  // D or NAME=D
    text_list no_contact;  // A,B
    size_t exclude_rings;  // 0: not given
    double exclude_rest;  // 0: not given
    text_list inputs;
} options;

// How the value of an option is parsed, and the type at `offset`.
typedef enum option_kind {
    OPTION_ON,  // bool, set to true
    OPTION_OFF,  // bool, set to false
    OPTION_TEXT,  // const char *
    OPTION_TEXTS,  // text_list: can be repeated
    OPTION_THREADS,  // uint32_t
    OPTION_COUNT,  // size_t, at least 1
    OPTION_WHOLE,  // size_t, 0 or more
    OPTION_TIME,  // size_t, microseconds, at least 1
    OPTION_BYTES,  // size_t, at least 1
    OPTION_RANGE,  // frame_range
    OPTION_LENGTH,  // double, 0 or more
    OPTION_POSITIVE,  // double, more than 0
    OPTION_RATIO,  // double, more than 0 and at most 1
    OPTION_QUESTION,  // snag_question, and question_given
    OPTION_METHOD,  // snag_method
} option_kind;

typedef struct option {
    const char *name;  // without the dashes
    char letter;  // short form; 0: none
    const char *argument;  // NULL: takes none; "one|of|these": a text that must be one of them
    unsigned verbs;  // verbs it belongs to
    option_kind kind;
    size_t offset;  // into options
    const char *help;  // one or two lines
    const char *default_text;  // NULL: none to mention
} option;

typedef struct verb_description {
    const char *name;
    unsigned verb;
    const char *usage;  // arguments after the verb
    const char *summary;  // one line
    const char *words;  // description; paragraphs separated by an empty line, wrapped when printed
    const char *examples;  // one line each: command and purpose
    bool needs_input;
    bool takes_input;
    // Returns the exit code of the program. NULL: the verb is a program of its own beside the tool, snag-NAME (run.h).
    int (*run)(const options *o, words *w);
} verb_description;

extern const option option_table[];
extern const size_t option_table_count;
extern const verb_description verb_table[];
extern const size_t verb_table_count;

const verb_description *verb_from_name(const char *name);

// The allowed values of an option: names of questions or methods, or the choices of its argument. `count` is 0 if any value is
// allowed. `room` stores the choices.
typedef struct option_choices {
    const char *words[16];
    size_t count;
    char room[160];
} option_choices;
void option_list_choices(const option *o, option_choices *choices);

// Parses the arguments after the verb. On failure prints what is wrong and what to do, and returns EXIT_ERROR. Free the options
// in any case.
int options_parse(const verb_description *verb, int count, char **arguments, words *w, options *parsed);
void options_free(options *o);

#endif

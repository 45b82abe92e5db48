// Where results go: `check` (and `demo`) hand what they find to any number of outputs, frame by frame, and keep nothing.
// An output is a row in sinks.c: the option that asks for it and the function that makes it.
#ifndef SNAG_CLI_SINK_H
#define SNAG_CLI_SINK_H

#include "common/any_question.h"
#include "contacts.h"

typedef struct sink_body {
    const char *name;  // told apart from all others
    const char *file;  // NULL: made, not read
    const char *cache;  // what moves it; NULL: nothing, or the files of a sequence
    snag_body_info info;  // triangles, faces, edges, tetrahedra; owned by the world
} sink_body;

// Something that was not looked for.
typedef struct sink_left_out {
    const char *name;  // for scripts, of one word
    const char *words;
} sink_left_out;

// What is the same for all frames. Valid until the sink is freed.
typedef struct sink_scene {
    const scene *inputs;  // whose files must not be overwritten; NULL: none were read
    snag_world *world;  // its bodies stand where the last frame put them
    const any_question *question;  // as asked
    snag_question questions[2];  // of volumes beside surfaces there are two
    size_t question_count;
    sink_left_out left_out[5];
    size_t left_out_count;
    bool part;  // the method lists a part of the contacts by its nature
    const sink_body *bodies;  // in the order of contact_list.bodies, which says how their elements are numbered
    size_t body_count;
    frame_range frames;  // the numbers of the first and the last frame that are to come
    char up;  // 'y' or 'z': the axis that points up; 0: not known
} sink_scene;

// What was found in one frame. Valid during the call.
typedef struct sink_frame {
    size_t frame;  // its number; of impacts that of the frame a move ends with
    const char *file;  // --sequence: its file, without the folder; else NULL
    const snag_positions *positions;  // of each body
    const snag_answer *answer;
    const contact_list *contacts;  // the answer's contacts as the user knows them
    const size_t *degenerate;  // of each body: elements of zero size
    bool changed;  // its faces are not those that the scene began with
    double ms;  // the question alone
} sink_frame;

typedef struct sink_summary {
    bool complete;  // all frames were searched through, and nothing was left out of them
    snag_method method;  // the one that answered; if there were several, the one asked for
    const char *reason;  // why that one
    size_t contacts, frames, frames_with_contacts, frames_skipped;
    double seconds;
} sink_summary;

typedef struct sink sink;

// All return EXIT_CLEAN, or say what is wrong and return EXIT_ERROR. Any but `frame` and `free` may be NULL.
typedef struct sink_type {
    int (*begin)(sink *s, const sink_scene *about);
    int (*frame)(sink *s, const sink_frame *frame);
    // Frames that could not be read, and why.
    int (*skip)(sink *s, frame_range frames, const char *reason);
    // The last call but `free`; only now does an output file get its name.
    int (*end)(sink *s, const sink_summary *summary);
    // Without an `end` before it nothing is left behind.
    void (*free)(sink *s);
} sink_type;

// What every sink begins with.
struct sink {
    const sink_type *type;
    const options *o;
    words *w;
};

// Makes a sink that writes to `path`, the text of its option. On failure it has said why.
typedef int sink_maker(const options *o, const char *path, words *w, sink **made);

sink_maker sink_words_make;  // on the standard output, for people
sink_maker sink_json_make;  // on the standard output
sink_maker sink_jsonl_make;  // on the standard output, line by line
sink_maker sink_pairs_make;
sink_maker sink_ply_make, sink_glb_make, sink_vtu_make;  // a file for each frame
sink_maker sink_report_make;
sink_maker sink_hierarchy_make;

// Whether the report page is built into this tool.
bool sink_report_is_built(void);

// The same as sink_json_make, printing to any stream.
int sink_json_make_to(FILE *out, const options *o, words *w, sink **made);

// ---- all sinks of a run --------------------------------------------------------------------------------------------

typedef struct sink_list {
    sink *sinks[16];
    size_t count;
} sink_list;

// Makes the sinks that the options ask for. `inputs` is the scene whose files must not be overwritten, or NULL. Free the
// list in any case.
int sinks_make(sink_list *list, const options *o, const scene *inputs, words *w);
int sinks_begin(const sink_list *list, const sink_scene *about);
int sinks_frame(const sink_list *list, const sink_frame *frame);
int sinks_skip(const sink_list *list, frame_range frames, const char *reason);
int sinks_end(const sink_list *list, const sink_summary *summary);
void sinks_free(sink_list *list);

#endif

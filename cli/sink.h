// Outputs: `check` and `demo` pass results to any number of outputs, frame by frame, and keep nothing.
// An output is a row in sinks.c: its option and the function that creates it.
#ifndef SNAG_CLI_SINK_H
#define SNAG_CLI_SINK_H

#include "common/any_question.h"
#include "places.h"

typedef struct sink_body {
    const char *name;  // unique
    const char *file;  // NULL: generated, not read
    const char *cache;  // the cache that moves it; NULL: none, or the files of a sequence
    snag_body_info info;  // triangles, faces, edges, tetrahedra; owned by the world
} sink_body;

// A kind of contact that was not looked for.
typedef struct sink_left_out {
    const char *name;  // one word, for scripts
    const char *words;
} sink_left_out;

// Data common to all frames. Valid until the sink is freed.
typedef struct sink_scene {
    const scene *inputs;  // its files must not be overwritten; NULL: no inputs
    snag_world *world;  // its bodies are at the last frame's positions
    const any_question *question;  // as asked
    snag_question questions[2];  // two in a scene of volumes and surfaces
    size_t question_count;
    sink_left_out left_out[5];
    size_t left_out_count;
    bool part;  // the method finds only a fraction of the contacts by design
    const sink_body *bodies;  // in the order of contact_list.bodies, which has the element numbering
    size_t body_count;
    frame_range frames;  // first and last frame number
    char up;  // 'y' or 'z': the axis that points up; 0: not known
} sink_scene;

// Results of one frame. Valid during the call.
typedef struct sink_frame {
    size_t frame;  // its number; for impacts the frame at the end of the move
    const char *file;  // --sequence: its file name, without folder; else NULL
    const snag_positions *positions;  // of each body
    const snag_answer *answer;
    const contact_list *contacts;  // the answer's contacts with the user's element numbers
    const frame_places *places;
    const size_t *degenerate;  // of each body: number of degenerate elements
    const snag_nested *nested;  // bodies that lie wholly inside others
    size_t nested_count;
    bool changed;  // its faces differ from the first frame's
    double ms;  // time of the question only
} sink_frame;

typedef struct sink_summary {
    bool complete;  // all frames were searched completely
    snag_method method;  // the one that answered; if there were several, the one requested
    const char *reason;  // why it was chosen
    size_t contacts, frames, frames_with_contacts, frames_skipped;
    size_t ignored;  // contacts that were left out: --ignore-initial, --ignore
    bool limited, exceeded;  // --max-depth, --max-contacts: given; and exceeded
    bool solids_overlap;  // --solid: some bodies lie wholly inside others
    const place_book *book;  // of all frames, closed
    double seconds;
} sink_summary;

typedef struct sink sink;

// All return EXIT_CLEAN, or print an error and return EXIT_ERROR. All but `frame` and `free` may be NULL.
typedef struct sink_type {
    int (*begin)(sink *s, const sink_scene *about);
    int (*frame)(sink *s, const sink_frame *frame);
    // Some of the contacts of a frame, in order, before `frame` is called with a list that is `streamed`.
    int (*block)(sink *s, const contact_list *contacts, size_t frame);
    // Frames that could not be read, and why.
    int (*skip)(sink *s, frame_range frames, const char *reason);
    // The last call before `free`; only now does an output file get its final name.
    int (*end)(sink *s, const sink_summary *summary);
    // Without a call to `end`, removes its files.
    void (*free)(sink *s);
} sink_type;

// Common head of all sinks.
struct sink {
    const sink_type *type;
    const options *o;
    words *w;
};

// Creates a sink that writes to `path`, the value of its option. On failure prints the reason.
typedef int sink_maker(const options *o, const char *path, words *w, sink **made);

sink_maker sink_words_make;  // text on standard output
sink_maker sink_json_make;  // on standard output
sink_maker sink_jsonl_make;  // on standard output, line by line
sink_maker sink_pairs_make;
sink_maker sink_ply_make, sink_glb_make, sink_vtu_make;  // a file for each frame
sink_maker sink_report_make;
sink_maker sink_hierarchy_make;
sink_maker sink_select_make;  // a script for Blender
sink_maker sink_sets_make;  // sets of a deck

// Whether this tool was built with the report page.
bool sink_report_is_built(void);

// Like sink_json_make, but prints to any stream.
int sink_json_make_to(FILE *out, const options *o, words *w, sink **made);

// ---- all sinks of a run --------------------------------------------------------------------------------------------

typedef struct sink_list {
    sink *sinks[16];
    size_t count;
} sink_list;

// Creates the sinks requested by the options. `inputs` is the scene whose files must not be overwritten, or NULL. Free the list
// in any case.
int sinks_make(sink_list *list, const options *o, const scene *inputs, words *w);
int sinks_begin(const sink_list *list, const sink_scene *about);
int sinks_block(const sink_list *list, const contact_list *contacts, size_t frame);
int sinks_frame(const sink_list *list, const sink_frame *frame);
int sinks_skip(const sink_list *list, frame_range frames, const char *reason);
int sinks_end(const sink_list *list, const sink_summary *summary);
void sinks_free(sink_list *list);

#endif

// --stream: the contacts of a frame reach --pairs in blocks while they are sorted, and are kept nowhere, so that an answer may be larger
// than memory. What needs all contacts at once (places, pictures, the report) is refused.
#ifndef SNAG_CLI_STREAM_H
#define SNAG_CLI_STREAM_H

#include "sink.h"

typedef struct stream {
    const options *o;
    words *w;
    contact_list *list;  // gets the lines of one block after the other
    const sink_list *sinks;
    place_book *book;  // counts by pair of bodies
    snag_io_scratch *scratch;
    snag_sink taker;
    snag_question question;
    size_t frame;
    snag_contact *waiting;  // contacts of a face that may go on in the next block
    size_t count, capacity;
    size_t contacts, self, between, kinds[SNAG_CONTACT_KIND_COUNT];  // lines of the frame so far
    int result;
} stream;

// Whether the question and the outputs can be streamed; prints why not. `joint`: two questions are asked; `others`: parts or ranks answer.
int stream_fits(const options *o, snag_question question, bool joint, bool others, words *w);
// The list must have its bodies. Free it in any case.
int stream_begin(stream *s, const options *o, const scene *inputs, contact_list *list, const sink_list *sinks, place_book *book,
                 words *w);
void stream_free(stream *s);

// Before an ask whose question has `&s->taker` as its sink, and after it: then the list has the counts of the frame, and no lines.
void stream_begin_frame(stream *s, snag_question question, size_t frame);
int stream_end_frame(stream *s);

#endif

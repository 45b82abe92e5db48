// Contacts in blocks. The triangles of a polygon share one name, and contacts that become equal are merged: all contacts of the face on
// side a are needed for that, no more. An answer is sorted by side a, so a block is written up to its last face, which waits for the next.
#include "stream.h"

#include "progress.h"

#include <stdlib.h>
#include <string.h>

int stream_fits(const options *o, snag_question question, bool joint, bool others, words *w)
{
    if (o->scratch && !o->stream)
        return words_error(w, "--scratch says where --stream keeps what does not fit in memory; give --stream too");
    if (!o->stream)
        return EXIT_CLEAN;
    if (!o->pairs)
        return words_error(w, "--stream writes contacts as they are found: it needs --pairs FILE.csv");
    if (o->report || o->ply || o->glb || o->vtu || o->select || o->sets || o->hierarchy || o->jsonl)
        return words_error(w, "--stream keeps no contacts: only --pairs, text and --json can be written");
    if (o->ignore_initial || o->ignore || o->accept || o->max_depth >= 0)
        return words_error(w, "--stream keeps no contacts: --ignore-initial, --ignore, --accept and --max-depth need all of them");
    if (question == SNAG_DISTANCE || question == SNAG_OVERLAPS)
        return words_error(w, "--stream: the answer to %s is short; drop --stream", snag_question_name(question));
    if (joint)
        return words_error(w, "--stream answers one question: choose --question penetrations or intersections");
    if (others)
        return words_error(w, "--stream works in one process: drop --part and --jobs, or drop --stream");
    return EXIT_CLEAN;
}

static bool ascends(const uint32_t *numbers, size_t count)
{
    for (size_t i = 1; numbers && i < count; i++)
        if (numbers[i - 1] > numbers[i])
            return false;
    return true;
}

static uint32_t face_of(const contact_body *body, uint32_t triangle)
{
    return body->triangle_faces ? body->triangle_faces[triangle] : triangle;
}

static bool same_face(const stream *s, const snag_contact *x, const snag_contact *y)
{
    if (x->body_a.index != y->body_a.index || x->a.kind != y->a.kind)
        return false;
    const contact_body *body = &s->list->bodies[s->list->body_of_index[x->body_a.index]];
    return x->a.kind == SNAG_TRIANGLE ? face_of(body, x->a.index) == face_of(body, y->a.index) : x->a.index == y->a.index;
}

static bool enter_pairs(stream *s)
{
    const contact_list *list = s->list;
    for (size_t i = 0, next; i < list->count; i = next) {
        const contact_line *first = &list->lines[i];
        double worst = 0;
        for (next = i; next < list->count && list->lines[next].body_a == first->body_a && list->lines[next].body_b == first->body_b;
             next++) {
            const snag_contact *contact = list->lines[next].contact;
            double value = s->question == SNAG_IMPACTS ? contact->t : contact->value;
            bool worse = places_least_is_worst(s->question) ? value < worst : value > worst;
            worst = next == i || worse ? value : worst;
        }
        if (!place_book_count(s->book, s->question, first->body_a, first->body_b, next - i, worst, s->frame))
            return false;
    }
    return true;
}

static int write_block(stream *s, const snag_contact *contacts, size_t count)
{
    const snag_answer block = {.question = s->question, .contacts = contacts, .count = count};
    if (!contacts_fill(s->list, &block) || !enter_pairs(s))
        return words_out_of_memory(s->w);
    s->contacts += s->list->count;
    s->self += s->list->self;
    s->between += s->list->between;
    for (int i = 0; i < SNAG_CONTACT_KIND_COUNT; i++)
        s->kinds[i] += s->list->kinds[i];
    return sinks_block(s->sinks, s->list, s->frame);
}

static bool take(void *context, const snag_contact *contacts, const snag_pair *pairs, size_t count)
{
    stream *s = context;
    (void)pairs;
    if (!words_grow((void **)&s->waiting, &s->capacity, s->count + count, sizeof *s->waiting)) {
        s->result = words_out_of_memory(s->w);
        return false;
    }
    memcpy(s->waiting + s->count, contacts, count * sizeof *contacts);
    s->count += count;
    size_t ready = s->count - 1;
    while (ready > 0 && same_face(s, &s->waiting[ready - 1], &s->waiting[ready]))
        ready--;
    if (ready > 0)
        s->result = write_block(s, s->waiting, ready);
    s->count -= ready;
    memmove(s->waiting, s->waiting + ready, s->count * sizeof *s->waiting);
    return s->result == EXIT_CLEAN && !progress_interrupted();
}

int stream_begin(stream *s, const options *o, const scene *inputs, contact_list *list, const sink_list *sinks, place_book *book,
                 words *w)
{
    *s = (stream){.o = o, .w = w, .list = list, .sinks = sinks, .book = book, .taker = snag_default_sink()};
    snag_io_error error;
    if (snag_io_scratch_create(o->scratch, &s->scratch, &error) != SNAG_OK)
        return words_error(w, "--scratch: %s", error.message);
    s->taker.take = take;
    s->taker.context = s;
    for (size_t i = 0; i < inputs->body_count; i++) {
        const snag_io_body *source = inputs->bodies[i].source;
        if (ascends(list->bodies[i].vertex_numbers, source->vertex_count) &&
            ascends(source->polygon_numbers, source->polygon_count) && ascends(source->tet_numbers, source->tet_count))
            continue;
        words_note(w, "--stream: the rows of --pairs are in the order in which %s was read, not in that of its numbers",
                   inputs->files[inputs->bodies[i].file].path);
        break;
    }
    return contacts_index(list) ? EXIT_CLEAN : words_out_of_memory(w);
}

void stream_free(stream *s)
{
    snag_io_scratch_destroy(s->scratch);
    free(s->waiting);
    *s = (stream){0};
}

static bool write_scratch(void *context, uint64_t offset, const void *bytes, size_t size)
{
    return snag_io_scratch_write(((stream *)context)->scratch, offset, bytes, size);
}

static bool read_scratch(void *context, uint64_t offset, void *bytes, size_t size)
{
    return snag_io_scratch_read(((stream *)context)->scratch, offset, bytes, size);
}

void stream_begin_frame(stream *s, snag_question question, size_t frame)
{
    s->question = question;
    s->frame = frame;
    s->taker.write = write_scratch;
    s->taker.read = read_scratch;
    s->count = s->contacts = s->self = s->between = 0;
    memset(s->kinds, 0, sizeof s->kinds);
    s->result = EXIT_CLEAN;
}

int stream_end_frame(stream *s)
{
    if (s->result == EXIT_CLEAN && s->count > 0)
        s->result = write_block(s, s->waiting, s->count);
    s->count = 0;
    s->list->question = s->question;
    s->list->streamed = true;
    s->list->count = s->contacts;
    s->list->self = s->self;
    s->list->between = s->between;
    memcpy(s->list->kinds, s->kinds, sizeof s->kinds);
    return s->result;
}

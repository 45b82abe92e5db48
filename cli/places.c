// Places of a frame, and of all frames.
#include "places.h"

#include <stdlib.h>
#include <string.h>

bool places_least_is_worst(snag_question question)
{
    return question == SNAG_PROXIMITIES || question == SNAG_IMPACTS || question == SNAG_DISTANCE;
}

// ---- one frame -----------------------------------------------------------------------------------------------------

int frame_places_fill(frame_places *f, snag_world *world, const snag_answer *answer, contact_list *list, words *w)
{
    if (snag_answer_places(world, answer, &f->places, &f->count) != SNAG_OK)
        return words_error(w, "%s", snag_world_message(world));
    if (!words_grow((void **)&f->of_contact, &f->capacity, answer->count, sizeof *f->of_contact) ||
        !words_grow((void **)&f->lines, &f->line_capacity, f->count, sizeof *f->lines))
        return words_out_of_memory(w);
    for (size_t p = 0; p < f->count; p++) {
        f->lines[p] = 0;
        for (size_t i = 0; i < f->places[p].contact_count; i++)
            f->of_contact[f->places[p].contacts[i]] = (uint32_t)p;
    }
    for (size_t i = 0; i < list->count; i++) {
        uint32_t p = frame_places_of(f, answer, &list->lines[i]);
        list->lines[i].place = f->places[p].id;
        f->lines[p]++;
    }
    return EXIT_CLEAN;
}

void frame_places_free(frame_places *f)
{
    free(f->of_contact);
    free(f->lines);
    *f = (frame_places){0};
}

uint32_t frame_places_of(const frame_places *f, const snag_answer *answer, const contact_line *line)
{
    return f->of_contact[line->contact - answer->contacts];
}

// ---- all frames ----------------------------------------------------------------------------------------------------

// Whether a measured place is worse than what is on record.
static bool is_worse(snag_question question, double depth, double length, double value, double old_depth, double old_length,
                     double old_value)
{
    if (places_least_is_worst(question))
        return value < old_value;
    return depth != old_depth ? depth > old_depth : length > old_length;
}

// New places have higher ids than all before, so the records stay sorted by id.
static place_record *find(const place_book *book, uint64_t id)
{
    size_t from = 0, to = book->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (book->places[middle].id < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from < book->count && book->places[from].id == id ? &book->places[from] : NULL;
}

static int by_id(const void *a, const void *b)
{
    const place_record *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static pair_record *find_pair(place_book *book, uint32_t a, uint32_t b, size_t frame)
{
    for (size_t i = 0; i < book->pair_count; i++)
        if (book->pairs[i].body_a == a && book->pairs[i].body_b == b)
            return &book->pairs[i];
    if (!words_grow((void **)&book->pairs, &book->pair_capacity, book->pair_count + 1, sizeof *book->pairs))
        return NULL;
    pair_record *pair = &book->pairs[book->pair_count++];
    *pair = (pair_record){.body_a = a, .body_b = b, .first = frame, .frame = SIZE_MAX};
    return pair;
}

// Keeps a copy: the names end with the frame where faces change. False: out of memory.
static bool keep_label(char **kept, const char *name)
{
    char *copy = name ? malloc(strlen(name) + 1) : NULL;
    if (name && !copy)
        return false;
    if (name)
        memcpy(copy, name, strlen(name) + 1);
    free(*kept);
    *kept = copy;
    return true;
}

static bool measure(place_record *record, const snag_place *place, size_t lines, const contact_list *list,
                    const snag_contact *worst, size_t frame)
{
    const contact_body *bodies[2] = {&list->bodies[list->body_of_index[worst->body_a.index]],
                                     &list->bodies[list->body_of_index[worst->body_b.index]]};
    const snag_element *elements[2] = {&worst->a, &worst->b};
    bool swapped = list->body_of_index[worst->body_a.index] > list->body_of_index[worst->body_b.index];
    record->worst = frame;
    record->most = lines;
    record->depth = place->depth;
    record->length = place->length;
    record->size = place->size;
    record->value = place->value;
    for (int k = 0; k < 3; k++)
        record->centre[k] = 0.0 + place->centre[k];  // never -0
    record->a = contacts_number(bodies[swapped], elements[swapped]);
    record->b = contacts_number(bodies[!swapped], elements[!swapped]);
    record->object_a = contacts_object_number(bodies[swapped], elements[swapped]);
    record->object_b = contacts_object_number(bodies[!swapped], elements[!swapped]);
    record->kind = worst->kind;
    uint32_t of[2] = {list->body_of_index[worst->body_a.index], list->body_of_index[worst->body_b.index]};
    return keep_label(&record->label_a, contacts_label(list, of[swapped], elements[swapped])) &&
           keep_label(&record->label_b, contacts_label(list, of[!swapped], elements[!swapped]));
}

static bool add_place(place_book *book, const snag_place *place, size_t lines, const contact_list *list, const snag_answer *answer,
                      size_t frame)
{
    uint32_t a = list->body_of_index[place->body_a.index], b = list->body_of_index[place->body_b.index];
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const snag_contact *worst = &answer->contacts[place->worst];
    pair_record *pair = find_pair(book, low, high, frame);
    place_record *record = find(book, place->id);
    if (!pair)
        return false;
    bool is_new = record == NULL;
    if (is_new) {
        if (!words_grow((void **)&book->places, &book->capacity, book->count + 1, sizeof *book->places))
            return false;
        record = &book->places[book->count++];
        *record = (place_record){.id = place->id, .body_a = low, .body_b = high, .first = frame};
    }
    if ((is_new ||
         is_worse(book->question, place->depth, place->length, place->value, record->depth, record->length, record->value)) &&
        !measure(record, place, lines, list, worst, frame))
        return false;
    record->last = frame;
    record->frames++;
    record->contacts += lines;
    if (pair->contacts == 0 ||
        is_worse(book->question, place->depth, place->length, place->value, pair->depth, pair->length, pair->value)) {
        pair->worst = frame;
        pair->depth = place->depth;
        pair->length = place->length;
        pair->value = place->value;
    }
    pair->frames += pair->frame != frame;
    pair->frame = pair->last = frame;
    pair->contacts += lines;
    pair->places += is_new;
    return true;
}

bool place_book_add(place_book *book, const frame_places *f, const contact_list *list, const snag_answer *answer, size_t frame)
{
    size_t before = book->count;
    book->question = answer->question;
    for (size_t i = 0; i < f->count; i++)
        if (!add_place(book, &f->places[i], f->lines[i], list, answer, frame))
            return false;
    // Ids of one frame are given from the worst place on, so this rarely sorts.
    for (size_t i = before > 0 ? before : 1; i < book->count; i++)
        if (book->places[i - 1].id > book->places[i].id) {
            qsort(book->places, book->count, sizeof *book->places, by_id);
            break;
        }
    return true;
}

bool place_book_count(place_book *book, snag_question question, uint32_t body_a, uint32_t body_b, size_t lines, double worst,
                      size_t frame)
{
    bool least = places_least_is_worst(question);
    double depth = question == SNAG_PENETRATIONS ? worst : 0, value = least ? worst : 0;
    book->question = question;
    book->counts_only = true;
    pair_record *pair = find_pair(book, body_a < body_b ? body_a : body_b, body_a < body_b ? body_b : body_a, frame);
    if (!pair)
        return false;
    pair->here = lines + (pair->frame == frame ? pair->here : 0);
    bool more = question == SNAG_INTERSECTIONS && pair->here > pair->most;
    if (pair->contacts == 0 || more || is_worse(question, depth, 0, value, pair->depth, 0, pair->value)) {
        pair->worst = frame;
        pair->most = pair->here;
        pair->depth = depth;
        pair->value = value;
    }
    pair->frames += pair->frame != frame;
    pair->frame = pair->last = frame;
    pair->contacts += lines;
    return true;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int deepest_first(const void *a, const void *b)
{
    const place_record *x = a, *y = b;
    int order = compare(y->depth, x->depth);
    order = order ? order : compare(y->length, x->length);
    return order ? order : by_id(a, b);
}

static int least_first(const void *a, const void *b)
{
    const place_record *x = a, *y = b;
    int order = compare(x->value, y->value);
    return order ? order : by_id(a, b);
}

static int by_bodies(const pair_record *x, const pair_record *y)
{
    int order = (x->body_a > y->body_a) - (x->body_a < y->body_a);
    return order ? order : (x->body_b > y->body_b) - (x->body_b < y->body_b);
}

static int deepest_pair_first(const void *a, const void *b)
{
    const pair_record *x = a, *y = b;
    int order = compare(y->depth, x->depth);
    order = order ? order : compare(y->length, x->length);
    return order ? order : by_bodies(x, y);
}

static int least_pair_first(const void *a, const void *b)
{
    const pair_record *x = a, *y = b;
    int order = compare(x->value, y->value);
    return order ? order : by_bodies(x, y);
}

void place_book_close(place_book *book)
{
    bool least = places_least_is_worst(book->question);
    if (book->pair_count && !book->closed) {
        if (book->count)
            qsort(book->places, book->count, sizeof *book->places, least ? least_first : deepest_first);
        qsort(book->pairs, book->pair_count, sizeof *book->pairs, least ? least_pair_first : deepest_pair_first);
    }
    book->closed = true;
}

void place_book_free(place_book *book)
{
    for (size_t i = 0; i < book->count; i++) {
        free(book->places[i].label_a);
        free(book->places[i].label_b);
    }
    free(book->places);
    free(book->pairs);
    *book = (place_book){0};
}

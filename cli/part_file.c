#define _POSIX_C_SOURCE 200809L
#include "part_file.h"

#include "common/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = "snagpart", END[8] = "snagdone";

typedef struct part_tail {
    char magic[8];
    uint64_t records, hash;
} part_tail;

static uint32_t sizes(void)
{
    return (uint32_t)(sizeof(part_record) << 16 | sizeof(snag_contact) << 4 | sizeof(size_t));
}

char *part_path(const char *folder, size_t part, size_t parts, const char *ending)
{
    size_t room = strlen(folder) + strlen(ending) + 64;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s/part-%04zu-of-%04zu%s", folder, part, parts, ending);
    return path;
}

uint64_t part_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    hash ^= 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the status says that it is there
        hash = (hash ^ from[i]) * 0x100000001b3u;
    return hash;
}

// The contacts are most of a file: eight bytes at a time.
static uint64_t hash_words(uint64_t hash, const void *bytes, size_t count)
{
    const char *from = bytes;
    for (; count >= 8; count -= 8, from += 8) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return part_hash(hash, from, count);
}

static uint64_t hash_file(uint64_t hash, const char *path)
{
    sys_info status;
    hash = part_hash(hash, path, strlen(path));
    if (sys_stat(path, &status) == 0) {
        int64_t facts[2] = {(int64_t)status.st_size, sys_modified(&status)};
        hash = part_hash(hash, facts, sizeof facts);
    }
    return hash;
}

uint64_t part_inputs(const scene *s)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < s->file_count; i++)
        if (s->files[i].path)
            hash = hash_file(hash, s->files[i].path);
    for (size_t i = 0; i < s->cache_count; i++)
        hash = hash_file(hash, s->caches[i].path);
    for (size_t i = 0; i < s->frame_path_count; i++)
        hash = hash_file(hash, s->frame_paths[i]);
    return hash;
}

// Options that say who searches what, or where outputs go, but do not change the answers. `value`: with one.
static const struct {
    const char *name;
    bool value;
} others[] = {{"--part", true},      {"--parts", true}, {"--jobs", true},   {"--threads", true}, {"--pairs", true},
              {"--report", true},    {"--ply", true},   {"--glb", true},    {"--vtu", true},     {"--select", true},
              {"--sets", true},      {"--json", false}, {"--jsonl", false}, {"--quiet", false},  {"-q", false},
              {"--csv-safe", false}, {"--up", true}};

static bool is_other(const char *argument, bool *skip_next)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t length = strlen(others[i].name);
        if (strcmp(argument, others[i].name) == 0) {
            *skip_next = others[i].value;
            return true;
        }
        if (others[i].value && strncmp(argument, others[i].name, length) == 0 && argument[length] == '=')
            return true;
    }
    return false;
}

char *part_arguments(const options *o, size_t *bytes)
{
    size_t room = 1;
    for (int i = 0; i < o->argument_count; i++)
        room += strlen(o->arguments[i]) + 1;
    char *text = malloc(room);
    *bytes = 0;
    bool only_inputs = false;
    for (int i = 0; text && i < o->argument_count; i++) {
        bool skip_next = false;
        if (!only_inputs && is_other(o->arguments[i], &skip_next)) {
            i += skip_next;
            continue;
        }
        only_inputs = only_inputs || strcmp(o->arguments[i], "--") == 0;
        size_t length = strlen(o->arguments[i]) + 1;
        memcpy(text + *bytes, o->arguments[i], length);
        *bytes += length;
    }
    return text;
}

// ---- writing ----

static int cannot_write(part_writer *p, words *w)
{
    return words_error(w, "%s: cannot write: %s", p->path, errno ? strerror(errno) : "write error");
}

static bool put(part_writer *p, const void *bytes, size_t size)
{
    p->hash = hash_words(p->hash, bytes, size);
    errno = 0;
    return size == 0 || fwrite(bytes, 1, size, p->file) == size;
}

int part_begin(part_writer *p, const char *folder, const part_head *head, const char *arguments, words *w)
{
    part_head made = *head;
    *p = (part_writer){.path = part_path(folder, head->part, head->parts, ".partial"),
                       .final_path = part_path(folder, head->part, head->parts, ".answers")};
    if (!p->path || !p->final_path)
        return words_out_of_memory(w);
    memcpy(made.magic, MAGIC, sizeof made.magic);
    made.version = 1;
    made.sizes = sizes();
    p->file = sys_fopen(p->path, "wb");
    if (!p->file)
        return words_error(w, "%s: cannot create: %s", p->path, strerror(errno));
    if (!put(p, &made, sizeof made) || !put(p, arguments, made.argument_bytes) || fflush(p->file) != 0)
        return cannot_write(p, w);
    return EXIT_CLEAN;
}

// Bodies by their place in the scene: ids of another run would not fit.
static void place_bodies(const scene *s, snag_contact *contact)
{
    snag_body_id *ids[2] = {&contact->body_a, &contact->body_b};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < s->body_count; i++)
            if (s->bodies[i].id.index == ids[k]->index) {
                *ids[k] = (snag_body_id){i, 0};
                break;
            }
}

int part_add(part_writer *p, const scene *s, size_t frame, size_t ask, const snag_answer *answer, words *w)
{
    part_record record;
    memset(&record, 0, sizeof record);
    record.frame = frame;
    record.ask = ask;
    record.contacts = answer->contacts ? answer->count : 0;
    record.reason_bytes = answer->reason ? strlen(answer->reason) + 1 : 0;
    record.answer = *answer;
    record.statistics = *answer->statistics;
    record.answer.contacts = NULL;
    record.answer.pairs = NULL;
    record.answer.ended = NULL;
    record.answer.ended_count = 0;
    record.answer.reason = NULL;
    record.answer.statistics = NULL;
    record.statistics.lab = NULL;
    if (!put(p, &record, sizeof record) || !put(p, answer->reason, record.reason_bytes))
        return cannot_write(p, w);
    for (size_t i = 0; i < record.contacts; i++) {
        snag_contact contact = answer->contacts[i];
        place_bodies(s, &contact);
        if (!put(p, &contact, sizeof contact))
            return cannot_write(p, w);
    }
    p->records++;
    // Others look at how far it is.
    return fflush(p->file) == 0 ? EXIT_CLEAN : cannot_write(p, w);
}

int part_finish(part_writer *p, words *w)
{
    part_tail tail = {.records = p->records, .hash = p->hash};
    memcpy(tail.magic, END, sizeof tail.magic);
    errno = 0;
    bool written = fwrite(&tail, 1, sizeof tail, p->file) == sizeof tail && fflush(p->file) == 0;
    if (fclose(p->file) != 0 || !written) {
        p->file = NULL;
        return cannot_write(p, w);
    }
    p->file = NULL;
    if (sys_rename(p->path, p->final_path) != 0)
        return words_error(w, "%s: cannot rename: %s", p->path, strerror(errno));
    return EXIT_CLEAN;
}

void part_drop(part_writer *p)
{
    if (p->file)
        fclose(p->file);
    free(p->path);
    free(p->final_path);
    *p = (part_writer){.file = NULL};
}

// ---- reading ----

static int damaged(const char *path, const char *why, words *w)
{
    return words_error(w, "%s: %s; run that part again", path, why);
}

// The hash over everything but the tail.
static bool is_whole(FILE *file, uint64_t size, const part_tail *tail)
{
    // As it was written: piece by piece, of the sizes that the records tell.
    part_head head;
    char *room = NULL;
    uint64_t hash = 0, at = 0, records = 0;
    bool good = fseek(file, 0, SEEK_SET) == 0 && fread(&head, sizeof head, 1, file) == 1;
    if (good) {
        hash = hash_words(hash, &head, sizeof head);
        at = sizeof head + head.argument_bytes;
        room = head.argument_bytes < size ? malloc(head.argument_bytes + 1) : NULL;
        good = room && fread(room, 1, head.argument_bytes, file) == head.argument_bytes;
        if (good)
            hash = hash_words(hash, room, head.argument_bytes);
    }
    while (good && at + sizeof *tail < size) {
        part_record record;
        good = fread(&record, sizeof record, 1, file) == 1 && record.reason_bytes <= 4096 &&
               record.contacts <= size / sizeof(snag_contact);
        if (!good)
            break;
        hash = hash_words(hash, &record, sizeof record);
        char reason[4096];
        good = fread(reason, 1, record.reason_bytes, file) == record.reason_bytes;
        hash = record.reason_bytes > 0 && good ? hash_words(hash, reason, record.reason_bytes) : hash_words(hash, reason, 0);
        for (uint64_t i = 0; i < record.contacts && good; i++) {
            snag_contact contact;
            good = fread(&contact, sizeof contact, 1, file) == 1;
            hash = good ? hash_words(hash, &contact, sizeof contact) : hash;
        }
        at += sizeof record + record.reason_bytes + record.contacts * sizeof(snag_contact);
        records++;
    }
    free(room);
    return good && at + sizeof *tail == size && records == tail->records && hash == tail->hash;
}

static int check_file(part_reader *r, const char *path, size_t part, size_t parts, words *w)
{
    sys_info status;
    part_tail tail;
    if (sys_fstat(fileno(r->file), &status) != 0 || (uint64_t)status.st_size < sizeof r->head + sizeof tail ||
        fread(&r->head, sizeof r->head, 1, r->file) != 1 || memcmp(r->head.magic, MAGIC, sizeof MAGIC) != 0)
        return damaged(path, "not the file of a part", w);
    if (r->head.version != 1 || r->head.sizes != sizes())
        return damaged(path, "written by another version of snag, or on another kind of machine", w);
    if (r->head.part != part || r->head.parts != parts)
        return damaged(path, "its name says another part than its contents", w);
    if (fseek(r->file, -(long)sizeof tail, SEEK_END) != 0 || fread(&tail, sizeof tail, 1, r->file) != 1 ||
        memcmp(tail.magic, END, sizeof END) != 0 || !is_whole(r->file, (uint64_t)status.st_size, &tail))
        return damaged(path, "damaged: its contents do not have the sum it promises", w);
    r->arguments = malloc(r->head.argument_bytes + 1);
    if (!r->arguments)
        return words_out_of_memory(w);
    r->arguments[r->head.argument_bytes] = 0;
    if (fseek(r->file, (long)sizeof r->head, SEEK_SET) != 0 ||
        fread(r->arguments, 1, r->head.argument_bytes, r->file) != r->head.argument_bytes)
        return damaged(path, "cannot be read", w);
    return EXIT_CLEAN;
}

int part_open(part_reader *r, const char *folder, size_t part, size_t parts, words *w)
{
    *r = (part_reader){.file = NULL};
    char *path = part_path(folder, part, parts, ".answers"), *running = part_path(folder, part, parts, ".partial");
    sys_info status;
    int result = EXIT_CLEAN;
    if (!path || !running)
        result = words_out_of_memory(w);
    else if (!(r->file = sys_fopen(path, "rb")))
        result = sys_stat(running, &status) == 0
                     ? words_error(w, "part %zu of %zu is not finished: still running, or it was ended; wait, or run it again",
                                   part, parts)
                     : words_error(w, "part %zu of %zu is missing in %s; run it: --part %zu/%zu", part, parts, folder, part, parts);
    else
        result = check_file(r, path, part, parts, w);
    free(path);
    free(running);
    return result;
}

bool part_read(part_reader *r, const scene *s, size_t frame, size_t ask, snag_contact **contacts, size_t *capacity,
               snag_answer *answer, snag_statistics *statistics)
{
    if (fread(&r->next, sizeof r->next, 1, r->file) != 1 || r->next.frame != frame || r->next.ask != ask)
        return false;
    free(r->reason);
    r->reason = malloc(r->next.reason_bytes + 1);
    if (!r->reason || fread(r->reason, 1, r->next.reason_bytes, r->file) != r->next.reason_bytes ||
        !words_grow((void **)contacts, capacity, r->next.contacts + 1, sizeof **contacts) ||
        fread(*contacts, sizeof **contacts, r->next.contacts, r->file) != r->next.contacts)
        return false;
    for (size_t i = 0; i < r->next.contacts; i++) {
        snag_contact *c = &(*contacts)[i];
        if (c->body_a.index >= s->body_count || c->body_b.index >= s->body_count)
            return false;
        c->body_a = s->bodies[c->body_a.index].id;
        c->body_b = s->bodies[c->body_b.index].id;
    }
    *answer = r->next.answer;
    static const snag_lab_results none = {0};
    *statistics = r->next.statistics;
    statistics->lab = &none;
    answer->contacts = r->next.contacts > 0 ? *contacts : NULL;
    answer->reason = r->reason;
    answer->statistics = statistics;
    return true;
}

void part_close(part_reader *r)
{
    if (r->file)
        fclose(r->file);
    free(r->arguments);
    free(r->reason);
    *r = (part_reader){.file = NULL};
}

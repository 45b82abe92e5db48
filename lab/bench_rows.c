#define _DEFAULT_SOURCE
#include "bench_rows.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/json.h"
#include "snag/io.h"
#include "snag/snag.h"

// The numeric fields of a row and their keys.
typedef struct number_key {
    const char *key;
    size_t offset;
    bool is_needed, is_count;
} number_key;

#define AT(member) offsetof(bench_row, member)
static const number_key numbers[] = {
    {"threads", AT(threads), true, true},
    {"run_threads", AT(run_threads), false, true},
    {"elements", AT(elements), true, true},
    {"contacts", AT(contacts), true, true},
    {"ms", AT(ms), true, false},
    {"limit_ms", AT(limit_ms), true, false},
    {"bytes", AT(bytes), true, true},
    {"wall_ms", AT(wall_ms), false, false},
    {"cpu_ms", AT(cpu_ms), false, false},
    {"update_ms", AT(update_ms), false, false},
    {"candidates", AT(candidates), false, true},
    {"missing", AT(missing), false, true},
    {"extra", AT(extra), false, true},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const struct {
    const char *key;
    size_t offset, size;
} texts[] = {
    {"bench", AT(bench), sizeof((bench_row *)0)->bench},
    {"scene", AT(scene), sizeof((bench_row *)0)->scene},
    {"question", AT(question), sizeof((bench_row *)0)->question},
    {"method", AT(method), sizeof((bench_row *)0)->method},
};
enum { TEXTS = sizeof texts / sizeof *texts };

static double *number_at(bench_row *row, size_t i)
{
    return (double *)(void *)((char *)row + numbers[i].offset);
}

static double number_of(const bench_row *row, size_t i)
{
    return *(const double *)(const void *)((const char *)row + numbers[i].offset);
}

// ---- reading -------------------------------------------------------------------------------------------------------

static bool add_fact(bench_fact **facts, size_t *count, size_t *capacity, const char *name, const char *value)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*facts)[i].name, name) == 0)
            return true;
    if (!words_grow((void **)facts, capacity, *count + 1, sizeof **facts))
        return false;
    bench_fact *fact = &(*facts)[(*count)++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    snprintf(fact->value, sizeof fact->value, "%s", value);
    return true;
}

bool bench_rows_add_fact(bench_rows *rows, const char *name, const char *value)
{
    return add_fact(&rows->facts, &rows->fact_count, &rows->fact_capacity, name, value);
}

static bool read_facts(const snag_io_json *tree, bench_rows *rows)
{
    bool good = true;
    uint32_t machine = snag_io_json_member(tree, 0, "machine"), left_out = snag_io_json_member(tree, 0, "left_out");
    for (uint32_t i = machine ? snag_io_json_first(tree, machine) : 0; i && good; i = snag_io_json_next(tree, machine, i)) {
        char value[160];
        double number = snag_io_json_number(tree, i, NAN);
        snprintf(value, sizeof value, "%s", snag_io_json_text(tree, i));
        if (value[0] == 0 && !isnan(number))
            snprintf(value, sizeof value, "%g", number);
        good = bench_rows_add_fact(rows, snag_io_json_name(tree, machine, i), value);
    }
    for (uint32_t i = left_out ? snag_io_json_first(tree, left_out) : 0; i && good; i = snag_io_json_next(tree, left_out, i))
        good = add_fact(&rows->left_out, &rows->left_out_count, &rows->left_out_capacity, snag_io_json_name(tree, left_out, i),
                        snag_io_json_text(tree, i));
    return good;
}

// False: a key is missing, and *missing names it.
static bool read_row(const snag_io_json *tree, uint32_t object, bench_row *row, const char **missing)
{
    *row = (bench_row){.threads = 0};
    *missing = NULL;
    for (size_t i = 0; i < TEXTS; i++) {
        uint32_t value = snag_io_json_member(tree, object, texts[i].key);
        const char *text = value ? snag_io_json_text(tree, value) : "";
        if (text[0] == 0)
            *missing = texts[i].key;
        snprintf((char *)row + texts[i].offset, texts[i].size, "%s", text);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        *number_at(row, i) = snag_io_json_number(tree, snag_io_json_member(tree, object, numbers[i].key), NAN);
        if (numbers[i].is_needed && isnan(number_of(row, i)))
            *missing = numbers[i].key;
    }
    if (isnan(row->run_threads))
        row->run_threads = row->threads;
    return *missing == NULL;
}

static int read_document(const char *path, const snag_io_json *tree, bench_rows *rows, words *w)
{
    uint32_t list = snag_io_json_member(tree, 0, "rows");
    if (list == 0 || !snag_io_json_is_array(tree, list))
        return words_error(w, "%s: no benchmark results: missing list \"rows\"", path);
    if (!read_facts(tree, rows))
        return words_out_of_memory(w);
    for (uint32_t i = snag_io_json_first(tree, list); i; i = snag_io_json_next(tree, list, i)) {
        const char *missing;
        if (!words_grow((void **)&rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows))
            return words_out_of_memory(w);
        if (!read_row(tree, i, &rows->rows[rows->count], &missing))
            return words_error(w, "%s: a row has no \"%s\"", path, missing);
        rows->count++;
    }
    return EXIT_CLEAN;
}

int bench_rows_read(const char *path, bench_rows *rows, words *w)
{
    snag_io_json *tree;
    snag_io_error error;
    if (snag_io_json_read(path, &tree, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    int result = read_document(path, tree, rows, w);
    snag_io_json_free(tree);
    return result;
}

static int is_data(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 && strcmp(entry->d_name, "bench.json") != 0;
}

int bench_rows_read_folder(const char *folder, bench_rows *rows, words *w)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_data, alphasort), result = EXIT_CLEAN;
    if (count < 0)
        return words_error(w, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (result == EXIT_CLEAN)
            result = bench_rows_read(path, rows, w);
        free(entries[i]);
    }
    free(entries);
    if (result == EXIT_CLEAN && rows->count == 0)
        return words_error(w, "%s: no benchmark results in the folder; run script/bench", folder);
    return result;
}

void bench_rows_free(bench_rows *rows)
{
    free(rows->rows);
    free(rows->facts);
    free(rows->left_out);
    *rows = (bench_rows){0};
}

// ---- writing -------------------------------------------------------------------------------------------------------

static void write_facts(json *j, const char *key, const bench_fact *facts, size_t count)
{
    json_object(j, key);
    for (size_t i = 0; i < count; i++)
        json_text(j, facts[i].name, facts[i].value);
    json_close_object(j);
}

static void write_json(const bench_rows *rows, FILE *out)
{
    json j;
    json_begin(&j, out);
    json_object(&j, NULL);
    write_facts(&j, "machine", rows->facts, rows->fact_count);
    write_facts(&j, "left_out", rows->left_out, rows->left_out_count);
    json_array(&j, "rows");
    for (size_t i = 0; i < rows->count; i++) {
        json_flat_object(&j, NULL);
        for (size_t k = 0; k < TEXTS; k++)
            json_text(&j, texts[k].key, (const char *)&rows->rows[i] + texts[k].offset);
        for (size_t k = 0; k < NUMBERS; k++) {
            double value = number_of(&rows->rows[i], k);
            if (isnan(value))
                continue;
            if (numbers[k].is_count)
                json_count(&j, numbers[k].key, (uint64_t)value);
            else
                json_ms(&j, numbers[k].key, value);
        }
        json_close_object(&j);
    }
    json_close_array(&j);
    json_close_object(&j);
    json_end(&j);
}

static void write_csv(const bench_rows *rows, FILE *out)
{
    for (size_t k = 0; k < TEXTS; k++)
        fprintf(out, "%s%s", k > 0 ? "," : "", texts[k].key);
    for (size_t k = 0; k < NUMBERS; k++)
        fprintf(out, ",%s", numbers[k].key);
    fputc('\n', out);
    for (size_t i = 0; i < rows->count; i++) {
        // Names of scenes may be file names, so quote them, with quotes doubled.
        for (size_t k = 0; k < TEXTS; k++) {
            fputs(k > 0 ? ",\"" : "\"", out);
            for (const char *c = (const char *)&rows->rows[i] + texts[k].offset; *c; c++)
                fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
            fputc('"', out);
        }
        for (size_t k = 0; k < NUMBERS; k++) {
            double value = number_of(&rows->rows[i], k);
            if (isnan(value))
                fputc(',', out);
            else
                fprintf(out, ",%.9g", value);
        }
        fputc('\n', out);
    }
}

int bench_rows_write(const bench_rows *rows, const char *folder, words *w)
{
    static const struct {
        const char *name;
        void (*write)(const bench_rows *, FILE *);
    } forms[] = {{"bench.json", write_json}, {"bench.csv", write_csv}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, forms[i].name);
        FILE *file = fopen(path, "w");
        if (!file)
            return words_error(w, "%s: %s", path, strerror(errno));
        forms[i].write(rows, file);
        bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed)
            return words_error(w, "%s: cannot write", path);
    }
    return EXIT_CLEAN;
}

// ---- lookup --------------------------------------------------------------------------------------------------------

bool bench_row_is_ours(const bench_row *row)
{
    snag_method method;
    return snag_method_from_name(row->method, &method);
}

bool bench_row_is_same(const bench_row *a, const bench_row *b)
{
    return strcmp(a->bench, b->bench) == 0 && strcmp(a->scene, b->scene) == 0 && strcmp(a->question, b->question) == 0 &&
           strcmp(a->method, b->method) == 0 && a->threads == b->threads && a->run_threads == b->run_threads;
}

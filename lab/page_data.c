// Writes a page of results as JSON, CSV, Markdown and lines for a terminal, and all of them as files in a folder.
#define _POSIX_C_SOURCE 200809L
#include "../cli/json.h"
#include "page_inside.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void write_json_verdicts(json *j, const page_part *part)
{
    json_array(j, "verdicts");
    for (size_t k = 0; k < part->count; k++) {
        const page_item *item = &part->items[k];
        if (item->kind != ITEM_VERDICT)
            continue;
        json_flat_object(j, NULL);
        json_text(j, "claim", item->claim);
        json_text(j, "verdict", page_judgement_word(item->judgement));
        json_bool(j, "headline", item->headline);
        json_text(j, "words", item->text);
        if (item->rule) {
            json_text(j, "rule", item->rule);
            json_number(j, "margin", item->margin);
        }
        json_close_object(j);
    }
    json_close_array(j);
}

static void write_json_table(json *j, const page_item *table)
{
    json_object(j, NULL);
    json_text(j, "id", table->id);
    json_text(j, "caption", table->text);
    json_flat_array(j, "columns");
    for (size_t c = 0; c < table->column_count; c++)
        json_text(j, NULL, table->columns[c]);
    json_close_array(j);
    json_array(j, "rows");
    for (size_t row = 0; row < table->row_count; row++) {
        json_flat_array(j, NULL);
        for (size_t c = 0; c < table->column_count; c++) {
            const page_cell_value *cell = page_cell_at(table, row, c);
            if (cell && cell->is_number)
                json_number(j, NULL, cell->number);
            else
                json_text(j, NULL, cell && cell->text[0] ? cell->text : NULL);
        }
        json_close_array(j);
    }
    json_close_array(j);
    json_close_object(j);
}

static void write_json_plot(json *j, const page_item *plot)
{
    json_object(j, NULL);
    json_text(j, "id", plot->id);
    json_text(j, "caption", plot->text);
    json_text(j, "x", plot->x_label);
    json_text(j, "y", plot->y_label);
    json_array(j, "series");
    for (size_t s = 0; s < plot->series_count; s++) {
        const page_data_series *series = &plot->series[s];
        json_object(j, NULL);
        json_text(j, "name", series->name);
        json_flat_array(j, "points");
        for (size_t i = 0; i < series->count; i++) {
            json_flat_array(j, NULL);
            if (series->points[i].name)
                json_text(j, NULL, series->points[i].name);
            else
                json_number(j, NULL, series->points[i].x);
            json_number(j, NULL, series->points[i].y);
            json_close_array(j);
        }
        json_close_array(j);
        json_close_object(j);
    }
    json_close_array(j);
    json_close_object(j);
}

static bool is_plot(const page_item *item)
{
    return item->kind == ITEM_PLOT || item->kind == ITEM_BARS;
}

static void write_json_part(json *j, const page_part *part)
{
    json_object(j, NULL);
    json_text(j, "id", part->id);
    json_text(j, "title", part->title);
    json_array(j, "words");
    for (size_t k = 0; k < part->count; k++)
        if (part->items[k].kind == ITEM_WORDS)
            json_text(j, NULL, part->items[k].text);
    json_close_array(j);
    write_json_verdicts(j, part);
    json_array(j, "tables");
    for (size_t k = 0; k < part->count; k++)
        if (part->items[k].kind == ITEM_TABLE)
            write_json_table(j, &part->items[k]);
    json_close_array(j);
    json_array(j, "plots");
    for (size_t k = 0; k < part->count; k++)
        if (is_plot(&part->items[k]))
            write_json_plot(j, &part->items[k]);
    json_close_array(j);
    json_close_object(j);
}

void page_write_json(const page *p, FILE *out)
{
    json j;
    json_begin(&j, out);
    json_object(&j, NULL);
    json_text(&j, "title", p->title);
    json_object(&j, "facts");
    for (size_t i = 0; i < p->fact_count; i++)
        json_text(&j, p->facts[i].name, p->facts[i].value);
    json_close_object(&j);
    json_array(&j, "sections");
    for (size_t i = 0; i < p->part_count; i++)
        write_json_part(&j, &p->parts[i]);
    json_close_array(&j);
    json_close_object(&j);
    json_end(&j);
}

// ---- CSV -----------------------------------------------------------------------------------------------------------

static void put_csv(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

static void write_csv_table(const page_item *table, FILE *out)
{
    for (size_t c = 0; c < table->column_count; c++) {
        fputs(c > 0 ? "," : "", out);
        put_csv(out, table->columns[c]);
    }
    fputc('\n', out);
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            const page_cell_value *cell = page_cell_at(table, row, c);
            fputs(c > 0 ? "," : "", out);
            if (cell && cell->is_number)
                fprintf(out, "%.9g", cell->number);
            else
                put_csv(out, cell ? cell->text : "");
        }
        fputc('\n', out);
    }
}

static void write_csv_plot(const page_item *plot, FILE *out)
{
    fputs("series,", out);
    put_csv(out, plot->kind == ITEM_BARS ? "name" : plot->x_label);
    fputc(',', out);
    put_csv(out, plot->y_label);
    fputc('\n', out);
    for (size_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++) {
            const page_data_point *point = &plot->series[s].points[i];
            put_csv(out, plot->series[s].name);
            fputc(',', out);
            if (point->name)
                put_csv(out, point->name);
            else
                fprintf(out, "%.9g", point->x);
            fprintf(out, ",%.9g\n", point->y);
        }
}

void page_write_csv(const page_item *item, FILE *out)
{
    if (item->kind == ITEM_TABLE)
        write_csv_table(item, out);
    else if (is_plot(item))
        write_csv_plot(item, out);
}

// ---- Markdown and the terminal -------------------------------------------------------------------------------------

static void put_markdown(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (strchr("|<>*_`\\", *c))
            fputc('\\', out);
        fputc((unsigned char)*c < 0x20 ? ' ' : *c, out);
    }
}

static void write_markdown_row(const page_item *table, size_t row, FILE *out)
{
    fputc('|', out);
    for (size_t c = 0; c < table->column_count; c++) {
        const page_cell_value *cell = page_cell_at(table, row, c);
        fputc(' ', out);
        put_markdown(out, cell ? cell->text : "");
        fputs(" |", out);
    }
    fputc('\n', out);
}

static void write_markdown_table(const page_item *table, FILE *out)
{
    put_markdown(out, table->text);
    fputs(":\n\n|", out);
    for (size_t c = 0; c < table->column_count; c++) {
        fputc(' ', out);
        put_markdown(out, table->columns[c]);
        fputs(" |", out);
    }
    fputs("\n|", out);
    for (size_t c = 0; c < table->column_count; c++) {
        const page_cell_value *cell = page_cell_at(table, 0, c);
        fputs(cell && cell->is_number ? " ---: |" : " --- |", out);
    }
    fputc('\n', out);
    for (size_t row = 0; row < table->row_count; row++)
        write_markdown_row(table, row, out);
    fputc('\n', out);
}

static void write_markdown_item(const page_item *item, FILE *out)
{
    switch (item->kind) {
    case ITEM_WORDS:
        put_markdown(out, item->text);
        fputs("\n\n", out);
        break;
    case ITEM_VERDICT:
        fprintf(out, "**%s**: ", page_judgement_word(item->judgement));
        put_markdown(out, item->claim);
        fputs(". ", out);
        put_markdown(out, item->text);
        if (item->rule) {
            fputs(item->judgement == PAGE_SKIPPED ? " Not judged: " : " Rule: ", out);
            put_markdown(out, item->rule);
            if (isfinite(item->margin))
                fprintf(out, " (margin %.3g)", item->margin);
            fputc('.', out);
        }
        fputs("\n\n", out);
        break;
    case ITEM_TABLE: write_markdown_table(item, out); break;
    case ITEM_PLOT:
    case ITEM_BARS:
    case ITEM_PICTURE: break;
    }
}

void page_write_markdown(const page *p, FILE *out, int level)
{
    static const char marks[] = "######";
    for (size_t i = 0; i < p->fact_count; i++) {
        fputs("- ", out);
        put_markdown(out, p->facts[i].name);
        fputs(": ", out);
        put_markdown(out, p->facts[i].value);
        fputc('\n', out);
    }
    for (size_t i = 0; i < p->part_count; i++) {
        fprintf(out, "\n%.*s ", level, marks);
        put_markdown(out, p->parts[i].title);
        fputs("\n\n", out);
        for (size_t k = 0; k < p->parts[i].count; k++)
            write_markdown_item(&p->parts[i].items[k], out);
    }
}

void page_write_verdicts(const page *p, FILE *out)
{
    for (size_t i = 0; i < p->part_count; i++)
        for (size_t k = 0; k < p->parts[i].count; k++) {
            const page_item *item = &p->parts[i].items[k];
            if (item->kind != ITEM_VERDICT)
                continue;
            words_put(out, p->parts[i].id, 11);
            words_put(out, page_judgement_word(item->judgement), 14);
            words_put(out, item->claim, 0);
            fputs(": ", out);
            words_put(out, item->text, 0);
            if (item->rule && item->judgement != PAGE_HOLDS) {
                fputs(item->judgement == PAGE_SKIPPED ? " Not judged: " : " Rule: ", out);
                words_put(out, item->rule, 0);
            }
            fputc('\n', out);
        }
}

// ---- a folder ------------------------------------------------------------------------------------------------------

static int make_folder(const char *folder, words *w)
{
    struct stat is;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return words_error(w, "%s: cannot create the folder: %s", folder, strerror(errno));
    if (stat(folder, &is) != 0 || !S_ISDIR(is.st_mode))
        return words_error(w, "%s: not a folder", folder);
    return EXIT_CLEAN;
}

static int check_writable(const char *folder, words *w)
{
    int result = make_folder(folder, w);
    if (result == EXIT_CLEAN && access(folder, W_OK | X_OK) != 0)
        return words_error(w, "%s: cannot write there: %s", folder, strerror(errno));
    return result;
}

int page_check_folder(const char *folder, const char *name, words *w)
{
    static const char *const endings[] = {"html", "json", "md"};
    char path[4096];
    int result = check_writable(folder, w);
    snprintf(path, sizeof path, "%s/csv", folder);
    if (result == EXIT_CLEAN)
        result = check_writable(path, w);
    for (size_t i = 0; i < sizeof endings / sizeof *endings && result == EXIT_CLEAN; i++) {
        struct stat is;
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, endings[i]);
        if (stat(path, &is) != 0)
            continue;
        if (S_ISDIR(is.st_mode))
            result = words_error(w, "%s: is a folder; choose another one with --out", path);
        else if (access(path, W_OK) != 0)
            result = words_error(w, "%s: cannot write: %s", path, strerror(errno));
    }
    return result;
}

typedef void write_page(const page *p, FILE *out);

static void write_markdown(const page *p, FILE *out)
{
    page_write_markdown(p, out, 3);
}

static int close_file(FILE *file, const char *path, words *w)
{
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed)
        return words_error(w, "%s: cannot write: %s", path, strerror(errno));
    return EXIT_CLEAN;
}

static int write_file(const page *p, const char *path, write_page *write, words *w)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return words_error(w, "%s: %s", path, strerror(errno));
    write(p, file);
    return close_file(file, path, w);
}

static int write_csv_files(const page *p, const char *folder, words *w)
{
    char path[4096];
    for (size_t i = 0; i < p->part_count; i++)
        for (size_t k = 0; k < p->parts[i].count; k++) {
            const page_item *item = &p->parts[i].items[k];
            if (item->kind != ITEM_TABLE && !is_plot(item))
                continue;
            snprintf(path, sizeof path, "%s/csv/%s-%s.csv", folder, p->parts[i].id, item->id);
            FILE *file = fopen(path, "w");
            if (!file)
                return words_error(w, "%s: %s", path, strerror(errno));
            page_write_csv(item, file);
            int result = close_file(file, path, w);
            if (result != EXIT_CLEAN)
                return result;
        }
    return EXIT_CLEAN;
}

int page_write_folder(const page *p, const char *folder, const char *name, words *w)
{
    static const struct {
        const char *ending;
        write_page *write;
    } forms[] = {{"html", page_write_html}, {"json", page_write_json}, {"md", write_markdown}};
    if (p->failed)
        return words_out_of_memory(w);
    char path[4096];
    int result = page_check_folder(folder, name, w);
    for (size_t i = 0; i < sizeof forms / sizeof *forms && result == EXIT_CLEAN; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, forms[i].ending);
        result = write_file(p, path, forms[i].write, w);
    }
    return result == EXIT_CLEAN ? write_csv_files(p, folder, w) : result;
}

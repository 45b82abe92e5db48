// The contents of a page of results.
#define _POSIX_C_SOURCE 200809L
#include "page_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- memory --------------------------------------------------------------------------------------------------------

page *page_new(const char *title)
{
    page *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->title = strdup(title);
    p->failed = !p->title;
    return p;
}

bool page_failed(const page *p)
{
    return p->failed;
}

static void free_series(page_data_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        free(series->points[i].name);
    free(series->points);
    free(series->name);
}

static void free_item(page_item *item)
{
    for (size_t i = 0; i < item->column_count; i++)
        free(item->columns[i]);
    for (size_t i = 0; i < item->cell_count; i++)
        free(item->cells[i].text);
    for (size_t i = 0; i < item->series_count; i++)
        free_series(&item->series[i]);
    char *texts[] = {item->id, item->text, item->claim, item->rule, item->x_label, item->y_label, item->drawing};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(item->columns);
    free(item->cells);
    free(item->series);
}

void page_free(page *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->part_count; i++) {
        for (size_t k = 0; k < p->parts[i].count; k++)
            free_item(&p->parts[i].items[k]);
        free(p->parts[i].items);
        free(p->parts[i].id);
        free(p->parts[i].title);
    }
    for (size_t i = 0; i < p->fact_count; i++) {
        free(p->facts[i].name);
        free(p->facts[i].value);
    }
    free(p->parts);
    free(p->facts);
    free(p->title);
    free(p);
}

// Copies a text; NULL if out of memory (the page has then failed).
static char *keep(page *p, const char *text)
{
    char *copy = strdup(text);
    p->failed = p->failed || !copy;
    return copy;
}

static char *keep_formatted(page *p, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text) {
        p->failed = true;
        return NULL;
    }
    vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

static bool grow(page *p, void **items, size_t *capacity, size_t needed, size_t item_size)
{
    if (!p->failed && !words_grow(items, capacity, needed, item_size))
        p->failed = true;
    return !p->failed;
}

// ---- adding --------------------------------------------------------------------------------------------------------

void page_fact(page *p, const char *name, const char *format, ...)
{
    if (!grow(p, (void **)&p->facts, &p->fact_capacity, p->fact_count + 1, sizeof *p->facts))
        return;
    va_list list;
    va_start(list, format);
    p->facts[p->fact_count++] = (page_fact_line){keep(p, name), keep_formatted(p, format, list)};
    va_end(list);
}

void page_section(page *p, const char *id, const char *title)
{
    if (grow(p, (void **)&p->parts, &p->part_capacity, p->part_count + 1, sizeof *p->parts))
        p->parts[p->part_count++] = (page_part){.id = keep(p, id), .title = keep(p, title)};
}

// Adds an item to the last section; NULL if out of memory.
static page_item *add_item(page *p, page_item_kind kind, const char *id)
{
    if (p->part_count == 0)
        page_section(p, "results", p->title ? p->title : "");
    if (p->failed)
        return NULL;
    page_part *part = &p->parts[p->part_count - 1];
    if (!grow(p, (void **)&part->items, &part->capacity, part->count + 1, sizeof *part->items))
        return NULL;
    page_item *item = &part->items[part->count++];
    *item = (page_item){.kind = kind, .id = keep(p, id)};
    return item;
}

// The last item, if it is of one of two kinds.
static page_item *last_item(const page *p, page_item_kind kind, page_item_kind other)
{
    if (p->failed || p->part_count == 0 || p->parts[p->part_count - 1].count == 0)
        return NULL;
    const page_part *part = &p->parts[p->part_count - 1];
    page_item *item = &part->items[part->count - 1];
    return item->kind == kind || item->kind == other ? item : NULL;
}

void page_words(page *p, const char *format, ...)
{
    page_item *item = add_item(p, ITEM_WORDS, "");
    if (!item)
        return;
    va_list list;
    va_start(list, format);
    item->text = keep_formatted(p, format, list);
    va_end(list);
}

void page_verdict(page *p, page_judgement judgement, bool headline, const char *claim, const char *format, ...)
{
    page_item *item = add_item(p, ITEM_VERDICT, "");
    if (!item)
        return;
    item->judgement = judgement;
    item->headline = headline;
    item->claim = keep(p, claim);
    va_list list;
    va_start(list, format);
    item->text = keep_formatted(p, format, list);
    va_end(list);
}

void page_ruled(page *p, const page_ruling *ruling, bool headline, const char *claim, const char *format, ...)
{
    page_item *item = add_item(p, ITEM_VERDICT, "");
    if (!item)
        return;
    item->judgement = ruling->judgement;
    item->headline = headline;
    item->claim = keep(p, claim);
    item->rule = keep(p, ruling->rule);
    item->margin = ruling->margin;
    va_list list;
    va_start(list, format);
    item->text = keep_formatted(p, format, list);
    va_end(list);
}

size_t page_verdict_count(const page *p, page_judgement judgement)
{
    size_t count = 0;
    for (size_t i = 0; i < p->part_count; i++)
        for (size_t k = 0; k < p->parts[i].count; k++) {
            const page_item *item = &p->parts[i].items[k];
            count += item->kind == ITEM_VERDICT && item->judgement == judgement;
        }
    return count;
}

void page_table(page *p, const char *id, const char *caption, const char *columns)
{
    page_item *item = add_item(p, ITEM_TABLE, id);
    if (!item)
        return;
    item->text = keep(p, caption);
    for (const char *at = columns; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (!grow(p, (void **)&item->columns, &item->column_capacity, item->column_count + 1, sizeof *item->columns))
            return;
        char *name = strndup(at, strcspn(at, "|"));
        p->failed = p->failed || !name;
        item->columns[item->column_count++] = name;
    }
}

void page_row(page *p)
{
    page_item *table = last_item(p, ITEM_TABLE, ITEM_TABLE);
    if (!table)
        return;
    // Fill up a short row.
    while (table->cell_count < table->row_count * table->column_count && !p->failed)
        page_cell(p, "%s", "");
    table->row_count++;
}

static void add_cell(page *p, page_cell_value value)
{
    page_item *table = last_item(p, ITEM_TABLE, ITEM_TABLE);
    if (table && value.text && table->cell_count < table->row_count * table->column_count &&
        grow(p, (void **)&table->cells, &table->cell_capacity, table->cell_count + 1, sizeof *table->cells))
        table->cells[table->cell_count++] = value;
    else
        free(value.text);
}

void page_cell(page *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_cell(p, (page_cell_value){.text = keep_formatted(p, format, list)});
    va_end(list);
}

// Inserts thousands separators from 10,000 on.
static void group_digits(char *text, size_t size)
{
    size_t length = strlen(text), digits = strcspn(text + (text[0] == '-'), ".");
    if (digits < 5 || length + digits / 3 >= size)
        return;
    for (size_t at = (text[0] == '-') + digits; digits > 3; digits -= 3) {
        at -= 3;
        memmove(text + at + 1, text + at, strlen(text + at) + 1);
        text[at] = ',';
    }
}

void page_number(page *p, double value, int digits)
{
    char text[400] = "";
    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.*f", digits, value);
        group_digits(text, sizeof text);
    } else if (!isnan(value))
        snprintf(text, sizeof text, "%s", value > 0 ? "over all" : "under all");
    add_cell(p, (page_cell_value){.text = keep(p, text), .number = value, .is_number = isfinite(value)});
}

void page_plot(page *p, const char *id, const char *caption, const char *x_label, const char *y_label, unsigned flags)
{
    page_item *item = add_item(p, ITEM_PLOT, id);
    if (!item)
        return;
    item->text = keep(p, caption);
    item->x_label = keep(p, x_label);
    item->y_label = keep(p, y_label);
    item->flags = flags;
}

void page_bars(page *p, const char *id, const char *caption, const char *y_label, unsigned flags)
{
    page_plot(p, id, caption, "", y_label, flags);
    page_item *item = last_item(p, ITEM_PLOT, ITEM_PLOT);
    if (item)
        item->kind = ITEM_BARS;
}

void page_series(page *p, const char *name)
{
    page_item *plot = last_item(p, ITEM_PLOT, ITEM_BARS);
    if (plot && grow(p, (void **)&plot->series, &plot->series_capacity, plot->series_count + 1, sizeof *plot->series))
        plot->series[plot->series_count++] = (page_data_series){.name = keep(p, name)};
}

static void add_point(page *p, page_data_point point)
{
    page_item *plot = last_item(p, ITEM_PLOT, ITEM_BARS);
    page_data_series *series = plot && plot->series_count > 0 ? &plot->series[plot->series_count - 1] : NULL;
    bool drawn = series && isfinite(point.x) && isfinite(point.y) && !(plot->flags & PAGE_LOG_X && point.x <= 0) &&
                 !(plot->flags & PAGE_LOG_Y && point.y <= 0);
    if (drawn && grow(p, (void **)&series->points, &series->capacity, series->count + 1, sizeof *series->points))
        series->points[series->count++] = point;
    else
        free(point.name);
}

void page_point(page *p, double x, double y)
{
    add_point(p, (page_data_point){x, y, NULL});
}

void page_bar(page *p, const char *name, double y)
{
    add_point(p, (page_data_point){1, y, keep(p, name)});
}

void page_picture(page *p, const char *id, const char *caption)
{
    page_item *item = add_item(p, ITEM_PICTURE, id);
    if (item)
        item->text = keep(p, caption);
}

page_item *page_last_picture(const page *p)
{
    return last_item(p, ITEM_PICTURE, ITEM_PICTURE);
}

// ---- for the writers -----------------------------------------------------------------------------------------------

const char *page_judgement_word(page_judgement judgement)
{
    static const char *const names[] = {"holds", "does not hold", "skipped"};
    return names[judgement];
}

const page_cell_value *page_cell_at(const page_item *table, size_t row, size_t column)
{
    size_t at = row * table->column_count + column;
    return at < table->cell_count ? &table->cells[at] : NULL;
}

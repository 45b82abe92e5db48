// What a page holds, for those who write it. See page.h.
#ifndef SNAG_LAB_PAGE_INSIDE_H
#define SNAG_LAB_PAGE_INSIDE_H

#include "page.h"

typedef struct page_cell_value {
    char *text;
    double number;
    bool is_number;
} page_cell_value;

typedef struct page_data_point {
    double x, y;
    char *name;  // of a bar, else NULL
} page_data_point;

typedef struct page_data_series {
    char *name;
    page_data_point *points;
    size_t count, capacity;
} page_data_series;

typedef enum page_item_kind { ITEM_WORDS, ITEM_VERDICT, ITEM_TABLE, ITEM_PLOT, ITEM_BARS, ITEM_PICTURE } page_item_kind;

typedef struct page_item {
    page_item_kind kind;
    char *id, *text;  // words of a paragraph or a verdict, caption of a table or plot
    // verdict
    page_judgement judgement;
    bool headline;
    char *claim;
    char *rule;  // NULL: none
    double margin;
    // table: the cells of all rows, one after the other
    char **columns;
    size_t column_count, column_capacity;
    page_cell_value *cells;
    size_t cell_count, cell_capacity, row_count;
    char *drawing;  // picture: the panels as SVG elements
    // plot and bars
    char *x_label, *y_label;
    unsigned flags;
    page_data_series *series;
    size_t series_count, series_capacity;
} page_item;

typedef struct page_part {
    char *id, *title;
    page_item *items;
    size_t count, capacity;
} page_part;

typedef struct page_fact_line {
    char *name, *value;
} page_fact_line;

struct page {
    char *title;
    page_fact_line *facts;
    size_t fact_count, fact_capacity;
    page_part *parts;
    size_t part_count, part_capacity;
    bool failed;
};

const char *page_judgement_word(page_judgement judgement);
// The picture that was added last, if it is the last item.
page_item *page_last_picture(const page *p);
// The cell of a row, or NULL where the row is short.
const page_cell_value *page_cell_at(const page_item *table, size_t row, size_t column);
// Writes text with &, <, > and quotes escaped, for HTML and SVG. Control characters become spaces.
void page_put_escaped(FILE *out, const char *text);
// A plot or bars as an SVG element.
void page_write_svg(const page_item *plot, FILE *out);
void page_write_csv(const page_item *item, FILE *out);

#endif

// A page of results: text, verdicts, tables and plots, collected once and written as one self-contained HTML file, as CSV files,
// as JSON and as Markdown.
//
// Items are appended to the last section; rows, cells, series and points to the last table or plot. Text is copied and may
// contain anything: each writer escapes it. When out of memory, nothing more is added and page_failed returns true.
#ifndef SNAG_LAB_PAGE_H
#define SNAG_LAB_PAGE_H

#include "../cli/words.h"

typedef struct page page;

// NULL: out of memory.
page *page_new(const char *title);
void page_free(page *p);
bool page_failed(const page *p);

// A line of the head: the machine, the date, the command.
void page_fact(page *p, const char *name, const char *format, ...) WORDS_FORMAT(3);
// `id` is short and stable: links, files and JSON name the section by it.
void page_section(page *p, const char *id, const char *title);
void page_words(page *p, const char *format, ...) WORDS_FORMAT(2);

typedef enum page_judgement { PAGE_HOLDS, PAGE_FAILS, PAGE_SKIPPED } page_judgement;

// A claim, whether it holds, and by how much. Headlines are also listed in the summary at the top of the page.
void page_verdict(page *p, page_judgement judgement, bool headline, const char *claim, const char *format, ...) WORDS_FORMAT(5);
// A verdict with the rule by which it was judged.
typedef struct page_ruling {
    page_judgement judgement;
    // By what factor the deciding number is on the right side of its limit: 1.5 holds by a half, 0.9 fails by a tenth. NaN: no factor.
    double margin;
    char rule[240];  // what must be true; of a skipped verdict: why it cannot be told
} page_ruling;
// `format` says what was measured.
void page_ruled(page *p, const page_ruling *ruling, bool headline, const char *claim, const char *format, ...) WORDS_FORMAT(5);
// How many verdicts of a kind there are.
size_t page_verdict_count(const page *p, page_judgement judgement);

// Columns are separated by '|'. Neighbours named "group: column" stand under one head.
void page_table(page *p, const char *id, const char *caption, const char *columns);
void page_row(page *p);
void page_cell(page *p, const char *format, ...) WORDS_FORMAT(2);
// So many digits after the point; a NaN is an empty cell.
void page_number(page *p, double value, int digits);

enum { PAGE_LOG_X = 1, PAGE_LOG_Y = 2, PAGE_FROM_ZERO = 4 };

// Lines over numbers, or bars over names.
void page_plot(page *p, const char *id, const char *caption, const char *x_label, const char *y_label, unsigned flags);
void page_bars(page *p, const char *id, const char *caption, const char *y_label, unsigned flags);
void page_series(page *p, const char *name);
// Points that are not finite, and on a logarithmic axis those not above 0, are left out.
void page_point(page *p, double x, double y);
void page_bar(page *p, const char *name, double y);

// ---- pictures ----

typedef struct page_surface {
    const double *positions;  // x, y, z; z is up
    const uint32_t *triangles;
    size_t triangle_count;
    const double *values;  // a number 0..1 for each triangle, as a colour from grey to red; NULL: none
    const double *tints;  // how bright each triangle is beside others, about 1; NULL: all alike
    int colour;  // without values: 0, 1, 2, ...
} page_surface;

typedef struct page_ball {
    double centre[3], radius;
    int colour;
} page_ball;

typedef struct page_scene {
    const page_surface *surfaces;
    size_t surface_count;
    const page_ball *balls;
    size_t ball_count;
    double middle[3], width;  // of what is shown; width 0: everything
} page_scene;

// A figure of panels beside each other, each a drawing in HTML only. What is hidden is left out.
void page_picture(page *p, const char *id, const char *caption);
void page_panel(page *p, const char *title, const page_scene *scene);

// ---- writing -------------------------------------------------------------------------------------------------------

void page_write_html(const page *p, FILE *out);
void page_write_json(const page *p, FILE *out);
// Without plots: for a page of the documentation. Headings begin with so many '#'.
void page_write_markdown(const page *p, FILE *out, int level);
// Verdicts as lines for a terminal.
void page_write_verdicts(const page *p, FILE *out);

// Writes FOLDER/NAME.html, .json, .md and a CSV file FOLDER/csv/SECTION-TABLE.csv for each table and plot. Makes the folders. Says what
// went wrong and returns EXIT_ERROR, else EXIT_CLEAN.
int page_write_folder(const page *p, const char *folder, const char *name, words *w);
// Makes the folder and its csv/ if they are not there, and sees whether the files of page_write_folder can be written: to be asked
// before a long run, not after it.
int page_check_folder(const char *folder, const char *name, words *w);

#endif

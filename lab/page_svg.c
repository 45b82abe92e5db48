// Plots of a page as SVG: lines over numbers, bars over names. Colours come from the page's style, so that one drawing works in
// light and dark mode; series also differ by marks and dashes, for print and for colour-blind readers.
#define _POSIX_C_SOURCE 200809L
#include "page_inside.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 360, LEFT = 72, RIGHT = 16, TOP = 14, BOTTOM = 52, STYLES = 8, MOST_TICKS = 64, WIDEST_BAR = 48 };

typedef struct axis {
    double low, high;  // range of the numbers, or of their base-10 logarithms
    bool is_log;
    double from, to;  // in drawing coordinates
} axis;

typedef struct ticks {
    double at[MOST_TICKS];
    size_t count;
} ticks;

// ---- axes ----------------------------------------------------------------------------------------------------------

static double place(const axis *a, double value)
{
    double v = a->is_log ? log10(value) : value;
    return a->from + (v - a->low) / (a->high - a->low) * (a->to - a->from);
}

// 1, 2 or 5 times a power of ten, so that about `wanted` of them fit into the span.
static double nice_step(double span, int wanted)
{
    double raw = span / wanted, power = pow(10, floor(log10(raw))), rest = raw / power;
    return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

static void add_tick(ticks *t, double at)
{
    if (t->count < MOST_TICKS)
        t->at[t->count++] = at;
}

static ticks linear_ticks(const axis *a)
{
    ticks t = {.count = 0};
    double step = nice_step(a->high - a->low, 6);
    for (double i = ceil(a->low / step - 1e-9); i * step <= a->high + 1e-9 * step; i++)
        add_tick(&t, i * step);
    return t;
}

static ticks log_ticks(const axis *a)
{
    static const double fine[] = {1, 2, 5};
    ticks t = {.count = 0};
    bool is_short = a->high - a->low < 2.2;
    double every = fmax(1, ceil((a->high - a->low) / 8));
    for (double power = floor(a->low); power <= ceil(a->high); power += every)
        for (int i = 0; i < (is_short ? 3 : 1); i++) {
            double value = fine[i] * pow(10, power);
            if (log10(value) >= a->low - 1e-9 && log10(value) <= a->high + 1e-9)
                add_tick(&t, value);
        }
    return t;
}

static ticks ticks_of(const axis *a)
{
    return a->is_log ? log_ticks(a) : linear_ticks(a);
}

static axis make_axis(double low, double high, bool is_log, bool from_zero, double from, double to)
{
    axis a = {low, high, is_log, from, to};
    if (low > high)
        a.low = a.high = 1;  // nothing to draw
    if (is_log) {
        a.low = log10(a.low);
        a.high = log10(a.high);
    } else if (from_zero) {
        a.low = fmin(a.low, 0);
    }
    if (a.high - a.low < 1e-12 * fmax(1, fabs(a.high))) {
        double pad = is_log ? 0.5 : fmax(0.5, 0.1 * fabs(a.high));
        a.low -= from_zero && a.low == 0 ? 0 : pad;
        a.high += pad;
    } else {
        double pad = 0.04 * (a.high - a.low);
        a.low -= from_zero && a.low == 0 ? 0 : pad;
        a.high += pad;
    }
    return a;
}

static void put_number(FILE *out, double value)
{
    double size = fabs(value);
    if (size >= 1e6)
        fprintf(out, "%gM", value / 1e6);
    else if (size >= 1e4)
        fprintf(out, "%gk", value / 1e3);
    else
        fprintf(out, "%.6g", size < 1e-12 ? 0 : value);
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    page_put_escaped(out, text);
    fputs("</text>", out);
}

static void draw_y_axis(const page_item *plot, const axis *y, FILE *out)
{
    ticks t = ticks_of(y);
    for (size_t i = 0; i < t.count; i++) {
        double at = place(y, t.at[i]);
        fprintf(out, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", LEFT, at, WIDTH - RIGHT, at);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, at + 4);
        put_number(out, t.at[i]);
        fputs("</text>", out);
    }
    fprintf(out, "<text class=\"label\" transform=\"translate(15 %d) rotate(-90)\" text-anchor=\"middle\">",
            (TOP + HEIGHT - BOTTOM) / 2);
    page_put_escaped(out, plot->y_label);
    fputs("</text>\n", out);
}

static void draw_x_axis(const page_item *plot, const axis *x, FILE *out)
{
    ticks t = ticks_of(x);
    for (size_t i = 0; i < t.count; i++) {
        double at = place(x, t.at[i]);
        fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>", at, TOP, at, HEIGHT - BOTTOM);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", at, HEIGHT - BOTTOM + 18);
        put_number(out, t.at[i]);
        fputs("</text>", out);
    }
    put_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", plot->x_label);
    fputc('\n', out);
}

// ---- marks ---------------------------------------------------------------------------------------------------------

static void draw_mark(FILE *out, size_t style, double x, double y)
{
    switch (style % 4) {
    case 0: fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", x, y); break;
    case 1: fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\"/>", x - 3, y - 3); break;
    case 2: fprintf(out, "<path d=\"M%.1f %.1fl3.6 6.2h-7.2z\"/>", x, y - 4); break;
    default: fprintf(out, "<path d=\"M%.1f %.1fl4 4l-4 4l-4 -4z\"/>", x, y - 4); break;
    }
}

static void draw_line(const page_data_series *series, size_t style, const axis *x, const axis *y, FILE *out)
{
    enum { MOST_MARKS = 40 };
    fprintf(out, "<g class=\"s s%zu\"><polyline points=\"", style % STYLES);
    for (size_t i = 0; i < series->count; i++)
        fprintf(out, "%s%.1f,%.1f", i > 0 ? " " : "", place(x, series->points[i].x), place(y, series->points[i].y));
    fputs("\"/>", out);
    // With hundreds of points, marks would hide the line.
    for (size_t i = 0; i < series->count && series->count <= MOST_MARKS; i++)
        draw_mark(out, style, place(x, series->points[i].x), place(y, series->points[i].y));
    fputs("</g>\n", out);
}

static void widen(double value, double *low, double *high)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void draw_lines(const page_item *plot, FILE *out)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++) {
            widen(plot->series[i].points[k].x, &low[0], &high[0]);
            widen(plot->series[i].points[k].y, &low[1], &high[1]);
        }
    axis x = make_axis(low[0], high[0], plot->flags & PAGE_LOG_X, false, LEFT, WIDTH - RIGHT);
    axis y = make_axis(low[1], high[1], plot->flags & PAGE_LOG_Y, plot->flags & PAGE_FROM_ZERO, HEIGHT - BOTTOM, TOP);
    draw_y_axis(plot, &y, out);
    draw_x_axis(plot, &x, out);
    for (size_t i = 0; i < plot->series_count; i++)
        if (plot->series[i].count > 0)
            draw_line(&plot->series[i], i, &x, &y, out);
}

// ---- bars ----------------------------------------------------------------------------------------------------------

static const page_data_point *bar_of(const page_data_series *series, const char *name)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->points[i].name && strcmp(series->points[i].name, name) == 0)
            return &series->points[i];
    return NULL;
}

// Lists the groups: all names, in order of first appearance.
static size_t list_groups(const page_item *plot, const char *names[MOST_TICKS])
{
    size_t count = 0;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count && count < MOST_TICKS; k++) {
            const char *name = plot->series[i].points[k].name;
            bool is_known = !name;
            for (size_t g = 0; g < count && !is_known; g++)
                is_known = strcmp(names[g], name) == 0;
            if (!is_known)
                names[count++] = name;
        }
    return count;
}

static size_t count_bars(const page_item *plot, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < plot->series_count; i++)
        count += bar_of(&plot->series[i], name) != NULL;
    return count;
}

static void draw_group(const page_item *plot, const char *name, double left, double width, const axis *y, FILE *out)
{
    size_t count = count_bars(plot, name), drawn = 0;
    double bar = fmin(0.8 * width / (double)(count > 0 ? count : 1), WIDEST_BAR), bottom = HEIGHT - BOTTOM;
    double first = left + (width - bar * (double)count) / 2;
    for (size_t i = 0; i < plot->series_count; i++) {
        const page_data_point *point = bar_of(&plot->series[i], name);
        if (!point)
            continue;
        double top = place(y, point->y);
        fprintf(out, "<rect class=\"b b%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>", i % STYLES,
                first + bar * (double)drawn++, top, fmax(bar - 1, 1), fmax(bottom - top, 0.5));
        page_put_escaped(out, plot->series[i].name);
        fprintf(out, ": %.6g</title></rect>", point->y);
    }
    put_text(out, left + width / 2, bottom + 18, "middle", name);
}

static void draw_bars(const page_item *plot, FILE *out)
{
    const char *groups[MOST_TICKS];
    size_t count = list_groups(plot, groups);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++)
            widen(plot->series[i].points[k].y, &low, &high);
    bool is_log = plot->flags & PAGE_LOG_Y;
    axis y = make_axis(is_log ? low / 2 : fmin(low, 0), high, is_log, !is_log, HEIGHT - BOTTOM, TOP);
    draw_y_axis(plot, &y, out);
    double width = (double)(WIDTH - LEFT - RIGHT) / (double)(count > 0 ? count : 1);
    for (size_t g = 0; g < count; g++)
        draw_group(plot, groups[g], LEFT + width * (double)g, width, &y, out);
    fputc('\n', out);
}

// ---- legend --------------------------------------------------------------------------------------------------------

static void write_legend(const page_item *plot, FILE *out)
{
    fputs("<ul class=\"legend\">", out);
    for (size_t i = 0; i < plot->series_count; i++) {
        // A logarithmic axis cannot show zeros, so a series of only zeros has no line.
        if (plot->series[i].count == 0)
            continue;
        fputs("<li><svg viewBox=\"0 0 30 12\" width=\"30\" height=\"12\" aria-hidden=\"true\">", out);
        if (plot->kind == ITEM_BARS) {
            fprintf(out, "<rect class=\"b b%zu\" x=\"8\" y=\"0\" width=\"12\" height=\"12\"/>", i % STYLES);
        } else {
            fprintf(out, "<g class=\"s s%zu\"><polyline points=\"0,6 30,6\"/>", i % STYLES);
            draw_mark(out, i, 15, 6);
            fputs("</g>", out);
        }
        fputs("</svg> ", out);
        page_put_escaped(out, plot->series[i].name);
        fputs("</li>", out);
    }
    fputs("</ul>\n", out);
}

void page_write_svg(const page_item *plot, FILE *out)
{
    if (plot->series_count > 0)
        write_legend(plot, out);
    fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    page_put_escaped(out, plot->text);
    fputs("\">\n", out);
    if (plot->kind == ITEM_BARS)
        draw_bars(plot, out);
    else
        draw_lines(plot, out);
    fprintf(out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/></svg>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
}

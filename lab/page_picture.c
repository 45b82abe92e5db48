// Pictures of a page: surfaces and spheres seen from the front right and above, as SVG. Hidden parts are left out by a depth buffer, so
// that thousands of spheres stay a small drawing; what is left is drawn from back to front.
#define _POSIX_C_SOURCE 200809L
#include "../common/system.h"
#include "page_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PANEL = 300,  // width and height of a panel
    TITLE = 20,  // of which the title takes so many
    FINE = 3,  // samples of the depth buffer in a unit
    SIDE = PANEL * FINE,
    TONES = 9,  // steps of shading
};

// Base colours: bodies by their number, and a scale from unvisited to often visited.
static const uint8_t body_colours[][3] = {{96, 150, 200}, {214, 126, 70}, {92, 168, 130}, {176, 110, 170}, {190, 160, 60}};
static const uint8_t scale_colours[][3] = {{222, 224, 228}, {160, 196, 232}, {84, 158, 214},
                                           {250, 200, 90},  {236, 120, 50},  {176, 20, 40}};
enum {
    BODIES = sizeof body_colours / sizeof *body_colours,
    STEPS = sizeof scale_colours / sizeof *scale_colours,
};

typedef struct shape {
    double depth;  // of its middle: larger is nearer
    double at[3][3];  // corners: right, down, near; of a ball its centre in the first
    double radius;  // 0: a triangle
    uint8_t rgb[3];
    bool seen;
} shape;

typedef struct view {
    double middle[3], scale;
} view;

// Right, up and near as axes of the world.
static const double axes[3][3] = {{0.866025403784, 0.5, 0},
                                  {0.171010071663, -0.296198132726, 0.939692620786},
                                  {0.469846310393, -0.813797681349, -0.342020143326}};

static void look(const view *v, const double x[3], double out[3])
{
    double d[3] = {x[0] - v->middle[0], x[1] - v->middle[1], x[2] - v->middle[2]}, r[3];
    for (int k = 0; k < 3; k++)
        r[k] = v->scale * (axes[k][0] * d[0] + axes[k][1] * d[1] + axes[k][2] * d[2]);
    out[0] = PANEL / 2.0 + r[0];
    out[1] = TITLE + (PANEL - TITLE) / 2.0 - r[1];
    out[2] = -r[2];
}

static void widen(double lo[3], double hi[3], const double x[3], double by)
{
    for (int k = 0; k < 3; k++) {
        lo[k] = fmin(lo[k], x[k] - by);
        hi[k] = fmax(hi[k], x[k] + by);
    }
}

static view make_view(const page_scene *s)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    view v = {{0}, 1};
    if (s->width > 0)
        memcpy(v.middle, s->middle, sizeof v.middle);
    else {
        for (size_t i = 0; i < s->surface_count; i++)
            for (size_t t = 0; t < 3 * s->surfaces[i].triangle_count; t++)
                widen(lo, hi, &s->surfaces[i].positions[3 * (size_t)s->surfaces[i].triangles[t]], 0);
        for (size_t i = 0; i < s->ball_count; i++)
            widen(lo, hi, s->balls[i].centre, s->balls[i].radius);
        for (int k = 0; k < 3; k++)
            v.middle[k] = lo[k] <= hi[k] ? (lo[k] + hi[k]) / 2 : 0;
    }
    double width = s->width;
    if (!(width > 0) && lo[0] <= hi[0])
        width =
            0.85 * sqrt((hi[0] - lo[0]) * (hi[0] - lo[0]) + (hi[1] - lo[1]) * (hi[1] - lo[1]) + (hi[2] - lo[2]) * (hi[2] - lo[2]));
    v.scale = (PANEL - TITLE) / (width > 0 ? width : 1);
    return v;
}

static uint8_t shaded(uint8_t colour, double light)
{
    double value = floor(light * TONES + 0.5) / TONES * colour;
    return (uint8_t)fmin(255, fmax(0, value));
}

static void colour_of(double value, int body, double light, uint8_t rgb[3])
{
    const uint8_t *base = body_colours[body % BODIES];
    if (isfinite(value)) {
        int step = (int)floor(value * (STEPS - 1) + 0.5);
        base = scale_colours[step < 0 ? 0 : step >= STEPS ? STEPS - 1 : step];
    }
    for (int k = 0; k < 3; k++)
        rgb[k] = shaded(base[k], light);
}

// How bright a triangle is: both sides alike, lit from the viewer's upper left.
static double light_on(const double at[3][3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = at[1][k] - at[0][k];
        v[k] = at[2][k] - at[0][k];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return length > 0 ? 0.55 + 0.45 * fabs(-0.3 * n[0] - 0.45 * n[1] + 0.84 * n[2]) / length : 1;
}

static size_t gather(const page_scene *s, const view *v, shape *shapes)
{
    size_t count = 0;
    for (size_t i = 0; i < s->surface_count; i++)
        for (size_t t = 0; t < s->surfaces[i].triangle_count; t++) {
            const page_surface *surface = &s->surfaces[i];
            shape *made = &shapes[count++];
            *made = (shape){.radius = 0};
            for (int c = 0; c < 3; c++) {
                look(v, &surface->positions[3 * (size_t)surface->triangles[3 * t + (size_t)c]], made->at[c]);
                made->depth += made->at[c][2] / 3;
            }
            double tint = surface->tints ? surface->tints[t] : 1;
            colour_of(surface->values ? surface->values[t] : NAN, surface->colour, tint * light_on((const double(*)[3])made->at),
                      made->rgb);
        }
    for (size_t i = 0; i < s->ball_count; i++) {
        shape *made = &shapes[count++];
        *made = (shape){.radius = v->scale * s->balls[i].radius};
        look(v, s->balls[i].centre, made->at[0]);
        made->depth = made->at[0][2];
        colour_of(NAN, s->balls[i].colour, 1, made->rgb);
    }
    return count;
}

// ---- what is hidden ------------------------------------------------------------------------------------------------

typedef struct sample {
    double depth;
    uint32_t shape;  // 1 for the first
} sample;

static void put_sample(sample *buffer, int x, int y, double depth, size_t index)
{
    sample *s = &buffer[y * SIDE + x];
    if (s->shape == 0 || depth > s->depth)
        *s = (sample){depth, (uint32_t)index + 1};
}

static int clamped(double at)
{
    return at < 0 ? 0 : at > SIDE - 1 ? SIDE - 1 : (int)at;
}

static void cover_ball(sample *buffer, const shape *b, size_t index)
{
    double r = b->radius * FINE, cx = b->at[0][0] * FINE, cy = b->at[0][1] * FINE;
    for (int y = clamped(ceil(cy - r)); y <= clamped(floor(cy + r)); y++)
        for (int x = clamped(ceil(cx - r)); x <= clamped(floor(cx + r)); x++) {
            double rest = r * r - (x - cx) * (x - cx) - (y - cy) * (y - cy);
            if (rest >= 0)
                put_sample(buffer, x, y, b->at[0][2] + sqrt(rest) / FINE, index);
        }
}

static void cover_triangle(sample *buffer, const shape *t, size_t index)
{
    double p[3][2];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 2; k++)
            p[c][k] = t->at[c][k] * FINE;
    double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if (area == 0)
        return;
    double lo[2], hi[2];
    for (int k = 0; k < 2; k++) {
        lo[k] = fmin(p[0][k], fmin(p[1][k], p[2][k]));
        hi[k] = fmax(p[0][k], fmax(p[1][k], p[2][k]));
    }
    for (int y = clamped(ceil(lo[1])); y <= clamped(floor(hi[1])); y++)
        for (int x = clamped(ceil(lo[0])); x <= clamped(floor(hi[0])); x++) {
            double b = ((x - p[0][0]) * (p[2][1] - p[0][1]) - (y - p[0][1]) * (p[2][0] - p[0][0])) / area;
            double c = ((p[1][0] - p[0][0]) * (y - p[0][1]) - (p[1][1] - p[0][1]) * (x - p[0][0])) / area;
            if (b >= 0 && c >= 0 && b + c <= 1)
                put_sample(buffer, x, y, (1 - b - c) * t->at[0][2] + b * t->at[1][2] + c * t->at[2][2], index);
        }
}

static bool find_seen(shape *shapes, size_t count)
{
    sample *buffer = calloc((size_t)SIDE * SIDE, sizeof *buffer);
    if (!buffer)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (shapes[i].radius > 0)
            cover_ball(buffer, &shapes[i], i);
        else
            cover_triangle(buffer, &shapes[i], i);
    }
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        if (buffer[i].shape > 0)
            shapes[buffer[i].shape - 1].seen = true;
    free(buffer);
    return true;
}

// ---- SVG -----------------------------------------------------------------------------------------------------------

static int from_back_to_front(const void *a, const void *b)
{
    double x = ((const shape *)a)->depth, y = ((const shape *)b)->depth;
    return (x > y) - (x < y);
}

static bool is_same_colour(const shape *a, const shape *b)
{
    return memcmp(a->rgb, b->rgb, sizeof a->rgb) == 0;
}

static void write_shapes(FILE *out, const shape *shapes, size_t count)
{
    const shape *open = NULL;  // the triangle whose path is being written: neighbours of its colour join it
    for (size_t i = 0; i < count; i++) {
        const shape *s = &shapes[i];
        if (!s->seen)
            continue;
        if (open && (s->radius > 0 || !is_same_colour(open, s))) {
            fputs("\"/>\n", out);
            open = NULL;
        }
        if (s->radius > 0) {
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%02x%02x%02x\"/>\n", s->at[0][0], s->at[0][1],
                    s->radius, s->rgb[0], s->rgb[1], s->rgb[2]);
            continue;
        }
        if (!open)
            fprintf(out, "<path fill=\"#%02x%02x%02x\" stroke=\"#%02x%02x%02x\" d=\"", s->rgb[0], s->rgb[1], s->rgb[2], s->rgb[0],
                    s->rgb[1], s->rgb[2]);
        open = s;
        fprintf(out, "M%.1f %.1fL%.1f %.1f %.1f %.1fz", s->at[0][0], s->at[0][1], s->at[1][0], s->at[1][1], s->at[2][0],
                s->at[2][1]);
    }
    if (open)
        fputs("\"/>\n", out);
}

static bool write_panel(FILE *out, const char *title, const page_scene *scene)
{
    size_t count = scene->ball_count;
    for (size_t i = 0; i < scene->surface_count; i++)
        count += scene->surfaces[i].triangle_count;
    shape *shapes = malloc((count + 1) * sizeof *shapes);
    if (!shapes)
        return false;
    view v = make_view(scene);
    gather(scene, &v, shapes);
    bool good = find_seen(shapes, count);
    qsort(shapes, count, sizeof *shapes, from_back_to_front);
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", PANEL, PANEL);
    page_put_escaped(out, title);
    fprintf(out, "\"><text x=\"%d\" y=\"14\" text-anchor=\"middle\">", PANEL / 2);
    page_put_escaped(out, title);
    fputs("</text>\n", out);
    write_shapes(out, shapes, count);
    fputs("</svg>\n", out);
    free(shapes);
    return good;
}

void page_panel(page *p, const char *title, const page_scene *scene)
{
    page_item *item = page_last_picture(p);
    if (!item)
        return;
    char *drawn = NULL;
    size_t size = 0;
    FILE *out = sys_memory_stream(&drawn, &size);
    bool good = out && (!item->drawing || fputs(item->drawing, out) >= 0) && write_panel(out, title, scene);
    if (out && sys_memory_close(out) != 0)
        good = false;
    if (!good) {
        free(drawn);
        p->failed = true;
        return;
    }
    free(item->drawing);
    item->drawing = drawn;
}

// snag probe: the closest surface of points, and where rays hit.
#include "contacts.h"
#include "json.h"
#include "verbs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct probe {
    const options *o;
    words *w;
    snag_world *world;
    scene scene;
    contact_list names;
    size_t *body_of_index;  // from a body id's index to its position in the names
    // From the tables: three numbers of a point, seven of a ray.
    double *points;
    snag_ray *rays;
    size_t point_count, ray_count;
    snag_closest *closest;
    snag_hit *hits;
    const snag_hit_lists *lists;  // --all-hits
} probe;

// ---- tables of numbers ---------------------------------------------------------------------------------------------

enum { COLUMNS_MOST = 7 };

typedef struct table {
    double (*rows)[COLUMNS_MOST];
    size_t *lines;  // by row: line of the file
    size_t count, capacity, line_capacity;
} table;

static bool is_between(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r' || c == '\n';
}

// Reads the numbers of a line. Returns how many; COLUMNS_MOST + 1 if there are more, and -1 if something is not a number.
static int read_line(const char *at, double row[COLUMNS_MOST])
{
    for (int count = 0;; count++) {
        while (is_between(*at))
            at++;
        if (*at == 0)
            return count;
        if (count == COLUMNS_MOST)
            return COLUMNS_MOST + 1;
        char *end;
        row[count] = strtod(at, &end);
        if (end == at || !(*end == 0 || is_between(*end)))
            return -1;
        at = end;
    }
}

static int add_row(table *t, const double row[COLUMNS_MOST], size_t line, words *w)
{
    if (!words_grow((void **)&t->rows, &t->capacity, t->count + 1, sizeof *t->rows) ||
        !words_grow((void **)&t->lines, &t->line_capacity, t->count + 1, sizeof *t->lines))
        return words_out_of_memory(w);
    memcpy(t->rows[t->count], row, sizeof *t->rows);
    t->lines[t->count++] = line;
    return EXIT_CLEAN;
}

// Reads a line of any length; false at the end. `text` grows.
static bool get_line(FILE *file, char **text, size_t *capacity, bool *no_memory)
{
    size_t used = 0;
    int c;
    while ((c = fgetc(file)) != EOF) {
        if (!words_grow((void **)text, capacity, used + 2, 1)) {
            *no_memory = true;
            return false;
        }
        (*text)[used++] = (char)c;
        if (c == '\n')
            break;
    }
    if (used > 0)
        (*text)[used] = 0;
    return used > 0;
}

static int read_rows(FILE *file, const char *path, int least, int most, words *w, table *t)
{
    char *text = NULL;
    size_t capacity = 0, line = 0;
    bool no_memory = false;
    int result = EXIT_CLEAN;
    while (result == EXIT_CLEAN && get_line(file, &text, &capacity, &no_memory)) {
        double row[COLUMNS_MOST] = {0};
        const char *start = line++ == 0 && strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
        start += strspn(start, " \t");
        if (*start == '#')
            continue;
        int count = read_line(start, row);
        if (count == 0 || (count < 0 && line == 1))
            continue;  // empty, or the names of the columns
        if (count < least || count > most)
            result = words_error(w, most > least ? "%s:%zu: expected %d or %d numbers" : "%s:%zu: expected %d numbers", path, line,
                                 least, most);
        else if (count < most)
            row[count] = INFINITY;
        if (result == EXIT_CLEAN)
            result = add_row(t, row, line, w);
    }
    free(text);
    if (no_memory)
        return words_out_of_memory(w);
    return result == EXIT_CLEAN && ferror(file) ? words_error(w, "%s: %s", path, strerror(errno)) : result;
}

static int read_table(const char *path, int least, int most, words *w, table *t)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return words_error(w, "%s: %s", path, strerror(errno));
    int result = read_rows(file, path, least, most, w, t);
    fclose(file);
    return result;
}

static void table_free(table *t)
{
    free(t->rows);
    free(t->lines);
}

// Names the line of a number that is not finite, and of a ray without a length.
static int check_rows(const table *t, const char *path, int columns, bool segments, words *w)
{
    for (size_t i = 0; i < t->count; i++) {
        const double *row = t->rows[i];
        for (int k = 0; k < columns; k++)
            if (!isfinite(row[k]))
                return words_error(w, "%s:%zu: column %d is not finite", path, t->lines[i], k + 1);
        if (columns < 6)
            continue;
        bool same = segments ? row[0] == row[3] && row[1] == row[4] && row[2] == row[5] : row[3] == 0 && row[4] == 0 && row[5] == 0;
        if (same)
            return words_error(w, "%s:%zu: %s", path, t->lines[i],
                               segments ? "the two ends of the segment are the same point" : "the direction is zero");
        if (!(row[6] >= 0))
            return words_error(w, "%s:%zu: column 7, the largest multiple of the direction, must be 0 or more", path, t->lines[i]);
    }
    return EXIT_CLEAN;
}

static int read_points(probe *p)
{
    table t = {0};
    int result = read_table(p->o->points, 3, 3, p->w, &t);
    if (result == EXIT_CLEAN)
        result = check_rows(&t, p->o->points, 3, false, p->w);
    if (result == EXIT_CLEAN) {
        p->points = calloc(3 * t.count + 1, sizeof *p->points);
        p->closest = calloc(t.count + 1, sizeof *p->closest);
        if (!p->points || !p->closest)
            result = words_out_of_memory(p->w);
    }
    for (size_t i = 0; i < t.count && result == EXIT_CLEAN; i++)
        memcpy(p->points + 3 * i, t.rows[i], 3 * sizeof *p->points);
    p->point_count = t.count;
    table_free(&t);
    return result;
}

static int read_rays(probe *p)
{
    table t = {0};
    bool segments = p->o->segments;
    int result = read_table(p->o->rays, 6, segments ? 6 : 7, p->w, &t);
    if (result == EXIT_CLEAN)
        result = check_rows(&t, p->o->rays, 6, segments, p->w);
    if (result == EXIT_CLEAN) {
        p->rays = calloc(t.count + 1, sizeof *p->rays);
        p->hits = calloc(t.count + 1, sizeof *p->hits);
        if (!p->rays || !p->hits)
            result = words_out_of_memory(p->w);
    }
    for (size_t i = 0; i < t.count && result == EXIT_CLEAN; i++) {
        memcpy(p->rays[i].origin, t.rows[i], sizeof p->rays[i].origin);
        memcpy(p->rays[i].direction, t.rows[i] + 3, sizeof p->rays[i].direction);
        p->rays[i].limit = segments ? 1 : t.rows[i][6];
    }
    p->ray_count = t.count;
    table_free(&t);
    return result;
}

// ---- answers -------------------------------------------------------------------------------------------------------

static int ask(probe *p)
{
    snag_closest_def closest = snag_default_closest_def();
    snag_cast_def cast = snag_default_cast_def();
    snag_status status = SNAG_OK;
    closest.sign = true;
    closest.within = p->o->within > 0 ? p->o->within : INFINITY;
    cast.segments = p->o->segments;
    if (p->o->points)
        status = snag_world_closest(p->world, &closest, snag_positions_f64(p->points, p->point_count), p->closest, NULL);
    if (status == SNAG_OK && p->o->rays)
        status = p->o->all_hits ? snag_world_cast_all(p->world, &cast, p->rays, p->ray_count, &p->lists)
                                : snag_world_cast(p->world, &cast, p->rays, p->ray_count, p->hits, NULL);
    if (status == SNAG_ERROR_MEMORY)
        return words_out_of_memory(p->w);
    return status == SNAG_OK ? EXIT_CLEAN : words_error(p->w, "%s", snag_world_message(p->world));
}

// The hits of a ray.
static const snag_hit *hits_of(const probe *p, size_t ray, size_t *count)
{
    if (p->lists) {
        *count = p->lists->start[ray + 1] - p->lists->start[ray];
        return p->lists->items + p->lists->start[ray];
    }
    *count = p->hits[ray].body.index != 0;
    return &p->hits[ray];
}

static const contact_body *body_of(const probe *p, snag_body_id id)
{
    return &p->names.bodies[p->body_of_index[id.index]];
}

static element_text element_of(const probe *p, snag_body_id id, snag_element element)
{
    return contacts_element(contacts_number(body_of(p, id), &element));
}

static element_text triangle_of(const probe *p, const snag_hit *hit)
{
    return element_of(p, hit->body, (snag_element){.kind = SNAG_TRIANGLE, .index = hit->triangle});
}

static const char *feature_of(const snag_closest *c)
{
    return c->kind == SNAG_VERTEX_VERTEX ? "vertex" : c->kind == SNAG_VERTEX_EDGE ? "edge" : "face";
}

// ---- text ----------------------------------------------------------------------------------------------------------

// The shortest digits that read back as the same number.
static void put_number(double x)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    printf(",%s", text);
}

// A name as a field of the table.
static void put_name(const char *name)
{
    putchar(',');
    if (strpbrk(name, ",\"\r\n") == NULL) {
        fputs(name, stdout);
        return;
    }
    putchar('"');
    for (; *name; name++) {
        if (*name == '"')
            putchar('"');
        putchar(*name);
    }
    putchar('"');
}

static void print_points(const probe *p)
{
    puts("point,body,element,feature,side,distance,px,py,pz");
    for (size_t i = 0; i < p->point_count; i++) {
        const snag_closest *c = &p->closest[i];
        printf("%zu", i);
        if (c->body.index == 0) {
            puts(",,,,,,,,");
            continue;
        }
        put_name(body_of(p, c->body)->name);
        printf(",%s,%s,%s", element_of(p, c->body, c->element).text, feature_of(c), snag_side_name(c->side));
        put_number(c->distance);
        for (int k = 0; k < 3; k++)
            put_number(c->point[k]);
        putchar('\n');
    }
}

static void print_rays(const probe *p)
{
    puts("ray,body,element,facing,t,px,py,pz");
    for (size_t i = 0; i < p->ray_count; i++) {
        size_t count;
        const snag_hit *hits = hits_of(p, i, &count);
        if (count == 0)
            printf("%zu,,,,,,,\n", i);
        for (size_t h = 0; h < count; h++) {
            printf("%zu", i);
            put_name(body_of(p, hits[h].body)->name);
            printf(",%s,%d", triangle_of(p, &hits[h]).text, (int)hits[h].facing);
            put_number(hits[h].t);
            for (int k = 0; k < 3; k++)
                put_number(hits[h].point[k]);
            putchar('\n');
        }
    }
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void print_points_json(const probe *p, json *j)
{
    json_array(j, "points");
    for (size_t i = 0; i < p->point_count; i++) {
        const snag_closest *c = &p->closest[i];
        json_flat_object(j, NULL);
        bool found = c->body.index != 0;
        json_text(j, "body", found ? body_of(p, c->body)->name : NULL);
        if (found) {
            json_text(j, "element", element_of(p, c->body, c->element).text);
            json_text(j, "feature", feature_of(c));
            json_text(j, "side", snag_side_name(c->side));
            json_number(j, "distance", c->distance);
            json_point(j, "point", c->point);
        }
        json_close_object(j);
    }
    json_close_array(j);
}

static void print_rays_json(const probe *p, json *j)
{
    json_array(j, "rays");
    for (size_t i = 0; i < p->ray_count; i++) {
        size_t count;
        const snag_hit *hits = hits_of(p, i, &count);
        json_flat_object(j, NULL);
        json_array(j, "hits");
        for (size_t h = 0; h < count; h++) {
            json_object(j, NULL);
            json_text(j, "body", body_of(p, hits[h].body)->name);
            json_text(j, "element", triangle_of(p, &hits[h]).text);
            json_number(j, "facing", hits[h].facing);
            json_number(j, "t", hits[h].t);
            json_point(j, "point", hits[h].point);
            json_close_object(j);
        }
        json_close_array(j);
        json_close_object(j);
    }
    json_close_array(j);
}

static void print_json(const probe *p)
{
    json j;
    json_begin(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "snag", snag_version());
    if (p->o->points)
        print_points_json(p, &j);
    if (p->o->rays)
        print_rays_json(p, &j);
    json_close_object(&j);
    json_end(&j);
}

// ---- the verb ------------------------------------------------------------------------------------------------------

static int open_inputs(probe *p)
{
    int result = scene_open(p->o, false, p->w, &p->scene);
    if (result == EXIT_CLEAN && scene_is_on_disk(&p->scene))
        return words_error(p->w, "files of blocks (.snag) stay on disk and cannot be probed: give the mesh they were made from");
    if (result == EXIT_CLEAN)
        result = scene_add(&p->scene, p->o, p->world, p->w);
    if (result == EXIT_CLEAN)
        result = scene_go(&p->scene, p->world, 0, true, p->w);
    if (result != EXIT_CLEAN)
        return result;
    uint32_t most = 0;
    for (size_t i = 0; i < p->scene.body_count; i++)
        most = p->scene.bodies[i].id.index > most ? p->scene.bodies[i].id.index : most;
    p->body_of_index = calloc((size_t)most + 1, sizeof *p->body_of_index);
    if (!p->body_of_index || !contacts_begin_scene(&p->names, &p->scene))
        return words_out_of_memory(p->w);
    for (size_t i = 0; i < p->scene.body_count; i++)
        p->body_of_index[p->scene.bodies[i].id.index] = i;
    return EXIT_CLEAN;
}

static void print_tables(const probe *p)
{
    if (p->o->points)
        print_points(p);
    if (p->o->points && p->o->rays)
        putchar('\n');
    if (p->o->rays)
        print_rays(p);
}

int verb_probe(const options *o, words *w)
{
    probe p = {.o = o, .w = w};
    if (!o->points && !o->rays)
        return words_error(w, "nothing to probe with: give --points FILE.csv, --rays FILE.csv, or both");
    if ((o->segments || o->all_hits) && !o->rays)
        return words_error(w, "--%s is about rays: give --rays FILE.csv", o->segments ? "segments" : "all-hits");
    int result = o->points ? read_points(&p) : EXIT_CLEAN;
    if (result == EXIT_CLEAN && o->rays)
        result = read_rays(&p);
    if (result == EXIT_CLEAN)
        result = scene_create_world(o, &p.world, w);
    if (result == EXIT_CLEAN)
        result = open_inputs(&p);
    if (result == EXIT_CLEAN)
        result = ask(&p);
    if (result == EXIT_CLEAN)
        (o->json ? print_json : print_tables)(&p);
    contacts_free(&p.names);
    scene_close(&p.scene);
    snag_world_destroy(p.world);
    free(p.body_of_index);
    free(p.points);
    free(p.rays);
    free(p.closest);
    free(p.hits);
    return result;
}

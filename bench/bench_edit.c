// What an edit costs beside adding the body anew: a cloth of 100,352 triangles that tears along one line after another, a hundredth of its
// triangles at a time. Each round tears, moves and asks in one world; in another it takes the body out, adds the torn one, moves and asks;
// then both ask once more with new positions, which is what a step costs by itself. Prints CPU times (medians of the rounds, and means,
// which include the rounds in which something is rebuilt whole) on one thread.
// usage: bench_edit [ROUNDS] [proximities|intersections|impacts]
#include "snag/snag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 201, CELLS = 224, LINE = 336 };  // vertices torn in a round: three triangles each

static double cpu_ms(void)
{
    return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct times {
    const char *name;
    double ms[MOST], sum;
} times;

static double median(times *t, int count)
{
    qsort(t->ms, (size_t)count, sizeof *t->ms, by_value);
    return t->ms[count / 2];
}

typedef struct cloth {
    double *x;
    size_t vertex_count;
    uint32_t *triangles;
    size_t triangle_count;
} cloth;

static void check(const snag_world *world, snag_status status)
{
    if (status == SNAG_OK)
        return;
    fprintf(stderr, "bench_edit: %s\n", snag_world_message(world));
    exit(2);
}

static snag_world *new_world(void)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 1;
    snag_world *world = NULL;
    if (snag_world_create(&def, &world) != SNAG_OK)
        exit(2);
    return world;
}

static snag_body_id add(snag_world *world, const cloth *c)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(c->x, c->vertex_count);
    def.triangles = c->triangles;
    def.triangle_count = c->triangle_count;
    snag_body_id id;
    check(world, snag_world_add(world, &def, &id));
    return id;
}

static void step(snag_world *world, snag_body_id id, cloth *c, double by)
{
    for (size_t v = 0; v < c->vertex_count; v++)
        c->x[3 * v + 2] += by;
    check(world, snag_world_begin_step(world));
    check(world, snag_world_move(world, id, snag_positions_f64(c->x, c->vertex_count)));
}

static size_t ask(snag_world *world, snag_question question)
{
    snag_question_def def = snag_default_question_def(question);
    def.method = SNAG_METHOD_KDOP;
    if (question == SNAG_PROXIMITIES)
        def.distance = 0.2 / CELLS;
    const snag_answer *answer;
    check(world, snag_world_ask(world, &def, &answer));
    return answer->count;
}

// The tear of a round: vertices along a line of the sheet, on from where the last one ended, every second line. The triangles above a
// vertex, of which it is the lowest corner or on the lowest side, get a vertex of their own.
static size_t plan_tear(const cloth *c, size_t first, snag_split_vertex *splits, uint32_t (*lists)[8])
{
    static uint32_t row_of_split[(CELLS + 1) * (CELLS + 1)];
    const size_t side = CELLS + 1;
    memset(row_of_split, 0xff, sizeof row_of_split);
    size_t count = 0;
    for (; count < LINE; first++) {
        size_t row = 1 + 2 * (first / (side - 2)), column = 1 + first % (side - 2);
        if (row >= side - 1)
            break;
        uint32_t v = (uint32_t)(row * side + column);
        row_of_split[v] = (uint32_t)count;
        splits[count] = (snag_split_vertex){v, lists[count], 0};
        count++;
    }
    for (size_t t = 0; t < c->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            uint32_t v = c->triangles[3 * t + k], split = v < side * side ? row_of_split[v] : UINT32_MAX;
            if (split == UINT32_MAX)
                continue;
            double y = 0;
            for (int i = 0; i < 3; i++)
                y += c->x[3 * (size_t)c->triangles[3 * t + i] + 1] / 3;
            if (y > c->x[3 * (size_t)v + 1] && splits[split].element_count < 8)
                lists[split][splits[split].element_count++] = (uint32_t)t;
        }
    return count;
}

// The same in the arrays.
static void tear_arrays(cloth *c, const snag_split_vertex *splits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t made = (uint32_t)c->vertex_count++;
        memcpy(c->x + 3 * (size_t)made, c->x + 3 * (size_t)splits[i].vertex, 3 * sizeof *c->x);
        for (size_t k = 0; k < splits[i].element_count; k++)
            for (int corner = 0; corner < 3; corner++) {
                uint32_t *v = &c->triangles[3 * (size_t)splits[i].elements[k] + corner];
                *v = *v == splits[i].vertex ? made : *v;
            }
    }
}

enum { EDIT, AFTER_EDIT, ADD, AFTER_ADD, WARM_EDITED, WARM_ADDED, STAGES };

static void note(times *t, int round, double from)
{
    if (round >= 0) {
        t->ms[round] = cpu_ms() - from;
        t->sum += t->ms[round];
    }
}

int main(int argument_count, char **arguments)
{
    int rounds = argument_count > 1 ? atoi(arguments[1]) : 30;
    rounds = rounds < 1 ? 1 : rounds > MOST ? MOST : rounds;
    const char *name = argument_count > 2 ? arguments[2] : "proximities";
    snag_question question = strcmp(name, "intersections") == 0 ? SNAG_INTERSECTIONS
                             : strcmp(name, "impacts") == 0     ? SNAG_IMPACTS
                                                                : SNAG_PROXIMITIES;
    snag_shape sheet;
    if (snag_shape_sheet(CELLS, CELLS, 1, 1, &sheet) != SNAG_OK)
        return 2;
    cloth c = {.vertex_count = sheet.vertex_count, .triangles = sheet.triangles, .triangle_count = sheet.triangle_count};
    c.x = calloc(6 * sheet.vertex_count, sizeof *c.x);
    static snag_split_vertex splits[LINE];
    static uint32_t lists[LINE][8];
    if (c.x == NULL)
        return 2;
    memcpy(c.x, sheet.positions, 3 * sheet.vertex_count * sizeof *c.x);
    snag_world *edited = new_world(), *fresh = new_world();
    snag_body_id in_edited = add(edited, &c), in_fresh = add(fresh, &c);
    static times all[STAGES] = {{.name = "edit"},           {.name = "ask after the edit"},   {.name = "remove and add"},
                                {.name = "ask after that"}, {.name = "the next ask, edited"}, {.name = "the next ask, added"}};
    size_t torn = 0, touched = 0;
    for (int r = -3; r < rounds; r++) {
        size_t count = plan_tear(&c, torn, splits, lists);
        torn += count;
        snag_edit_def def = snag_default_edit_def();
        def.split_vertices = splits;
        def.split_vertex_count = count;
        for (size_t i = 0; i < count && r >= 0; i++)
            touched += splits[i].element_count;
        double from = cpu_ms();
        check(edited, snag_world_edit(edited, in_edited, &def, NULL));
        note(&all[EDIT], r, from);
        tear_arrays(&c, splits, count);
        from = cpu_ms();
        check(fresh, snag_world_remove(fresh, in_fresh));
        in_fresh = add(fresh, &c);
        note(&all[ADD], r, from);
        size_t contacts[4];
        for (int k = 0; k < 2; k++) {
            step(edited, in_edited, &c, 1e-6);
            step(fresh, in_fresh, &c, 0);
            from = cpu_ms();
            contacts[2 * k] = ask(edited, question);
            note(&all[k == 0 ? AFTER_EDIT : WARM_EDITED], r, from);
            from = cpu_ms();
            contacts[2 * k + 1] = ask(fresh, question);
            note(&all[k == 0 ? AFTER_ADD : WARM_ADDED], r, from);
        }
        if (contacts[0] != contacts[1] || contacts[2] != contacts[3]) {
            fprintf(stderr, "bench_edit: %zu contacts of the edited body, %zu of the added one\n", contacts[0], contacts[1]);
            return 1;
        }
    }
    printf("%s, cloth of %zu triangles, %.0f changed by an edit, %d edits:\n", name, c.triangle_count, (double)touched / rounds,
           rounds);
    double mean[STAGES], middle[STAGES];
    for (int i = 0; i < STAGES; i++) {
        mean[i] = all[i].sum / rounds;
        middle[i] = median(&all[i], rounds);
        printf("  %-24s %8.3f ms median, %8.3f ms mean\n", all[i].name, middle[i], mean[i]);
    }
    printf("  edit over add:                                            %6.3f median, %6.3f mean\n", middle[EDIT] / middle[ADD],
           mean[EDIT] / mean[ADD]);
    double edit = mean[EDIT] + mean[AFTER_EDIT] - mean[WARM_EDITED], anew = mean[ADD] + mean[AFTER_ADD] - mean[WARM_ADDED];
    printf("  edit and what its ask repairs, over add and what its ask builds:  %6.3f mean\n", edit / anew);
    free(c.x);
    c.triangles = NULL;
    snag_shape_free(&sheet);
    snag_world_destroy(edited);
    snag_world_destroy(fresh);
    return 0;
}

// What snag fix says: text for people, JSON for programs.
#include "fix.h"
#include "json.h"

#include <math.h>
#include <string.h>

enum { MOST_PLACES = 12, MOST_FRAMES = 12 };

typedef struct totals {
    size_t contacts, left, places, freed, frames;  // frames that had contacts
    size_t rounded, unrounded;  // contacts of frames that were rounded to floats, and before that
    double largest_move, largest_edges;
} totals;

static totals sum(const fix_run *run)
{
    totals t = {0};
    for (size_t i = 0; i < run->frame_count; i++) {
        const snag_fix_report *r = &run->frames[i].report;
        t.contacts += r->contacts;
        t.left += r->left;
        t.places += r->place_count;
        t.freed += r->freed;
        t.frames += r->contacts > 0;
        t.rounded += run->frames[i].rounded ? r->contacts : 0;
        t.unrounded += run->frames[i].unrounded;
        t.largest_move = fmax(t.largest_move, r->largest_move);
        t.largest_edges = fmax(t.largest_edges, r->largest_edges);
    }
    return t;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

// ---- text ----

static void print_place(const fix_run *run, const fixed_frame *f, size_t i, bool with_frame)
{
    const snag_fix_place *p = &f->places[i];
    if (with_frame)
        printf("  frame %zu: ", f->frame);
    else
        printf("  %zu  ", i + 1);
    words_put(stdout, run->scene.bodies[f->bodies[i][0]].name, 0);
    if (f->bodies[i][0] == f->bodies[i][1]) {
        printf(" with itself");
    } else {
        printf(" and ");
        words_put(stdout, run->scene.bodies[f->bodies[i][1]].name, 0);
    }
    printf(" at (%.4g, %.4g, %.4g), %zu contact%s: ", p->centre[0], p->centre[1], p->centre[2], p->contacts, plural(p->contacts));
    if (p->left == 0) {
        printf("freed");
        if (p->moved)
            printf(", %zu vert%s moved, at most by %.4g", p->moved, p->moved == 1 ? "ex" : "ices", p->largest_move);
    } else if (p->left < p->contacts) {
        printf("%zu left, %s", p->left, snag_fix_outcome_sentence(p->outcome));
    } else {
        printf("not freed: %s", snag_fix_outcome_sentence(p->outcome));
    }
    putchar('\n');
}

static void print_places(const fix_run *run)
{
    size_t shown = 0, hidden = 0;
    bool several = run->frame_count > 1;
    for (size_t i = 0; i < run->frame_count; i++)
        for (size_t k = 0; k < run->frames[i].report.place_count; k++) {
            // Of a sequence only what was not freed: the frames below say the rest.
            if (several && run->frames[i].places[k].left == 0)
                continue;
            if (shown++ < MOST_PLACES)
                print_place(run, &run->frames[i], k, several);
            else
                hidden++;
        }
    if (hidden)
        printf("  ... and %zu more (--json lists all)\n", hidden);
}

static void print_frames(const fix_run *run)
{
    size_t shown = 0, hidden = 0;
    for (size_t i = 0; i < run->frame_count && run->frame_count > 1; i++) {
        const snag_fix_report *r = &run->frames[i].report;
        if (r->contacts == 0)
            continue;
        if (shown++ < MOST_FRAMES)
            printf("  frame %zu: %zu contact%s in %zu place%s, %zu left; vertices moved by at most %.4g (%.2f mean edges)\n",
                   run->frames[i].frame, r->contacts, plural(r->contacts), r->place_count, plural(r->place_count), r->left,
                   r->largest_move, r->largest_edges);
        else
            hidden++;
    }
    if (hidden)
        printf("  ... and %zu more frames (--json lists all)\n", hidden);
}

static void print_files(const fix_files *files)
{
    if (files->form == FIX_FOLDER) {
        words_put(stdout, files->out, 0);
        putchar('\n');
        return;
    }
    for (size_t i = 0; i < files->count; i++) {
        if (files->form == FIX_MESH && i > 0 && i + 1 < files->count)
            continue;
        if (files->form == FIX_MESH && i > 0)
            printf(i > 1 ? " to " : " and ");
        else if (i > 0)
            printf(", ");
        words_put(stdout, files->wanted[i], 0);
    }
    putchar('\n');
}

void fix_print(const fix_run *run, const fix_files *files)
{
    totals t = sum(run);
    if (t.contacts == 0) {
        printf("nothing to fix: no surfaces intersect; written as it was: ");
        print_files(files);
        return;
    }
    printf("%zu contact%s in %zu place%s", t.contacts, plural(t.contacts), t.places, plural(t.places));
    if (run->frame_count > 1)
        printf(" of %zu frame%s", t.frames, plural(t.frames));
    printf("\n");
    print_frames(run);
    print_places(run);
    if (run->stopped)
        printf("--limit reached: what was not reached is as it was\n");
    if (run->inverted)
        printf("%zu tetrahedra turned over: only the boundary of a volume is freed\n", run->inverted);
    if (t.rounded > t.unrounded)
        printf("this format stores floats, and rounding to them makes %zu contact%s of %zu: write .obj, .ply or .vtu, which keep "
               "doubles\n",
               t.rounded, plural(t.rounded), t.unrounded);
    else if (t.rounded)
        printf("this format stores floats; in .obj, .ply or .vtu, which keep doubles, more may be free\n");
    printf("%zu of %zu place%s freed, %zu contact%s left, checked exactly; vertices moved by at most %.4g (%.2f mean edges): ",
           t.freed, t.places, plural(t.places), t.left, plural(t.left), t.largest_move, t.largest_edges);
    print_files(files);
    if (run->o->report) {
        printf("before and after: ");
        words_put(stdout, run->o->report, 0);
        putchar('\n');
    }
}

// ---- JSON ----

static void put_place(json *j, const fix_run *run, const fixed_frame *f, size_t i)
{
    const snag_fix_place *p = &f->places[i];
    json_flat_object(j, NULL);
    json_text(j, "a", run->scene.bodies[f->bodies[i][0]].name);
    json_text(j, "b", run->scene.bodies[f->bodies[i][1]].name);
    json_text(j, "outcome", snag_fix_outcome_name(p->outcome));
    if (p->left)
        json_text(j, "why", snag_fix_outcome_sentence(p->outcome));
    json_count(j, "contacts", p->contacts);
    json_count(j, "left", p->left);
    json_count(j, "moved", p->moved);
    json_number(j, "largest_move", p->largest_move);
    json_flat_array(j, "centre");
    for (int k = 0; k < 3; k++)
        json_number(j, NULL, p->centre[k]);
    json_close_array(j);
    json_number(j, "size", p->size);
    json_number(j, "depth", p->depth);
    json_number(j, "length", p->length);
    json_close_object(j);
}

static void put_frame(json *j, const fix_run *run, const fixed_frame *f)
{
    json_object(j, NULL);
    json_count(j, "frame", f->frame);
    json_count(j, "contacts", f->report.contacts);
    if (f->rounded)
        json_count(j, "contacts_unrounded", f->unrounded);
    json_count(j, "left", f->report.left);
    json_count(j, "moved", f->report.moved);
    json_number(j, "largest_move", f->report.largest_move);
    json_number(j, "largest_move_edges", f->report.largest_edges);
    json_bool(j, "complete", f->report.complete);
    json_array(j, "places");
    for (size_t i = 0; i < f->report.place_count; i++)
        put_place(j, run, f, i);
    json_close_array(j);
    json_close_object(j);
}

void fix_print_json(const fix_run *run, const fix_files *files)
{
    totals t = sum(run);
    json j;
    json_begin(&j, stdout);
    json_object(&j, NULL);
    json_text(&j, "snag", snag_version());
    json_array(&j, "files");
    for (size_t i = 0; i < files->count; i++)
        json_text(&j, NULL, files->wanted[i]);
    json_close_array(&j);
    json_bool(&j, "clean", t.left == 0);
    json_bool(&j, "complete", !run->stopped);
    json_bool(&j, "floats", run->single);
    json_count(&j, "contacts", t.contacts);
    json_count(&j, "left", t.left);
    json_count(&j, "places", t.places);
    json_count(&j, "freed", t.freed);
    json_number(&j, "largest_move", t.largest_move);
    json_number(&j, "largest_move_edges", t.largest_edges);
    json_count(&j, "inverted_tets", run->inverted);
    json_array(&j, "frames");
    for (size_t i = 0; i < run->frame_count; i++)
        put_frame(&j, run, &run->frames[i]);
    json_close_array(&j);
    json_close_object(&j);
    json_end(&j);
}

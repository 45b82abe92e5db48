#include "thin.h"

enum { MOST_RINGS = 16 };

static bool knows_rods(snag_method method)
{
    return method == SNAG_METHOD_AUTO || method == SNAG_METHOD_BRUTE || method == SNAG_METHOD_KDOP || method == SNAG_METHOD_HASH;
}

// Rods and points have no thickness of their own: two of them intersect nowhere.
static int rods_fit(const scene *s, const options *o, const any_question *ask, words *w)
{
    bool thin = false, others = false;
    for (size_t i = 0; i < s->body_count; i++) {
        const scene_body *body = &s->bodies[i];
        scene_kinds kinds = scene_kinds_of(body);
        thin = thin || kinds.thin;
        others = others || kinds.faces || kinds.tets || s->files[body->file].on_disk;
    }
    if (thin && ask->question == SNAG_OVERLAPS)
        return words_error(w, "overlaps are of spheres around surfaces, and do not know the lines and points that are there; use "
                              "--question distance or proximities");
    if ((thin || o->thickness.count) && !knows_rods(ask->method))
        return words_error(w, "method %s does not know %s; use kdop, hash or auto", snag_method_name(ask->method),
                           thin ? "lines and points (rods)" : "thickness");
    if (!thin || (ask->question != SNAG_INTERSECTIONS && ask->question != SNAG_PENETRATIONS))
        return EXIT_CLEAN;
    if (!others)
        return words_error(w,
                           "there are only lines and points, which have no thickness and so no %s; give them one "
                           "(--thickness D), or ask for proximities or impacts",
                           snag_question_name(ask->question));
    words_note(w, "lines and points have no thickness here: how close they come to each other is found by --thickness D or "
                  "--question proximities");
    return EXIT_CLEAN;
}

int thin_fits(const scene *s, const options *o, const any_question *ask, words *w)
{
    bool near = ask->question == SNAG_PROXIMITIES || ask->question == SNAG_IMPACTS;
    if (o->thickness.count && !near)
        return words_error(w, "--thickness: %s do not know thickness; use --question proximities or impacts",
                           snag_question_name(ask->question));
    if (o->exclude_rings > MOST_RINGS)
        return words_error(w, "--exclude-rings: at most %d, not %zu; --exclude-rest leaves out by distance", MOST_RINGS,
                           o->exclude_rings);
    if ((o->exclude_rings || o->exclude_rest > 0) && ask->question == SNAG_OVERLAPS)
        return words_error(w, "--exclude-rings and --exclude-rest leave out pairs of elements; overlaps are of spheres");
    return rods_fit(s, o, ask, w);
}

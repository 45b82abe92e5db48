#include "sim_scenes.h"

#include <string.h>

#include "snag/sim.h"

int sim_scene_find(const char *name, words *w, size_t *index)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    char list[1200] = "";
    for (; count < MOST && snag_sim_scene_name(count); count++) {
        size_t used = strlen(list);
        names[count] = snag_sim_scene_name(count);
        snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "", names[count]);
        *index = count;
        if (strcmp(names[count], name) == 0)
            return EXIT_CLEAN;
    }
    const char *nearest = words_nearest(name, names, count);
    return words_error(w, "unknown scene \"%s\"%s%s%s (scenes: %s)", name, nearest ? "; did you mean " : "", nearest ? nearest : "",
                       nearest ? "?" : "", list);
}

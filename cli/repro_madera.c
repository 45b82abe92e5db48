// The experiments of Madera, Day, Laycock: a hierarchy of distances between regions, 2007.
#include "repro.h"

static int run(repro *r)
{
    page_verdict(r->page, PAGE_SKIPPED, true, "A best set of epsilons finds all collisions with the fewest nodes",
                 "This build of snag has no method \"regions\".");
    return EXIT_CLEAN;
}

const repro_paper repro_madera = {
    .name = "madera",
    .title = "Madera, Day, Laycock 2007: a hierarchy of distances (regions)",
    .machine = "Pentium 4 at 3 GHz",
    .experiments = 1,
    .run = run,
};

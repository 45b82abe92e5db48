// The experiments of Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection
// pipeline, 2005.
#include "repro.h"

static int run(repro *r)
{
    page_verdict(r->page, PAGE_SKIPPED, true, "The frame rate dips only where levels are built",
                 "This build of snag has no method \"spheres\".");
    return EXIT_CLEAN;
}

const repro_paper repro_rodriguez = {
    .name = "rodriguez",
    .title = "Rodríguez, Franquesa 2005: sphere-trees built on collision (spheres)",
    .machine = "Pentium M at 1.8 GHz with an ATI Mobility Radeon 9600",
    .experiments = 1,
    .run = run,
};

// All of the core library. Readers and writers of files are apart, in snag/io.h, and scenes in snag/sim.h.
#ifndef SNAG_SNAG_H
#define SNAG_SNAG_H

#include "snag/base.h"
#include "snag/mesh.h"
#include "snag/response.h"
#include "snag/shapes.h"
#include "snag/world.h"

#endif

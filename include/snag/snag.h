// All of the core library. Readers and writers of files are separate, in snag/io.h, scenes in snag/sim.h, and the papers'
// experiments in snag/lab.h.
#ifndef SNAG_SNAG_H
#define SNAG_SNAG_H

#include "snag/base.h"
#include "snag/candidates.h"
#include "snag/derivatives.h"
#include "snag/edit.h"
#include "snag/filter.h"
#include "snag/mesh.h"
#include "snag/methods.h"
#include "snag/places.h"
#include "snag/queries.h"
#include "snag/question.h"
#include "snag/response.h"
#include "snag/shapes.h"
#include "snag/world.h"

#endif

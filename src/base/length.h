// snag__length has moved to base/vec3.h.
#ifndef SNAG_BASE_LENGTH_H
#define SNAG_BASE_LENGTH_H

#include "base/vec3.h"

#endif

// Cookies of the core's defs: see SNAG_COOKIE. Those of the libraries around it are 16 (sim) and 17 (io).
#ifndef SNAG_BASE_COOKIE_H
#define SNAG_BASE_COOKIE_H

#include "snag/base.h"

enum {
    SNAG__COOKIE_WORLD = SNAG_COOKIE(1),
    SNAG__COOKIE_BODY = SNAG_COOKIE(2),
    SNAG__COOKIE_SOURCE = SNAG_COOKIE(3),
    SNAG__COOKIE_QUESTION = SNAG_COOKIE(4),
    SNAG__COOKIE_FILTER = SNAG_COOKIE(5),
    SNAG__COOKIE_OPTIONS = SNAG_COOKIE(6),
    SNAG__COOKIE_LAB = SNAG_COOKIE(7),
    SNAG__COOKIE_RESPONSE = SNAG_COOKIE(8),
    SNAG__COOKIE_PLAIN_OPTIONS = SNAG_COOKIE(9),  // just the header, no options of a method
    SNAG__COOKIE_SINK = SNAG_COOKIE(27),
    SNAG__COOKIE_DERIVATIVES = SNAG_COOKIE(40),
    SNAG__COOKIE_COLLECT = SNAG_COOKIE(41),
};

#endif

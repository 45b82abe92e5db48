// The rows of bench/bench_rows.c on the bench page: where simulations spend their time, cold and warm, by stage.
#ifndef SNAG_LAB_BENCH_SPEED_H
#define SNAG_LAB_BENCH_SPEED_H

#include "bench_rows.h"
#include "page.h"

// Whether a row is of this section.
bool bench_speed_is_row(const bench_row *row);
// Adds the section, a chart first. Nothing if there are no such rows.
void bench_speed_add(page *p, const bench_rows *rows);

#endif

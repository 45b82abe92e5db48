// The report page, built from web/: the parts before and after the blocks of a report.
#ifndef SNAG_CLI_PAGE_H
#define SNAG_CLI_PAGE_H

#include "snag/io.h"

typedef enum page_part { PAGE_TOP = 0, PAGE_END = 1 } page_part;

snag_status page_write(page_part part, snag_io_file *file, snag_io_error *error);

#endif

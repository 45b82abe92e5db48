// Writes the contact list as CSV (RFC 4180, lines ending in \n). Numbers have 17 significant digits, so that reading one
// gives the same double.
#include "file.h"
#include "surface.h"
#include "utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct snag_io_pairs {
    snag__output output;
    bool labelled, begun;  // has columns of labels; the header is written
    bool safe;  // names that a spreadsheet would run as formulas are marked as text
};

static const char header[] = "frame,body_a,a,body_b,b,kind,value,t,px,py,pz,nx,ny,nz,place,object_a,object_b";

snag_status snag_io_pairs_create(const char *path, snag_io_pairs **pairs, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (pairs)
        *pairs = NULL;
    if (!path || !pairs)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "pairs: path and result must be given");
    snag_io_pairs *writer = calloc(1, sizeof *writer);
    if (!writer)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to write it", snag__path_shown(path));
    snag_status status = snag__output_open(&writer->output, path, error);
    if (status != SNAG_OK) {
        free(writer);
        return status;
    }
    *pairs = writer;
    return SNAG_OK;
}

void snag_io_pairs_set_safe(snag_io_pairs *pairs, bool safe)
{
    if (pairs)
        pairs->safe = safe;
}

void snag_io_pairs_set_labelled(snag_io_pairs *pairs, bool labelled)
{
    if (pairs && !pairs->begun)
        pairs->labelled = labelled;
}

static void begin(snag_io_pairs *pairs)
{
    if (pairs->begun)
        return;
    fprintf(pairs->output.stream, "%s%s\n", header, pairs->labelled ? ",label_a,label_b" : "");
    pairs->begun = true;
}

// Quotes a field that contains a comma, a quote or a line break; doubles quotes inside. NULL is an empty field.
static void write_field(FILE *stream, const char *field, bool safe)
{
    if (!field)
        return;
    bool quoted = strpbrk(field, ",\"\r\n") != NULL;
    if (quoted)
        fputc('"', stream);
    if (safe && field[0] && strchr("=+-@\t\r", field[0]))
        fputc('\'', stream);
    for (const char *quote; (quote = strchr(field, '"')) != NULL; field = quote + 1) {
        snag__utf8_write(stream, field, (size_t)(quote - field));
        fputs("\"\"", stream);
    }
    snag__utf8_write(stream, field, strlen(field));
    if (quoted)
        fputc('"', stream);
}

static void write_number(FILE *stream, double value)
{
    char text[SNAG__NUMBER_BYTES + 1] = ",";
    size_t length = snag__io_print_number(text + 1, value, SNAG_F64);
    fwrite(text, 1, length + 1, stream);
}

snag_status snag_io_pairs_write(snag_io_pairs *pairs, const snag_io_pair *pair, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!pairs || !pair)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "pairs: the list and a pair must be given");
    FILE *stream = pairs->output.stream;
    errno = 0;
    begin(pairs);
    fprintf(stream, "%llu", (unsigned long long)pair->frame);
    const char *fields[] = {pair->body_a, pair->a, pair->body_b, pair->b, pair->kind};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fputc(',', stream);
        write_field(stream, fields[i], pairs->safe);
    }
    write_number(stream, pair->value);
    write_number(stream, pair->t);
    for (int axis = 0; axis < 3; axis++)
        write_number(stream, pair->point[axis]);
    for (int axis = 0; axis < 3; axis++)
        write_number(stream, pair->normal[axis]);
    fputc(',', stream);
    if (pair->place)
        fprintf(stream, "%llu", (unsigned long long)pair->place);
    const char *objects[] = {pair->object_a, pair->object_b};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        fputc(',', stream);
        if (objects[i])
            write_field(stream, objects[i], false);
    }
    const char *labels[] = {pair->label_a, pair->label_b};
    for (size_t i = 0; i < sizeof labels / sizeof *labels && pairs->labelled; i++) {
        fputc(',', stream);
        write_field(stream, labels[i], pairs->safe);
    }
    fputc('\n', stream);
    if (ferror(stream))
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot write: %s", snag__path_shown(pairs->output.path),
                             errno ? strerror(errno) : "write error");
    return SNAG_OK;
}

snag_status snag_io_pairs_close(snag_io_pairs *pairs, bool keep, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!pairs)
        return SNAG_OK;
    begin(pairs);
    snag_status status = snag__output_close(&pairs->output, keep, error);
    free(pairs);
    return status;
}

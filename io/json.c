// The public JSON interface: the tree together with its text.
#include "jsontree.h"

#include <stdlib.h>
#include <string.h>

struct snag_io_json {
    snag__json tree;
    char *text;
};

// Takes ownership of `text`.
static snag_status parse(const char *name, char *text, size_t size, snag_io_json **json, snag_io_error *error)
{
    snag__source source = {name, text, size, error, NULL};
    snag_io_json *made = calloc(1, sizeof *made);
    if (!made) {
        free(text);
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory for its JSON", snag__path_shown(name));
    }
    made->text = text;
    snag_status status = snag__json_parse_own(&source, text, size, &made->tree);
    if (status == SNAG_OK)
        *json = made;
    else
        snag_io_json_free(made);
    return status;
}

snag_status snag_io_json_read(const char *path, snag_io_json **json, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (json)
        *json = NULL;
    if (!path || !json)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "JSON: path and result must be given");
    char *text;
    size_t size;
    snag_status status = snag__file_read(path, NULL, &text, &size, error);
    return status == SNAG_OK ? parse(path, text, size, json, error) : status;
}

snag_status snag_io_json_parse(const char *name, const char *text, size_t size, snag_io_json **json, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (json)
        *json = NULL;
    if (!name || !json || (!text && size > 0))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "JSON: name, text and result must be given");
    char *copy = malloc(size + 1);
    if (!copy)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory for its JSON", snag__path_shown(name));
    memcpy(copy, size ? text : "", size);
    return parse(name, copy, size, json, error);
}

void snag_io_json_free(snag_io_json *json)
{
    if (!json)
        return;
    snag__json_free(&json->tree);
    free(json->text);
    free(json);
}

// ---- lookup ----

static snag__json_kind kind_of(const snag_io_json *json, uint32_t value)
{
    return json && value < json->tree.count ? json->tree.values[value].kind : SNAG__JSON_NULL;
}

uint32_t snag_io_json_member(const snag_io_json *json, uint32_t object, const char *name)
{
    if (!name || kind_of(json, object) != SNAG__JSON_OBJECT)
        return 0;
    uint32_t found = snag__json_member(&json->tree, object, name);
    return found == SNAG__JSON_NONE ? 0 : found;
}

bool snag_io_json_is_array(const snag_io_json *json, uint32_t value)
{
    return kind_of(json, value) == SNAG__JSON_ARRAY;
}

// The value of a member follows its name.
uint32_t snag_io_json_first(const snag_io_json *json, uint32_t parent)
{
    snag__json_kind kind = kind_of(json, parent);
    if ((kind != SNAG__JSON_ARRAY && kind != SNAG__JSON_OBJECT) || json->tree.values[parent].count == 0)
        return 0;
    return parent + 1 + (kind == SNAG__JSON_OBJECT);
}

uint32_t snag_io_json_next(const snag_io_json *json, uint32_t parent, uint32_t child)
{
    snag__json_kind kind = kind_of(json, parent);
    if ((kind != SNAG__JSON_ARRAY && kind != SNAG__JSON_OBJECT) || child <= parent || child >= json->tree.values[parent].next)
        return 0;
    uint32_t next = json->tree.values[child].next;
    return next < json->tree.values[parent].next ? next + (kind == SNAG__JSON_OBJECT) : 0;
}

const char *snag_io_json_name(const snag_io_json *json, uint32_t object, uint32_t child)
{
    return kind_of(json, object) == SNAG__JSON_OBJECT && child > object + 1 ? snag_io_json_text(json, child - 1) : "";
}

const char *snag_io_json_text(const snag_io_json *json, uint32_t value)
{
    return kind_of(json, value) == SNAG__JSON_STRING ? json->tree.values[value].at : "";
}

double snag_io_json_number(const snag_io_json *json, uint32_t value, double otherwise)
{
    double number;
    return json && value < json->tree.count && snag__json_number(&json->tree, value, &number) ? number : otherwise;
}

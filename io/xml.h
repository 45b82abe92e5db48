// Scans the tags of an XML file in order: only the part of XML that mesh files use.
#ifndef SNAG_IO_XML_H
#define SNAG_IO_XML_H

#include "text.h"

typedef struct snag__xml {
    const char *at;  // after the last tag
    const char *end;
} snag__xml;

// The text between < and >.
typedef struct snag__tag {
    const char *at;
    size_t length;
} snag__tag;

// The next tag; skips comments, CDATA, and anything that starts with <? or <!.
bool snag__xml_next(snag__xml *xml, snag__tag *tag);
// The text between the last tag and the next.
snag__word snag__xml_text(const snag__xml *xml);

// Whether the tag is <name ...>; for a closing tag the name starts with "/".
bool snag__tag_is(snag__tag tag, const char *name);
// Whether the tag closes itself: <name ... />.
bool snag__tag_is_empty(snag__tag tag);
// Iterates over the attributes: *at is NULL before the first. False: no more attributes, or a syntax error.
bool snag__tag_attribute(snag__tag tag, const char **at, snag__word *name, snag__word *value);
// The value of an attribute; its `at` is NULL if there is none.
snag__word snag__tag_value(snag__tag tag, const char *name);
bool snag__tag_value_is(snag__tag tag, const char *name, const char *expected);
// Parses a value as a number of at most 18 digits. False: it is not a number; *count then holds the digits before the error.
bool snag__tag_count(snag__tag tag, const char *name, uint64_t *count);
// Copies a value with its entities resolved; the caller frees it. NULL: out of memory.
char *snag__xml_copy(snag__word value);

#endif

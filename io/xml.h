// Tags of an XML file, one after the other: as much of XML as files of meshes use.
#ifndef SNAG_IO_XML_H
#define SNAG_IO_XML_H

#include "text.h"

typedef struct snag__xml {
    const char *at;  // after the last tag
    const char *end;
} snag__xml;

// What stands between < and >.
typedef struct snag__tag {
    const char *at;
    size_t length;
} snag__tag;

// The next tag; comments, CDATA, and what <? and <! begin, are passed over.
bool snag__xml_next(snag__xml *xml, snag__tag *tag);
// What stands between the last tag and the next.
snag__word snag__xml_text(const snag__xml *xml);

// Whether it is <name ...>; of a closing tag the name begins with "/".
bool snag__tag_is(snag__tag tag, const char *name);
// Whether it closes itself: <name ... />.
bool snag__tag_is_empty(snag__tag tag);
// The attributes one after the other: *at is NULL before the first. False: there are no more, or what follows is none.
bool snag__tag_attribute(snag__tag tag, const char **at, snag__word *name, snag__word *value);
// The value of an attribute; at NULL if there is none.
snag__word snag__tag_value(snag__tag tag, const char *name);
bool snag__tag_value_is(snag__tag tag, const char *name, const char *expected);
// A value that is a number of at most 18 digits. False: it is not, and *count is what its digits say up to there.
bool snag__tag_count(snag__tag tag, const char *name, uint64_t *count);
// A copy of a value with its entities resolved, to be freed. NULL: no memory.
char *snag__xml_copy(snag__word value);

#endif

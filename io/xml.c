// XML tag scanner.
#include "xml.h"

#include <stdlib.h>

// The byte after the next `words` at or after `at`; `end` if there is none.
static const char *after(const char *at, const char *end, const char *words)
{
    size_t length = strlen(words);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, words[0], (size_t)(end - at));
        if (!at || (size_t)(end - at) < length)
            return end;
        if (memcmp(at, words, length) == 0)
            return at + length;
    }
    return end;
}

// The end of the tag that opens at `open`: a ">" outside of attribute values.
static const char *end_of_tag(const char *open, const char *end)
{
    char quote = 0;
    for (const char *at = open; at < end; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at;
    }
    // A quote that is never closed is not a quote.
    return memchr(open, '>', (size_t)(end - open));
}

static bool begins(const char *at, const char *end, const char *words)
{
    size_t length = strlen(words);
    return (size_t)(end - at) >= length && memcmp(at, words, length) == 0;
}

bool snag__xml_next(snag__xml *xml, snag__tag *tag)
{
    while (xml->at < xml->end) {
        const char *open = memchr(xml->at, '<', (size_t)(xml->end - xml->at));
        bool comment = open && begins(open, xml->end, "<!--"), data = open && begins(open, xml->end, "<![CDATA[");
        if (comment || data) {
            xml->at = after(open + 4, xml->end, comment ? "-->" : "]]>");
            continue;
        }
        const char *close = open ? end_of_tag(open, xml->end) : NULL;
        if (!close)
            break;
        xml->at = close + 1;
        if (open[1] == '?' || open[1] == '!')
            continue;
        *tag = (snag__tag){open + 1, (size_t)(close - open) - 1};
        return true;
    }
    xml->at = xml->end;
    return false;
}

snag__word snag__xml_text(const snag__xml *xml)
{
    const char *open = xml->at < xml->end ? memchr(xml->at, '<', (size_t)(xml->end - xml->at)) : NULL;
    return (snag__word){xml->at, (size_t)((open ? open : xml->end) - xml->at)};
}

bool snag__tag_is(snag__tag tag, const char *name)
{
    size_t length = strlen(name);
    bool begins = tag.length >= length && memcmp(tag.at, name, length) == 0;
    return begins && (tag.length == length || snag__is_space(tag.at[length]) || tag.at[length] == '/');
}

bool snag__tag_is_empty(snag__tag tag)
{
    return tag.length > 0 && tag.at[tag.length - 1] == '/';
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && snag__is_space(*at))
        at++;
    return at;
}

static const char *skip_name(const char *at, const char *end)
{
    while (at < end && !snag__is_space(*at) && *at != '=' && *at != '/')
        at++;
    return at;
}

bool snag__tag_attribute(snag__tag tag, const char **at, snag__word *name, snag__word *value)
{
    const char *end = tag.at + tag.length;
    const char *begin = skip_spaces(*at ? *at : skip_name(tag.at + (tag.length && *tag.at == '/'), end), end);
    const char *name_end = skip_name(begin, end), *equals = skip_spaces(name_end, end);
    if (name_end == begin || equals == end || *equals != '=')
        return false;
    const char *quote = skip_spaces(equals + 1, end);
    if (quote == end || (*quote != '"' && *quote != '\''))
        return false;
    const char *close = memchr(quote + 1, *quote, (size_t)(end - quote) - 1);
    if (!close)
        return false;
    *name = (snag__word){begin, (size_t)(name_end - begin)};
    *value = (snag__word){quote + 1, (size_t)(close - quote) - 1};
    *at = close + 1;
    return true;
}

snag__word snag__tag_value(snag__tag tag, const char *name)
{
    size_t size = strlen(name);
    snag__word found, value;
    for (const char *at = NULL; snag__tag_attribute(tag, &at, &found, &value);)
        if (found.length == size && memcmp(found.at, name, size) == 0)
            return value;
    return (snag__word){NULL, 0};
}

bool snag__tag_value_is(snag__tag tag, const char *name, const char *expected)
{
    snag__word value = snag__tag_value(tag, name);
    return value.at && value.length == strlen(expected) && memcmp(value.at, expected, value.length) == 0;
}

bool snag__tag_count(snag__tag tag, const char *name, uint64_t *count)
{
    snag__word value = snag__tag_value(tag, name);
    size_t i = 0;
    *count = 0;
    for (; value.at && i < value.length && i < 18 && value.at[i] >= '0' && value.at[i] <= '9'; i++)
        *count = *count * 10 + (uint64_t)(value.at[i] - '0');
    return value.at && i > 0 && i == value.length;
}

// ---- entities ----

// "&#233;" or "&#xe9;", without "&#" and ";".
static bool read_code(const char *at, size_t length, uint32_t *code)
{
    bool hex = length > 1 && *at == 'x';
    *code = 0;
    if (length < 1 + (size_t)hex || length > 9)
        return false;
    for (size_t i = hex; i < length; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'          ? (uint32_t)(c - '0')
                         : hex && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : hex && c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                       : 99;
        if (digit == 99)
            return false;
        *code = *code * (hex ? 16 : 10) + digit;
    }
    return *code > 0 && *code < 0x110000 && (*code < 0xD800 || *code >= 0xE000);
}

// Resolves the entity between "&" and ";". False: unknown.
static bool resolve(const char *at, size_t length, uint32_t *code)
{
    static const struct {
        const char *name;
        char meant;
    } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && memcmp(at, known[i].name, length) == 0) {
            *code = (uint32_t)known[i].meant;
            return true;
        }
    return length > 1 && *at == '#' && read_code(at + 1, length - 1, code);
}

char *snag__xml_copy(snag__word value)
{
    char *copy = malloc(value.length + 1), *out = copy;  // an entity is at least as long as its replacement
    if (!copy)
        return NULL;
    for (const char *at = value.at, *end = at + value.length; at < end;) {
        enum { LONGEST = 12 };
        size_t left = (size_t)(end - at);
        const char *semicolon = *at == '&' ? memchr(at, ';', left < LONGEST ? left : LONGEST) : NULL;
        uint32_t code;
        if (semicolon && resolve(at + 1, (size_t)(semicolon - at) - 1, &code)) {
            out = snag__put_utf8(out, code);
            at = semicolon + 1;
        } else {
            *out++ = *at++;
        }
    }
    *out = 0;
    return copy;
}

// Tags of an XML file.
#include "xml.h"

// The byte after `words`, searched from `at` on; `end` if they do not come.
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

bool snag__xml_next(snag__xml *xml, snag__tag *tag)
{
    while (xml->at < xml->end) {
        const char *open = memchr(xml->at, '<', (size_t)(xml->end - xml->at));
        if (open && xml->end - open >= 4 && memcmp(open, "<!--", 4) == 0) {
            xml->at = after(open + 4, xml->end, "-->");
            continue;
        }
        const char *close = open ? memchr(open, '>', (size_t)(xml->end - open)) : NULL;
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

snag__word snag__tag_value(snag__tag tag, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = tag.at, *end = tag.at + tag.length; (size_t)(end - at) > size + 2; at++) {
        bool found = memcmp(at, name, size) == 0 && at > tag.at && snag__is_space(at[-1]) && at[size] == '=';
        if (!found || (at[size + 1] != '"' && at[size + 1] != '\''))
            continue;
        const char *value = at + size + 2, *quote = memchr(value, at[size + 1], (size_t)(end - value));
        return quote ? (snag__word){value, (size_t)(quote - value)} : (snag__word){NULL, 0};
    }
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

// Writes text of unknown encoding as valid UTF-8.
#include "utf8.h"

size_t snag_io_utf8(const char *text, uint32_t *code)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 0;
    uint32_t value = length <= 1 ? c[0] : c[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xC0) != 0x80)  // also catches the terminating 0
            length = 0;
        else
            value = value << 6 | (c[i] & 0x3F);
    }
    // Overlong, a surrogate, or beyond the last code point.
    if ((length == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000))) ||
        (length == 4 && (value < 0x10000 || value > 0x10FFFF)))
        length = 0;
    *code = length ? value : c[0];
    return length;
}

void snag__utf8_write(FILE *out, const char *text, size_t size)
{
    for (const char *end = text + size; text < end;) {
        uint32_t code;
        size_t length = snag_io_utf8(text, &code);
        if (length)
            fwrite(text, 1, length, out);
        else
            fputs(SNAG__UTF8_REPLACEMENT, out);
        text += length ? length : 1;
    }
}

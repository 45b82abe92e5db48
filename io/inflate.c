// Deflate: RFC 1951. Codes are decoded bit by bit by counting codes of each length, which is short and quick enough: meshes
// are compressed to make files small, and reading them is rare.
#include "inflate.h"

#include <string.h>

enum { LONGEST_CODE = 15, LITERALS = 288, DISTANCES = 32 };

typedef struct stream {
    const uint8_t *in;
    size_t size, at;
    uint32_t bits;
    unsigned bit_count;
    uint8_t *out;
    size_t out_size, out_at;
    bool failed;
} stream;

// A set of prefix codes: how many there are of each length, and the symbols in the order of their codes.
typedef struct codes {
    uint16_t counts[LONGEST_CODE + 1];
    uint16_t symbols[LITERALS];
} codes;

static uint32_t take_bits(stream *s, unsigned count)
{
    while (s->bit_count < count) {
        if (s->at >= s->size) {
            s->failed = true;
            return 0;
        }
        s->bits |= (uint32_t)s->in[s->at++] << s->bit_count;
        s->bit_count += 8;
    }
    uint32_t value = s->bits & ((1u << count) - 1);
    s->bits >>= count;
    s->bit_count -= count;
    return value;
}

// False if the lengths ask for more codes than there are.
static bool make_codes(codes *c, const uint8_t *lengths, size_t count)
{
    uint16_t first[LONGEST_CODE + 1];
    int left = 1;
    memset(c->counts, 0, sizeof c->counts);
    for (size_t i = 0; i < count; i++)
        c->counts[lengths[i]]++;
    c->counts[0] = 0;
    first[0] = first[1] = 0;
    for (size_t length = 1; length <= LONGEST_CODE; length++) {
        left = 2 * left - c->counts[length];
        if (left < 0)
            return false;
        if (length < LONGEST_CODE)
            first[length + 1] = (uint16_t)(first[length] + c->counts[length]);
    }
    for (size_t i = 0; i < count; i++)
        if (lengths[i])
            c->symbols[first[lengths[i]]++] = (uint16_t)i;
    return true;
}

static unsigned take_symbol(stream *s, const codes *c)
{
    int code = 0, first = 0, index = 0;
    for (size_t length = 1; length <= LONGEST_CODE; length++) {
        code |= (int)take_bits(s, 1);
        int count = c->counts[length];
        if (code - count < first)
            return c->symbols[index + (code - first)];
        index += count;
        first = 2 * (first + count);
        code *= 2;
    }
    s->failed = true;
    return 0;
}

static void put_byte(stream *s, uint8_t byte)
{
    if (s->out_at < s->out_size)
        s->out[s->out_at++] = byte;
    else
        s->failed = true;
}

// ---- blocks ----

static void copy_stored(stream *s)
{
    s->bits = 0;
    s->bit_count = 0;
    if (s->size - s->at < 4) {
        s->failed = true;
        return;
    }
    size_t length = (size_t)s->in[s->at] | (size_t)s->in[s->at + 1] << 8;
    s->at += 4;
    if (length > s->size - s->at || length > s->out_size - s->out_at) {
        s->failed = true;
        return;
    }
    memcpy(s->out + s->out_at, s->in + s->at, length);
    s->at += length;
    s->out_at += length;
}

static void copy_back(stream *s, unsigned symbol, const codes *distances)
{
    static const uint16_t lengths[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t starts[30] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    if (symbol > 285) {
        s->failed = true;
        return;
    }
    size_t length = lengths[symbol - 257] + take_bits(s, length_bits[symbol - 257]);
    unsigned code = take_symbol(s, distances);
    if (code > 29) {
        s->failed = true;
        return;
    }
    size_t distance = starts[code] + take_bits(s, code < 2 ? 0 : code / 2 - 1);
    if (distance > s->out_at) {
        s->failed = true;
        return;
    }
    for (size_t i = 0; i < length && !s->failed; i++)
        put_byte(s, s->out[s->out_at - distance]);
}

static void unpack(stream *s, const codes *literals, const codes *distances)
{
    while (!s->failed) {
        unsigned symbol = take_symbol(s, literals);
        if (symbol == 256)
            return;
        if (symbol < 256)
            put_byte(s, (uint8_t)symbol);
        else
            copy_back(s, symbol, distances);
    }
}

static void unpack_fixed(stream *s)
{
    uint8_t lengths[LITERALS];
    codes literals, distances;
    for (size_t i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_codes(&literals, lengths, LITERALS);
    memset(lengths, 5, 30);
    make_codes(&distances, lengths, 30);
    unpack(s, &literals, &distances);
}

// The lengths of a block's own codes, which are coded themselves.
static bool read_lengths(stream *s, uint8_t *lengths, size_t count)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t coded[19] = {0};
    codes by;
    size_t coded_count = take_bits(s, 4) + 4;
    for (size_t i = 0; i < coded_count; i++)
        coded[order[i]] = (uint8_t)take_bits(s, 3);
    if (s->failed || !make_codes(&by, coded, 19))
        return false;
    for (size_t i = 0; i < count && !s->failed;) {
        unsigned symbol = take_symbol(s, &by);
        if (symbol < 16) {
            lengths[i++] = (uint8_t)symbol;
            continue;
        }
        size_t times = symbol == 16 ? 3 + take_bits(s, 2) : symbol == 17 ? 3 + take_bits(s, 3) : 11 + take_bits(s, 7);
        uint8_t repeated = symbol == 16 && i > 0 ? lengths[i - 1] : 0;
        if (times > count - i || (symbol == 16 && i == 0))
            return false;
        memset(lengths + i, repeated, times);
        i += times;
    }
    return !s->failed;
}

static void unpack_own(stream *s)
{
    uint8_t lengths[LITERALS + DISTANCES] = {0};
    codes literals, distances;
    size_t literal_count = take_bits(s, 5) + 257, distance_count = take_bits(s, 5) + 1;
    if (s->failed || literal_count > 286 || distance_count > 30) {
        s->failed = true;
        return;
    }
    if (!read_lengths(s, lengths, literal_count + distance_count) || !make_codes(&literals, lengths, literal_count) ||
        !make_codes(&distances, lengths + literal_count, distance_count)) {
        s->failed = true;
        return;
    }
    unpack(s, &literals, &distances);
}

// ---- the whole ----

static uint32_t sum_of(const uint8_t *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

bool snag__inflate(const uint8_t *in, size_t size, uint8_t *out, size_t out_size)
{
    if (size < 6 || (in[0] & 15) != 8 || (in[0] * 256 + in[1]) % 31 != 0 || in[1] & 32)
        return false;
    stream s = {.in = in, .size = size - 4, .at = 2, .out = out, .out_size = out_size};
    for (bool last = false; !last && !s.failed;) {
        last = take_bits(&s, 1) != 0;
        switch (take_bits(&s, 2)) {
        case 0: copy_stored(&s); break;
        case 1: unpack_fixed(&s); break;
        case 2: unpack_own(&s); break;
        default: s.failed = true;
        }
    }
    const uint8_t *sum = in + size - 4;
    uint32_t expected = (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    return !s.failed && s.out_at == out_size && sum_of(out, out_size) == expected;
}

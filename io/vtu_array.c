// Arrays in VTK XML files.
#include "vtu_array.h"
#include "bytes.h"
#include "number.h"
#include "text.h"
#include "unpack.h"

#include <stdlib.h>

static snag_status fail(const snag__vtu *vtu, const snag__vtu_array *array, snag_status status, const char *words)
{
    return snag__io_fail(vtu->source->error, status, "%s: the array %s %s", snag__path_shown(vtu->source->name),
                         array->name ? array->name : "", words);
}

// ---- types ----

typedef struct number_type {
    const char *name;
    uint8_t size;
    char kind;  // 'f' float, 'i' signed, 'u' unsigned
} number_type;

static const number_type *type_of(const char *name)
{
    static const number_type types[] = {{"Float32", 4, 'f'}, {"Float64", 8, 'f'}, {"Int8", 1, 'i'},  {"UInt8", 1, 'u'},
                                        {"Int16", 2, 'i'},   {"UInt16", 2, 'u'},  {"Int32", 4, 'i'}, {"UInt32", 4, 'u'},
                                        {"Int64", 8, 'i'},   {"UInt64", 8, 'u'}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

static int64_t load_integer(const uint8_t *at, const number_type *type, bool big)
{
    uint64_t value = snag__bytes_unsigned((const char *)at, type->size, big);
    unsigned shift = 64 - 8u * type->size;
    return type->kind == 'i' ? (int64_t)(value << shift) >> shift : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static double load_double(const uint8_t *at, const number_type *type, bool big)
{
    if (type->kind != 'f')
        return (double)load_integer(at, type, big);
    return type->size == 4 ? (double)snag__bytes_f32((const char *)at, big) : snag__bytes_f64((const char *)at, big);
}

// ---- bytes ----

// Byte source of an array.
typedef struct byte_source {
    const char *at, *end;
    bool raw;  // else base64, in one or several runs
    uint32_t bits;
    unsigned bit_count;
} byte_source;

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Reads up to `size` bytes and returns how many there were. Padding ends a run; another run may follow.
static size_t take_bytes(byte_source *s, uint8_t *bytes, size_t size)
{
    if (s->raw) {
        size_t left = (size_t)(s->end - s->at), taken = size < left ? size : left;
        memcpy(bytes, s->at, taken);
        s->at += taken;
        return taken;
    }
    size_t taken = 0;
    while (taken < size && s->at < s->end) {
        char c = *s->at++;
        int digit = base64_digit(c);
        if (c == '=') {
            s->bit_count = 0;
        } else if (digit >= 0) {
            s->bits = s->bits << 6 | (uint32_t)digit;
            s->bit_count += 6;
            if (s->bit_count >= 8) {
                s->bit_count -= 8;
                bytes[taken++] = (uint8_t)(s->bits >> s->bit_count);
            }
        } else if (!snag__is_space(c)) {
            break;
        }
    }
    return taken;
}

static bool take_header(const snag__vtu *vtu, byte_source *s, uint64_t *value)
{
    uint8_t bytes[8];
    if (take_bytes(s, bytes, vtu->header_bytes) != vtu->header_bytes)
        return false;
    *value = snag__bytes_unsigned((const char *)bytes, vtu->header_bytes, vtu->big_endian);
    return true;
}

// Upper bound on the remaining bytes. We never request more than they can produce.
static size_t bytes_left(const byte_source *s)
{
    size_t left = (size_t)(s->end - s->at);
    return s->raw ? left : left / 4 * 3 + 3;
}

static snag_status fail_cut(const snag__vtu *vtu, const snag__vtu_array *array)
{
    return fail(vtu, array, SNAG_ERROR_FORMAT, "is cut off or damaged");
}

static snag_status no_memory(const snag__vtu *vtu, const snag__vtu_array *array)
{
    return fail(vtu, array, SNAG_ERROR_MEMORY, "is too large for the available memory");
}

static snag_status fail_length(const snag__vtu *vtu, const snag__vtu_array *array)
{
    return fail(vtu, array, SNAG_ERROR_FORMAT, "has the wrong length");
}

static snag_status read_plain(const snag__vtu *vtu, const snag__vtu_array *array, byte_source *s, size_t size, uint8_t **bytes)
{
    uint64_t length;
    if (!take_header(vtu, s, &length) || length > bytes_left(s))
        return fail_cut(vtu, array);
    if (length != size)
        return fail_length(vtu, array);
    *bytes = malloc(size + 1);
    if (!*bytes)
        return no_memory(vtu, array);
    return take_bytes(s, *bytes, size) == size ? SNAG_OK : fail_cut(vtu, array);
}

// Block header: number of blocks, block size, size of the last block (0: full), then the compressed size of each.
typedef struct block_list {
    uint64_t count, length, last;
    uint64_t *sizes;
} block_list;

static snag_status read_block_list(const snag__vtu *vtu, const snag__vtu_array *array, byte_source *s, block_list *blocks)
{
    uint64_t room = bytes_left(s), packed = 0;
    if (!take_header(vtu, s, &blocks->count) || !take_header(vtu, s, &blocks->length) || !take_header(vtu, s, &blocks->last) ||
        blocks->count > room / vtu->header_bytes || blocks->last > blocks->length ||
        (blocks->count && blocks->length > room * SNAG__UNPACK_MOST_GAIN / blocks->count))
        return fail_cut(vtu, array);
    blocks->sizes = calloc((size_t)blocks->count + 1, sizeof *blocks->sizes);
    if (!blocks->sizes)
        return no_memory(vtu, array);
    for (uint64_t i = 0; i < blocks->count; i++) {
        if (!take_header(vtu, s, &blocks->sizes[i]) || blocks->sizes[i] > room - packed)
            return fail_cut(vtu, array);
        packed += blocks->sizes[i];
    }
    return SNAG_OK;
}

static snag_status unpack_blocks(const snag__vtu *vtu, const snag__vtu_array *array, byte_source *s, const block_list *blocks,
                                 size_t size, uint8_t **bytes)
{
    size_t longest = 0, at = 0;
    bool partial = blocks->count && blocks->last;
    if ((blocks->count - (partial ? 1 : 0)) * blocks->length + (partial ? blocks->last : 0) != size)
        return fail_length(vtu, array);
    for (uint64_t i = 0; i < blocks->count; i++)
        longest = blocks->sizes[i] > longest ? (size_t)blocks->sizes[i] : longest;
    uint8_t *packed = malloc(longest + 1);
    *bytes = malloc(size + 1);
    snag_status status = packed && *bytes ? SNAG_OK : no_memory(vtu, array);
    for (uint64_t i = 0; i < blocks->count && status == SNAG_OK; i++) {
        size_t in = (size_t)blocks->sizes[i], out = (size_t)(partial && i + 1 == blocks->count ? blocks->last : blocks->length);
        status = take_bytes(s, packed, in) == in ? snag__unpack_zlib(packed, in, *bytes + at, out) : SNAG_ERROR_FORMAT;
        if (status != SNAG_OK)
            status = status == SNAG_ERROR_MEMORY ? no_memory(vtu, array) : fail_cut(vtu, array);
        at += out;
    }
    free(packed);
    return status;
}

static snag_status read_bytes(const snag__vtu *vtu, const snag__vtu_array *array, size_t size, uint8_t **bytes)
{
    byte_source s = {array->text, array->text + array->text_size, false, 0, 0};
    if (strcmp(array->format, "appended") == 0) {
        if (!vtu->appended || array->offset > vtu->appended_size)
            return fail(vtu, array, SNAG_ERROR_FORMAT, "refers to data after the end of the file; is it cut off?");
        s = (byte_source){vtu->appended + array->offset, vtu->appended + vtu->appended_size, vtu->appended_raw, 0, 0};
    }
    if (!vtu->compressed)
        return read_plain(vtu, array, &s, size, bytes);
    block_list blocks = {0};
    snag_status status = read_block_list(vtu, array, &s, &blocks);
    if (status == SNAG_OK && blocks.sizes)
        status = unpack_blocks(vtu, array, &s, &blocks, size, bytes);
    free(blocks.sizes);
    return status;
}

// ---- numbers ----

// In text a number takes at least two bytes.
static bool fits_text(const snag__vtu_array *array, size_t count)
{
    return count <= array->text_size / 2 + 1;
}

static const char *next_word(const char *at, const char *end)
{
    while (at < end && snag__is_space(*at))
        at++;
    return at;
}

// Exactly one of the two outputs receives the numbers.
static snag_status read_text(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, double *doubles, int64_t *integers)
{
    const char *at = array->text, *end = at + array->text_size;
    for (size_t i = 0; i < count; i++) {
        at = next_word(at, end);
        const char *after = doubles ? snag__read_double(at, end, &doubles[i]) : snag__read_integer(at, end, &integers[i]);
        if (after == at || (after < end && !snag__is_space(*after)))
            return fail(vtu, array, SNAG_ERROR_FORMAT, "has something that is not a number, or too few numbers");
        at = after;
    }
    if (next_word(at, end) != end)
        return fail(vtu, array, SNAG_ERROR_FORMAT, "has too many numbers");
    return SNAG_OK;
}

static snag_status read_numbers(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, double **doubles,
                                int64_t **integers)
{
    const number_type *type = type_of(array->type);
    bool text = strcmp(array->format, "ascii") == 0;
    uint8_t *bytes = NULL;
    if (!array->format[0])
        return fail(vtu, array, SNAG_ERROR_FORMAT, "is missing");
    if (!type)
        return fail(vtu, array, SNAG_ERROR_UNSUPPORTED, "has an unsupported type");
    if (count > SIZE_MAX / 16 || (text && !fits_text(array, count)))
        return fail_length(vtu, array);
    // Many arrays may share the same few bytes; charge each array for its own copy.
    size_t unpacked = text ? 0 : count * type->size;
    snag_status status = snag__claim_bytes(vtu->source, unpacked + count * sizeof(double));
    if (status == SNAG_OK)
        status = snag__reading_goes_on(vtu->source);
    if (status == SNAG_OK && !text)
        status = read_bytes(vtu, array, unpacked, &bytes);
    void *made = NULL;
    if (status == SNAG_OK && !(made = calloc(count + 1, sizeof(double))))
        status = no_memory(vtu, array);
    if (doubles)
        *doubles = made;
    else
        *integers = made;
    if (status == SNAG_OK && text)
        status = read_text(vtu, array, count, doubles ? *doubles : NULL, doubles ? NULL : *integers);
    for (size_t i = 0; made && status == SNAG_OK && !text && i < count; i++) {
        const uint8_t *at = bytes + i * type->size;
        if (doubles)
            (*doubles)[i] = load_double(at, type, vtu->big_endian);
        else
            (*integers)[i] = type->kind == 'f' ? -1 : load_integer(at, type, vtu->big_endian);
    }
    free(bytes);
    if (status == SNAG_OK)
        snag__release_bytes(vtu->source, unpacked);
    return status;
}

void snag__vtu_free(const snag__vtu *vtu, void *numbers, size_t count)
{
    free(numbers);
    snag__release_bytes(vtu->source, numbers ? count * sizeof(double) : 0);
}

snag_status snag__vtu_doubles(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, double **numbers)
{
    *numbers = NULL;
    return read_numbers(vtu, array, count, numbers, NULL);
}

snag_status snag__vtu_integers(const snag__vtu *vtu, const snag__vtu_array *array, size_t count, int64_t **numbers)
{
    *numbers = NULL;
    return read_numbers(vtu, array, count, NULL, numbers);
}

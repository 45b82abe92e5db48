// Numbered files as frames of one scene: a pattern with a number (cloth_%04d.obj), a pattern with wildcards (cloth_*.obj),
// or a folder of numbered mesh files. All three scan one folder and keep the matching names.
//
// The frames are the existing files; the message of a successful call notes missing numbers.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "collection.h"

#include "common/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum sequence_kind { SEQUENCE_NUMBER, SEQUENCE_WILDCARD, SEQUENCE_FOLDER } sequence_kind;

// Search state.
typedef struct sequence {
    sequence_kind kind;
    const char *asked;  // the pattern or folder, as given by the caller
    const char *shown;  // the same for messages
    char *folder;  // "." for the current one
    const char *prefix;  // prefix that turns a name into a path: "", or the caller's path up to and including the last slash
    size_t prefix_length;
    const char *pattern;  // the file name with wildcards
    char *before, *after;  // the text before and after the number
    size_t width;  // width of a zero-padded number; 0: not padded
    char **paths;
    size_t count, capacity;
} sequence;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// ---- numbers in names ----

// The digits of a frame number: the last run of digits before the extension. Returns 0 if there is none.
static size_t frame_digits(const char *name, const char **first)
{
    const char *dot = strrchr(name, '.');
    const char *end = dot ? dot : name + strlen(name);
    while (end > name && !is_digit(end[-1]))
        end--;
    const char *begin = end;
    while (begin > name && is_digit(begin[-1]))
        begin--;
    *first = begin;
    return (size_t)(end - begin);
}

static const char *name_of(const char *path)
{
    const char *slash = sys_last_separator(path);
    return slash ? slash + 1 : path;
}

// Compares two runs of digits as numbers of any length.
static int compare_digits(const char *a, size_t a_count, const char *b, size_t b_count)
{
    while (a_count > 0 && *a == '0')
        a++, a_count--;
    while (b_count > 0 && *b == '0')
        b++, b_count--;
    if (a_count != b_count)
        return a_count < b_count ? -1 : 1;
    return memcmp(a, b, a_count);
}

// Natural order: runs of digits compare as numbers, everything else bytewise; so frame2 comes before frame10.
static int compare_natural(const char *a, const char *b)
{
    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            size_t a_count = strspn(a, "0123456789"), b_count = strspn(b, "0123456789");
            int order = compare_digits(a, a_count, b, b_count);
            if (order != 0)
                return order;
            a += a_count;
            b += b_count;
        } else {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int compare_paths(const void *a, const void *b)
{
    const char *name_a = name_of(*(char *const *)a), *name_b = name_of(*(char *const *)b);
    int order = compare_natural(name_a, name_b);
    return order != 0 ? order : strcmp(name_a, name_b);  // 7 and 07 are the same number
}

// Whether two names differ only in their frame number.
static bool same_series(const char *a, const char *b)
{
    const char *a_digits, *b_digits;
    size_t a_count = frame_digits(a, &a_digits), b_count = frame_digits(b, &b_digits);
    size_t before = (size_t)(a_digits - a);
    return a_count > 0 && b_count > 0 && before == (size_t)(b_digits - b) && memcmp(a, b, before) == 0 &&
           strcmp(a_digits + a_count, b_digits + b_count) == 0;
}

// The frame number, or UINT64_MAX if it has too many digits to count with.
static uint64_t frame_number(const char *name)
{
    const char *digits;
    size_t count = frame_digits(name, &digits);
    uint64_t number = 0;
    if (count == 0 || count > 18)
        return UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        number = 10 * number + (uint64_t)(digits[i] - '0');
    return number;
}

// ---- patterns ----

// * matches any characters, ? matches one. On a mismatch, backtracks to the last star.
static bool wildcard_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            retry = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == 0;
}

// Whether printf with this pattern makes the name for some number.
static bool number_matches(const sequence *s, const char *name)
{
    size_t length = strlen(name), before = strlen(s->before), after = strlen(s->after);
    if (length <= before + after || memcmp(name, s->before, before) != 0 || strcmp(name + length - after, s->after) != 0)
        return false;
    const char *digits = name + before;
    size_t count = length - before - after;
    if (strspn(digits, "0123456789") < count)
        return false;
    // Leading zeros only fill the width; a number has at least one digit.
    return count == s->width || (count > s->width && (digits[0] != '0' || count == 1));
}

static bool fits(const sequence *s, const char *name)
{
    switch (s->kind) {
    case SEQUENCE_NUMBER: return number_matches(s, name);
    case SEQUENCE_WILDCARD: return (name[0] != '.' || s->pattern[0] == '.') && wildcard_matches(s->pattern, name);
    case SEQUENCE_FOLDER: return name[0] != '.' && snag_io_is_mesh(name) && !snag_io_is_companion(name);
    }
    return false;
}

static snag_status bad_number(const sequence *s, snag_io_error *error)
{
    return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                         "%s: the file name must contain one number, written %%d or %%04d (%%%% for a %%)", s->shown);
}

// Splits "cloth_%04d.obj" into before, width and after; the buffers are large enough.
static snag_status split_number_pattern(sequence *s, snag_io_error *error)
{
    size_t numbers = 0, length = 0;
    char *out = s->before;
    for (const char *p = s->pattern; *p;) {
        if (p[0] != '%' || p[1] == '%') {
            out[length++] = *p;
            p += p[0] == '%' ? 2 : 1;
            continue;
        }
        p++;
        bool padded = *p == '0';
        size_t digits = strspn(p, "0123456789");
        // A width of four digits exceeds any file system; a width without 0 pads with spaces, which nobody wants.
        if (++numbers > 1 || digits > 3 || (digits > 0 && !padded) || (p[digits] != 'd' && p[digits] != 'i' && p[digits] != 'u'))
            return bad_number(s, error);
        for (size_t i = 0; i < digits; i++)
            s->width = 10 * s->width + (size_t)(p[i] - '0');
        p += digits + 1;
        out[length] = 0;
        out = s->after;
        length = 0;
    }
    out[length] = 0;
    return numbers == 1 ? SNAG_OK : bad_number(s, error);
}

// ---- the scan ----

static snag_status add_path(sequence *s, const char *name, snag_io_error *error)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 64;
        char **paths = realloc(s->paths, capacity * sizeof *paths);
        if (!paths)
            return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to look for it", s->shown);
        s->paths = paths;
        s->capacity = capacity;
    }
    size_t length = strlen(name);
    char *path = malloc(s->prefix_length + length + 1);
    if (!path)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to look for it", s->shown);
    memcpy(path, s->prefix, s->prefix_length);
    memcpy(path + s->prefix_length, name, length + 1);
    sys_info about;
    if (sys_stat(path, &about) != 0 || !S_ISREG(about.st_mode)) {
        free(path);  // a matching folder or a dangling link: not a frame
        return SNAG_OK;
    }
    s->paths[s->count++] = path;
    return SNAG_OK;
}

static snag_status scan(sequence *s, snag_io_error *error)
{
    sys_folder *folder = sys_opendir(s->folder);
    if (!folder)
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot open the folder %s: %s", s->shown, s->folder, strerror(errno));
    snag_status status = SNAG_OK;
    while (status == SNAG_OK) {
        errno = 0;
        const sys_entry *entry = sys_readdir(folder);
        if (!entry) {
            if (errno != 0)
                status = snag__io_fail(error, SNAG_ERROR_FILE, "%s: cannot read the folder %s: %s", s->shown, s->folder,
                                       strerror(errno));
            break;
        }
        if (fits(s, entry->d_name))
            status = add_path(s, entry->d_name, error);
    }
    sys_closedir(folder);
    return status;
}

// ---- checks ----

static snag_status nothing_found(const sequence *s, snag_io_error *error)
{
    if (s->kind == SEQUENCE_FOLDER)
        return snag__io_fail(error, SNAG_ERROR_FILE,
                             "%s: no numbered mesh file in this folder (such as frame_0001.obj; extensions: %s)", s->shown,
                             snag_io_mesh_endings());
    return snag__io_fail(error, SNAG_ERROR_FILE, "%s: no file in %s has a name like %s", s->shown,
                         strcmp(s->folder, ".") == 0 ? "the current folder" : s->folder, s->pattern);
}

// A folder is a sequence if its mesh files differ only in their number.
static snag_status check_series(const sequence *s, snag_io_error *error)
{
    const char *first = name_of(s->paths[0]), *digits;
    for (size_t i = 0; i < s->count; i++)
        if (frame_digits(name_of(s->paths[i]), &digits) == 0)
            return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                                 "%s: %s has no number in its name; give a pattern, such as frame_%%04d.obj", s->shown,
                                 name_of(s->paths[i]));
    for (size_t i = 1; i < s->count; i++)
        if (!same_series(first, name_of(s->paths[i])))
            return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                                 "%s: %s and %s differ in more than their number; give a pattern, such as "
                                 "frame_%%04d.obj",
                                 s->shown, first, name_of(s->paths[i]));
    return SNAG_OK;
}

// Looks for missing and duplicate numbers, if the names form one series.
static snag_status check_numbers(const sequence *s, snag_io_error *error)
{
    uint64_t missing = 0, first_missing = 0;
    for (size_t i = 1; i < s->count; i++) {
        const char *last_name = name_of(s->paths[i - 1]), *name = name_of(s->paths[i]);
        uint64_t last = frame_number(last_name), number = frame_number(name);
        if (!same_series(last_name, name) || number == UINT64_MAX)
            return SNAG_OK;
        if (last == number)
            return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: %s and %s have the same number", s->shown, last_name, name);
        if (number - last > 1 && missing == 0)
            first_missing = last + 1;
        missing += number - last - 1;
    }
    if (missing == 0)
        return SNAG_OK;
    snag__io_fail(error, SNAG_OK, "%s: %llu of the numbers from %llu to %llu %s, the first is %llu", s->shown,
                  (unsigned long long)missing, (unsigned long long)frame_number(name_of(s->paths[0])),
                  (unsigned long long)frame_number(name_of(s->paths[s->count - 1])), missing == 1 ? "is missing" : "are missing",
                  (unsigned long long)first_missing);
    return SNAG_OK;
}

static snag_status find(sequence *s, snag_io_error *error)
{
    snag_status status = scan(s, error);
    if (status != SNAG_OK)
        return status;
    if (s->count == 0)
        return nothing_found(s, error);
    qsort(s->paths, s->count, sizeof *s->paths, compare_paths);
    status = s->kind == SEQUENCE_FOLDER ? check_series(s, error) : SNAG_OK;
    return status == SNAG_OK ? check_numbers(s, error) : status;
}

// ---- the call ----

static char *copy_bytes(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

// An existing name is a folder or a file, even with wildcard characters; otherwise it is a pattern.
static snag_status search_folder(sequence *s, snag_io_error *error)
{
    size_t length = strlen(s->asked);
    bool slash = length > 0 && sys_is_separator(s->asked[length - 1]);
    char *prefix = copy_bytes(s->asked, length + 1);
    s->folder = copy_bytes(s->asked, length);
    snag_status status = SNAG_ERROR_MEMORY;
    if (prefix && s->folder) {
        if (!slash)
            prefix[length++] = '/';
        s->kind = SEQUENCE_FOLDER;
        s->prefix = prefix;
        s->prefix_length = length;
        status = find(s, error);
    } else {
        snag__io_fail(error, status, "%s: not enough memory to look for it", s->shown);
    }
    free(prefix);
    return status;
}

// The files listed in a PVD, one per time step. A PVD with a single time step is a mesh.
static snag_status listed_files(sequence *s, snag_io_error *error)
{
    snag__reading reading = snag__reading_begin(NULL);
    snag__source source = {.name = s->asked, .error = error, .reading = &reading};
    snag__listed *files = NULL;
    size_t count = 0;
    char *data = NULL;
    snag_status status = snag__file_read(s->asked, &reading, &data, &source.size, error);
    source.data = data ? data : "";
    if (status == SNAG_OK)
        status = snag__collection_read(&source, &files, &count);
    free(data);
    if (status != SNAG_OK)
        return status;
    if (files[0].time == files[count - 1].time) {
        snag__collection_free(files, count);
        return add_path(s, s->asked, error);
    }
    for (size_t i = 1; i < count && status == SNAG_OK; i++)
        if (files[i].time == files[i - 1].time)
            status = snag__io_fail(error, SNAG_ERROR_UNSUPPORTED,
                                   "%s: lists several files for time %g; a sequence has one per time", s->shown, files[i].time);
    s->paths = status == SNAG_OK ? calloc(count, sizeof *s->paths) : NULL;
    if (status == SNAG_OK && !s->paths)
        status = snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to look for it", s->shown);
    for (size_t i = 0; i < count && s->paths; i++) {
        s->paths[s->count++] = files[i].path;
        files[i].path = NULL;
    }
    snag__collection_free(files, count);
    return status;
}

static snag_status single_file(sequence *s, snag_io_error *error)
{
    if (snag__path_has_ending(s->asked, ".pvd"))
        return listed_files(s, error);
    snag_status status = add_path(s, s->asked, error);
    if (status == SNAG_OK && s->count == 0)
        return snag__io_fail(error, SNAG_ERROR_FILE, "%s: is not a regular file", s->shown);
    return status;
}

static snag_status search_pattern(sequence *s, snag_io_error *error)
{
    s->pattern = name_of(s->asked);
    s->prefix = s->asked;
    s->prefix_length = (size_t)(s->pattern - s->asked);
    if (strpbrk(s->pattern, "*?"))
        s->kind = SEQUENCE_WILDCARD;
    else if (strchr(s->pattern, '%'))
        s->kind = SEQUENCE_NUMBER;
    else
        return snag__io_fail(error, SNAG_ERROR_FILE,
                             "%s: no such file or folder, and no pattern either (a number %%04d, or * and ? in the file name)",
                             s->shown);
    size_t length = strlen(s->pattern);
    s->folder = s->prefix_length ? copy_bytes(s->prefix, s->prefix_length) : copy_bytes(".", 1);
    s->before = malloc(length + 1);
    s->after = malloc(length + 1);
    if (!s->folder || !s->before || !s->after)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory to look for it", s->shown);
    snag_status status = s->kind == SEQUENCE_NUMBER ? split_number_pattern(s, error) : SNAG_OK;
    return status == SNAG_OK ? find(s, error) : status;
}

snag_status snag_io_sequence(const char *pattern_or_folder, char ***paths, size_t *count, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (paths)
        *paths = NULL;
    if (count)
        *count = 0;
    if (!pattern_or_folder || !paths || !count)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "sequence: pattern and results must be given");
    sequence s = {.asked = pattern_or_folder, .shown = snag__path_shown(pattern_or_folder), .prefix = ""};
    sys_info about;
    bool there = sys_stat(s.asked, &about) == 0;
    snag_status status;
    if (there && S_ISDIR(about.st_mode))
        status = search_folder(&s, error);
    else if (there)
        status = single_file(&s, error);
    else
        status = search_pattern(&s, error);
    free(s.folder);
    free(s.before);
    free(s.after);
    if (status != SNAG_OK) {
        snag_io_paths_free(s.paths, s.count);
        return status;
    }
    *paths = s.paths;
    *count = s.count;
    return SNAG_OK;
}

void snag_io_paths_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

// Files and folders of Windows, as common/system.h wants them.
#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include "common/system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

// ---- names ----

wchar_t *sys_wide(const char *text)
{
    int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (length <= 0) {
        errno = EINVAL;  // not UTF-8: no such file
        return NULL;
    }
    wchar_t *wide = malloc((size_t)length * sizeof *wide);
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, length);
    else
        errno = ENOMEM;
    return wide;
}

wchar_t *sys_wide_path(const char *path)
{
    enum { SHORT = 240 };  // 260 for a file, a few fewer for a folder
    wchar_t *wide = sys_wide(path);
    if (!wide || wcslen(wide) < SHORT || wcsncmp(wide, L"\\\\?\\", 4) == 0)
        return wide;
    // Longer paths need the whole path behind a prefix. The name of a share loses its first two backslashes to it.
    DWORD needed = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *whole = malloc((needed + 8) * sizeof *whole);
    if (whole) {
        wcscpy(whole, L"\\\\?\\");
        GetFullPathNameW(wide, needed, whole + 4, NULL);
        if (whole[4] == L'\\' && whole[5] == L'\\') {
            wmemmove(whole + 8, whole + 6, wcslen(whole + 6) + 1);
            wmemcpy(whole + 4, L"UNC\\", 4);
        }
    } else {
        errno = ENOMEM;
    }
    free(wide);
    return whole;
}

static int fail_by_system(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH: errno = ENOENT; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION: errno = EACCES; break;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS: errno = EEXIST; break;
    case ERROR_DISK_FULL: errno = ENOSPC; break;
    case ERROR_NOT_ENOUGH_MEMORY: errno = ENOMEM; break;
    default: errno = EIO; break;
    }
    return -1;
}

// ---- files ----

int sys_open(const char *path, int flags, ...)
{
    wchar_t *wide = sys_wide_path(path);
    if (!wide)
        return -1;
    // A folder cannot be opened, but what it is shall be told like elsewhere: sys_fstat sees that it is none.
    int file = _wopen(wide, flags | _O_BINARY, _S_IREAD | _S_IWRITE);
    if (file < 0 && errno == EACCES) {
        DWORD attributes = GetFileAttributesW(wide);
        if (attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_DIRECTORY)
            errno = EISDIR;
    }
    int reason = errno;
    free(wide);
    errno = reason;
    return file;
}

ssize_t sys_read(int file, void *bytes, size_t size)
{
    return _read(file, bytes, size < INT32_MAX ? (unsigned)size : INT32_MAX);
}

ssize_t sys_write(int file, const void *bytes, size_t size)
{
    return _write(file, bytes, size < INT32_MAX ? (unsigned)size : INT32_MAX);
}

ssize_t sys_pread(int file, void *bytes, size_t size, int64_t offset)
{
    OVERLAPPED at = {0};
    DWORD got = 0;
    at.Offset = (DWORD)(uint64_t)offset;
    at.OffsetHigh = (DWORD)((uint64_t)offset >> 32);
    if (ReadFile((HANDLE)_get_osfhandle(file), bytes, size < INT32_MAX ? (DWORD)size : INT32_MAX, &got, &at))
        return (ssize_t)got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : fail_by_system();
}

static int describe(HANDLE handle, sys_info *info)
{
    BY_HANDLE_FILE_INFORMATION about;
    *info = (sys_info){0};
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        info->st_mode = _S_IFCHR;
        return 0;
    }
    if (!GetFileInformationByHandle(handle, &about))
        return fail_by_system();
    info->st_mode = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? 0x4000 : 0x8000;
    info->st_size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    info->st_dev = about.dwVolumeSerialNumber;
    info->st_ino = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    info->modified = (int64_t)((uint64_t)about.ftLastWriteTime.dwHighDateTime << 32 | about.ftLastWriteTime.dwLowDateTime) * 100;
    return 0;
}

int sys_stat(const char *path, sys_info *info)
{
    wchar_t *wide = sys_wide_path(path);
    if (!wide)
        return -1;
    HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return fail_by_system();
    int result = describe(handle, info);
    CloseHandle(handle);
    return result;
}

int sys_fstat(int file, sys_info *info)
{
    return describe((HANDLE)_get_osfhandle(file), info);
}

FILE *sys_fopen(const char *path, const char *mode)
{
    wchar_t *wide = sys_wide_path(path), *wide_mode = sys_wide(mode);
    // The "b" of both worlds, and "e" of glibc, which Windows spells "N".
    wchar_t plain[8] = {0};
    for (size_t i = 0, n = 0; wide_mode && wide_mode[i] && n < 5; i++)
        if (wide_mode[i] != L'e' && wide_mode[i] != L'b')
            plain[n++] = wide_mode[i];
    wcscat(plain, L"b");
    FILE *file = wide && wide_mode ? _wfopen(wide, plain) : NULL;
    int reason = errno;
    free(wide);
    free(wide_mode);
    errno = reason;
    return file;
}

int sys_rename(const char *from, const char *to)
{
    wchar_t *wide_from = sys_wide_path(from), *wide_to = sys_wide_path(to);
    int result = -1;
    if (wide_from && wide_to)
        result = MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING) ? 0 : fail_by_system();
    free(wide_from);
    free(wide_to);
    return result;
}

int sys_unlink(const char *path)
{
    wchar_t *wide = sys_wide_path(path);
    int result = wide && DeleteFileW(wide) ? 0 : wide ? fail_by_system() : -1;
    free(wide);
    return result;
}

int sys_mkdir(const char *path)
{
    wchar_t *wide = sys_wide_path(path);
    int result = wide && CreateDirectoryW(wide, NULL) ? 0 : wide ? fail_by_system() : -1;
    free(wide);
    return result;
}

int sys_access(const char *path, int how)
{
    wchar_t *wide = sys_wide_path(path);
    int result = wide ? _waccess(wide, how & 6) : -1;
    free(wide);
    return result;
}

// ---- folders ----

struct sys_folder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool first;
    sys_entry entry;
};

sys_folder *sys_opendir(const char *path)
{
    size_t length = strlen(path);
    char *pattern = malloc(length + 3);
    sys_folder *folder = calloc(1, sizeof *folder);
    wchar_t *wide = NULL;
    if (pattern && folder) {
        memcpy(pattern, path, length);
        strcpy(pattern + length, length && sys_is_separator(path[length - 1]) ? "*" : "/*");
        wide = sys_wide_path(pattern);
    } else {
        errno = ENOMEM;
    }
    if (wide) {
        // Only the prefix of a long path refuses forward slashes, and GetFullPathNameW has turned those.
        folder->search = FindFirstFileW(wide, &folder->found);
        folder->first = true;
    }
    if (!wide || folder->search == INVALID_HANDLE_VALUE) {
        if (wide)
            fail_by_system();
        free(folder);
        folder = NULL;
    }
    free(wide);
    free(pattern);
    return folder;
}

const sys_entry *sys_readdir(sys_folder *folder)
{
    if (!folder->first && !FindNextFileW(folder->search, &folder->found)) {
        if (GetLastError() != ERROR_NO_MORE_FILES)
            fail_by_system();
        return NULL;
    }
    folder->first = false;
    WideCharToMultiByte(CP_UTF8, 0, folder->found.cFileName, -1, folder->entry.d_name, sizeof folder->entry.d_name, NULL, NULL);
    return &folder->entry;
}

int sys_closedir(sys_folder *folder)
{
    FindClose(folder->search);
    free(folder);
    return 0;
}

// ---- text ----

ssize_t sys_getline(char **line, size_t *capacity, FILE *file)
{
    size_t length = 0;
    for (;;) {
        if (*capacity < length + 128) {
            char *larger = realloc(*line, 2 * length + 128);
            if (!larger)
                return -1;
            *line = larger;
            *capacity = 2 * length + 128;
        }
        if (!fgets(*line + length, (int)(*capacity - length), file))
            return length > 0 ? (ssize_t)length : -1;
        length += strlen(*line + length);
        if (length > 0 && (*line)[length - 1] == '\n')
            return (ssize_t)length;
    }
}

// Whether c is in the brackets that begin at `pattern`, just after the [; *end is set after the ].
static bool in_brackets(const char *pattern, char c, const char **end)
{
    bool negated = *pattern == '!' || *pattern == '^', found = false;
    pattern += negated;
    for (bool first = true; *pattern && (first || *pattern != ']'); first = false) {
        char low = *pattern++, high = low;
        if (pattern[0] == '-' && pattern[1] && pattern[1] != ']') {
            high = pattern[1];
            pattern += 2;
        }
        found |= low <= c && c <= high;
    }
    *end = *pattern ? pattern + 1 : NULL;
    return found != negated;
}

bool sys_matches(const char *pattern, const char *text)
{
    for (; *pattern; pattern++, text++) {
        const char *end;
        if (*pattern == '*') {
            while (*pattern == '*')
                pattern++;
            do
                if (sys_matches(pattern, text))
                    return true;
            while (*text++);
            return false;
        }
        if (!*text)
            return false;
        bool inside = *pattern == '[' && in_brackets(pattern + 1, *text, &end);
        if (*pattern == '[' && end) {
            if (!inside)
                return false;
            pattern = end - 1;
        } else if (*pattern != '?' && *pattern != *text) {
            return false;
        }
    }
    return !*text;
}

// ---- memory ----

char *sys_strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

// Windows has no streams in memory: they are temporary files that are read when they are closed. The list finds the caller's pointers.
typedef struct memory_stream {
    struct memory_stream *next;
    FILE *stream;
    char **text;
    size_t *size;
} memory_stream;

static memory_stream *memory_streams;  // of the tool, which has one thread that writes

FILE *sys_memory_stream(char **text, size_t *size)
{
    wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
    memory_stream *made = calloc(1, sizeof *made);
    *text = NULL;
    *size = 0;
    if (made && GetTempPathW(MAX_PATH, folder) && GetTempFileNameW(folder, L"snag", 0, name))
        made->stream = _wfopen(name, L"w+bTD");  // removed when closed
    if (!made || !made->stream) {
        free(made);
        return NULL;
    }
    made->text = text;
    made->size = size;
    made->next = memory_streams;
    memory_streams = made;
    return made->stream;
}

int sys_memory_close(FILE *stream)
{
    for (memory_stream **at = &memory_streams; *at; at = &(*at)->next) {
        memory_stream *closed = *at;
        if (closed->stream != stream)
            continue;
        *at = closed->next;
        bool good = fflush(stream) == 0 && !ferror(stream);
        int64_t size = _ftelli64(stream);
        char *text = good && size >= 0 ? malloc((size_t)size + 1) : NULL;
        rewind(stream);
        good = text && fread(text, 1, (size_t)size, stream) == (size_t)size;
        good = fclose(stream) == 0 && good;
        if (good) {
            text[size] = 0;
            *closed->text = text;
            *closed->size = (size_t)size;
        } else {
            free(text);
        }
        free(closed);
        return good ? 0 : EOF;
    }
    return fclose(stream);
}

#endif

// ISO C wants a declaration in every file.
typedef int snag_system_windows;

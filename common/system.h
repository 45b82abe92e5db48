// The operating system for the libraries and programs around the core, in the words of POSIX: sys_open is open, and so on. Paths are
// UTF-8 everywhere. On Windows system_windows.c does the work, with paths of any length and without translation of line ends.
// Files of io/ and cli/ include this instead of headers of the system; what is about a terminal or signals is in cli/terminal.c.
// A file that needs more of POSIX than ISO C defines _POSIX_C_SOURCE in its first line, as ever.
#ifndef SNAG_COMMON_SYSTEM_H
#define SNAG_COMMON_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef _WIN32

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct stat sys_info;
#define sys_open open
#define sys_close close
#define sys_read read
#define sys_write write
#define sys_pread pread
#define sys_stat stat
#define sys_lstat lstat
#define sys_fstat fstat
#define sys_fopen fopen
#define sys_fdopen fdopen
#define sys_seek fseeko
#define sys_rename rename
#define sys_unlink unlink
#define sys_mkdir(path) mkdir(path, 0777)
#define sys_access access
#define sys_readlink readlink
#define sys_opendir opendir
#define sys_readdir readdir
#define sys_closedir closedir
typedef DIR sys_folder;
typedef struct dirent sys_entry;
#define sys_strdup strdup
#define sys_getline getline
#define sys_strndup strndup
#define sys_memory_stream open_memstream
#define sys_memory_close fclose

// When a file was last written, in nanoseconds since some day.
#ifdef __APPLE__
#define sys_modified(info) ((int64_t)(info)->st_mtimespec.tv_sec * 1000000000 + (info)->st_mtimespec.tv_nsec)
#else
#define sys_modified(info) ((int64_t)(info)->st_mtim.tv_sec * 1000000000 + (info)->st_mtim.tv_nsec)
#endif

// Whether a text matches a pattern of shells.
#define sys_matches(pattern, text) (fnmatch(pattern, text, 0) == 0)

static inline bool sys_is_separator(char c)
{
    return c == '/';
}
// Whether a path does not depend on the current folder.
static inline bool sys_is_absolute(const char *path)
{
    return path[0] == '/';
}

#else

#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC _O_NOINHERIT
#endif
#ifndef O_NONBLOCK
#define O_NONBLOCK 0
#endif
#ifndef O_NOCTTY
#define O_NOCTTY 0
#endif
#ifndef F_OK
#define F_OK 0
#define W_OK 2
#define X_OK 0
#endif
#ifndef STDOUT_FILENO
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#endif
#define SYS_LINK 0xa000
#undef S_ISREG
#undef S_ISDIR
#define S_ISREG(mode) (((mode)&0xf000) == 0x8000)
#define S_ISDIR(mode) (((mode)&0xf000) == 0x4000)
#define S_ISLNK(mode) (((mode)&0xf000) == SYS_LINK)
#ifdef _MSC_VER
typedef ptrdiff_t ssize_t;
#define strcasecmp _stricmp
#define strncasecmp _strnicmp
#endif

typedef struct sys_info {
    unsigned st_mode;
    uint64_t st_size, st_dev, st_ino;
    int64_t modified;
} sys_info;
#define sys_modified(info) ((info)->modified)
typedef struct sys_entry {
    char d_name[1024];
} sys_entry;
typedef struct sys_folder sys_folder;

int sys_open(const char *path, int flags, ...);
#define sys_close _close
ssize_t sys_read(int file, void *bytes, size_t size);
ssize_t sys_write(int file, const void *bytes, size_t size);
ssize_t sys_pread(int file, void *bytes, size_t size, int64_t offset);
int sys_stat(const char *path, sys_info *info);
#define sys_lstat sys_stat
int sys_fstat(int file, sys_info *info);
FILE *sys_fopen(const char *path, const char *mode);
#define sys_fdopen _fdopen
#define sys_seek _fseeki64
int sys_rename(const char *from, const char *to);  // replaces an existing file
int sys_unlink(const char *path);
int sys_mkdir(const char *path);
int sys_access(const char *path, int how);
static inline ssize_t sys_readlink(const char *path, char *target, size_t size)
{
    return (void)path, (void)target, (void)size, -1;
}
sys_folder *sys_opendir(const char *path);
const sys_entry *sys_readdir(sys_folder *folder);
int sys_closedir(sys_folder *folder);
#define sys_strdup _strdup
ssize_t sys_getline(char **line, size_t *capacity, FILE *file);
bool sys_matches(const char *pattern, const char *text);
char *sys_strndup(const char *text, size_t most);
// A stream whose bytes are at *text when it has been closed by sys_memory_close; until then *text is NULL.
FILE *sys_memory_stream(char **text, size_t *size);
int sys_memory_close(FILE *stream);
// UTF-16 of a text; of a path, made fit for paths of any length. The caller frees it. NULL: errno.
wchar_t *sys_wide(const char *text);
wchar_t *sys_wide_path(const char *path);

static inline bool sys_is_separator(char c)
{
    return c == '/' || c == '\\';
}
static inline bool sys_is_absolute(const char *path)
{
    return sys_is_separator(path[0]) || (path[0] != 0 && path[1] == ':');
}

#endif

// The last separator of a path, or NULL.
static inline char *sys_last_separator(const char *path)
{
    const char *last = NULL;
    for (; *path; path++)
        if (sys_is_separator(*path))
            last = path;
    return (char *)last;
}

#endif

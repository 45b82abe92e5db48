// The output folder of a demo.
#define _POSIX_C_SOURCE 200809L
#include "demo_folder.h"

#include "common/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The first line of the list; a file without it is not ours.
#define LIST_HEAD "Written by `snag demo` or `snag sim`; the next of them in this folder replaces these files:"

bool demo_folder_add(demo_folder *folder, const char *name)
{
    if (!words_grow((void **)&folder->names, &folder->name_capacity, folder->name_count + 1, sizeof folder->names[0]))
        return false;
    char *copy = sys_strdup(name);
    if (!copy)
        return false;
    folder->names[folder->name_count++] = copy;
    return true;
}

void demo_folder_free(demo_folder *folder)
{
    for (size_t i = 0; i < folder->name_count; i++)
        free(folder->names[i]);
    free(folder->names);
    *folder = (demo_folder){0};
}

char *demo_folder_path(const demo_folder *folder, const char *name)
{
    size_t size = strlen(folder->path) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder->path, name);
    return path;
}

// Reads the names an earlier demo wrote; none if there is no list. False: out of memory.
static bool read_list(const demo_folder *folder, demo_folder *earlier)
{
    char *path = demo_folder_path(folder, DEMO_LIST);
    if (!path)
        return false;
    FILE *file = sys_fopen(path, "r");
    free(path);
    if (!file)
        return true;
    char line[512];
    bool ours = false, read = true;
    for (size_t i = 0; read && fgets(line, sizeof line, file); i++) {
        line[strcspn(line, "\r\n")] = 0;
        if (i == 0)
            ours = strcmp(line, LIST_HEAD) == 0;
        else if (ours && line[0] && line[0] != '.' && !strchr(line, '/'))
            read = demo_folder_add(earlier, line);
    }
    if (read && ours)
        read = demo_folder_add(earlier, DEMO_LIST);
    fclose(file);
    return read;
}

bool demo_folder_is(const char *path)
{
    demo_folder folder = {.path = path}, earlier = {0};
    bool is = read_list(&folder, &earlier) && earlier.name_count > 0;
    demo_folder_free(&earlier);
    return is;
}

static bool has_name(const demo_folder *folder, const char *name)
{
    for (size_t i = 0; i < folder->name_count; i++)
        if (strcmp(folder->names[i], name) == 0)
            return true;
    return false;
}

static int make_folder(const char *path, words *w)
{
    sys_info status;
    if (sys_mkdir(path) == 0)
        return EXIT_CLEAN;
    int reason = errno;
    if (reason != EEXIST)
        return words_error(w, "%s: cannot create the folder: %s; choose another with --out", path, strerror(reason));
    if (sys_stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return words_error(w, "%s: a file of that name exists; choose another folder with --out", path);
    return EXIT_CLEAN;
}

// Either nothing of the name exists, or an earlier demo wrote it.
static int check_free(const demo_folder *folder, const demo_folder *earlier, const char *name, words *w)
{
    char *path = demo_folder_path(folder, name);
    if (!path)
        return words_out_of_memory(w);
    sys_info status;
    bool in_the_way = sys_lstat(path, &status) == 0 && (!has_name(earlier, name) || !S_ISREG(status.st_mode));
    int result = EXIT_CLEAN;
    if (in_the_way)
        result = words_error(w, "%s: not overwriting a file that no demo wrote; choose another folder with --out", path);
    free(path);
    return result;
}

static int remove_earlier(const demo_folder *folder, const demo_folder *earlier, words *w)
{
    for (size_t i = 0; i < earlier->name_count; i++) {
        char *path = demo_folder_path(folder, earlier->names[i]);
        if (!path)
            return words_out_of_memory(w);
        sys_info status;
        bool failed = sys_lstat(path, &status) == 0 && S_ISREG(status.st_mode) && sys_unlink(path) != 0;
        if (failed)
            words_error(w, "%s: cannot replace: %s", path, strerror(errno));
        free(path);
        if (failed)
            return EXIT_ERROR;
    }
    return EXIT_CLEAN;
}

static int write_list(const demo_folder *folder, words *w)
{
    char *path = demo_folder_path(folder, DEMO_LIST);
    if (!path)
        return words_out_of_memory(w);
    FILE *file = sys_fopen(path, "w");
    bool written = file && fprintf(file, "%s\n", LIST_HEAD) > 0;
    for (size_t i = 0; i < folder->name_count && written; i++)
        written = fprintf(file, "%s\n", folder->names[i]) > 0;
    if (file && fclose(file) != 0)
        written = false;
    int result = EXIT_CLEAN;
    if (!written)
        result = words_error(w, "%s: cannot write: %s; choose another folder with --out", path, strerror(errno));
    free(path);
    return result;
}

int demo_folder_prepare(const demo_folder *folder, words *w)
{
    demo_folder earlier = {0};
    int result = make_folder(folder->path, w);
    if (result == EXIT_CLEAN && !read_list(folder, &earlier))
        result = words_out_of_memory(w);
    for (size_t i = 0; i < folder->name_count && result == EXIT_CLEAN; i++)
        result = check_free(folder, &earlier, folder->names[i], w);
    if (result == EXIT_CLEAN)
        result = check_free(folder, &earlier, DEMO_LIST, w);
    if (result == EXIT_CLEAN)
        result = remove_earlier(folder, &earlier, w);
    if (result == EXIT_CLEAN)
        result = write_list(folder, w);
    demo_folder_free(&earlier);
    return result;
}

// Turns inputs into bodies and frames.
#define _POSIX_C_SOURCE 200809L
#include "scene.h"

#include "common/system.h"

#include "demo_folder.h"
#include "reading.h"
#include "scene_late.h"
#include "skipped.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *scene_base_name(const char *path)
{
    const char *slash = sys_last_separator(path);
    return slash ? slash + 1 : path;
}

static bool has_stem(const char *path, const char *stem)
{
    const char *base = scene_base_name(path);
    const char *dot = strrchr(base, '.');
    size_t length = dot ? (size_t)(dot - base) : strlen(base);
    return strlen(stem) == length && strncmp(base, stem, length) == 0;
}

static bool is_folder(const char *path)
{
    sys_info status;
    return sys_stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static char *join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    while (length > 1 && sys_is_separator(folder[length - 1]))
        length--;
    size_t size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s%s%s", (int)length, folder, sys_is_separator(folder[length - 1]) ? "" : "/", name);
    return path;
}

// ---- mesh files ----------------------------------------------------------------------------------------------------

// The name in the file; scene_body.name may have a number added to make it unique.
static const char *given_name(const scene_body *body)
{
    return body->source->name ? body->source->name : "body";
}

int scene_take_bodies(scene *s, size_t file, size_t first, words *w)
{
    const snag_io_mesh *mesh = &s->files[file].mesh;
    for (size_t i = 0, known = 0; i < s->body_count && known < first; i++)
        if (s->bodies[i].file == file)
            s->bodies[i].source = &mesh->bodies[known++];  // the array may have moved
    for (size_t i = first; i < mesh->body_count; i++) {
        if (!words_grow((void **)&s->bodies, &s->body_capacity, s->body_count + 1, sizeof s->bodies[0]))
            return words_out_of_memory(w);
        scene_body *body = &s->bodies[s->body_count];
        *body = (scene_body){.file = file, .source = &mesh->bodies[i], .cache = SCENE_NONE};
        body->now = snag_positions_f64(body->source->positions, body->source->vertex_count);
        body->name = sys_strdup(given_name(body));
        if (!body->name)
            return words_out_of_memory(w);
        s->body_count++;
    }
    return EXIT_CLEAN;
}

bool scene_is_chunked(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".snag") == 0;
}

// A body that stays on disk: only its name is in memory.
static int open_chunked(scene_file *file, words *w)
{
    snag_io_error error;
    file->mesh = (snag_io_mesh){.bodies = calloc(1, sizeof *file->mesh.bodies), .body_count = 1};
    const char *name = sys_last_separator(file->path) ? sys_last_separator(file->path) + 1 : file->path;
    if (file->mesh.bodies)
        file->mesh.bodies[0].name = sys_strndup(name, strlen(name) - strlen(".snag"));
    if (!file->mesh.bodies || !file->mesh.bodies[0].name)
        return words_out_of_memory(w);
    file->on_disk = true;
    if (snag_io_chunked_open(file->path, &file->chunked, &error) == SNAG_OK)
        return EXIT_CLEAN;
    w->no_memory = w->no_memory || error.status == SNAG_ERROR_MEMORY;
    return words_error(w, "%s", error.message);
}

static int read_file(const options *o, scene_file *file, words *w)
{
    snag_io_error error;
    if (scene_is_chunked(file->path))
        return open_chunked(file, w);
    if (strcmp(file->path, "-") == 0)
        return scene_read_stdin(file, o, w);
    if (snag_io_is_motion(file->path))
        return scene_open_motion(file, o, w);
    snag_io_read_options reading = reading_options(o);
    if (snag_io_read_mesh_with(file->path, &reading, &file->mesh, &error) != SNAG_OK)
        return reading_failed(o, &error, w);
    if (error.message[0])
        words_note(w, "%s", error.message);
    return EXIT_CLEAN;
}

bool scene_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0;
}

// Coordinates are not converted, so mixed units are likely a mistake.
static void note_units(const scene *s, const scene_file *file, words *w)
{
    for (size_t i = 0; i + 1 < s->file_count && file->mesh.metres > 0; i++)
        if (s->files[i].mesh.metres > 0 && s->files[i].mesh.metres != file->mesh.metres) {
            words_note(w, "%s uses units of %g m, %s units of %g m; coordinates are not converted", s->files[i].path,
                       s->files[i].mesh.metres, file->path, file->mesh.metres);
            return;
        }
}

static int add_mesh(scene *s, const options *o, const char *path, words *w)
{
    if (!words_grow((void **)&s->files, &s->file_capacity, s->file_count + 1, sizeof s->files[0]))
        return words_out_of_memory(w);
    scene_file *file = &s->files[s->file_count];
    *file = (scene_file){.path = sys_strdup(path)};
    if (!file->path)
        return words_out_of_memory(w);
    int result = read_file(o, file, w);
    if (result != EXIT_CLEAN) {
        snag_io_motion_close(file->motion);
        if (file->on_disk)
            snag_io_mesh_free(&file->mesh);
        free(file->path);
        return result;
    }
    s->file_count++;
    if (!file->on_disk && (file->mesh.body_count == 0 || file->mesh.vertex_count == 0))
        return words_error(w, "%s: no mesh in the file: it has no vertices", path);
    skipped_note(path, &file->mesh, o->curved, w);
    if (scene_ends_in(path, ".gltf") || scene_ends_in(path, ".glb"))
        s->up = 'y';  // by the format
    if (file->mesh.unnumbered)
        words_note(w,
                   "%s: the file's vertex numbers are unknown for %zu of %zu bodies; their vertices are numbered in the order "
                   "in which faces use them",
                   path, file->mesh.unnumbered, file->mesh.body_count);
    if (o->split && strcmp(o->split, "objects") != 0 && file->motion && !file->times)
        words_note(w, "%s: --split is ignored: animated files are always split into objects", path);
    if (o->label && file->motion && !file->times)
        words_note(w, "%s: --label is ignored: the elements of animated files have no labels", path);
    note_units(s, file, w);
    return scene_take_bodies(s, s->file_count - 1, 0, w);
}

// ---- caches --------------------------------------------------------------------------------------------------------

static int open_cache(scene *s, const char *path, size_t *index, words *w)
{
    if (!words_grow((void **)&s->caches, &s->cache_capacity, s->cache_count + 1, sizeof s->caches[0]))
        return words_out_of_memory(w);
    scene_cache cache = {.path = sys_strdup(path)};
    snag_io_error error;
    if (!cache.path)
        return words_out_of_memory(w);
    if (snag_io_cache_open(path, &cache.cache, &error) != SNAG_OK) {
        free(cache.path);
        return words_error(w, "%s", error.message);
    }
    cache.vertex_count = snag_io_cache_vertex_count(cache.cache);
    cache.frame_count = snag_io_cache_frame_count(cache.cache);
    cache.held_count = snag_io_cache_held_count(cache.cache);
    *index = s->cache_count;
    s->caches[s->cache_count++] = cache;
    if (cache.frame_count == 0)
        return words_error(w, "%s: the cache has no frames; bake it again", path);
    size_t bytes = 3 * sizeof(float);
    if (cache.vertex_count < SIZE_MAX / bytes - 1)
        s->caches[*index].xyz = malloc((cache.vertex_count + 1) * bytes);
    return s->caches[*index].xyz ? EXIT_CLEAN : words_out_of_memory(w);
}

static int cache_does_not_fit(const scene *s, const scene_body *body, const scene_cache *cache, words *w)
{
    return words_error(w,
                       "%s: the cache has %zu points but \"%s\" (%s) has %zu vertices; bake the cache from this mesh, "
                       "without modifiers that add or remove vertices",
                       cache->path, cache->vertex_count, body->name, s->files[body->file].path, body->source->vertex_count);
}

static int bind_body(scene *s, scene_body *body, size_t cache_index, words *w)
{
    const scene_cache *cache = &s->caches[cache_index];
    const snag_io_mesh *mesh = &s->files[body->file].mesh;
    if (body->cache != SCENE_NONE)
        return words_error(w, "%s: \"%s\" is already moved by %s; give one cache per body", cache->path, body->name,
                           s->caches[body->cache].path);
    if (cache->vertex_count == body->source->vertex_count)
        body->whole_file = false;
    else if (cache->vertex_count == mesh->vertex_count)
        body->whole_file = true;
    else
        return cache_does_not_fit(s, body, cache, w);
    body->cache = cache_index;
    return EXIT_CLEAN;
}

static scene_body *body_of_file(scene *s, size_t file, size_t *count)
{
    scene_body *first = NULL;
    *count = 0;
    for (size_t i = 0; i < s->body_count; i++)
        if (s->bodies[i].file == file) {
            first = first ? first : &s->bodies[i];
            ++*count;
        }
    return first;
}

// Which bodies of a file a cache moves: the only one, the one with its name, or all if it has the vertices of the whole file.
static int bind_file(scene *s, size_t file, size_t cache_index, words *w)
{
    const scene_cache *cache = &s->caches[cache_index];
    const snag_io_mesh *mesh = &s->files[file].mesh;
    size_t count;
    scene_body *bodies = body_of_file(s, file, &count);
    if (count == 1)
        return bind_body(s, bodies, cache_index, w);
    for (size_t i = 0; i < count; i++)
        if (has_stem(cache->path, given_name(&bodies[i])))
            return bind_body(s, &bodies[i], cache_index, w);
    if (cache->vertex_count != mesh->vertex_count)
        return words_error(w,
                           "%s: %s has %zu bodies, and none has the cache's name; choose one with "
                           "--cache NAME=%s (`snag info %s` lists the names)",
                           cache->path, s->files[file].path, count, cache->path, s->files[file].path);
    for (size_t i = 0; i < count; i++) {
        int result = bind_body(s, &bodies[i], cache_index, w);
        if (result != EXIT_CLEAN)
            return result;
    }
    return EXIT_CLEAN;
}

static int add_cache(scene *s, const char *path, bool lone_caches, words *w)
{
    size_t cache = 0;
    if (s->file_count == 0 && !lone_caches)
        return words_error(w,
                           "%s: a cache moves the mesh before it, and there is none; put the mesh first: snag check "
                           "MESH %s",
                           path, path);
    int result = open_cache(s, path, &cache, w);
    if (result != EXIT_CLEAN || s->file_count == 0)
        return result;
    return bind_file(s, s->file_count - 1, cache, w);
}

// ---- folders -------------------------------------------------------------------------------------------------------

typedef struct folder_listing {
    char **meshes, **caches;
    size_t mesh_count, mesh_capacity, cache_count, cache_capacity;
} folder_listing;

static void listing_free(folder_listing *listing)
{
    for (size_t i = 0; i < listing->mesh_count; i++)
        free(listing->meshes[i]);
    for (size_t i = 0; i < listing->cache_count; i++)
        free(listing->caches[i]);
    free(listing->meshes);
    free(listing->caches);
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool list_one(folder_listing *listing, const char *folder, const char *name)
{
    bool mesh = snag_io_is_mesh(name) && !snag_io_is_companion(name);
    if (name[0] == '.' || (!mesh && !snag_io_is_cache(name)))
        return true;
    char *path = join(folder, name);
    if (!path)
        return false;
    if (is_folder(path)) {
        free(path);
        return true;
    }
    char ***paths = mesh ? &listing->meshes : &listing->caches;
    size_t *count = mesh ? &listing->mesh_count : &listing->cache_count;
    if (!words_grow((void **)paths, mesh ? &listing->mesh_capacity : &listing->cache_capacity, *count + 1, sizeof **paths)) {
        free(path);
        return false;
    }
    (*paths)[(*count)++] = path;
    return true;
}

static int list_folder(const char *folder, folder_listing *listing, words *w)
{
    sys_folder *directory = sys_opendir(folder);
    if (!directory)
        return words_error(w, "%s: cannot read the folder: %s", folder, strerror(errno));
    bool listed = true;
    for (const sys_entry *entry; listed && (entry = sys_readdir(directory)) != NULL;)
        listed = list_one(listing, folder, entry->d_name);
    sys_closedir(directory);
    if (!listed)
        return words_out_of_memory(w);
    // Directory order is arbitrary, so sort by name.
    if (listing->cache_count)
        qsort(listing->caches, listing->cache_count, sizeof listing->caches[0], compare_text);
    if (listing->mesh_count)
        qsort(listing->meshes, listing->mesh_count, sizeof listing->meshes[0], compare_text);
    return EXIT_CLEAN;
}

static int add_listing(scene *s, const options *o, const char *folder, const folder_listing *listing, words *w)
{
    if (listing->mesh_count == 0)
        return words_error(w, "%s: no mesh file in the folder (%s)", folder, snag_io_mesh_endings());
    if (listing->mesh_count > 1)
        return words_error(w,
                           "%s: the folder has %zu mesh files (%s, %s, ...); give the files by name, or add --sequence if "
                           "they are the frames of one scene",
                           folder, listing->mesh_count, scene_base_name(listing->meshes[0]), scene_base_name(listing->meshes[1]));
    int result = add_mesh(s, o, listing->meshes[0], w);
    for (size_t i = 0; i < listing->cache_count && result == EXIT_CLEAN; i++) {
        size_t cache = 0;
        result = open_cache(s, listing->caches[i], &cache, w);
        if (result == EXIT_CLEAN)
            result = bind_file(s, s->file_count - 1, cache, w);
    }
    return result;
}

static int add_folder(scene *s, const options *o, const char *folder, words *w)
{
    folder_listing listing = {0};
    int result = list_folder(folder, &listing, w);
    if (result == EXIT_CLEAN)
        result = add_listing(s, o, folder, &listing, w);
    if (demo_folder_is(folder))
        s->up = 'z';  // in all our simulations
    listing_free(&listing);
    return result;
}

// ---- sequences of files --------------------------------------------------------------------------------------------

static bool add_frame_path(scene *s, size_t *capacity, const char *path)
{
    if (!words_grow((void **)&s->frame_paths, capacity, s->frame_path_count + 1, sizeof s->frame_paths[0]))
        return false;
    char *copy = sys_strdup(path);
    if (!copy)
        return false;
    s->frame_paths[s->frame_path_count++] = copy;
    return true;
}

static int expand_frames(scene *s, const options *o, const char *input, size_t *capacity, words *w)
{
    sys_info status;
    if (sys_stat(input, &status) == 0 && !S_ISDIR(status.st_mode) && !scene_ends_in(input, ".pvd")) {
        if (!snag_io_is_mesh(input))
            return words_error(w, "%s: not a mesh file; frames of a sequence are mesh files (%s)", input, snag_io_mesh_endings());
        return add_frame_path(s, capacity, input) ? EXIT_CLEAN : words_out_of_memory(w);
    }
    char **paths = NULL;
    size_t count = 0;
    snag_io_error error;
    if (snag_io_sequence(input, &paths, &count, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    if (error.message[0] && o->strict) {
        snag_io_paths_free(paths, count);
        return words_error(w, "%s", error.message);
    }
    if (error.message[0])
        words_note(w, "%s", error.message);
    bool added = true;
    for (size_t i = 0; i < count && added; i++)
        added = add_frame_path(s, capacity, paths[i]);
    snag_io_paths_free(paths, count);
    return added ? EXIT_CLEAN : words_out_of_memory(w);
}

// The last number in a file's name, at `start` to `end`; false if it has none.
static bool number_in_name(const char *path, size_t *start, size_t *end, unsigned long long *number)
{
    const char *base = scene_base_name(path);
    size_t at = strlen(base);
    while (at > 0 && !isdigit((unsigned char)base[at - 1]))
        at--;
    *end = (size_t)(base - path) + at;
    while (at > 0 && isdigit((unsigned char)base[at - 1]))
        at--;
    *start = (size_t)(base - path) + at;
    *number = strtoull(path + *start, NULL, 10);
    return *end > *start;
}

// A shell sorts cloth_10 before cloth_2. Keep the given order, which may be intended, but print a note.
static void note_odd_order(const scene *s, words *w)
{
    for (size_t i = 1; i < s->frame_path_count; i++) {
        const char *a = s->frame_paths[i - 1], *b = s->frame_paths[i];
        size_t a_start, a_end, b_start, b_end;
        unsigned long long a_number, b_number;
        if (!number_in_name(a, &a_start, &a_end, &a_number) || !number_in_name(b, &b_start, &b_end, &b_number))
            return;
        bool alike = a_start == b_start && strncmp(a, b, a_start) == 0 && strcmp(a + a_end, b + b_end) == 0;
        if (alike && a_number > b_number) {
            words_note(w,
                       "frames keep the given order, with %s before %s; to sort by number, quote the "
                       "pattern or give the folder",
                       scene_base_name(a), scene_base_name(b));
            return;
        }
    }
}

// The first readable frame defines the bodies. Unreadable frames before it are reported later, in their turn.
static int find_reference(scene *s, const options *o, words *w)
{
    char *before = w->caught, first[400] = "", message[400];
    size_t size = w->caught_size;
    int result = EXIT_ERROR;
    for (s->reference = 0; s->reference < s->frame_path_count; s->reference++) {
        message[0] = 0;
        w->caught = message;
        w->caught_size = sizeof message;
        result = add_mesh(s, o, s->frame_paths[s->reference], w);
        w->caught = before;
        w->caught_size = size;
        if (s->reference == 0)
            memcpy(first, message, sizeof first);
        if (result == EXIT_CLEAN || o->strict || w->no_memory)
            break;
    }
    return result == EXIT_CLEAN ? EXIT_CLEAN : words_error(w, "%s", w->no_memory ? "out of memory" : first);
}

static int open_sequence(const options *o, scene *s, words *w)
{
    if (o->caches.count)
        return words_error(w, "--cache cannot be used with --sequence: the files of a sequence are the frames");
    size_t capacity = 0;
    for (size_t i = 0; i < o->inputs.count; i++) {
        int result = expand_frames(s, o, o->inputs.items[i], &capacity, w);
        if (result != EXIT_CLEAN)
            return result;
    }
    if (s->frame_path_count == 0)
        return words_error(w, "%s: no mesh files in this sequence", o->inputs.items[0]);
    note_odd_order(s, w);
    s->frame_count = s->frame_path_count;
    int result = find_reference(s, o, w);
    return result == EXIT_CLEAN ? scene_find_late(s, w) : result;
}

// ---- all inputs ----------------------------------------------------------------------------------------------------

static int add_input(scene *s, const options *o, const char *input, bool lone_caches, words *w)
{
    sys_info status;
    if (strcmp(input, "-") == 0)
        return add_mesh(s, o, input, w);
    if (sys_stat(input, &status) != 0) {
        bool pattern = strpbrk(input, "*%") != NULL;
        return words_error(w, "%s: cannot read: %s%s", input, strerror(errno), pattern ? "; for a pattern add --sequence" : "");
    }
    if (S_ISDIR(status.st_mode))
        return add_folder(s, o, input, w);
    if (snag_io_is_mesh(input) || scene_is_chunked(input))
        return add_mesh(s, o, input, w);
    if (snag_io_is_cache(input))
        return add_cache(s, input, lone_caches, w);
    snag_io_mesh none;
    snag_io_error error;  // for an unknown extension
    snag_io_read_mesh(input, &none, &error);
    return words_error(w, "%s; caches end in %s", error.message, snag_io_cache_endings());
}

static int open_inputs(const options *o, bool lone_caches, scene *s, words *w)
{
    for (size_t i = 0; i < o->inputs.count; i++) {
        int result = add_input(s, o, o->inputs.items[i], lone_caches, w);
        if (result != EXIT_CLEAN)
            return result;
    }
    return EXIT_CLEAN;
}

// Finds the body in --cache NAME=FILE; NAME and FILE may both contain '=', so try every split.
static scene_body *body_named_in(scene *s, const char *text, const char **file)
{
    for (const char *equals = strchr(text, '='); equals; equals = strchr(equals + 1, '='))
        for (size_t i = 0; i < s->body_count; i++) {
            const char *name = s->bodies[i].name;
            if (strlen(name) == (size_t)(equals - text) && strncmp(name, text, strlen(name)) == 0) {
                *file = equals + 1;
                return &s->bodies[i];
            }
        }
    return NULL;
}

static int unknown_body(const scene *s, const char *text, words *w)
{
    char typed[128], list[300] = "";
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(text, "="), text);
    enum { SHOWN = 12 };
    const char *names[SHOWN];
    size_t count = s->body_count < SHOWN ? s->body_count : SHOWN;
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        names[i] = s->bodies[i].name;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = words_nearest(typed, names, count);
    return words_error(w, "--cache %s: no body \"%s\"%s%s%s (%s: %s%s)", text, typed, nearest ? "; did you mean " : "",
                       nearest ? nearest : "", nearest ? "?" : "", s->body_count == 1 ? "body" : "bodies", list,
                       s->body_count > SHOWN ? ", ..." : "");
}

static int bind_named_caches(const options *o, scene *s, words *w)
{
    for (size_t i = 0; i < o->caches.count; i++) {
        const char *text = o->caches.items[i], *file = NULL;
        if (!strchr(text, '='))
            return words_error(w, "--cache %s: which body does the file move? Use --cache NAME=%s", text, text);
        scene_body *body = body_named_in(s, text, &file);
        if (!body)
            return unknown_body(s, text, w);
        if (!snag_io_is_cache(file))
            return words_error(w, "--cache %s: \"%s\" is not a cache file (%s)", text, file, snag_io_cache_endings());
        size_t cache = 0;
        int result = open_cache(s, file, &cache, w);
        if (result == EXIT_CLEAN)
            result = bind_body(s, body, cache, w);
        if (result != EXIT_CLEAN)
            return result;
    }
    return EXIT_CLEAN;
}

// The scene is as long as its longest cache. A body whose cache ends earlier stays at its last frame, as in animation programs.
static void count_frames(scene *s, words *w)
{
    s->frame_count = 1;
    for (size_t i = 0; i < s->cache_count; i++)
        if (s->caches[i].frame_count > s->frame_count)
            s->frame_count = s->caches[i].frame_count;
    for (size_t i = 0; i < s->file_count; i++)
        if (s->files[i].frame_count > s->frame_count)
            s->frame_count = s->files[i].frame_count;
    for (size_t i = 0; i < s->cache_count; i++) {
        const scene_cache *cache = &s->caches[i];
        // A cache of one frame is a static body and needs no note.
        if (cache->frame_count > 1 && cache->frame_count < s->frame_count)
            words_note(w, "%s ends after %zu of %zu frames; its body then stays still", cache->path, cache->frame_count,
                       s->frame_count);
    }
}

static int compare_names(const void *a, const void *b)
{
    const scene_body *x = *(scene_body *const *)a, *y = *(scene_body *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

// Whether some file already has a body of this name: a file may contain "a.2" too.
static bool name_taken(scene_body **sorted, size_t count, const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(given_name(sorted[middle]), name);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

// Bodies with the same name become name, name.2, name.3, ... in the order of the inputs.
static int tell_names_apart(scene *s, words *w)
{
    scene_body **sorted = malloc((s->body_count + 1) * sizeof *sorted);
    if (!sorted)
        return words_out_of_memory(w);
    for (size_t i = 0; i < s->body_count; i++)
        sorted[i] = &s->bodies[i];
    qsort(sorted, s->body_count, sizeof *sorted, compare_names);
    unsigned suffix = 1;
    int result = EXIT_CLEAN;
    for (size_t i = 1; i < s->body_count && result == EXIT_CLEAN; i++) {
        const char *given = sorted[i]->name;
        if (strcmp(given, given_name(sorted[i - 1])) != 0) {
            suffix = 1;
            continue;
        }
        size_t size = strlen(given) + 16;
        char *name = malloc(size);
        if (!name) {
            result = words_out_of_memory(w);
            break;
        }
        do
            snprintf(name, size, "%s.%u", given, ++suffix);
        while (name_taken(sorted, s->body_count, name));
        free(sorted[i]->name);
        sorted[i]->name = name;
    }
    free(sorted);
    return result;
}

static int require_elements(const scene *s, words *w)
{
    for (size_t i = 0; i < s->body_count; i++) {
        scene_kinds kinds = scene_kinds_of(&s->bodies[i]);
        if (kinds.faces || kinds.tets || kinds.thin || s->files[s->bodies[i].file].on_disk)
            return EXIT_CLEAN;
    }
    if (skipped_count(s))
        return words_error(w,
                           "%s: no triangles, polygons or tetrahedra; its %zu elements are of unsupported kinds; "
                           "split them into tetrahedra",
                           s->files[0].path, skipped_count(s));
    return words_error(w, "%s: no faces, tetrahedra, lines or points, so nothing can collide", s->files[0].path);
}

// A single PVD file with several time steps is a sequence.
static bool is_sequence(const options *o)
{
    char **paths = NULL;
    size_t count = 0;
    if (o->sequence || o->inputs.count != 1 || !scene_ends_in(o->inputs.items[0], ".pvd"))
        return o->sequence;
    bool several = snag_io_sequence(o->inputs.items[0], &paths, &count, NULL) == SNAG_OK && count > 1;
    snag_io_paths_free(paths, count);
    return several;
}

int scene_open(const options *o, bool lone_caches, words *w, scene *s)
{
    *s = (scene){.options = o, .frame_count = 1, .is_first = true};
    bool sequence = is_sequence(o);
    int result = sequence ? open_sequence(o, s, w) : open_inputs(o, lone_caches, s, w);
    if (result == EXIT_CLEAN)
        result = tell_names_apart(s, w);
    if (result == EXIT_CLEAN && !sequence)
        result = bind_named_caches(o, s, w);
    if (result == EXIT_CLEAN && !sequence)
        count_frames(s, w);
    if (result == EXIT_CLEAN && !lone_caches)
        result = require_elements(s, w);
    return result;
}

void scene_close(scene *s)
{
    for (size_t i = 0; i < s->body_count; i++) {
        free(s->bodies[i].name);
        free(s->bodies[i].gathered);
        free(s->bodies[i].posed);
    }
    for (size_t i = 0; i < s->cache_count; i++) {
        snag_io_cache_close(s->caches[i].cache);
        free(s->caches[i].path);
        free(s->caches[i].xyz);
    }
    for (size_t i = 0; i < s->file_count; i++) {
        if (!s->files[i].motion)
            snag_io_mesh_free(&s->files[i].mesh);
        snag_io_motion_close(s->files[i].motion);
        snag_io_chunked_close(s->files[i].chunked);
        free(s->files[i].path);
    }
    for (size_t i = 0; i < s->frame_path_count; i++)
        free(s->frame_paths[i]);
    free(s->bodies);
    free(s->caches);
    free(s->files);
    free(s->frame_paths);
    snag_io_mesh_free(&s->frame_mesh);
    snag_io_mesh_free(&s->changed_mesh);
    *s = (scene){0};
}

// ---- queries -------------------------------------------------------------------------------------------------------

const char *scene_frame_file(const scene *s, size_t frame)
{
    return frame < s->frame_path_count ? scene_base_name(s->frame_paths[frame]) : NULL;
}

static bool same_file(const char *path, const sys_info *other)
{
    sys_info status;
    return sys_stat(path, &status) == 0 && status.st_dev == other->st_dev && status.st_ino == other->st_ino;
}

bool scene_reads(const scene *s, const char *path)
{
    sys_info status;
    if (sys_stat(path, &status) != 0)
        return false;
    for (size_t i = 0; i < s->file_count; i++)
        if (same_file(s->files[i].path, &status))
            return true;
    for (size_t i = 0; i < s->cache_count; i++)
        if (same_file(s->caches[i].path, &status))
            return true;
    for (size_t i = 0; i < s->frame_path_count; i++)
        if (same_file(s->frame_paths[i], &status))
            return true;
    return false;
}

bool scene_is_thin(const scene_body *body)
{
    return body->source->edge_count > 0 || body->source->point_count > 0;
}

scene_kinds scene_kinds_of(const scene_body *body)
{
    return (scene_kinds){
        .faces = body->source->polygon_count > 0 || body->later.faces,
        .tets = body->source->tet_count > 0 || body->later.tets,
        .thin = scene_is_thin(body) || body->later.thin,
    };
}

bool scene_has_tets(const scene *s)
{
    for (size_t i = 0; i < s->body_count; i++)
        if (scene_kinds_of(&s->bodies[i]).tets)
            return true;
    return false;
}

bool scene_is_on_disk(const scene *s)
{
    for (size_t i = 0; i < s->file_count; i++)
        if (s->files[i].on_disk)
            return true;
    return false;
}

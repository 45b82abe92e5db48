// The output of snag fix. Everything is written under temporary names, read back, checked exactly, and only then named as wanted.
#include "fix.h"

#include "common/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MESH_NAME "mesh_00.obj"
static const char *const mesh_endings[] = {".obj", ".ply", ".off", ".stl", ".mesh", ".inp", ".vtu"};

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool is_written_mesh(const char *path)
{
    for (size_t i = 0; i < sizeof mesh_endings / sizeof *mesh_endings; i++)
        if (has_ending(path, mesh_endings[i]))
            return true;
    return false;
}

bool fix_files_are_floats(const char *out)
{
    return has_ending(out, ".stl") || !is_written_mesh(out);
}

// ---- names ----

static char *joined(const char *a, size_t length, const char *b, const char *c)
{
    size_t size = length + strlen(b) + strlen(c) + 1;
    char *made = malloc(size);
    if (made)
        snprintf(made, size, "%.*s%s%s", (int)length, a, b, c);
    return made;
}

// FILE_0012.obj for frame 12 of FILE.obj.
static char *numbered(const char *out, size_t frame)
{
    const char *dot = strrchr(out, '.');
    char number[32];
    snprintf(number, sizeof number, "_%04zu", frame);
    return joined(out, (size_t)(dot - out), number, dot);
}

// Notes a file: it gets a temporary name beside the wanted one. Takes over `wanted`.
static int add_file(fix_files *files, fix_run *run, char *wanted)
{
    if (!wanted)
        return words_out_of_memory(run->w);
    if (files->count == files->capacity) {
        size_t capacity = files->capacity ? 2 * files->capacity : 16;
        char **made = realloc(files->made, capacity * sizeof *made), **names = NULL;
        if (made)
            files->made = made;
        if (made && (names = realloc(files->wanted, capacity * sizeof *names)))
            files->wanted = names;
        if (names)
            files->capacity = capacity;
        else
            free(wanted);
        if (!names)
            return words_out_of_memory(run->w);
    }
    const char *base = scene_base_name(wanted);
    files->wanted[files->count] = wanted;
    files->made[files->count] = joined(wanted, (size_t)(base - wanted), ".snag-fix-", base);
    if (!files->made[files->count++])
        return words_out_of_memory(run->w);
    if (scene_reads(&run->scene, wanted) && !run->o->overwrite)
        return words_error(run->w, "--out: %s is an input and would be overwritten; choose another name, or give --overwrite",
                           wanted);
    return EXIT_CLEAN;
}

// ---- the mesh ----

// The bodies of the scene at the positions of run->bodies. `numbers` has room for all vertices if there are several files.
static bool make_mesh(const fix_run *run, snag_io_mesh *mesh, uint32_t **numbers)
{
    const scene *s = &run->scene;
    size_t all = 0;
    for (size_t b = 0; b < run->body_count; b++)
        all += run->bodies[b].vertex_count;
    *mesh = (snag_io_mesh){.bodies = calloc(run->body_count + 1, sizeof *mesh->bodies), .body_count = run->body_count};
    *numbers = s->file_count > 1 ? malloc((all + 1) * sizeof **numbers) : NULL;
    if (!mesh->bodies || (s->file_count > 1 && !*numbers))
        return false;
    mesh->labelled = s->file_count == 1 && s->files[0].mesh.labelled;
    uint32_t next = 0;
    for (size_t b = 0; b < run->body_count; b++) {
        mesh->bodies[b] = *s->bodies[b].source;
        mesh->bodies[b].name = s->bodies[b].name;
        mesh->bodies[b].positions = run->bodies[b].positions;
        // Vertices of several files follow each other, file by file.
        if (*numbers)
            mesh->bodies[b].vertex_numbers = *numbers + next;
        for (size_t v = 0; v < run->bodies[b].vertex_count && *numbers; v++)
            (*numbers)[next] = next, next++;
    }
    return true;
}

static int write_mesh(fix_run *run, const char *path)
{
    snag_io_mesh mesh;
    snag_io_error error;
    uint32_t *numbers = NULL;
    int result = make_mesh(run, &mesh, &numbers) ? EXIT_CLEAN : words_out_of_memory(run->w);
    if (result == EXIT_CLEAN && snag_io_write_mesh(path, &mesh, &error) != SNAG_OK)
        result = words_error(run->w, "%s", error.message);
    free(mesh.bodies);
    free(numbers);
    return result;
}

// ---- caches ----

typedef struct slot {
    uint32_t number, body, local;
} slot;

static int compare_slots(const void *a, const void *b)
{
    const slot *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->body != y->body ? (x->body < y->body ? -1 : 1) : (x->local > y->local) - (x->local < y->local);
}

static int compare_in_bodies(const void *a, const void *b)
{
    const slot *x = a, *y = b;
    return x->body != y->body ? (x->body < y->body ? -1 : 1) : compare_slots(a, b);
}

// All vertices in the order of the mesh file; for a folder body by body.
static slot *list_slots(const fix_files *files, const fix_run *run, size_t *count)
{
    size_t all = 0, at = 0;
    for (size_t b = 0; b < run->body_count; b++)
        all += run->bodies[b].vertex_count;
    slot *slots = malloc((all + 1) * sizeof *slots);
    bool several = run->scene.file_count > 1;
    for (size_t b = 0; b < run->body_count && slots; b++) {
        const uint32_t *numbers = run->scene.bodies[b].source->vertex_numbers;
        for (size_t v = 0; v < run->bodies[b].vertex_count; v++, at++)
            slots[at] = (slot){several ? (uint32_t)at : numbers ? numbers[v] : (uint32_t)v, (uint32_t)b, (uint32_t)v};
    }
    if (slots)
        qsort(slots, all, sizeof *slots, files->form == FIX_FOLDER ? compare_in_bodies : compare_slots);
    *count = all;
    return slots;
}

// Vertices of cache i.
static size_t cache_size(const fix_files *files, const fix_run *run, size_t i, size_t all)
{
    return files->form == FIX_FOLDER ? run->bodies[i].vertex_count : all;
}

static int open_caches(fix_files *files, fix_run *run)
{
    snag_io_error error;
    size_t all = 0, count = files->form == FIX_FOLDER ? run->body_count : 1;
    for (size_t b = 0; b < run->body_count; b++)
        all += run->bodies[b].vertex_count;
    files->caches = calloc(count + 1, sizeof *files->caches);
    files->xyz = malloc((3 * all + 1) * sizeof *files->xyz);
    if (!files->caches || !files->xyz)
        return words_out_of_memory(run->w);
    for (; files->cache_count < count; files->cache_count++)
        if (snag_io_pc2_create(files->made[1 + files->cache_count], cache_size(files, run, files->cache_count, all),
                               &files->caches[files->cache_count], &error) != SNAG_OK)
            return words_error(run->w, "%s", error.message);
    return EXIT_CLEAN;
}

static int write_caches(fix_files *files, fix_run *run)
{
    size_t all, at = 0;
    slot *slots = list_slots(files, run, &all);
    int result = EXIT_CLEAN;
    if (!slots)
        return words_out_of_memory(run->w);
    for (size_t i = 0; i < all; i++)
        for (size_t k = 0; k < 3; k++)
            files->xyz[3 * i + k] = (float)run->bodies[slots[i].body].positions[3 * (size_t)slots[i].local + k];
    free(slots);
    for (size_t i = 0; i < files->cache_count && result == EXIT_CLEAN; i++) {
        snag_io_error error;
        size_t count = cache_size(files, run, i, all);
        if (snag_io_pc2_write(files->caches[i], snag_positions_f32(files->xyz + 3 * at, count), &error) != SNAG_OK)
            result = words_error(run->w, "%s", error.message);
        at += count;
    }
    return result;
}

// ---- opening and writing ----

static int open_folder(fix_files *files, fix_run *run)
{
    sys_info there;
    size_t length = strlen(files->out);
    const char *slash = sys_is_separator(files->out[length - 1]) ? "" : "/";
    if (sys_stat(files->out, &there) != 0 && sys_mkdir(files->out) != 0)
        return words_error(run->w, "--out: the folder %s cannot be created: %s", files->out, strerror(errno));
    char *folder = joined(files->out, length, slash, "");
    int result = folder ? add_file(files, run, joined(folder, strlen(folder), MESH_NAME, "")) : words_out_of_memory(run->w);
    for (size_t b = 0; b < run->body_count && result == EXIT_CLEAN; b++) {
        const char *name = run->scene.bodies[b].name;
        if (strpbrk(name, "/\\:*?\"<>|") || name[0] == '.')
            result = words_error(run->w, "--out: the body %s has a name that no file can have; give --out FILE.pc2", name);
        else
            result = add_file(files, run, joined(folder, strlen(folder), name, ".pc2"));
    }
    free(folder);
    return result;
}

int fix_files_open(fix_files *files, fix_run *run, size_t frames)
{
    const char *out = run->o->fix_out, *base = scene_base_name(out);
    sys_info there;
    *files = (fix_files){.out = out, .numbered = frames > 1};
    bool exists = sys_stat(out, &there) == 0, is_folder = exists && S_ISDIR(there.st_mode);
    if (is_folder || (!exists && !strchr(base, '.')))
        files->form = FIX_FOLDER;
    else if (has_ending(out, ".pc2"))
        files->form = FIX_CACHE;
    else if (is_written_mesh(out))
        files->form = FIX_MESH;
    else
        return words_error(
            run->w, "--out: %s cannot be written; give .obj .ply .off .stl .mesh .inp .vtu, or FILE.pc2 or a folder for a sequence",
            out);
    if (files->form == FIX_MESH)
        return files->numbered || !scene_reads(&run->scene, out) || run->o->overwrite
                   ? EXIT_CLEAN
                   : words_error(run->w, "--out: %s is an input and would be overwritten; choose another name, or give --overwrite",
                                 out);
    if (scene_has_tets(&run->scene))
        return words_error(run->w, "--out: caches and folders hold surfaces; write volumes as .vtu, .mesh or .inp");
    int result = EXIT_CLEAN;
    if (files->form == FIX_FOLDER) {
        result = open_folder(files, run);
    } else {
        result = add_file(files, run, joined(out, strlen(out) - 4, ".obj", ""));
        if (result == EXIT_CLEAN)
            result = add_file(files, run, joined(out, strlen(out), "", ""));
    }
    return result == EXIT_CLEAN ? open_caches(files, run) : result;
}

int fix_files_write(fix_files *files, fix_run *run, size_t frame)
{
    if (files->form == FIX_MESH) {
        int result =
            add_file(files, run, files->numbered ? numbered(files->out, frame) : joined(files->out, strlen(files->out), "", ""));
        return result == EXIT_CLEAN ? write_mesh(run, files->made[files->count - 1]) : result;
    }
    int result = run->frame_count == 1 ? write_mesh(run, files->made[0]) : EXIT_CLEAN;
    return result == EXIT_CLEAN ? write_caches(files, run) : result;
}

// ---- the proof ----

static int compare(fix_run *run, const char *wanted, size_t frame, size_t found, size_t left)
{
    if (found <= left)
        return EXIT_CLEAN;
    return words_error(
        run->w,
        "%s: read back, frame %zu has %zu intersections, not %zu: the format does not hold these positions; nothing was "
        "written; try .obj",
        wanted, frame, found, left);
}

static int prove_mesh(fix_run *run, const char *made, const char *wanted, const fixed_frame *f)
{
    snag_io_mesh mesh;
    snag_io_error error;
    if (snag_io_read_mesh(made, &mesh, &error) != SNAG_OK)
        return words_error(run->w, "%s cannot be read back: %s", wanted, error.message);
    snag_world *world = NULL;
    size_t found = 0;
    int result = scene_create_world(run->o, &world, run->w);
    for (size_t b = 0; b < mesh.body_count && result == EXIT_CLEAN; b++) {
        snag_body_id id;
        // Vertices that were welded are several in the file.
        if (scene_add_body(world, &(scene_body){.source = &mesh.bodies[b], .name = mesh.bodies[b].name}, run->o, &id) != SNAG_OK)
            result = words_error(run->w, "%s: %s", wanted, snag_world_message(world));
    }
    if (result == EXIT_CLEAN)
        result = fix_count(run, world, &found);
    snag_world_destroy(world);
    snag_io_mesh_free(&mesh);
    return result == EXIT_CLEAN ? compare(run, wanted, f->frame, found, f->report.left) : result;
}

// Reads one frame of all caches into the world.
static int place_frame(fix_files *files, fix_run *run, snag_io_cache **caches, const slot *slots, size_t all, size_t frame)
{
    snag_io_error error;
    size_t at = 0;
    for (size_t i = 0; i < files->cache_count; i++) {
        if (snag_io_cache_read(caches[i], frame, files->xyz + 3 * at, &error) != SNAG_OK)
            return words_error(run->w, "%s", error.message);
        at += cache_size(files, run, i, all);
    }
    for (size_t i = 0; i < all; i++)
        for (size_t k = 0; k < 3; k++)
            run->bodies[slots[i].body].positions[3 * (size_t)slots[i].local + k] = files->xyz[3 * i + k];
    return fix_place(run, false);
}

static int prove_caches(fix_files *files, fix_run *run)
{
    snag_io_error error;
    size_t all, opened = 0;
    slot *slots = list_slots(files, run, &all);
    snag_io_cache **caches = calloc(files->cache_count + 1, sizeof *caches);
    int result = slots && caches ? EXIT_CLEAN : words_out_of_memory(run->w);
    for (; opened < files->cache_count && result == EXIT_CLEAN; opened++)
        if (snag_io_cache_open(files->made[1 + opened], &caches[opened], &error) != SNAG_OK)
            result = words_error(run->w, "%s cannot be read back: %s", files->wanted[1 + opened], error.message);
    for (size_t i = 0; i < run->frame_count && result == EXIT_CLEAN; i++) {
        size_t found = 0;
        result = place_frame(files, run, caches, slots, all, i);
        if (result == EXIT_CLEAN)
            result = fix_count(run, run->world, &found);
        if (result == EXIT_CLEAN)
            result = compare(run, files->out, run->frames[i].frame, found, run->frames[i].report.left);
    }
    for (size_t i = 0; i < opened; i++)
        snag_io_cache_close(caches[i]);
    free(caches);
    free(slots);
    return result;
}

static int prove(fix_files *files, fix_run *run)
{
    if (files->form != FIX_MESH)
        return prove_caches(files, run);
    int result = EXIT_CLEAN;
    for (size_t i = 0; i < files->count && result == EXIT_CLEAN; i++)
        result = prove_mesh(run, files->made[i], files->wanted[i], &run->frames[i]);
    return result;
}

int fix_files_close(fix_files *files, fix_run *run, bool keep)
{
    int result = EXIT_CLEAN;
    snag_io_error error;
    for (size_t i = 0; i < files->cache_count; i++)
        if (snag_io_pc2_close(files->caches[i], keep, &error) != SNAG_OK && keep)
            result = words_error(run->w, "%s", error.message);
    if (keep && result == EXIT_CLEAN)
        result = prove(files, run);
    bool named = keep && result == EXIT_CLEAN;
    for (size_t i = 0; i < files->count; i++) {
        if (named && result == EXIT_CLEAN && sys_rename(files->made[i], files->wanted[i]) != 0)
            result = words_error(run->w, "%s cannot be written: %s", files->wanted[i], strerror(errno));
        if ((!named || result != EXIT_CLEAN) && files->made[i])
            sys_unlink(files->made[i]);
        free(files->made[i]);
    }
    free(files->made);
    free(files->caches);
    free(files->xyz);
    files->made = NULL;
    return result;
}

void fix_files_free(fix_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->wanted[i]);
    free(files->wanted);
}

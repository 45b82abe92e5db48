// Animated files.
#include "gzip.h"
#include "isolate.h"
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct snag_io_motion {
    char *name;  // for messages
    snag__rig rig;
    snag__frames frames;  // of a result file, which has no rig
    double seconds;  // time of the last pose of a result file
    bool posed;  // else in the rest pose
    snag_io_mesh mesh;
    bool apart;  // verified: no two animations move the same property
};

static const struct {
    const char *ending;
    snag__rig_reader *read;
} formats[] = {
    {".gltf", snag__read_gltf},
    {".glb", snag__read_gltf},
#ifdef SNAG_ASSIMP
    {".fbx", snag__read_assimp},
    {".dae", snag__read_assimp},
#endif
};

bool snag__is_usd(const char *path)
{
    static const char *const endings[] = {".usd", ".usda", ".usdc", ".usdz"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (snag__path_has_ending(path, endings[i]))
            return true;
    return false;
}

bool snag__reads_usd(void)
{
#ifdef SNAG_ASSIMP
    return snag__assimp_reads(".usdc");
#else
    return false;
#endif
}

snag__rig_reader *snag__rig_reader_of(const char *path)
{
#ifdef SNAG_ASSIMP
    if (snag__is_usd(path) && snag__reads_usd())
        return snag__read_assimp;
#endif
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (snag__path_has_ending(path, formats[i].ending))
            return formats[i].read;
    return NULL;
}

snag_status snag__read_rig(const snag__source *source, bool beside, snag__rig *rig)
{
    snag__rig_reader *read = snag__rig_reader_of(source->name);
#ifdef SNAG_ASSIMP
    if (read == snag__read_assimp && source->reading && source->reading->options.isolate) {
        bool collada = snag__path_has_ending(source->name, ".dae");
        return snag__read_isolated(read, collada ? "COLLADA" : snag__is_usd(source->name) ? "USD" : "FBX", source, beside, rig);
    }
#endif
    return read(source, beside, rig);
}

bool snag_io_is_motion(const char *path)
{
    return path && (snag__rig_reader_of(path) || snag__results_reader_of(path));
}

// ---- opening ----

static snag_status read_results(const snag__source *source, bool beside, snag_io_motion *motion)
{
    snag__builder builder = {.source = source};
    snag_status status = snag__results_reader_of(source->name)(source, beside, &builder, &motion->frames);
    if (status == SNAG_OK)
        status = snag__builder_finish(&builder, source, &motion->mesh);
    snag__builder_free(&builder);
    return status;
}

static snag_status open_unpacked(const snag__source *source, bool beside, snag_io_motion **motion)
{
    if (!snag_io_is_motion(source->name))
        return snag__io_fail(source->error, SNAG_ERROR_UNSUPPORTED, "%s: unknown extension of an animated file; supported:%s",
                             snag__path_shown(source->name), SNAG__RIG_ENDINGS SNAG__RESULTS_ENDINGS);
    snag_io_motion *made = calloc(1, sizeof *made);
    size_t size = strlen(source->name) + 1;
    if (made)
        made->name = malloc(size);
    if (!made || !made->name) {
        free(made);
        return snag__io_fail(source->error, SNAG_ERROR_MEMORY, "%s: not enough memory for this scene",
                             snag__path_shown(source->name));
    }
    memcpy(made->name, source->name, size);
    snag_status status;
    if (snag__results_reader_of(source->name)) {
        status = read_results(source, beside, made);
    } else {
        status = snag__read_rig(source, beside, &made->rig);
        if (status == SNAG_OK)
            status = snag__rig_finish(&made->rig, source, &made->mesh);
    }
    if (status != SNAG_OK)
        snag_io_motion_close(made);
    else
        *motion = made;
    return status;
}

static snag_status open_source(snag__source *source, bool beside, snag_io_motion **motion)
{
    char *unpacked;
    snag_status status = snag__gzip_open(source, &unpacked);
    if (status == SNAG_OK)
        status = open_unpacked(source, beside, motion);
    free(unpacked);
    return status;
}

snag_status snag_io_motion_open_memory(const char *name, const void *data, size_t size, snag_io_motion **motion,
                                       snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (motion)
        *motion = NULL;
    if (!name || !motion || (!data && size > 0))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "motion: name, data and result must be given");
    snag__reading reading = snag__reading_begin(NULL);
    snag__reading_add_input(&reading, size);
    snag__source source = {name, data ? data : "", size, error, &reading};
    return open_source(&source, false, motion);
}

snag_status snag_io_motion_open(const char *path, snag_io_motion **motion, snag_io_error *error)
{
    return snag_io_motion_open_with(path, NULL, motion, error);
}

snag_status snag_io_motion_open_with(const char *path, const snag_io_read_options *options, snag_io_motion **motion,
                                     snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (motion)
        *motion = NULL;
    if (!path || !motion)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "motion: path and result must be given");
    char *data = NULL;
    size_t size = 0;
    if (!snag__reading_fits(options))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT,
                             "initialize the options with snag_io_default_read_options of this version");
    snag__reading reading = snag__reading_begin(options);
    snag_status status = snag__file_read(path, &reading, &data, &size, error);
    snag__source source = {path, data, size, error, &reading};
    if (status == SNAG_OK)
        status = open_source(&source, true, motion);
    free(data);
    return status;
}

void snag_io_motion_close(snag_io_motion *motion)
{
    if (!motion)
        return;
    snag__rig_free(&motion->rig);
    snag__frames_free(&motion->frames);
    snag_io_mesh_free(&motion->mesh);
    free(motion->name);
    free(motion);
}

// ---- queries ----

const snag_io_mesh *snag_io_motion_mesh(const snag_io_motion *motion)
{
    return motion != NULL ? &motion->mesh : NULL;
}

size_t snag_io_motion_animation_count(const snag_io_motion *motion)
{
    if (motion == NULL)
        return 0;
    return motion->frames.count > 0 ? 1 : motion->rig.animation_count;
}

// The time steps of a result file. Its animation begins with the first one.
static snag_io_animation time_steps(const snag__frames *frames)
{
    return (snag_io_animation){.name = "time steps",
                               .seconds = frames->times[frames->count - 1] - frames->times[0],
                               .frame_count = frames->count,
                               .times = frames->times};
}

// As long as the longest animation.
static snag_io_animation all_animations(const snag_io_motion *motion)
{
    snag_io_animation all = {.name = "all"};
    for (size_t i = 0; i < snag_io_motion_animation_count(motion); i++) {
        all.seconds = fmax(all.seconds, motion->rig.animations[i].seconds);
        all.rate = fmax(all.rate, motion->rig.animations[i].rate);
    }
    return all;
}

snag_io_animation snag_io_motion_animation(const snag_io_motion *motion, size_t animation)
{
    if (motion != NULL && motion->frames.count > 0 && (animation == 0 || animation == SNAG_IO_ALL_ANIMATIONS))
        return time_steps(&motion->frames);
    if (animation == SNAG_IO_ALL_ANIMATIONS)
        return all_animations(motion);
    if (animation >= snag_io_motion_animation_count(motion))
        return (snag_io_animation){.name = ""};
    const snag__rig_animation *found = &motion->rig.animations[animation];
    return (snag_io_animation){.name = found->name ? found->name : "", .seconds = found->seconds, .rate = found->rate};
}

// The target of an animation track.
typedef struct moved_thing {
    uint32_t node, animation;
    int path;
} moved_thing;

static int compare_things(const void *a, const void *b)
{
    const moved_thing *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return (x->animation > y->animation) - (x->animation < y->animation);
}

// Rejects animations with the same target: we cannot know which one should win.
static snag_status check_apart(snag_io_motion *motion, snag_io_error *error)
{
    size_t count = 0;
    if (motion->apart)
        return SNAG_OK;
    for (size_t a = 0; a < motion->rig.animation_count; a++)
        count += motion->rig.animations[a].track_count;
    moved_thing *things = malloc((count + 1) * sizeof *things);
    if (!things)
        return snag__io_fail(error, SNAG_ERROR_MEMORY, "%s: not enough memory for its animations", snag__path_shown(motion->name));
    count = 0;
    for (size_t a = 0; a < motion->rig.animation_count; a++)
        for (size_t t = 0; t < motion->rig.animations[a].track_count; t++) {
            const snag__rig_track *track = &motion->rig.animations[a].tracks[t];
            things[count++] = (moved_thing){track->node, (uint32_t)a, (int)track->path};
        }
    qsort(things, count, sizeof *things, compare_things);
    snag_status status = SNAG_OK;
    for (size_t i = 1; i < count && status == SNAG_OK; i++) {
        const moved_thing *x = &things[i - 1], *y = &things[i];
        if (x->node == y->node && x->path == y->path && x->animation != y->animation)
            status = snag__io_fail(error, SNAG_ERROR_UNSUPPORTED,
                                   "%s: \"%.60s\" and \"%.60s\" move the same node and cannot be played together",
                                   snag__path_shown(motion->name), snag_io_motion_animation(motion, x->animation).name,
                                   snag_io_motion_animation(motion, y->animation).name);
    }
    free(things);
    motion->apart = status == SNAG_OK;
    return status;
}

snag_status snag_io_motion_pose(snag_io_motion *motion, size_t animation, double seconds, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (motion && motion->frames.count > 0 && (animation == 0 || animation == SNAG_IO_ALL_ANIMATIONS) && isfinite(seconds)) {
        motion->seconds = seconds;
        motion->posed = true;
        return SNAG_OK;
    }
    bool all = animation == SNAG_IO_ALL_ANIMATIONS && motion && motion->rig.animation_count > 0;
    if (all && isfinite(seconds)) {
        snag_status status = check_apart(motion, error);
        if (status == SNAG_OK)
            snag__rig_pose(&motion->rig, SNAG__RIG_ALL, seconds);
        return status;
    }
    if (!motion || animation >= motion->rig.animation_count || !isfinite(seconds))
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: no animation %zu, or an invalid time",
                             motion ? snag__path_shown(motion->name) : "motion", animation);
    snag__rig_pose(&motion->rig, (uint32_t)animation, seconds);
    return SNAG_OK;
}

snag_status snag_io_motion_positions(const snag_io_motion *motion, size_t body, double *xyz, snag_io_error *error)
{
    if (error)
        *error = (snag_io_error){.status = SNAG_OK};
    if (!motion || body >= motion->mesh.body_count || !xyz)
        return snag__io_fail(error, SNAG_ERROR_ARGUMENT, "%s: no body %zu, or no array for it",
                             motion ? snag__path_shown(motion->name) : "motion", body);
    if (snag__results_reader_of(motion->name) && !motion->posed)
        memcpy(xyz, motion->mesh.bodies[body].positions, 3 * motion->mesh.bodies[body].vertex_count * sizeof *xyz);
    else if (motion->frames.count > 0)
        snag__frames_positions(&motion->frames, &motion->mesh.bodies[body], motion->seconds, xyz);
    else
        snag__rig_positions(&motion->rig, body, xyz);
    for (size_t i = 0; i < 3 * motion->mesh.bodies[body].vertex_count; i++)
        if (!isfinite(xyz[i]))
            return snag__io_fail(error, SNAG_ERROR_NOT_FINITE, "%s: \"%.60s\" moves out of the range of floating-point numbers",
                                 snag__path_shown(motion->name), motion->mesh.bodies[body].name);
    return SNAG_OK;
}

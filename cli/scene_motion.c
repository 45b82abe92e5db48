// Animated files: chooses the animation and its frames.
#include "reading.h"
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Frame rate of a file that does not give one.
#define USUAL_RATE 30.0

// More frames than anybody needs; a file with its last key at 1e300 seconds is broken.
#define MOST_FRAMES 1e8

static int unknown_animation(const scene_file *file, const char *name, words *w)
{
    enum { SHOWN = 12 };
    const char *names[SHOWN];
    char list[300] = "";
    size_t count = snag_io_motion_animation_count(file->motion), shown = count < SHOWN ? count : SHOWN;
    for (size_t i = 0; i < shown; i++) {
        size_t used = strlen(list);
        names[i] = snag_io_motion_animation(file->motion, i).name;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i][0] ? names[i] : "(unnamed)");
    }
    const char *nearest = words_nearest(name, names, shown);
    return words_error(w, "--animation %s: no such animation in %s%s%s%s (%s: %s%s)", name, file->path,
                       nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "",
                       count == 1 ? "animation" : "animations", count ? list : "none", count > SHOWN ? ", ..." : "");
}

// By name, or by number.
static bool find_animation(const scene_file *file, const char *name, size_t *found)
{
    size_t count = snag_io_motion_animation_count(file->motion);
    for (size_t i = 0; i < count; i++)
        if (strcmp(snag_io_motion_animation(file->motion, i).name, name) == 0) {
            *found = i;
            return true;
        }
    if (strcmp(name, "all") == 0 && count > 0) {
        *found = SNAG_IO_ALL_ANIMATIONS;
        return true;
    }
    char *end;
    unsigned long long number = strtoull(name, &end, 10);
    *found = (size_t)number;
    return *end == 0 && end != name && name[0] != '-' && number < count;
}

int scene_open_motion(scene_file *file, const options *o, words *w)
{
    snag_io_error error;
    snag_io_read_options reading = reading_options(o);
    if (snag_io_motion_open_with(file->path, &reading, &file->motion, &error) != SNAG_OK)
        return reading_failed(o, &error, w);
    file->mesh = *snag_io_motion_mesh(file->motion);
    size_t count = snag_io_motion_animation_count(file->motion);
    file->frame_count = 1;
    if (o->animation && !find_animation(file, o->animation, &file->animation))
        return unknown_animation(file, o->animation, w);
    if (count == 0)
        return EXIT_CLEAN;
    snag_io_animation animation = snag_io_motion_animation(file->motion, file->animation);
    if (animation.frame_count > 0 && o->fps <= 0) {
        file->times = animation.times;
        file->frame_count = animation.frame_count;
        file->rate = 1;
        return EXIT_CLEAN;
    }
    file->begin = animation.frame_count > 0 ? animation.times[0] : 0;
    file->rate = o->fps > 0 ? o->fps : animation.rate > 0 ? animation.rate : USUAL_RATE;
    // The last frame is at the end of the animation, even if the last interval is shorter. Do not add a frame for an interval that
    // is only rounding error.
    double frames = ceil(animation.seconds * file->rate - 1e-6) + 1;
    if (!(frames >= 1 && frames <= MOST_FRAMES))
        return words_error(w, "%s: too many frames: %g seconds at %g frames per second; set a lower --fps", file->path,
                           animation.seconds, file->rate);
    file->frame_count = (size_t)frames;
    if (count > 1 && !o->animation)
        words_note(w,
                   "%s: playing \"%s\", the first of %zu animations; choose another with --animation NAME, or play all with "
                   "--animation all",
                   file->path, animation.name, count);
    return EXIT_CLEAN;
}

int scene_pose_motion(scene_file *file, size_t frame, words *w)
{
    snag_io_error error;
    double end = snag_io_motion_animation(file->motion, file->animation).seconds;
    double seconds = file->begin + fmin((double)frame / file->rate, end);
    if (file->times)
        seconds = file->times[frame < file->frame_count ? frame : file->frame_count - 1];
    if (snag_io_motion_pose(file->motion, file->animation, seconds, &error) != SNAG_OK)
        return words_error(w, "%s", error.message);
    return EXIT_CLEAN;
}

// Poses of a rig: evaluates tracks at a time, then nodes, then morph targets and skins.
#include "rig.h"

#include <math.h>
#include <string.h>

// ---- 4 x 4 matrices, column-major ----

static void multiply(const double a[16], const double b[16], double product[16])
{
    double made[16];
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += a[4 * k + row] * b[4 * column + k];
            made[4 * column + row] = sum;
        }
    memcpy(product, made, sizeof made);
}

static void matrix_of(const double t[3], const double q[4], const double s[3], double m[16])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),  // the first column
        2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
        2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y),
    };
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++)
            m[4 * column + row] = rotation[3 * column + row] * s[column];
        m[4 * column + 3] = 0;
        m[12 + column] = t[column];
    }
    m[15] = 1;
}

static void transform(const double m[16], const double point[3], double weight, double sum[3])
{
    for (int row = 0; row < 3; row++)
        sum[row] += weight * (m[row] * point[0] + m[4 + row] * point[1] + m[8 + row] * point[2] + m[12 + row]);
}

// ---- tracks ----

static void normalize(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4 && length > 0; i++)
        q[i] /= length;
}

// Along the shorter great circle; linear for nearly equal rotations.
static void between_rotations(const double *a, const double *b, double part, double result[4])
{
    double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double sign = cosine < 0 ? -1 : 1;
    double along_a = 1 - part, along_b = part;
    cosine = fabs(cosine);
    if (cosine < 0.9995) {
        double angle = acos(cosine);
        along_a = sin((1 - part) * angle) / sin(angle);
        along_b = sin(part * angle) / sin(angle);
    }
    for (int i = 0; i < 4; i++)
        result[i] = along_a * a[i] + sign * along_b * b[i];
    normalize(result);
}

// The last key at or before a time; the first key if all are later.
static size_t key_before(const snag__rig_track *track, double seconds)
{
    size_t low = 0, high = track->key_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (track->times[middle] <= seconds)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Hermite: glTF 2.0, appendix C.
static double cubic(const double *from, const double *to, size_t width, size_t i, double part, double span)
{
    double square = part * part, cube = square * part;
    double value = from[width + i], leaving = span * from[2 * width + i];
    double next = to[width + i], arriving = span * to[i];
    return (2 * cube - 3 * square + 1) * value + (cube - 2 * square + part) * leaving + (3 * square - 2 * cube) * next +
           (cube - square) * arriving;
}

static double part_between(const snag__rig_track *track, size_t key, double seconds, double *span)
{
    *span = track->times[key + 1] - track->times[key];
    double part = *span > 0 ? (seconds - track->times[key]) / *span : 0;
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

static void sample(const snag__rig_track *track, double seconds, double *result)
{
    size_t width = track->width, key = key_before(track, seconds);
    size_t stride = track->curve == SNAG__RIG_CUBIC ? 3 * width : width;
    const double *from = track->values + key * stride, *to = from + stride;
    bool last = key + 1 >= track->key_count || seconds <= track->times[key];
    if (last || track->curve == SNAG__RIG_STEP) {
        memcpy(result, track->curve == SNAG__RIG_CUBIC ? from + width : from, width * sizeof *result);
        if (track->path == SNAG__RIG_ROTATION)
            normalize(result);
        return;
    }
    double span, part = part_between(track, key, seconds, &span);
    if (track->curve == SNAG__RIG_LINEAR && track->path == SNAG__RIG_ROTATION) {
        between_rotations(from, to, part, result);
        return;
    }
    for (size_t i = 0; i < width; i++)
        result[i] = track->curve == SNAG__RIG_CUBIC ? cubic(from, to, width, i, part, span) : (1 - part) * from[i] + part * to[i];
    if (track->path == SNAG__RIG_ROTATION)
        normalize(result);
}

// ---- poses ----

// Rest pose of the nodes, stored temporarily in `globals` as translation, rotation and scale.
enum { T = 0, R = 3, S = 7 };

static void rest(snag__rig *rig)
{
    for (size_t i = 0; i < rig->node_count; i++) {
        const snag__rig_node *node = &rig->nodes[i];
        double *parts = rig->globals + 16 * i;
        memcpy(parts + T, node->translation, sizeof node->translation);
        memcpy(parts + R, node->rotation, sizeof node->rotation);
        memcpy(parts + S, node->scale, sizeof node->scale);
    }
    for (size_t i = 0; i < rig->body_count; i++) {
        snag__rig_body *body = &rig->bodies[i];
        for (size_t t = 0; t < body->target_count; t++)
            body->weights_now[t] = body->target_weights ? body->target_weights[t] : 0;
    }
}

static void set_weights(snag__rig *rig, const snag__rig_track *track, double seconds)
{
    for (size_t i = 0; i < rig->body_count; i++)
        if (rig->bodies[i].node == track->node && rig->bodies[i].target_count == track->width)
            sample(track, seconds, rig->bodies[i].weights_now);
}

static void set_tracks(snag__rig *rig, const snag__rig_animation *animation, double seconds)
{
    for (size_t i = 0; i < animation->track_count; i++) {
        const snag__rig_track *track = &animation->tracks[i];
        double *parts = rig->globals + 16 * (size_t)track->node;
        switch (track->path) {
        case SNAG__RIG_TRANSLATION: sample(track, seconds, parts + T); break;
        case SNAG__RIG_ROTATION: sample(track, seconds, parts + R); break;
        case SNAG__RIG_SCALE: sample(track, seconds, parts + S); break;
        case SNAG__RIG_WEIGHTS: set_weights(rig, track, seconds); break;
        }
    }
}

void snag__rig_pose(snag__rig *rig, uint32_t animation, double seconds)
{
    rest(rig);
    bool all = animation == SNAG__RIG_ALL;
    for (size_t i = 0; all && i < rig->animation_count; i++)
        set_tracks(rig, &rig->animations[i], seconds);
    if (!all && animation != SNAG__RIG_NONE)
        set_tracks(rig, &rig->animations[animation], seconds);
    for (size_t i = 0; i < rig->node_count; i++) {
        uint32_t index = rig->order[i];
        const snag__rig_node *node = &rig->nodes[index];
        double *global = rig->globals + 16 * (size_t)index, local[16];
        if (node->has_matrix)
            memcpy(local, node->matrix, sizeof local);
        else
            matrix_of(global + T, global + R, global + S, local);
        if (node->parent == SNAG__RIG_NONE)
            memcpy(global, local, sizeof local);
        else
            multiply(rig->globals + 16 * (size_t)node->parent, local, global);
    }
}

static void morph(const snag__rig_body *body, size_t vertex, double point[3])
{
    memcpy(point, body->positions + 3 * vertex, 3 * sizeof *point);
    for (size_t t = 0; t < body->target_count; t++)
        for (size_t k = 0; k < 3; k++)
            point[k] += body->weights_now[t] * body->targets[3 * (t * body->vertex_count + vertex) + k];
}

// Weights that do not sum to 1 are divided by their sum. A vertex without a joint follows the node.
static void skin(const snag__rig *rig, const snag__rig_body *body, size_t vertex, const double point[3], double out[3])
{
    const snag__rig_skin *by = &rig->skins[body->skin];
    const double *weights = body->weights + body->influence_count * vertex;
    const uint32_t *joints = body->joints + body->influence_count * vertex;
    double sum = 0, moved[3] = {0, 0, 0};
    for (size_t i = 0; i < body->influence_count; i++) {
        if (weights[i] == 0)
            continue;
        double joint[3] = {0, 0, 0};
        transform(by->inverses + 16 * (size_t)joints[i], point, 1, joint);
        transform(rig->globals + 16 * (size_t)by->joints[joints[i]], joint, weights[i], moved);
        sum += weights[i];
    }
    out[0] = out[1] = out[2] = 0;
    if (sum > 0)
        for (int k = 0; k < 3; k++)
            out[k] = moved[k] / sum;
    else
        transform(rig->globals + 16 * (size_t)body->node, point, 1, out);
}

void snag__rig_positions(const snag__rig *rig, size_t index, double *xyz)
{
    const snag__rig_body *body = &rig->bodies[index];
    for (size_t i = 0; i < body->kept_count; i++) {
        double point[3], *out = xyz + 3 * i;
        morph(body, body->kept[i], point);
        if (body->skin != SNAG__RIG_NONE && body->influence_count) {
            skin(rig, body, body->kept[i], point, out);
        } else {
            out[0] = out[1] = out[2] = 0;
            transform(rig->globals + 16 * (size_t)body->node, point, 1, out);
        }
    }
}

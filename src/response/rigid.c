// Bodies that move as a whole while others are untangled around them.
#include "response/rounds.h"
#include "response/vector.h"

#include <string.h>

void snag__rigid_open(snag__rigid *rigid, const double (*home)[3], size_t count)
{
    *rigid = (snag__rigid){.turn = {1, 0, 0, 0}, .is_rigid = true};
    for (size_t v = 0; v < count; v++)
        snag__add_scaled(rigid->centre, 1.0 / (double)count, home[v]);
    for (size_t v = 0; v < count; v++) {
        double r[3];
        snag__subtract(home[v], rigid->centre, r);
        double squared = snag__dot(r, r);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                rigid->inertia[i][k] += ((i == k ? squared : 0) - r[i] * r[k]) / (double)count;
    }
}

// The vector q v q*, for a unit quaternion.
static void rotate(const double q[4], const double v[3], double out[3])
{
    double cross[3], twice[3];
    snag__cross(q + 1, v, cross);
    for (int k = 0; k < 3; k++)
        cross[k] += q[0] * v[k];
    snag__cross(q + 1, cross, twice);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + 2 * twice[k];
}

static void pose_of(const snag__rigid *rigid, const double home[3], double out[3])
{
    double r[3];
    snag__subtract(home, rigid->centre, r);
    rotate(rigid->turn, r, out);
    for (int k = 0; k < 3; k++)
        out[k] += rigid->centre[k] + rigid->shift[k];
}

// Solves m x = b by Cramer's rule. False if m is nearly singular, as for bodies whose vertices lie on a line.
static bool solve(const double m[3][3], const double b[3], double x[3])
{
    double c[3], scale = snag__length(m[0]) * snag__length(m[1]) * snag__length(m[2]);
    snag__cross(m[1], m[2], c);
    double determinant = snag__dot(m[0], c);
    if (!(fabs(determinant) > 1e-9 * scale))
        return false;
    // m is symmetric: its rows are its columns.
    x[0] = snag__dot(b, c) / determinant;
    snag__cross(m[2], m[0], c);
    x[1] = snag__dot(b, c) / determinant;
    snag__cross(m[0], m[1], c);
    x[2] = snag__dot(b, c) / determinant;
    return true;
}

// Turns by a small rotation vector.
static void turn_by(snag__rigid *rigid, const double turn[3])
{
    double *q = rigid->turn, next[4], cross[3];
    const double h[3] = {0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2]};
    snag__cross(h, q + 1, cross);
    next[0] = q[0] - snag__dot(h, q + 1);
    for (int k = 0; k < 3; k++)
        next[k + 1] = q[k + 1] + q[0] * h[k] + cross[k];
    double length = sqrt(next[0] * next[0] + snag__dot(next + 1, next + 1));
    for (int k = 0; k < 4; k++)
        q[k] = next[k] / length;
}

static double apply_pose(const snag__rigid *rigid, const double (*home)[3], double (*x)[3], size_t count)
{
    double largest = 0;
    for (size_t v = 0; v < count; v++) {
        double move[3];
        pose_of(rigid, home[v], x[v]);
        snag__subtract(x[v], home[v], move);
        largest = fmax(largest, snag__length(move));
    }
    return largest;
}

// Makes this part of the way from home.
static void shorten(snag__rigid *rigid, double part)
{
    double *q = rigid->turn;
    for (int k = 0; k < 3; k++)
        rigid->shift[k] *= part, q[k + 1] *= part;
    q[0] = sqrt(fmax(1 - snag__dot(q + 1, q + 1), 0));
}

void snag__rigid_follow(snag__rigid *rigid, const double (*home)[3], double (*x)[3], size_t count, double max_move)
{
    // The mean over the vertices that moved, so that a push at a corner moves the whole body as far.
    double shift[3] = {0, 0, 0}, torque[3] = {0, 0, 0}, turn[3] = {0, 0, 0}, most = 0;
    size_t moved = 0;
    for (size_t v = 0; v < count; v++) {
        double at[3], move[3], r[3], cross[3];
        pose_of(rigid, home[v], at);
        snag__subtract(x[v], at, move);
        double length = snag__length(move);
        snag__subtract(at, rigid->centre, r);
        snag__add_scaled(r, -1, rigid->shift);
        // The rounding of floats is no move.
        if (!(length > 1e-6 * (snag__length(r) + snag__length(at))))
            continue;
        moved++;
        most = fmax(most, length);
        snag__add_scaled(shift, 1, move);
        snag__cross(r, move, cross);
        snag__add_scaled(torque, 1, cross);
    }
    if (moved > 0) {
        for (int k = 0; k < 3; k++)
            shift[k] /= (double)moved, torque[k] /= (double)moved;
        snag__add_scaled(rigid->shift, 1, shift);
        // The inertia of the rest pose: near enough, since bodies hardly turn, and the next round corrects what is left.
        double size = sqrt(rigid->inertia[0][0] + rigid->inertia[1][1] + rigid->inertia[2][2]);
        if (solve((const double(*)[3])rigid->inertia, torque, turn)) {
            double length = snag__length(turn) * size;
            for (int k = 0; k < 3; k++)
                turn[k] *= length > most ? most / length : 1;
            turn_by(rigid, turn);
        }
    }
    // Turning is nearly proportional to the part: a few steps suffice, and at worst the body stays home.
    double largest = apply_pose(rigid, home, x, count);
    for (int i = 0; max_move > 0 && largest > max_move; i++) {
        shorten(rigid, i < 4 ? (1 - 1e-6) * max_move / largest : 0);
        largest = apply_pose(rigid, home, x, count);
    }
}

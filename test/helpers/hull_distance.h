// The distance of two simplices as the shortest vector between them: the point of least norm in the hull of all differences of corners,
// found by trying every face of that hull. Slow, and shares nothing with what it judges.
#ifndef SNAG_TEST_HULL_DISTANCE_H
#define SNAG_TEST_HULL_DISTANCE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Solves a system of n <= 4 equations in place. False if it is singular.
static inline bool hull_solve(int n, long double m[4][5])
{
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int r = c + 1; r < n; r++)
            best = fabsl(m[r][c]) > fabsl(m[best][c]) ? r : best;
        if (fabsl(m[best][c]) < 1e-15L)
            return false;
        for (int k = 0; k <= n; k++) {
            long double swap = m[c][k];
            m[c][k] = m[best][k];
            m[best][k] = swap;
        }
        for (int r = 0; r < n; r++) {
            long double factor = r != c ? m[r][c] / m[c][c] : 0;
            for (int k = c; k <= n && r != c; k++)
                m[r][k] -= factor * m[c][k];
        }
    }
    for (int c = 0; c < n; c++)
        m[c][n] /= m[c][c];
    return true;
}

// The norm of the point of least norm in the plane through `count` points, if it lies in their hull; else infinite.
static inline long double hull_face_distance(const long double (*const p[4])[3], int count)
{
    long double m[4][5] = {{0}}, sum = 0, least[3];
    const int n = count - 1;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            for (int axis = 0; axis < 3; axis++)
                m[i][k] += ((*p[i + 1])[axis] - (*p[0])[axis]) * ((*p[k + 1])[axis] - (*p[0])[axis]);
        for (int axis = 0; axis < 3; axis++)
            m[i][n] -= ((*p[i + 1])[axis] - (*p[0])[axis]) * (*p[0])[axis];
    }
    if (!hull_solve(n, m))
        return INFINITY;
    memcpy(least, *p[0], sizeof least);
    for (int i = 0; i < n; i++) {
        if (m[i][n] < 0)
            return INFINITY;
        sum += m[i][n];
        for (int axis = 0; axis < 3; axis++)
            least[axis] += m[i][n] * ((*p[i + 1])[axis] - (*p[0])[axis]);
    }
    return sum <= 1 ? sqrtl(least[0] * least[0] + least[1] * least[1] + least[2] * least[2]) : INFINITY;
}

// Of the hulls of `count_a` and `count_b` points, at most 4 each.
static inline double hull_distance(const double *const *a, int count_a, const double *const *b, int count_b)
{
    long double points[16][3], least = INFINITY;
    int count = 0;
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++, count++)
            for (int axis = 0; axis < 3; axis++)
                points[count][axis] = (long double)a[i][axis] - (long double)b[k][axis];
    // Indexes i <= j <= k <= l; equal ones are left out, so that faces have one to four corners.
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            for (int k = j; k < count; k++)
                for (int l = k; l < count; l++) {
                    const int index[4] = {i, j, k, l};
                    const long double(*face[4])[3];
                    int corners = 0;
                    for (int c = 0; c < 4; c++)
                        if (c == 0 || index[c] != index[c - 1])
                            face[corners++] = (const long double(*)[3]) & points[index[c]];
                    least = fminl(least, hull_face_distance((const long double(*const *)[3])face, corners));
                }
    return (double)least;
}

#endif

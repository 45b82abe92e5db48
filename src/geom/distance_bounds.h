// Forward error bounds that the scalar and the wide distances share.
//
// They are in terms of the unit roundoff u and of the largest coordinates (max norms) of the vectors involved. A
// difference of two coordinates is rounded once; a component of a cross product of two differences x and y is then off
// by at most 8 u |x| |y|, a dot product by 18 u |x| |y|.
#ifndef SNAG_GEOM_DISTANCE_BOUNDS_H
#define SNAG_GEOM_DISTANCE_BOUNDS_H

#define SNAG__U 0x1p-53

// Where the largest coordinate of all vectors lies between these, no product of six overflows and what underflows is
// far below the bounds.
#define SNAG__DISTANCE_LEAST 1e-45
#define SNAG__DISTANCE_MOST 1e50

// The relative error that a measured distance may have: see snag__gap.
#define SNAG__DISTANCE_TOLERANCE 0x1p-27

// Of x . y, for vectors below `size`.
#define SNAG__DOT_ERROR(size) (20 * SNAG__U * (size) * (size))
// Of n . m, where n and m are cross products of vectors below `size` with the largest components given.
#define SNAG__SIDE_ERROR(size, n, m) (32 * SNAG__U * ((size) * (size) * ((n) + (m)) + (n) * (m)))
// Of x . x, where the components of x are below `largest` and each off by `error`.
#define SNAG__SQUARE_ERROR(square, largest, error) (6 * (largest) * (error) + 4 * (error) * (error) + 8 * SNAG__U * (square))
// Of the components of x x y, and of (x x y) . z; `product` is that of the largest coordinates.
#define SNAG__CROSS_ERROR(product) (8 * SNAG__U * (product))
#define SNAG__HEIGHT_ERROR(product) (64 * SNAG__U * (product))

#endif

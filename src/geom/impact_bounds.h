// Bounds shared by the scalar and the SIMD impact test.
#ifndef SNAG_GEOM_IMPACT_BOUNDS_H
#define SNAG_GEOM_IMPACT_BOUNDS_H

// Lengths outside of these are left to integers, since products of four could overflow or lose digits.
#define SNAG__LENGTH_LOW 0x1p-200
#define SNAG__LENGTH_HIGH 0x1p200
// Bounds of rounding in terms of the lengths of A, B and C, proved in docs/design/impacts.md.
#define SNAG__CUBIC_BOUND 0x1p-47  // times |A||B||C|: the cubic's Bernstein coefficients over any stretch, and its values
#define SNAG__WEIGHT_BOUND 0x1p-45  // times |A||B| max(|A||B|, |B||C|, |A||C|): a weight at a time that is exact
#define SNAG__WEIGHT_SLOPE 24  // times the same: how fast a weight changes
// A time from a wider enclosure is refined with integers.
#define SNAG__SHARP_WIDTH 0x1p-38
// In wider enclosures the weights would be undecided.
#define SNAG__WIDEST_ENCLOSURE 0x1p-8

#endif

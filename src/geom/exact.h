// Exact integers of any length, for signs that floating point cannot decide.
//
// Finite doubles become integers once a common power of two (their unit) is taken out; sums, differences and products
// of integers are then exact, whatever the magnitudes: 5e-324 and 1.8e308 may stand in one expression. Numbers live in
// a room, a task of memory that the caller provides (an array on the stack); nothing is allocated and nothing is
// freed.
//
//     uint64_t limbs[SNAG__EXACT_LIMBS(2) * 4];
//     snag__exact_room room = snag__exact_room_of(limbs, sizeof limbs / sizeof *limbs);
//     int unit = snag__exact_unit(snag__exact_unit(SNAG__EXACT_NO_UNIT, x), y);
//     snag__exact square = snag__exact_multiply(&room, snag__exact_from(&room, x, unit), snag__exact_from(&room, y,
//     unit));
//
// A room is a plain value: a copy of it is an inner scope whose results vanish when the copy is forgotten.
//
// How much room: a coordinate or a difference of two coordinates takes at most 33 limbs (2099 bits), and a sum of up to
// 2^(13 d) products of d of them at most 33 d limbs. So an expression that makes n results of degree d needs
// n * SNAG__EXACT_LIMBS(d) limbs for them, intermediate results counted too. In ordinary input a result takes one to
// three limbs per degree, and only those are touched. Running out of room is a mistake of the caller (assert).
#ifndef SNAG_GEOM_EXACT_H
#define SNAG_GEOM_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// sign * (limb[0] + limb[1] 2^64 + ...); the highest limb is not zero, and zero has length 0 and sign 0.
typedef struct snag__exact {
    const uint64_t *limb;
    int32_t length;
    int32_t sign;
} snag__exact;

typedef struct snag__exact_room {
    uint64_t *next;
    uint64_t *end;
} snag__exact_room;

// Limbs for one result of the given degree in the coordinates; the one more is for a carry on the way.
#define SNAG__EXACT_LIMBS(degree) (33 * (degree) + 1)

static inline snag__exact_room snag__exact_room_of(uint64_t *limbs, size_t count)
{
    return (snag__exact_room){limbs, limbs + count};
}

// ---- from doubles ----

// The unit of no value at all, and of zeros: larger than any other.
#define SNAG__EXACT_NO_UNIT 2000

// The exponent of the largest power of two that divides `value` and all values folded into `unit` before.
int snag__exact_unit(int unit, double value);
// The same for all coordinates of points.
int snag__exact_unit_of_points(const double *const *points, size_t count);

// value / 2^unit, which must be an integer: the value has been folded into the unit.
snag__exact snag__exact_from(snag__exact_room *room, double value, int unit);
// (a - b) / 2^unit.
snag__exact snag__exact_from_difference(snag__exact_room *room, double a, double b, int unit);
// a - b for each of the three coordinates.
void snag__exact_from_points(snag__exact_room *room, const double a[3], const double b[3], int unit, snag__exact difference[3]);
snag__exact snag__exact_from_integer(snag__exact_room *room, int64_t value);

// ---- arithmetic ----
// A result may share limbs with an operand (a + 0 is a itself), so it lives as long as its operands do.

static inline snag__exact snag__exact_negate(snag__exact a)
{
    return (snag__exact){a.limb, a.length, -a.sign};
}

snag__exact snag__exact_add(snag__exact_room *room, snag__exact a, snag__exact b);
snag__exact snag__exact_subtract(snag__exact_room *room, snag__exact a, snag__exact b);
snag__exact snag__exact_multiply(snag__exact_room *room, snag__exact a, snag__exact b);
// a * 2^bits, for bits >= 0.
snag__exact snag__exact_shift(snag__exact_room *room, snag__exact a, int bits);
// The sign of a - b.
int snag__exact_compare(snag__exact a, snag__exact b);

// Sums of products. Only the result is kept in the room; on the way they need room for four more of its degree, and
// determinant3 for three of the degree of b x c besides.
// a d - b c
snag__exact snag__exact_determinant2(snag__exact_room *room, snag__exact a, snag__exact b, snag__exact c, snag__exact d);
// a . b
snag__exact snag__exact_dot(snag__exact_room *room, const snag__exact a[3], const snag__exact b[3]);
// a x b
void snag__exact_cross(snag__exact_room *room, const snag__exact a[3], const snag__exact b[3], snag__exact cross[3]);
// a . (b x c)
snag__exact snag__exact_determinant3(snag__exact_room *room, const snag__exact a[3], const snag__exact b[3],
                                     const snag__exact c[3]);

// Copies `a` into a room, to carry it out of an inner scope: `room` may begin at or before a's own limbs.
snag__exact snag__exact_keep(snag__exact_room *room, snag__exact a);

// ---- back to doubles ----

// a / b * 2^unit, correctly rounded (to nearest, ties to even; infinity beyond the largest double). b is not zero.
// Room: twice the longer of a and b and six limbs more, nothing of which is kept.
double snag__exact_ratio(snag__exact_room room, snag__exact a, snag__exact b, int unit);

// The point of the line through two points where a linear function is zero that has the values at_from and at_to there,
// which differ: (from at_to - to at_from) / (at_to - at_from). Each coordinate is correctly rounded, and no zero is
// negative. `unit` is that of the points. Nothing is kept in the room; for values of degree 3 it needs
// SNAG__EXACT_ZERO_LIMBS.
#define SNAG__EXACT_ZERO_LIMBS (2 * SNAG__EXACT_LIMBS(1) + SNAG__EXACT_LIMBS(3) + 6 * SNAG__EXACT_LIMBS(4))
void snag__exact_zero_between(snag__exact_room room, const double from[3], const double to[3], snag__exact at_from,
                              snag__exact at_to, int unit, double point[3]);

#endif

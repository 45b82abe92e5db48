// Impacts decided by integer arithmetic: the last resort of the impact test, and its definition.
//
// With all coordinates as integers (a power of two taken out) everything is a polynomial in t with integer
// coefficients: differences of points are linear, twice the areas of triples of points (seen along an axis) quadratic,
// and the volume of the four points cubic. The sides can meet only when the volume is zero. So the times in question
// are the roots of the cubic; or, if the four points are in one plane all the time, the times at which three of them
// are on a line; or, if they are on one line all the time, the times at which two of them coincide; and t = 0. At each
// such time the signs of areas and differences tell whether the sides meet. Why this list of times is complete is said
// in docs/impacts.md.
//
// A root is held as a half-open interval with dyadic ends that no other root shares, found by Sturm's theorem. The sign
// of another polynomial there is found by narrowing the interval; if it has the root in common (found by a remainder),
// it is zero. So nothing is rounded, and only the narrowing needs a cap.
#include "geom/exact.h"
#include "geom/impact_inside.h"

#include <math.h>
#include <string.h>

// Bits of t that a root is narrowed to before the answer is given as unresolved.
#define LEVELS 2048
#define DIGITS (LEVELS / 64 + 1)
// Bits of t that a time is computed to.
#define TIME_LEVEL 62

// The longest numbers are the values of a quadratic at a double root of the cubic, of degree 20 in the coordinates.
// With all that is alive beside them they need some 9,200 limbs for coordinates from 5e-324 to 1.8e308 in one motion
// (by the degrees of all numbers; 6,800 were seen), and 300 in ordinary input, so of these 80 KiB of stack little is
// touched.
#define ROOM_LIMBS 10240

// A sign that could not be found within LEVELS.
#define UNKNOWN 2

typedef struct polynomial {
    snag__exact c[4];  // of 1, t, t^2, t^3; zero beyond the degree
    int degree;  // -1 for zero
} polynomial;

// low / 2^level
typedef struct dyadic {
    uint64_t digit[DIGITS];
    int level;
} dyadic;

typedef struct root {
    polynomial of;  // has no double roots, and this one root in (low, low + 1 / 2^level]
    dyadic low;
    int sign_after_low;  // of the polynomial, just after low
    bool is_low;  // the root is `low` itself
} root;

// All that is known of the motion: the three points after the first, relative to it, as linear polynomials.
typedef struct paths {
    snag__impact_pair pair;
    polynomial relative[3][3];  // [point - 1][axis]
} paths;

// ---- polynomials ----

static void find_degree(polynomial *p)
{
    p->degree = 3;
    while (p->degree >= 0 && p->c[p->degree].sign == 0)
        p->degree--;
}

static polynomial linear_of(snag__exact c0, snag__exact c1)
{
    polynomial p = {.c = {c0, c1}};
    find_degree(&p);
    return p;
}

static polynomial subtract(snag__exact_room *room, const polynomial *a, const polynomial *b)
{
    polynomial difference = {0};
    for (int i = 0; i < 4; i++)
        if (a->c[i].sign != 0 || b->c[i].sign != 0)
            difference.c[i] = snag__exact_subtract(room, a->c[i], b->c[i]);
    find_degree(&difference);
    return difference;
}

// a b + sign c d, of degree 3 at most. Each coefficient is made in a scope of its own, so only the result stays in the
// room.
static polynomial sum_of_products(snag__exact_room *room, const polynomial *a, const polynomial *b, int sign, const polynomial *c,
                                  const polynomial *d)
{
    polynomial result = {0};
    for (int k = 0; k < 4; k++) {
        snag__exact_room scope = *room;
        snag__exact sum = {0};
        for (int i = 0; i <= k; i++) {
            snag__exact one = snag__exact_multiply(&scope, a->c[i], b->c[k - i]);
            snag__exact two = snag__exact_multiply(&scope, c->c[i], d->c[k - i]);
            sum = snag__exact_add(&scope, sum, one);
            sum = snag__exact_add(&scope, sum, sign < 0 ? snag__exact_negate(two) : two);
        }
        result.c[k] = snag__exact_keep(room, sum);
    }
    find_degree(&result);
    return result;
}

static snag__exact digits_as_integer(const dyadic *d)
{
    int length = DIGITS;
    while (length > 0 && d->digit[length - 1] == 0)
        length--;
    return (snag__exact){d->digit, length, length > 0};
}

// The sign of p at t.
static int sign_at_dyadic(snag__exact_room room, const polynomial *p, const dyadic *t)
{
    if (p->degree < 0)
        return 0;
    snag__exact low = digits_as_integer(t), value = p->c[p->degree];
    for (int i = p->degree - 1; i >= 0; i--) {
        value = snag__exact_multiply(&room, value, low);
        if (p->c[i].sign != 0)
            value = snag__exact_add(&room, value, snag__exact_shift(&room, p->c[i], t->level * (p->degree - i)));
    }
    return value.sign;
}

static polynomial derivative(snag__exact_room *room, const polynomial *p)
{
    polynomial d = {0};
    for (int i = 1; i <= p->degree; i++)
        d.c[i - 1] = snag__exact_multiply(room, p->c[i], snag__exact_from_integer(room, i));
    find_degree(&d);
    return d;
}

// The value of p at x / y, times y^degree.
static snag__exact value_at_ratio(snag__exact_room *room, const polynomial *p, snag__exact x, snag__exact y, int degree)
{
    snag__exact value = p->c[degree], power = y;
    for (int i = degree - 1; i >= 0; i--) {
        value = snag__exact_multiply(room, value, x);
        if (p->c[i].sign != 0)
            value = snag__exact_add(room, value, snag__exact_multiply(room, p->c[i], power));
        if (i > 0)
            power = snag__exact_multiply(room, power, y);
    }
    return value;
}

// ---- dyadic numbers and intervals ----

static void step_down(dyadic *d, unsigned bit)
{
    uint64_t carry = bit;
    for (int i = 0; i < DIGITS; i++) {
        uint64_t next = d->digit[i] >> 63;
        d->digit[i] = d->digit[i] << 1 | carry;
        carry = next;
    }
    d->level++;
}

// The end of the interval that begins at low.
static dyadic end_of(const dyadic *low)
{
    dyadic end = *low;
    for (int i = 0; i < DIGITS && ++end.digit[i] == 0; i++) {
    }
    return end;
}

// Halves the interval of a root. False if it may not be halved further.
static bool narrow(snag__exact_room room, root *r)
{
    if (r->is_low)
        return true;
    if (r->low.level >= LEVELS)
        return false;
    dyadic middle = r->low;
    step_down(&middle, 1);
    int sign = sign_at_dyadic(room, &r->of, &middle);
    if (sign == 0 || sign == r->sign_after_low) {
        r->low = middle;
        r->is_low = sign == 0;
    } else {
        step_down(&r->low, 0);
    }
    return true;
}

// ---- the sign of a polynomial at a root of another ----

// Whether a polynomial with at most one root in the interval of r, a simple one, has it.
static bool has_root_beside(snag__exact_room room, const polynomial *p, const root *r)
{
    dyadic end = end_of(&r->low);
    int at_end = sign_at_dyadic(room, p, &end);
    int after_low = sign_at_dyadic(room, p, &r->low);
    if (after_low == 0) {
        polynomial slope = derivative(&room, p);
        after_low = sign_at_dyadic(room, &slope, &r->low);
    }
    return at_end != after_low;
}

// The remainder of `of` divided by the quadratic q, times a number that is not zero.
static polynomial remainder_by_quadratic(snag__exact_room *room, const polynomial *of, const polynomial *q)
{
    snag__exact top[3] = {of->c[0], of->c[1], of->c[2]};
    if (of->degree == 3) {
        // c[2] of - (top coefficient) t q
        top[2] = snag__exact_determinant2(room, q->c[2], of->c[3], q->c[1], of->c[2]);
        top[1] = snag__exact_determinant2(room, q->c[2], of->c[3], q->c[0], of->c[1]);
        top[0] = snag__exact_multiply(room, q->c[2], of->c[0]);
    }
    snag__exact r1 = snag__exact_determinant2(room, q->c[2], top[2], q->c[1], top[1]);
    snag__exact r0 = snag__exact_determinant2(room, q->c[2], top[2], q->c[0], top[0]);
    return linear_of(r0, r1);
}

// Whether q, of degree 1 or 2, is zero at the root.
static bool shares_root(snag__exact_room room, const polynomial *q, const root *r)
{
    polynomial rest = *q;
    const polynomial *other = &r->of;
    if (q->degree == 2) {
        rest = remainder_by_quadratic(&room, &r->of, q);
        if (rest.degree < 0)  // q divides `of`, so its roots are among those of `of`
            return has_root_beside(room, q, r);
        if (rest.degree == 0)
            return false;
        other = q;
    }
    // A root in common is the root of the linear rest.
    snag__exact_room scope = room;
    snag__exact value = value_at_ratio(&scope, other, snag__exact_negate(rest.c[0]), rest.c[1], other->degree);
    return value.sign == 0 && has_root_beside(room, &rest, r);
}

// The sign of q, of degree 2 at most, in the closed interval of the root, if it has no root there; else UNKNOWN.
// Bernstein: the middle coefficient is q's symmetric two-argument form at both ends.
static int sign_in_interval(snag__exact_room room, const polynomial *q, const root *r)
{
    dyadic end = end_of(&r->low);
    int at_low = sign_at_dyadic(room, q, &r->low), at_end = sign_at_dyadic(room, q, &end);
    if (at_low == 0 || at_low != at_end)
        return UNKNOWN;
    if (q->degree < 2)
        return at_low;
    snag__exact low = digits_as_integer(&r->low), high = digits_as_integer(&end);
    int level = r->low.level;
    // 2 q2 low high + q1 (low + high) 2^level + 2 q0 4^level
    snag__exact square = snag__exact_shift(&room, snag__exact_multiply(&room, low, high), 1);
    snag__exact form = snag__exact_multiply(&room, q->c[2], square);
    snag__exact middle = snag__exact_multiply(&room, q->c[1], snag__exact_add(&room, low, high));
    form = snag__exact_add(&room, form, snag__exact_shift(&room, middle, level));
    form = snag__exact_add(&room, form, snag__exact_shift(&room, q->c[0], 2 * level + 1));
    return form.sign == at_low ? at_low : UNKNOWN;
}

// The sign of q, of degree 2 at most, at the root.
static int sign_at_root(snag__exact_room room, const polynomial *q, root *r)
{
    if (q->degree <= 0)
        return q->degree < 0 ? 0 : q->c[0].sign;
    if (r->is_low)
        return sign_at_dyadic(room, q, &r->low);
    if (r->of.degree == 1) {
        snag__exact value = value_at_ratio(&room, q, snag__exact_negate(r->of.c[0]), r->of.c[1], 2);
        return value.sign;  // times a square
    }
    int sign = sign_in_interval(room, q, r);
    if (sign != UNKNOWN)
        return sign;
    if (shares_root(room, q, r))
        return 0;
    while (sign == UNKNOWN && narrow(room, r))
        sign = r->is_low ? sign_at_dyadic(room, q, &r->low) : sign_in_interval(room, q, r);
    return sign;
}

// ---- whether the sides meet at a time ----

static polynomial difference_of_points(snag__exact_room *room, const paths *p, int i, int j, int axis)
{
    polynomial zero = {.degree = -1};
    const polynomial *pi = i == 0 ? &zero : &p->relative[i - 1][axis];
    const polynomial *pj = j == 0 ? &zero : &p->relative[j - 1][axis];
    return subtract(room, pi, pj);
}

// Twice the area of the points i, j, k seen along the axis.
static polynomial area_of_points(snag__exact_room *room, const paths *p, int i, int j, int k, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    polynomial ju = difference_of_points(room, p, j, i, u), jv = difference_of_points(room, p, j, i, v);
    polynomial ku = difference_of_points(room, p, k, i, u), kv = difference_of_points(room, p, k, i, v);
    return sum_of_products(room, &ju, &kv, -1, &jv, &ku);
}

static int area_sign(snag__exact_room room, const paths *p, root *r, int i, int j, int k, int axis)
{
    polynomial area = area_of_points(&room, p, i, j, k, axis);
    return sign_at_root(room, &area, r);
}

// What is known about the sides at a time, or from one axis.
typedef enum answer { NO, YES, SEE_OTHERS, CANNOT_SAY } answer;

// The four points are in one plane: what their areas along the axis tell.
static answer meet_in_plane(snag__exact_room room, const paths *p, root *r, int axis)
{
    static const int triples[2][4][3] = {{{1, 2, 3}, {0, 2, 3}, {1, 0, 3}, {1, 2, 0}},
                                         {{0, 1, 2}, {0, 1, 3}, {2, 3, 0}, {2, 3, 1}}};
    int sign[4];
    bool any = false;
    for (int i = 0; i < 4; i++) {
        const int *triple = triples[p->pair][i];
        sign[i] = area_sign(room, p, r, triple[0], triple[1], triple[2], axis);
        if (sign[i] == UNKNOWN)
            return CANNOT_SAY;
        any = any || sign[i] != 0;
    }
    if (!any)
        return SEE_OTHERS;
    if (p->pair == SNAG__IMPACT_EDGE_EDGE)  // neither edge has the other on one side
        return sign[0] * sign[1] <= 0 && sign[2] * sign[3] <= 0 ? YES : NO;
    // The areas that the vertex cuts off have the sign of the whole. A triangle without area is a segment or a point,
    // and since not all areas are zero the vertex is not even on its line.
    if (sign[0] == 0)
        return NO;
    for (int i = 1; i < 4; i++)
        if (sign[i] == -sign[0])
            return NO;
    return YES;
}

// The four points are on one line: whether the sides overlap along the axis. They meet if they do along every axis.
static answer meet_on_line(snag__exact_room room, const paths *p, root *r, int axis)
{
    int a_count = p->pair == SNAG__IMPACT_EDGE_EDGE ? 2 : 1;
    bool below = true, above = true;
    for (int i = 0; i < a_count; i++)
        for (int j = a_count; j < 4; j++) {
            snag__exact_room scope = room;
            polynomial apart = difference_of_points(&scope, p, i, j, axis);
            int sign = sign_at_root(scope, &apart, r);
            if (sign == UNKNOWN)
                return CANNOT_SAY;
            below = below && sign < 0;
            above = above && sign > 0;
        }
    return below || above ? NO : YES;
}

static answer meet_at(snag__exact_room room, const paths *p, root *r)
{
    for (int axis = 0; axis < 3; axis++) {
        answer found = meet_in_plane(room, p, r, axis);
        if (found != SEE_OTHERS)
            return found;
    }
    for (int axis = 0; axis < 3; axis++) {
        answer found = meet_on_line(room, p, r, axis);
        if (found != YES)
            return found;
    }
    return YES;
}

// ---- the roots of a polynomial in (0, 1] ----

// Sturm's sequence of a polynomial without double roots: the number of its roots in (s, t] is the number of changes of
// sign at s less that at t.
typedef struct sturm {
    polynomial term[4];
    int count;
} sturm;

static int changes_at(snag__exact_room room, const sturm *s, const dyadic *t)
{
    int changes = 0, last = 0;
    for (int i = 0; i < s->count; i++) {
        int sign = sign_at_dyadic(room, &s->term[i], t);
        changes += last != 0 && sign == -last;
        last = sign != 0 ? sign : last;
    }
    return changes;
}

typedef struct root_list {
    root root[3];
    int count;
    bool complete;  // false: the last of the list is the first of several that are too close to tell apart
} root_list;

static int sign_after(snag__exact_room room, const polynomial *p, const dyadic *t)
{
    int sign = sign_at_dyadic(room, p, t);
    if (sign != 0)
        return sign;
    polynomial slope = derivative(&room, p);
    return sign_at_dyadic(room, &slope, t);
}

// Parts of (0, 1], ascending, that hold the roots.
typedef struct part {
    dyadic low;
    int changes_low, changes_end;
} part;

// Splits part i in two, of which only those that hold roots are kept. Returns how many more parts there are now.
static int split_part(snag__exact_room room, const sturm *s, part *parts, int count, int i)
{
    part left = parts[i], right = parts[i];
    step_down(&left.low, 0);
    step_down(&right.low, 1);
    left.changes_end = right.changes_low = changes_at(room, s, &right.low);
    bool has_left = left.changes_low > left.changes_end, has_right = right.changes_low > right.changes_end;
    if (has_left && has_right) {
        memmove(&parts[i + 2], &parts[i + 1], (size_t)(count - i - 1) * sizeof *parts);
        parts[i + 1] = right;
    }
    parts[i] = has_left ? left : right;
    return has_left && has_right;
}

static void separate_roots(snag__exact_room room, const polynomial *p, const sturm *s, root_list *list)
{
    part parts[4] = {0};
    const dyadic one = {.digit = {1}};
    parts[0].changes_low = changes_at(room, s, &parts[0].low);
    parts[0].changes_end = changes_at(room, s, &one);
    int count = parts[0].changes_low > parts[0].changes_end;
    for (int i = 0; i < count;) {
        if (parts[i].changes_low - parts[i].changes_end == 1)
            i++;
        else if (parts[i].low.level < LEVELS)
            count += split_part(room, s, parts, count, i);
        else {
            list->complete = false;
            count = i + 1;
            break;
        }
    }
    for (int i = 0; i < count; i++) {
        root *r = &list->root[list->count++];
        *r = (root){.of = *p, .low = parts[i].low};
        r->sign_after_low = sign_after(room, p, &r->low);
    }
}

static void add_linear_root(snag__exact_room room, const polynomial *p, root_list *list)
{
    if (p->degree != 1)
        return;
    const dyadic zero = {0}, one = {.digit = {1}};
    int at_zero = sign_at_dyadic(room, p, &zero), at_one = sign_at_dyadic(room, p, &one);
    if (at_zero != 0 && at_zero != at_one)
        list->root[list->count++] = (root){.of = *p, .sign_after_low = at_zero};
}

// The rational roots of a cubic with a double root. They stay in the room.
static void roots_of_cubic_with_double(snag__exact_room *room, const polynomial *p, snag__exact delta, root_list *list)
{
    snag__exact a = p->c[3], b = p->c[2], c = p->c[1], d = p->c[0];
    if (delta.sign == 0) {  // triple: 3 a t + b
        polynomial triple = linear_of(b, snag__exact_multiply(room, a, snag__exact_from_integer(room, 3)));
        add_linear_root(*room, &triple, list);
        return;
    }
    // double: 2 delta t + (b c - 9 a d); single: a delta t + (b^3 + 9 a^2 d - 4 a b c), with delta = b^2 - 3 a c
    snag__exact nine_a = snag__exact_multiply(room, a, snag__exact_from_integer(room, 9));
    snag__exact constant = snag__exact_determinant2(room, b, nine_a, d, c);
    polynomial twice = linear_of(constant, snag__exact_shift(room, delta, 1));
    snag__exact slope = snag__exact_multiply(room, a, delta);
    snag__exact rest;
    {
        snag__exact_room scope = *room;
        snag__exact four_ac = snag__exact_shift(&scope, snag__exact_multiply(&scope, a, c), 2);
        snag__exact inner = snag__exact_subtract(&scope, snag__exact_multiply(&scope, b, b), four_ac);
        snag__exact square = snag__exact_multiply(&scope, nine_a, a);
        rest = snag__exact_add(&scope, snag__exact_multiply(&scope, b, inner), snag__exact_multiply(&scope, square, d));
    }
    polynomial once = linear_of(snag__exact_keep(room, rest), slope);
    add_linear_root(*room, &twice, list);
    add_linear_root(*room, &once, list);
}

// The sign of the discriminant of a cubic, (4 delta^3 - (2 b^3 - 9 a b c + 27 a^2 d)^2) / 27 a^2 with delta = b^2 - 3 a
// c: written as the discriminant of the quadratic that the first two terms of its Sturm sequence leave.
static int cubic_discriminant_sign(snag__exact_room room, const polynomial *p, snag__exact delta)
{
    snag__exact a = p->c[3], b = p->c[2], c = p->c[1], d = p->c[0];
    snag__exact nine_ad = snag__exact_multiply(&room, snag__exact_multiply(&room, a, d), snag__exact_from_integer(&room, 9));
    snag__exact mixed = snag__exact_subtract(&room, snag__exact_multiply(&room, b, c), nine_ad);
    snag__exact three_bd = snag__exact_multiply(&room, snag__exact_multiply(&room, b, d), snag__exact_from_integer(&room, 3));
    snag__exact last = snag__exact_subtract(&room, snag__exact_multiply(&room, c, c), three_bd);
    // Hessian: delta t^2 + mixed t + last; its discriminant is -3 times that of the cubic.
    snag__exact squared = snag__exact_multiply(&room, mixed, mixed);
    snag__exact product = snag__exact_shift(&room, snag__exact_multiply(&room, delta, last), 2);
    return snag__exact_compare(product, squared);
}

static void roots_of_cubic(snag__exact_room *room, const polynomial *p, root_list *list)
{
    snag__exact a = p->c[3], b = p->c[2], c = p->c[1], d = p->c[0];
    snag__exact three_a = snag__exact_multiply(room, a, snag__exact_from_integer(room, 3));
    snag__exact delta = snag__exact_determinant2(room, b, three_a, c, b);
    int discriminant = cubic_discriminant_sign(*room, p, delta);
    if (discriminant == 0) {
        roots_of_cubic_with_double(room, p, delta, list);
        return;
    }
    snag__exact_room scope = *room;
    snag__exact nine_a = snag__exact_multiply(&scope, a, snag__exact_from_integer(&scope, 9));
    snag__exact constant = snag__exact_determinant2(&scope, b, nine_a, d, c);
    sturm s = {.term = {*p, derivative(&scope, p), linear_of(constant, snag__exact_shift(&scope, delta, 1))}, .count = 3};
    if (s.term[2].degree == 1)
        s.term[s.count++] = linear_of(snag__exact_from_integer(&scope, discriminant), (snag__exact){0});
    separate_roots(scope, p, &s, list);
}

static void roots_of_quadratic(snag__exact_room *room, const polynomial *p, root_list *list)
{
    snag__exact two_a = snag__exact_shift(room, p->c[2], 1);
    snag__exact_room scope = *room;
    snag__exact discriminant = snag__exact_determinant2(&scope, p->c[1], snag__exact_shift(&scope, two_a, 1), p->c[0], p->c[1]);
    polynomial slope = linear_of(p->c[1], two_a);
    if (discriminant.sign == 0)
        add_linear_root(*room, &slope, list);
    if (discriminant.sign <= 0)
        return;
    sturm s = {.term = {*p, slope, linear_of(snag__exact_from_integer(&scope, 1), (snag__exact){0})}, .count = 3};
    separate_roots(scope, p, &s, list);
}

// All roots in (0, 1], ascending but for rational ones of a cubic with a double root. What they need stays in the room.
static void find_roots(snag__exact_room *room, polynomial p, root_list *list)
{
    list->count = 0;
    list->complete = true;
    if (p.degree > 0 && p.c[p.degree].sign < 0)
        for (int i = 0; i <= p.degree; i++)
            p.c[i] = snag__exact_negate(p.c[i]);
    switch (p.degree) {
    case 3: roots_of_cubic(room, &p, list); break;
    case 2: roots_of_quadratic(room, &p, list); break;
    case 1: add_linear_root(*room, &p, list); break;
    default: break;
    }
}

// ---- the first time ----

// A double that is not later than the root and earlier by at most 2^-53, or the root itself if it is dyadic.
static double time_of(snag__exact_room room, root *r)
{
    while (!r->is_low && r->low.level < TIME_LEVEL)
        narrow(room, r);
    dyadic end = end_of(&r->low);
    if (!r->is_low && sign_at_dyadic(room, &r->of, &end) == 0)
        r->low = end;
    // The bits of low down to 2^-62, then cut to the 53 that a double holds.
    int level = r->low.level, shift = level - TIME_LEVEL;
    uint64_t bits = r->low.digit[0] << (shift < 0 ? -shift : 0);
    if (shift > 0) {
        bits = r->low.digit[shift / 64] >> shift % 64;
        if (shift % 64 > 0 && shift / 64 + 1 < DIGITS)
            bits |= r->low.digit[shift / 64 + 1] << (64 - shift % 64);
    }
    int exponent = -TIME_LEVEL;
    for (; bits >> 53 != 0; exponent++)
        bits >>= 1;
    return ldexp((double)bits, exponent);
}

// Takes the earlier of what was found before and the roots of p at which the sides meet.
static void look_at_roots(snag__exact_room room, const paths *motion, const polynomial *p, snag__impact *first)
{
    root_list list;
    find_roots(&room, *p, &list);
    for (int i = 0; i < list.count; i++) {
        root *r = &list.root[i];
        bool apart = list.complete || i + 1 < list.count;
        answer found = apart ? meet_at(room, motion, r) : CANNOT_SAY;
        if (found == NO)
            continue;
        double t = time_of(room, r);
        if (first->verdict == SNAG__IMPACT_FREE || t < first->t) {
            first->t = t;
            first->verdict = found == YES ? SNAG__IMPACT_MEETS : SNAG__IMPACT_UNRESOLVED;
        }
    }
}

static void read_paths(snag__exact_room *room, const snag__motion *motion, paths *p)
{
    const double *points[8];
    for (int i = 0; i < 4; i++) {
        points[i] = motion->t0[i];
        points[i + 4] = motion->t1[i];
    }
    int unit = snag__exact_unit_of_points(points, 8);
    p->pair = motion->pair;
    for (int i = 1; i < 4; i++) {
        snag__exact start[3], end[3];
        snag__exact_from_points(room, motion->t0[i], motion->t0[0], unit, start);
        snag__exact_from_points(room, motion->t1[i], motion->t1[0], unit, end);
        for (int axis = 0; axis < 3; axis++)
            p->relative[i - 1][axis] = linear_of(start[axis], snag__exact_subtract(room, end[axis], start[axis]));
    }
}

// The volume of the four points.
static polynomial volume(snag__exact_room *room, const paths *p)
{
    const polynomial zero = {.degree = -1};
    polynomial area[3];
    for (int axis = 0; axis < 3; axis++)
        area[axis] = area_of_points(room, p, 0, 2, 3, axis);
    polynomial xy = sum_of_products(room, &p->relative[0][0], &area[0], 1, &p->relative[0][1], &area[1]);
    polynomial minus_z = sum_of_products(room, &zero, &zero, -1, &p->relative[0][2], &area[2]);
    return subtract(room, &xy, &minus_z);
}

// The motion stays in one plane: the times at which three points are on one line. False if they always are, all four.
static bool look_at_plane(snag__exact_room room, const paths *p, snag__impact *first)
{
    static const int triples[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    bool on_one_line = true;
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++) {
            snag__exact_room scope = room;
            polynomial area = area_of_points(&scope, p, triples[i][0], triples[i][1], triples[i][2], axis);
            if (area.degree < 0)
                continue;
            on_one_line = false;
            look_at_roots(scope, p, &area, first);
            break;  // when the three are on a line the area is zero along every axis: one will do
        }
    return !on_one_line;
}

// The motion stays on one line, which may turn: the times at which a point of a coincides with one of b.
static void look_at_line(snag__exact_room room, const paths *p, snag__impact *first)
{
    int a_count = p->pair == SNAG__IMPACT_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < a_count; i++)
        for (int j = a_count; j < 4; j++)
            for (int axis = 0; axis < 3; axis++) {
                snag__exact_room scope = room;
                polynomial apart = difference_of_points(&scope, p, i, j, axis);
                if (apart.degree < 0)
                    continue;
                look_at_roots(scope, p, &apart, first);
                break;
            }
}

snag__impact snag__impact_exact(const snag__motion *motion)
{
    uint64_t limbs[ROOM_LIMBS];
    snag__exact_room room = snag__exact_room_of(limbs, ROOM_LIMBS);
    paths p;
    read_paths(&room, motion, &p);

    snag__impact first = {.verdict = SNAG__IMPACT_FREE, .t = 1, .exact = true};
    root start = {.is_low = true};
    polynomial v = volume(&room, &p);
    if (v.c[0].sign == 0 && meet_at(room, &p, &start) == YES) {
        first.verdict = SNAG__IMPACT_MEETS;
        first.t = 0;
        return first;
    }
    if (v.degree >= 0)
        look_at_roots(room, &p, &v, &first);
    else if (!look_at_plane(room, &p, &first))
        look_at_line(room, &p, &first);
    return first;
}

// t >= 0 without loss; below 2^-900, which no enclosure here begins or ends at, as 0.
static dyadic dyadic_of(double t)
{
    dyadic d = {0};
    if (t >= 0x1p-900) {
        int exponent;
        d.digit[0] = (uint64_t)ldexp(frexp(t, &exponent), 53);
        d.level = 53 - exponent;
    }
    return d;
}

double snag__impact_exact_time(const snag__motion *motion, double low, double high)
{
    uint64_t limbs[ROOM_LIMBS];
    snag__exact_room room = snag__exact_room_of(limbs, ROOM_LIMBS);
    paths p;
    read_paths(&room, motion, &p);
    polynomial v = volume(&room, &p);
    dyadic at = dyadic_of(low);
    int sign = sign_at_dyadic(room, &v, &at);
    // Halving a width below 1 to 2^-53 takes at most 53 steps.
    for (int i = 0; i < 64 && high - low > 0x1p-53; i++) {
        double middle = low + (high - low) / 2;
        at = dyadic_of(middle);
        int at_middle = sign_at_dyadic(room, &v, &at);
        if (at_middle == 0)
            return middle;
        if (at_middle == sign)
            low = middle;
        else
            high = middle;
    }
    return low;
}

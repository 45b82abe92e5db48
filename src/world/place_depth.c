// How far a vertex must go to be free of a contact.
#include "base/clamp.h"
#include "base/vec3.h"
#include "world/places.h"

static bool is_before(const double a[3], const double b[3])
{
    for (int k = 0; k < 2; k++)
        if (a[k] != b[k])
            return a[k] < b[k];
    return a[2] < b[2];
}

static double squared_side(const double a[3], const double b[3])
{
    double side[3];
    snag__vec3_subtract(b, a, side);
    return snag__vec3_dot(side, side);
}

// The corners of a triangle, beginning with that opposite the longest side: the normal of a sliver is most accurate there. The order depends
// on where the corners are, and not on that in the file, so that the depth does not either, to the last bit.
static void order_corners(const double (*x)[3], const uint32_t corners[3], const double *ordered[3])
{
    double sides[3];
    int apex = 0;
    for (int i = 0; i < 3; i++)
        sides[i] = squared_side(x[corners[(i + 1) % 3]], x[corners[(i + 2) % 3]]);
    for (int i = 1; i < 3; i++)
        if (sides[i] > sides[apex] || (sides[i] == sides[apex] && is_before(x[corners[i]], x[corners[apex]])))
            apex = i;
    const double *p = x[corners[(apex + 1) % 3]], *q = x[corners[(apex + 2) % 3]];
    bool turned = is_before(q, p);
    ordered[0] = x[corners[apex]];
    ordered[1] = turned ? q : p;
    ordered[2] = turned ? p : q;
}

// Signed distances of a triangle's vertices from the plane of another, as the least way to bring all to one side. The plane's normal
// is scaled to unit length; a triangle of zero area has none, and 0 is returned.
static double way_across(const double (*x)[3], const uint32_t corners[3], const double (*y)[3], const uint32_t triangle[3])
{
    const double *plane[3];
    double e[3], f[3], n[3], above = 0, below = 0;
    order_corners(y, triangle, plane);
    snag__vec3_subtract(plane[1], plane[0], e);
    snag__vec3_subtract(plane[2], plane[0], f);
    snag__vec3_cross(e, f, n);
    double length = snag__length(n);
    if (!(length > 0))
        return 0;
    for (int i = 0; i < 3; i++) {
        double d[3];
        snag__vec3_subtract(x[corners[i]], plane[0], d);
        double distance = snag__vec3_dot(d, n) / length;
        above = snag__max(above, distance);
        below = snag__max(below, -distance);
    }
    return snag__min(above, below);
}

static double crossing_depth(const snag_contact *contact, const snag__mesh *a, const snag__mesh *b)
{
    const uint32_t *ta = a->triangles[contact->a.index], *tb = b->triangles[contact->b.index];
    const double(*xa)[3] = (const double(*)[3])a->x_t1, (*xb)[3] = (const double(*)[3])b->x_t1;
    return snag__min(way_across(xa, ta, xb, tb), way_across(xb, tb, xa, ta));
}

double snag__contact_depth(const snag_contact *contact, const snag__body *a, const snag__body *b)
{
    bool triangles = contact->a.kind == SNAG_TRIANGLE && contact->b.kind == SNAG_TRIANGLE;
    switch (contact->kind) {
    case SNAG_CROSSING:
        return triangles && a->source == NULL && b->source == NULL ? crossing_depth(contact, &a->mesh, &b->mesh) : 0;
    case SNAG_INSIDE:
    case SNAG_OVERLAP: return contact->value;
    case SNAG_THROUGH: return 0.5 * contact->value;  // the middle of the edge's part inside is no farther from where it enters
    default: return 0;
    }
}

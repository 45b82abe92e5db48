// Statistics of the detection ratio: see active_ratio.h. The constants were fitted to the coverage of the intervals: see
// docs/design/active.md.
#include "method/active_ratio.h"

#include "base/clamp.h"

#include <math.h>

// With fewer probes in a step, those of earlier steps count too.
static const double ENOUGH = 256;

void snag__tally_add(snag__tally *tally, double x, double y)
{
    tally->probes++;
    tally->x += x;
    tally->y += y;
    tally->xx += x * x;
    tally->xy += x * y;
    tally->yy += y * y;
}

// The weight of earlier probes, at most `most`.
static double rest_of(double probes, double most)
{
    return snag__clamp_to(1 - probes / ENOUGH, most);
}

double snag__ratio_memory(double moved, double distance)
{
    if (!(moved > 0))
        return 1;
    double steps = moved / (2 * distance);
    return 1 / (1 + steps * steps);
}

// Age lowers the weight of each probe (squared in the second moments). Motion makes a part of the probes count as if they had not
// been made, so that the interval gets wider.
snag__tally snag__tally_join(const snag__tally *before, double found_before, const snag__tally *now, double found, double memory)
{
    double alike = (fmin(found, found_before) + 1) / (fmax(found, found_before) + 1);
    double rest = rest_of(now->probes, 0.9) * alike * alike, rest2 = rest * rest * memory;
    rest *= memory;
    return (snag__tally){
        .probes = rest * before->probes + now->probes,
        .x = rest * before->x + now->x,
        .y = rest * before->y + now->y,
        .xx = rest2 * before->xx + now->xx,
        .xy = rest2 * before->xy + now->xy,
        .yy = rest2 * before->yy + now->yy,
    };
}

snag__census snag__census_join(const snag__census *before, const snag__tally *now, double memory)
{
    double rest = rest_of(now->probes, 0.95), rest2 = rest * rest * memory;
    rest *= memory;
    return (snag__census){
        .factor = rest * before->factor + now->probes,
        .x = rest * before->x + now->x,
        .factor2 = rest2 * before->factor2 + now->probes,
        .x2 = rest2 * before->x2 + now->x,
        .xx2 = rest2 * before->xx2 + now->xx,
    };
}

static double clamp(double x)
{
    return snag__clamp_to(x, 1);
}

snag__ratio snag__ratio_unknown(void)
{
    return (snag__ratio){0, 0, 1};
}

// The ratio of two sums of independent draws, plus and minus 2.2 standard deviations, or more if few draws tell the deviation.
static snag__ratio from_tally(const snag__tally *tally)
{
    double m = tally->probes;
    if (!(tally->x > 0) || m < 4)
        return snag__ratio_unknown();
    double ratio = tally->y / tally->x;
    double scatter = fmax(tally->yy - 2 * ratio * tally->xy + ratio * ratio * tally->xx, 0) * m / (m - 1);
    // The number of probes of equal weight that would tell as much. Contacts that none of them has seen may still exist.
    double worth = tally->x * tally->x / tally->xx;
    double half = 2.2 * (1 + 2 / worth) * sqrt(scatter) / tally->x + 0.8 / worth;
    // After many steps without a hit, what is remembered of earlier ones has faded away: its squares are 0.
    if (!(half >= 0))
        return snag__ratio_unknown();
    return (snag__ratio){clamp(ratio), clamp(ratio - half), clamp(ratio + half)};
}

// If only a small part was found, few probes hit known contacts, but all probes that hit contacts count them. Weights are skewed: a
// count from few probes is too low rather than too high and seems to scatter less than it does, so the interval reaches farther down
// than up. A wrong count stays wrong for as many steps as its probes are remembered, so the interval is wide.
static snag__ratio from_count(const snag__census *all, double found)
{
    // At least this many probes of equal weight must have hit contacts: among fewer, all heavy ones may be missing.
    const double worth = 24, small = 0.5;
    if (!(all->x > 0) || !(all->x * all->x >= worth * all->xx2) || found * all->factor > small * all->x)
        return snag__ratio_unknown();
    double mean = all->x / all->factor, ratio = found / mean;
    double scatter = sqrt(fmax(all->xx2 - 2 * mean * all->x2 + mean * mean * all->factor2, 0)) / all->x;
    return (snag__ratio){clamp(ratio), clamp(ratio / (1 + 8 * scatter)), clamp(ratio * (1 + 4 * scatter))};
}

snag__ratio snag__ratio_from_probes(const snag__tally *tally, const snag__census *all, double found)
{
    snag__ratio known = from_tally(tally), counted = from_count(all, found);
    return counted.high - counted.low < known.high - known.low ? counted : known;
}

// Wilson's interval at 2.5 standard deviations, widened by 0.1 on both sides, since some contacts are more likely to be hit.
snag__ratio snag__ratio_from_landings(double landed, double known, double settled)
{
    const double z = 2.5, more = 0.1;
    if (!(landed > 0))
        return snag__ratio_unknown();
    double centre = (known + z * z / 2) / (landed + z * z);
    double half = z / (landed + z * z) * sqrt(known * (landed - known) / landed + z * z / 4);
    double low = clamp(centre - half - more), high = clamp(centre + half + more);
    return (snag__ratio){known / landed, settled * low, 1 - settled * (1 - high)};
}

double snag__ratio_settle(double settled, double memory)
{
    const double slow = 0.75;  // the part of the rest that remains after a step: clusters grow by a ring or two in each
    return 1 - slow * (1 - settled * memory);
}

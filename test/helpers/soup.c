#include "helpers/soup.h"

#include <string.h>

void hard_soup_add(hard_soup *soup, const hard_pair *pair)
{
    uint32_t n = (uint32_t)soup->count++, first = 6 * n;
    for (int i = 0; i < 3; i++) {
        memcpy(soup->positions[first + pair->va[i]], pair->a[i], sizeof pair->a[i]);
        memcpy(soup->positions[first + pair->vb[i]], pair->b[i], sizeof pair->b[i]);
        soup->triangles[2 * n][i] = first + pair->va[i];
        soup->triangles[2 * n + 1][i] = first + pair->vb[i];
    }
    soup->pairs[n][0] = 2 * n;
    soup->pairs[n][1] = 2 * n + 1;
}

snag__triangle_pairs hard_soup_pairs(const hard_soup *soup)
{
    return (snag__triangle_pairs){
        .x_a = soup->positions,
        .triangles_a = soup->triangles,
        .x_b = soup->positions,
        .triangles_b = soup->triangles,
        .same_body = true,
        .pairs = soup->pairs,
        .count = soup->count,
    };
}

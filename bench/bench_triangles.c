// Pairs per second of the triangle kernels, one thread, for every instruction set:
//     build-bench/bench_triangles [MESH]
// on the triangles of a mesh whose boxes overlap (default: frame 92 of cloth-ball in SNAG_DATA).
#include <string.h>
#include <time.h>

#include "candidates.h"
#include "geom/geom.h"
#include "geom/triangle_kernel.h"

enum { REPEATS = 7 };

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;  // of this thread's own time: other programs do not count
}

static void run(const candidates *c, const char *what, size_t first, size_t count, uint8_t *meeting)
{
    static const snag_isa all[] = {SNAG_ISA_SCALAR, SNAG_ISA_X86_64_V2, SNAG_ISA_X86_64_V3, SNAG_ISA_X86_64_V4,
                                   SNAG_ISA_NEON};
    snag__triangle_pairs pairs = {
        .x_a = (const double(*)[3])c->positions,
        .triangles_a = (const uint32_t(*)[3])c->triangles,
        .x_b = (const double(*)[3])c->positions,
        .triangles_b = (const uint32_t(*)[3])c->triangles,
        .same_body = true,
        .pairs = (const uint32_t(*)[2])c->pairs + first,
        .count = count,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!snag__isa_available(all[i]))
            continue;
        const snag__triangle_kernels *kernels = snag__triangle_kernels_for(all[i]);
        double best = 1e300;
        size_t exact = 0, kinds[5] = {0};
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double start = seconds();
            exact = kernels->meet(&pairs, meeting);
            double taken = seconds() - start;
            best = taken < best ? taken : best;
        }
        for (size_t k = 0; k < count; k++)
            kinds[meeting[k]]++;
        printf("%-16s %-10s %8zu pairs %6.1f ns %7.1f M/s  exact %.3f %%  crossing %zu touching %zu coplanar %zu\n",
               what, snag_isa_name(all[i]), count, best / (double)count * 1e9, (double)count / best * 1e-6,
               100.0 * (double)exact / (double)count, kinds[SNAG__CROSSING], kinds[SNAG__TOUCHING],
               kinds[SNAG__COPLANAR]);
    }
}

int main(int argc, char **argv)
{
    const char *data = getenv("SNAG_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/ccd_scenes/cloth-ball/frames/cloth_ball92.ply", data ? data : "../shared/data");
    candidates c;
    if (!candidates_read(argc > 1 ? argv[1] : path, &c))
        return 2;
    uint8_t *meeting = malloc(c.pair_count);
    run(&c, "none shared", 0, c.unshared_count, meeting);
    run(&c, "some shared", c.unshared_count, c.pair_count - c.unshared_count, meeting);
    run(&c, "all", 0, c.pair_count, meeting);
    free(meeting);
    candidates_free(&c);
    return 0;
}

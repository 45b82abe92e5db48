// The same as hello.c from C++: a dart drops onto the ground, and the world says where the two catch.
#include "snag/snag.h"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

using World = std::unique_ptr<snag_world, decltype(&snag_world_destroy)>;

static void check(snag_status status, const World &world)
{
    if (status != SNAG_OK)
        throw std::runtime_error(world ? snag_world_message(world.get()) : snag_status_name(status));
}

static World make_world()
{
    const snag_world_def def = snag_default_world_def();
    snag_world *made = nullptr;
    const snag_status status = snag_world_create(&def, &made);
    World world(made, snag_world_destroy);
    check(status, world);
    return world;
}

static snag_body_id add(const World &world, const std::vector<float> &xyz, const std::vector<std::uint32_t> &triangles)
{
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f32(xyz.data(), xyz.size() / 3);
    def.triangles = triangles.data();
    def.triangle_count = triangles.size() / 3;
    snag_body_id body;
    check(snag_world_add(world.get(), &def, &body), world);
    return body;
}

int main()
try {
    std::vector<float> dart = {0, 0, 1, 1, 0, 3, 0, 1, 3, -1, -1, 3};
    const World world = make_world();
    add(world, {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0}, {0, 1, 2, 0, 2, 3});
    const snag_body_id dart_body = add(world, dart, {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3});

    for (std::size_t v = 0; v < dart.size(); v += 3)
        dart[v + 2] -= 2;
    check(snag_world_begin_step(world.get()), world);
    check(snag_world_move(world.get(), dart_body, snag_positions_f32(dart.data(), dart.size() / 3)), world);

    const snag_question_def question = snag_default_question_def(SNAG_INTERSECTIONS);
    const snag_answer *answer = nullptr;
    check(snag_world_ask(world.get(), &question, &answer), world);
    for (std::size_t i = 0; i < answer->count; i++) {
        const snag_contact &c = answer->contacts[i];
        std::printf("%s: ground triangle %u, dart triangle %u, at (%g, %g, %g)\n", snag_contact_kind_name(c.kind), c.a.index,
                    c.b.index, c.point_a[0], c.point_a[1], c.point_a[2]);
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "snag: %s\n", error.what());
    return 2;
}

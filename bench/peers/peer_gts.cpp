// GTS: a tree of bounding boxes, rebuilt in each step as GTS does, and traversed against itself; then snag's exact test. The
// traversal reports each pair in both orders, and each box with itself.
#include "boxes.hpp"
#include "judge.hpp"

#include <gts.h>

#include <vector>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

namespace
{

struct Gts {
    const peer_mesh *mesh;
    std::vector<GtsBBox *> boxes;
    GNode *tree = nullptr;
    Judge judge;
    explicit Gts(const peer_mesh *m) : mesh(m), judge(m) {}
};

void update(void *state)
{
    Gts *g = static_cast<Gts *>(state);
    if (g->tree)
        gts_bb_tree_destroy(g->tree, FALSE);
    GSList *list = nullptr;
    for (size_t t = 0; t < g->boxes.size(); t++) {
        const Box<double> box = box_of(g->mesh, t);
        gts_bbox_set(g->boxes[t], GUINT_TO_POINTER(t), box.lo[0], box.lo[1], box.lo[2], box.hi[0], box.hi[1], box.hi[2]);
        list = g_slist_prepend(list, g->boxes[t]);
    }
    g->tree = gts_bb_tree_new(list);
    g_slist_free(list);
}

void *create(const peer_mesh *mesh, uint32_t)
{
    Gts *g = new Gts(mesh);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        g->boxes.push_back(gts_bbox_new(gts_bbox_class(), nullptr, 0, 0, 0, 0, 0, 0));
    update(g);
    return g;
}

void take_pair(GtsBBox *a, GtsBBox *b, gpointer context)
{
    const uint32_t s = GPOINTER_TO_UINT(a->bounded), t = GPOINTER_TO_UINT(b->bounded);
    if (s < t)
        static_cast<Judge *>(context)->add(s, t);
}

peer_answer search(void *state)
{
    Gts *g = static_cast<Gts *>(state);
    g->judge.clear();
    gts_bb_tree_traverse_overlapping(g->tree, g->tree, take_pair, &g->judge);
    g->judge.flush();
    return g->judge.pairs();
}

void destroy(void *state)
{
    Gts *g = static_cast<Gts *>(state);
    gts_bb_tree_destroy(g->tree, TRUE);
    delete g;
}

}  // namespace

const peer peer_gts = {
    SNAG_INTERSECTIONS,
    "gts",
    TEXT(GTS_MAJOR_VERSION) "." TEXT(GTS_MINOR_VERSION) "." TEXT(GTS_MICRO_VERSION),
    "tree of boxes built anew each step, traversed against itself, then snag's exact test",
    false,
    true,
    create,
    update,
    search,
    nullptr,
    destroy,
};

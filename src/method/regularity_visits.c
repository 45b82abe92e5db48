#include "method/regularity_visits.h"

static uint32_t level_of(const snag__surface_tree *tree, uint32_t patch)
{
    uint32_t level = 0;
    while (level + 1 < tree->levels && patch >= tree->level_first[level + 1])
        level++;
    return level;
}

// Patches are breadth first: smaller ones overwrite those that hold them.
static void list_tree(snag_body_id body, const snag__surface_tree *tree, const uint8_t *looked, snag_patch_visit *visits)
{
    for (uint32_t i = 0; i < tree->mesh->triangle_count; i++)
        visits[i] = (snag_patch_visit){.body = body, .triangle = i, .level = 0, .patch = 0};
    for (uint32_t p = 1; p < tree->patch_count; p++) {
        if (!looked[p])
            continue;
        uint32_t level = level_of(tree, p);
        const snag__patch *patch = &tree->patches[p];
        for (uint32_t slot = patch->first_slot; slot < patch->first_slot + patch->slot_count; slot++) {
            snag_patch_visit *visit = &visits[tree->triangles[slot]];
            visit->level = level;
            visit->patch = p;
        }
    }
}

snag_status snag__patch_visits_list(snag__ask *ask, snag__buffer *memory, const snag__surface_tree *trees,
                                    const uint32_t *first_patch, const uint8_t *looked)
{
    size_t count = 0;
    for (uint32_t i = 0; i < ask->body_count; i++)
        count += trees[i].mesh->triangle_count;
    if (!snag__buffer_reserve(ask->allocator, memory, 0, count + 1, sizeof(snag_patch_visit)))
        return SNAG_ERROR_MEMORY;
    snag_patch_visit *visits = memory->data;
    for (uint32_t i = 0; i < ask->body_count; i++) {
        list_tree(ask->bodies[i]->id, &trees[i], looked + first_patch[i], visits);
        visits += trees[i].mesh->triangle_count;
    }
    ask->lab.visits = count > 0 ? memory->data : NULL;
    ask->lab.visit_count = count;
    return SNAG_OK;
}

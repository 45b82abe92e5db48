// The parts of the reader of glTF 2.0 (.gltf and .glb).
#ifndef SNAG_IO_GLTF_H
#define SNAG_IO_GLTF_H

#include "gltf_accessor.h"
#include "motion.h"

// Splits a file into JSON and binary chunk, reads the JSON and finds the buffers. Free it in any case.
snag_status snag__gltf_open(const snag__source *source, bool beside, snag__gltf *g);
void snag__gltf_close(snag__gltf *g);
// The elements of an array that a member of an object is; none where there is no such member.
snag_status snag__gltf_make_list(const snag__gltf *g, uint32_t object, const char *name, snag__gltf_list *list);
// Animations and skins, once the nodes are in the rig.
snag_status snag__gltf_read_animations(const snag__gltf *g, snag__rig *rig);
snag_status snag__gltf_read_skins(const snag__gltf *g, snag__rig *rig);

#endif

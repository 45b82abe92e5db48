// Internals of the glTF 2.0 reader (.gltf and .glb).
#ifndef SNAG_IO_GLTF_H
#define SNAG_IO_GLTF_H

#include "gltf_accessor.h"
#include "motion.h"

// Splits a file into JSON and binary chunk, parses the JSON and loads the buffers. Always free it, even on failure.
snag_status snag__gltf_open(const snag__source *source, bool beside, snag__gltf *g);
void snag__gltf_close(snag__gltf *g);
// The elements of an array member of an object; none if there is no such member.
snag_status snag__gltf_make_list(const snag__gltf *g, uint32_t object, const char *name, snag__gltf_list *list);
// Reads animations and skins. Call it after the nodes are in the rig.
snag_status snag__gltf_read_animations(const snag__gltf *g, snag__rig *rig);
snag_status snag__gltf_read_skins(const snag__gltf *g, snag__rig *rig);

#endif

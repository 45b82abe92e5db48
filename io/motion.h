// Which formats hold rigs.
#ifndef SNAG_IO_MOTION_H
#define SNAG_IO_MOTION_H

#include "rig.h"

// `beside`: source->name is a path, and files beside it may be read.
typedef snag_status snag__rig_reader(const snag__source *source, bool beside, snag__rig *rig);
snag__rig_reader snag__read_gltf;

#ifdef SNAG_ASSIMP
snag__rig_reader snag__read_assimp;
#define SNAG__RIG_ENDINGS " .gltf .glb .fbx .dae .3mf"
#else
#define SNAG__RIG_ENDINGS " .gltf .glb"
#endif

// NULL if the ending is of no such format.
snag__rig_reader *snag__rig_reader_of(const char *path);

#endif

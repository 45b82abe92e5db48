// Which formats hold rigs.
#ifndef SNAG_IO_MOTION_H
#define SNAG_IO_MOTION_H

#include "rig.h"

// `beside`: source->name is a path, and files beside it may be read.
typedef snag_status snag__rig_reader(const snag__source *source, bool beside, snag__rig *rig);
snag__rig_reader snag__read_gltf;

#ifdef SNAG_ASSIMP
snag__rig_reader snag__read_assimp;
// Whether the assimp that is installed reads files of this ending.
bool snag__assimp_reads(const char *ending);
#define SNAG__RIG_ENDINGS " .gltf .glb .fbx .dae"
#else
#define SNAG__RIG_ENDINGS " .gltf .glb"
#endif

// USD is read by assimp since its version 5.4, so it depends on what is installed.
#define SNAG__USD_ENDINGS " .usd .usda .usdc .usdz"
bool snag__is_usd(const char *path);
bool snag__reads_usd(void);

// NULL if the ending is of no such format.
snag__rig_reader *snag__rig_reader_of(const char *path);

// Reads a rig by the reader of its ending, which there is; in a process of its own if the caller wants that and the reader is
// not ours.
snag_status snag__read_rig(const snag__source *source, bool beside, snag__rig *rig);

#endif

// Formats that contain rigs.
#ifndef SNAG_IO_MOTION_H
#define SNAG_IO_MOTION_H

#include "rig.h"

// `beside`: source->name is a path, and files beside it may be read.
typedef snag_status snag__rig_reader(const snag__source *source, bool beside, snag__rig *rig);
snag__rig_reader snag__read_gltf;

#ifdef SNAG_ASSIMP
snag__rig_reader snag__read_assimp;
// Whether the installed assimp reads files with this extension.
bool snag__assimp_reads(const char *ending);
#define SNAG__RIG_ENDINGS " .gltf .glb .fbx .dae"
#else
#define SNAG__RIG_ENDINGS " .gltf .glb"
#endif

// Assimp reads USD since version 5.4, so it depends on the installed version.
#define SNAG__USD_ENDINGS " .usd .usda .usdc .usdz"
bool snag__is_usd(const char *path);
bool snag__reads_usd(void);

// NULL: no such format has this extension.
snag__rig_reader *snag__rig_reader_of(const char *path);

// Reads a rig with the reader for its extension, which must exist. Readers that are not ours run in a separate process if
// the caller wants that.
snag_status snag__read_rig(const snag__source *source, bool beside, snag__rig *rig);

#endif

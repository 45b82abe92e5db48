// The peers found at build time: cmake/peers.cmake defines SNAG_PEER_NAME for each.
#include "peer.h"

#ifdef SNAG_PEER_EMBREE
#define EMBREE                                                                                                                     \
    {                                                                                                                              \
        &peer_embree, &peer_embree_rebuild, &peer_embree_tets                                                                      \
    }
#else
#define EMBREE                                                                                                                     \
    {                                                                                                                              \
        NULL                                                                                                                       \
    }
#endif
#ifdef SNAG_PEER_CGAL
#define CGAL                                                                                                                       \
    {                                                                                                                              \
        &peer_cgal, &peer_cgal_mesh, &peer_cgal_tets                                                                               \
    }
#else
#define CGAL                                                                                                                       \
    {                                                                                                                              \
        NULL                                                                                                                       \
    }
#endif
#ifdef SNAG_PEER_FCL
#define FCL                                                                                                                        \
    {                                                                                                                              \
        &peer_fcl, &peer_fcl_distance                                                                                              \
    }
#else
#define FCL                                                                                                                        \
    {                                                                                                                              \
        NULL                                                                                                                       \
    }
#endif
#ifdef SNAG_PEER_BULLET
#define BULLET                                                                                                                     \
    {                                                                                                                              \
        &peer_bullet, &peer_bullet_tets                                                                                            \
    }
#else
#define BULLET                                                                                                                     \
    {                                                                                                                              \
        NULL                                                                                                                       \
    }
#endif
#ifdef SNAG_PEER_GTS
#define GTS                                                                                                                        \
    {                                                                                                                              \
        &peer_gts                                                                                                                  \
    }
#else
#define GTS                                                                                                                        \
    {                                                                                                                              \
        NULL                                                                                                                       \
    }
#endif

const peer_entry peer_table[] = {
    {"libembree-dev", EMBREE}, {"libcgal-dev", CGAL}, {"libfcl-dev", FCL}, {"libbullet-dev", BULLET}, {"libgts-dev", GTS},
};
const size_t peer_table_count = sizeof peer_table / sizeof *peer_table;

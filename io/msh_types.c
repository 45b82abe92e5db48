#include "msh_types.h"

size_t snag__msh_nodes_of_type(int64_t type)
{
    static const uint8_t nodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                    8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
    if (type > 0 && type < (int64_t)sizeof nodes)
        return nodes[type];
    return type == 92 ? 64 : type == 93 ? 125 : 0;
}

snag__cell snag__msh_kind_of_type(int64_t type)
{
    switch (type) {
    case 15: return SNAG__CELL_POINT;
    case 1:
    case 8:
    case 26:
    case 27:
    case 28: return SNAG__CELL_LINE;
    case 2:
    case 9:
    case 20:
    case 21:
    case 22:
    case 23:
    case 24:
    case 25: return SNAG__CELL_TRIANGLE;
    case 3:
    case 10:
    case 16: return SNAG__CELL_QUAD;
    case 4:
    case 11:
    case 29:
    case 30:
    case 31: return SNAG__CELL_TET;
    case 5:
    case 12:
    case 17:
    case 92:
    case 93: return SNAG__CELL_HEXAHEDRON;
    case 6:
    case 13:
    case 18: return SNAG__CELL_WEDGE;
    case 7:
    case 14:
    case 19: return SNAG__CELL_PYRAMID;
    default: return SNAG__CELL_UNKNOWN;
    }
}

int64_t snag__msh_dimension_of_type(int64_t type)
{
    snag__cell kind = snag__msh_kind_of_type(type);
    if (snag__cell_is_thin(kind))
        return kind == SNAG__CELL_POINT ? 0 : 1;
    return kind == SNAG__CELL_TRIANGLE || kind == SNAG__CELL_QUAD ? 2 : snag__cell_corners(kind) ? 3 : 1;
}

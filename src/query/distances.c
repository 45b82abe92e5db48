// The question `distance`: the closest features of two bodies. The methods compare distances themselves (src/method/nearest.h) and
// append one record for each pair of bodies.
#include "query/kind.h"

const snag__question_kind snag__distances = {
    .passes = snag__feature_passes,
    .write = snag__write_closest,
    .pair_value = snag__value_of_contact,
};

// Real models for the scenes that take some: `snag sim SCENE --data FOLDER`.
#ifndef SNAG_CLI_SIM_DATA_H
#define SNAG_CLI_SIM_DATA_H

#include "snag/sim.h"
#include "words.h"

enum { SIM_DATA_MOST = 8 };

typedef struct sim_data {
    snag_sim_model models[SIM_DATA_MOST];
    size_t count;
} sim_data;

// Reads the models that stand for the scene's own: those of the table where they are in the folder, or all mesh files that lie in
// the folder itself. On failure it has said why; free in any case.
int sim_data_read(sim_data *data, size_t scene, const char *folder, words *w);
// What models a scene takes, in words.
const char *sim_data_kind(size_t scene);
void sim_data_free(sim_data *data);

#endif

// Real models for the scenes that take some: `snag sim SCENE --data FOLDER`.
#ifndef SNAG_CLI_SIM_DATA_H
#define SNAG_CLI_SIM_DATA_H

#include "model_list.h"
#include "snag/sim.h"
#include "words.h"

enum { SIM_DATA_MOST = MODEL_LIST_MOST };

typedef struct sim_data {
    snag_sim_model models[SIM_DATA_MOST];
    size_t count;
} sim_data;

// Reads the models that stand for the scene's own: those that a list names for the scene (`list`, or models.txt in the folder), else
// all mesh files in the folder itself. Both may be NULL: then there are none. On failure it has said why; free in any case.
int sim_data_read(sim_data *data, size_t scene, const char *folder, const char *list, words *w);
// What models a scene takes, in words.
const char *sim_data_kind(size_t scene);
void sim_data_free(sim_data *data);

#endif

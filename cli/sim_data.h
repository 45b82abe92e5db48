// Models from files for scenes that take them: `snag sim SCENE --data FOLDER`.
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

// Reads the models that replace the scene's own: those listed for the scene (in `list`, or in models.txt in the folder), else
// all mesh files in the folder. Both may be NULL: no models. On failure prints the reason; free in any case.
int sim_data_read(sim_data *data, size_t scene, const char *folder, const char *list, words *w);
// The kind of models a scene takes, as text.
const char *sim_data_kind(size_t scene);
void sim_data_free(sim_data *data);

#endif

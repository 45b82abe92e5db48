// Scenes that assimp reads (FBX, COLLADA, 3MF) as a rig. Assimp is asked for nothing but reading: no joining, sorting or
// splitting, and no materials, by which it would tear a mesh apart. Faces then stand in the file's order. Of FBX and COLLADA it
// lists a vertex for every corner of every face; those at one place that move together become one again (rig.c), numbered by
// the first corner.
#include "motion.h"

#ifdef SNAG_ASSIMP

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct importer {
    const snag__source *source;
    const struct aiScene *scene;
    snag__rig *rig;
    const struct aiNode **nodes;  // in the order of the rig's
    size_t node_capacity;
} importer;

static snag_status fail(const importer *i, snag_status status, const char *words)
{
    return snag__io_fail(i->source->error, status, "%s: %s", snag__path_shown(i->source->name), words);
}

static snag_status no_memory(const importer *i)
{
    return fail(i, SNAG_ERROR_MEMORY, "there is not enough memory for this scene");
}

static bool copy_name(const struct aiString *from, char **to)
{
    if (from->length == 0)
        return true;
    *to = malloc((size_t)from->length + 1);
    if (*to) {
        memcpy(*to, from->data, from->length);
        (*to)[from->length] = 0;
    }
    return *to != NULL;
}

// ---- nodes ----

// Assimp writes row after row.
static void copy_matrix(const struct aiMatrix4x4 *m, double out[16])
{
    const double rows[4][4] = {{(double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4},
                               {(double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4},
                               {(double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4},
                               {(double)m->d1, (double)m->d2, (double)m->d3, (double)m->d4}};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            out[4 * column + row] = rows[row][column];
}

static bool add_node(importer *i, const struct aiNode *node, uint32_t parent)
{
    size_t count = i->rig->node_count;
    if (count == i->node_capacity) {
        size_t larger = 2 * count + 64;
        snag__rig_node *nodes = realloc(i->rig->nodes, larger * sizeof *nodes);
        i->rig->nodes = nodes ? nodes : i->rig->nodes;
        const struct aiNode **sources = nodes ? realloc(i->nodes, larger * sizeof *sources) : NULL;
        if (!sources)
            return false;
        i->nodes = sources;
        i->node_capacity = larger;
    }
    if (!i->nodes || !i->rig->nodes)
        return false;
    i->nodes[count] = node;
    i->rig->nodes[count] = (snag__rig_node){.parent = parent, .has_matrix = true, .rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    copy_matrix(&node->mTransformation, i->rig->nodes[count].matrix);
    i->rig->node_count++;
    return true;
}

// Level by level, so that parents come first.
static snag_status read_nodes(importer *i)
{
    if (!add_node(i, i->scene->mRootNode, SNAG__RIG_NONE))
        return no_memory(i);
    for (size_t at = 0; at < i->rig->node_count; at++) {
        const struct aiNode *node = i->nodes[at];
        for (unsigned c = 0; c < node->mNumChildren; c++)
            if (i->rig->node_count >= UINT32_MAX || !add_node(i, node->mChildren[c], (uint32_t)at))
                return no_memory(i);
    }
    return SNAG_OK;
}

static uint32_t node_named(const importer *i, const struct aiString *name)
{
    assert(i->nodes);
    for (size_t n = 0; n < i->rig->node_count; n++)
        if (i->nodes[n]->mName.length == name->length && memcmp(i->nodes[n]->mName.data, name->data, name->length) == 0)
            return (uint32_t)n;
    return SNAG__RIG_NONE;
}

// ---- meshes ----

static size_t corner_count(const struct aiMesh *mesh)
{
    size_t corners = 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
        corners += mesh->mFaces[f].mNumIndices >= 3 ? mesh->mFaces[f].mNumIndices : 0;
    return corners;
}

static bool read_faces(const importer *i, const struct aiMesh *mesh, snag__rig_body *body)
{
    body->sizes = malloc(((size_t)mesh->mNumFaces + 1) * sizeof *body->sizes);
    body->corners = malloc((corner_count(mesh) + 1) * sizeof *body->corners);
    if (!body->sizes || !body->corners)
        return false;
    uint32_t *corner = body->corners;
    for (unsigned f = 0; f < mesh->mNumFaces; f++) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices < 3) {
            i->rig->skipped++;
            continue;
        }
        body->sizes[body->polygon_count++] = face->mNumIndices;
        for (unsigned k = 0; k < face->mNumIndices; k++)
            *corner++ = face->mIndices[k];
    }
    return true;
}

static void copy_points(const struct aiVector3D *from, size_t count, double *to)
{
    for (size_t v = 0; v < count; v++) {
        to[3 * v] = (double)from[v].x;
        to[3 * v + 1] = (double)from[v].y;
        to[3 * v + 2] = (double)from[v].z;
    }
}

// Morph targets are whole meshes here; we keep what they add.
static bool read_targets(const struct aiMesh *mesh, snag__rig_body *body)
{
    size_t n = mesh->mNumVertices, count = mesh->mNumAnimMeshes;
    if (count == 0)
        return true;
    body->targets = calloc(3 * n * count + 1, sizeof *body->targets);
    body->target_weights = calloc(count, sizeof *body->target_weights);
    if (!body->targets || !body->target_weights)
        return false;
    body->target_count = count;
    for (size_t t = 0; t < count; t++) {
        const struct aiAnimMesh *target = mesh->mAnimMeshes[t];
        double *offsets = body->targets + 3 * n * t;
        body->target_weights[t] = (double)target->mWeight;
        if (!target->mVertices || target->mNumVertices != n)
            continue;
        copy_points(target->mVertices, n, offsets);
        for (size_t k = 0; k < 3 * n; k++)
            offsets[k] -= body->positions[k];
    }
    return true;
}

static size_t most_influences(const struct aiMesh *mesh, uint32_t *counts)
{
    size_t most = 0;
    memset(counts, 0, mesh->mNumVertices * sizeof *counts);
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            unsigned vertex = mesh->mBones[b]->mWeights[w].mVertexId;
            if (vertex < mesh->mNumVertices && ++counts[vertex] > most)
                most = counts[vertex];
        }
    return most;
}

static void read_weights(const struct aiMesh *mesh, uint32_t *counts, snag__rig_body *body)
{
    memset(counts, 0, mesh->mNumVertices * sizeof *counts);
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight *weight = &mesh->mBones[b]->mWeights[w];
            if (weight->mVertexId >= mesh->mNumVertices)
                continue;
            size_t at = weight->mVertexId * body->influence_count + counts[weight->mVertexId]++;
            body->joints[at] = b;
            body->weights[at] = (double)weight->mWeight;
        }
}

// Every mesh with bones has a skin of its own.
static snag_status read_skin(const importer *i, const struct aiMesh *mesh, snag__rig_body *body)
{
    snag__rig_skin *skin = &i->rig->skins[i->rig->skin_count];
    body->skin = (uint32_t)i->rig->skin_count++;
    skin->joints = malloc(((size_t)mesh->mNumBones + 1) * sizeof *skin->joints);
    skin->inverses = malloc(((size_t)mesh->mNumBones + 1) * 16 * sizeof *skin->inverses);
    uint32_t *counts = malloc(((size_t)mesh->mNumVertices + 1) * sizeof *counts);
    if (!skin->joints || !skin->inverses || !counts) {
        free(counts);
        return no_memory(i);
    }
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        skin->joints[b] = node_named(i, &mesh->mBones[b]->mName);
        copy_matrix(&mesh->mBones[b]->mOffsetMatrix, skin->inverses + 16 * (size_t)b);
    }
    skin->joint_count = mesh->mNumBones;
    body->influence_count = most_influences(mesh, counts);
    size_t slots = (size_t)mesh->mNumVertices * body->influence_count + 1;
    body->joints = calloc(slots, sizeof *body->joints);
    body->weights = calloc(slots, sizeof *body->weights);
    bool made = body->joints && body->weights;
    if (made)
        read_weights(mesh, counts, body);
    free(counts);
    return made ? SNAG_OK : no_memory(i);
}

static snag_status read_body(importer *i, uint32_t node, const struct aiMesh *mesh)
{
    snag__rig_body *body = &i->rig->bodies[i->rig->body_count++];
    body->node = node;
    body->skin = SNAG__RIG_NONE;
    body->vertex_count = mesh->mNumVertices;
    body->positions = malloc(((size_t)mesh->mNumVertices + 1) * 3 * sizeof *body->positions);
    const struct aiString *name = i->nodes[node]->mName.length ? &i->nodes[node]->mName : &mesh->mName;
    if (!body->positions || !copy_name(name, &body->name))
        return no_memory(i);
    copy_points(mesh->mVertices, mesh->mNumVertices, body->positions);
    if (!read_targets(mesh, body) || !read_faces(i, mesh, body))
        return no_memory(i);
    return mesh->mNumBones ? read_skin(i, mesh, body) : SNAG_OK;
}

static snag_status read_bodies(importer *i)
{
    size_t count = 0;
    assert(i->nodes);  // the root is there
    for (size_t n = 0; n < i->rig->node_count; n++)
        count += i->nodes[n]->mNumMeshes;
    i->rig->bodies = calloc(count + 1, sizeof *i->rig->bodies);
    i->rig->skins = calloc(count + 1, sizeof *i->rig->skins);
    if (!i->rig->bodies || !i->rig->skins)
        return no_memory(i);
    snag_status status = SNAG_OK;
    for (size_t n = 0; n < i->rig->node_count; n++)
        for (unsigned m = 0; m < i->nodes[n]->mNumMeshes && status == SNAG_OK; m++) {
            unsigned index = i->nodes[n]->mMeshes[m];
            if (index < i->scene->mNumMeshes && i->scene->mMeshes[index]->mNumFaces)
                status = read_body(i, (uint32_t)n, i->scene->mMeshes[index]);
        }
    return status;
}

// ---- animations ----

static bool begin_track(snag__rig_track *track, uint32_t node, snag__rig_path path, size_t keys, size_t width)
{
    *track = (snag__rig_track){.node = node, .path = path, .curve = SNAG__RIG_LINEAR, .key_count = keys, .width = width};
    track->times = calloc(keys, sizeof *track->times);
    track->values = calloc(keys * width, sizeof *track->values);
    return track->times && track->values;
}

static bool read_vectors(const struct aiVectorKey *keys, unsigned count, double rate, uint32_t node, snag__rig_path path,
                         snag__rig_animation *made)
{
    if (count == 0)
        return true;
    snag__rig_track *track = &made->tracks[made->track_count++];
    if (!begin_track(track, node, path, count, 3))
        return false;
    for (unsigned k = 0; k < count; k++) {
        track->times[k] = keys[k].mTime / rate;
        copy_points(&keys[k].mValue, 1, track->values + 3 * (size_t)k);
    }
    return true;
}

static bool read_rotations(const struct aiNodeAnim *channel, double rate, uint32_t node, snag__rig_animation *made)
{
    if (channel->mNumRotationKeys == 0)
        return true;
    snag__rig_track *track = &made->tracks[made->track_count++];
    if (!begin_track(track, node, SNAG__RIG_ROTATION, channel->mNumRotationKeys, 4))
        return false;
    for (unsigned k = 0; k < channel->mNumRotationKeys; k++) {
        const struct aiQuaternion *q = &channel->mRotationKeys[k].mValue;
        double *value = track->values + 4 * (size_t)k;
        track->times[k] = channel->mRotationKeys[k].mTime / rate;
        value[0] = (double)q->x;
        value[1] = (double)q->y;
        value[2] = (double)q->z;
        value[3] = (double)q->w;
    }
    return true;
}

// A node that is animated is one of translation, rotation and scale; what no key sets stays as the file has it.
static void take_apart(const struct aiNode *source, snag__rig_node *node)
{
    struct aiVector3D scale, translation;
    struct aiQuaternion rotation;
    aiDecomposeMatrix(&source->mTransformation, &scale, &rotation, &translation);
    node->has_matrix = false;
    copy_points(&scale, 1, node->scale);
    copy_points(&translation, 1, node->translation);
    node->rotation[0] = (double)rotation.x;
    node->rotation[1] = (double)rotation.y;
    node->rotation[2] = (double)rotation.z;
    node->rotation[3] = (double)rotation.w;
}

static bool read_channel(importer *i, const struct aiNodeAnim *channel, double rate, snag__rig_animation *made)
{
    uint32_t node = node_named(i, &channel->mNodeName);
    if (node == SNAG__RIG_NONE)
        return true;
    assert(i->rig->nodes);
    take_apart(i->nodes[node], &i->rig->nodes[node]);
    return read_vectors(channel->mPositionKeys, channel->mNumPositionKeys, rate, node, SNAG__RIG_TRANSLATION, made) &&
           read_rotations(channel, rate, node, made) &&
           read_vectors(channel->mScalingKeys, channel->mNumScalingKeys, rate, node, SNAG__RIG_SCALE, made);
}

static size_t targets_of_node(const snag__rig *rig, uint32_t node)
{
    for (size_t b = 0; b < rig->body_count; b++)
        if (rig->bodies[b].node == node && rig->bodies[b].target_count)
            return rig->bodies[b].target_count;
    return 0;
}

// The name of the node may carry a "*" and the number of the mesh.
static bool read_morphs(importer *i, const struct aiMeshMorphAnim *channel, double rate, snag__rig_animation *made)
{
    struct aiString name = channel->mName;
    char *star = memchr(name.data, '*', name.length);
    if (star)
        name.length = (unsigned)(star - name.data);
    uint32_t node = node_named(i, &name);
    size_t width = node == SNAG__RIG_NONE ? 0 : targets_of_node(i->rig, node);
    if (width == 0 || channel->mNumKeys == 0)
        return true;
    snag__rig_track *track = &made->tracks[made->track_count++];
    if (!begin_track(track, node, SNAG__RIG_WEIGHTS, channel->mNumKeys, width))
        return false;
    for (unsigned k = 0; k < channel->mNumKeys; k++) {
        const struct aiMeshMorphKey *key = &channel->mKeys[k];
        track->times[k] = key->mTime / rate;
        for (unsigned w = 0; w < key->mNumValuesAndWeights; w++)
            if (key->mValues[w] < width)
                track->values[k * width + key->mValues[w]] = key->mWeights[w];
    }
    return true;
}

static snag_status read_animation(importer *i, const struct aiAnimation *source, snag__rig_animation *made)
{
    size_t tracks = 3 * (size_t)source->mNumChannels + source->mNumMorphMeshChannels;
    double rate = source->mTicksPerSecond > 0 ? source->mTicksPerSecond : 1;
    made->tracks = calloc(tracks + 1, sizeof *made->tracks);
    bool read = made->tracks && copy_name(&source->mName, &made->name);
    for (unsigned c = 0; c < source->mNumChannels && read; c++)
        read = read_channel(i, source->mChannels[c], rate, made);
    for (unsigned c = 0; c < source->mNumMorphMeshChannels && read; c++)
        read = read_morphs(i, source->mMorphMeshChannels[c], rate, made);
    for (size_t t = 0; t < made->track_count && read && made->tracks[t].times; t++)
        made->seconds = fmax(made->seconds, made->tracks[t].times[made->tracks[t].key_count - 1]);
    // A rate of some dozens is that of frames; one of thousands, or of one, only counts time.
    made->rate = rate > 1 && rate <= 240 ? rate : 0;
    return read ? SNAG_OK : no_memory(i);
}

static snag_status read_animations(importer *i)
{
    i->rig->animations = calloc((size_t)i->scene->mNumAnimations + 1, sizeof *i->rig->animations);
    if (!i->rig->animations)
        return no_memory(i);
    snag_status status = SNAG_OK;
    for (unsigned a = 0; a < i->scene->mNumAnimations && status == SNAG_OK; a++)
        status = read_animation(i, i->scene->mAnimations[a], &i->rig->animations[i->rig->animation_count++]);
    return status;
}

// ---- the whole ----

static const struct aiScene *import(const snag__source *source, bool beside)
{
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (!settings)
        return NULL;
    // A mesh is torn apart by its materials otherwise; pivots as nodes of their own would hide what animates them.
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_READ_MATERIALS, 0);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    // Coordinates are the file's, whichever way is up.
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    const char *dot = strrchr(source->name, '.');
    const struct aiScene *scene = NULL;
    if (beside)
        scene = aiImportFileExWithProperties(source->name, 0, NULL, settings);
    else if (source->size <= UINT32_MAX)
        scene = aiImportFileFromMemoryWithProperties(source->data, (unsigned)source->size, 0, dot ? dot + 1 : "", settings);
    aiReleasePropertyStore(settings);
    return scene;
}

snag_status snag__read_assimp(const snag__source *source, bool beside, snag__rig *rig)
{
    importer i = {.source = source, .rig = rig};
    if (source->size == 0)  // assimp would end the program
        return fail(&i, SNAG_ERROR_FORMAT, "is empty");
    // What is no archive assimp refuses too, but keeps memory of it.
    if (snag__path_has_ending(source->name, ".3mf") && (source->size < 4 || memcmp(source->data, "PK", 2) != 0))
        return fail(&i, SNAG_ERROR_FORMAT, "is no 3MF: it is not a ZIP archive");
    i.scene = import(source, beside);
    if (!i.scene || !i.scene->mRootNode) {
        snag_status status = fail(&i, SNAG_ERROR_FORMAT, aiGetErrorString()[0] ? aiGetErrorString() : "cannot be read");
        aiReleaseImport(i.scene);
        return status;
    }
    snag_status status = read_nodes(&i);
    if (status == SNAG_OK)
        status = read_bodies(&i);
    if (status == SNAG_OK)
        status = read_animations(&i);
    aiReleaseImport(i.scene);
    free(i.nodes);
    return status;
}

#endif

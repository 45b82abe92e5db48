// Reads scenes with assimp (FBX, COLLADA) as a rig. Assimp only reads: we disable joining, sorting, splitting, and
// materials, which would split meshes. So faces keep the order of the file. For FBX and COLLADA assimp lists one vertex per
// face corner; we read the file's own vertex numbers ourselves (shapes.h). If they disagree with assimp, corners at the
// same position that move together are merged (rig.c) and numbered by the first one, and the body counts as unnumbered.
#include "motion.h"
#include "shapes.h"

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
    const struct aiNode **nodes;  // in the order of the rig's nodes
    size_t node_capacity;
    snag__shapes shapes;  // read from the file itself
    const snag__shape_part **parts;  // part of the file for each mesh of the scene; NULL: not found
} importer;

static snag_status fail(const importer *i, snag_status status, const char *words)
{
    return snag__io_fail(i->source->error, status, "%s: %s", snag__path_shown(i->source->name), words);
}

static snag_status no_memory(const importer *i)
{
    return fail(i, SNAG_ERROR_MEMORY, "not enough memory for this scene");
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

// Assimp matrices are row-major.
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

// One body: a mesh of assimp, or all meshes that assimp made from one shape of the file.
typedef struct joined {
    const struct aiMesh *const *meshes;
    size_t mesh_count;
    const snag__shape_part *const *parts;  // corners of the file in each mesh; NULL: unknown
    const snag__shape *shape;  // NULL: unknown, and the vertices are those of the only mesh
    uint64_t *spokesmen;  // with a shape: the mesh and the corner that represent each vertex
} joined;

// Maps a vertex of mesh `m` to a vertex of the body.
static uint32_t vertex_of(const joined *j, size_t m, uint32_t corner)
{
    if (!j->shape)
        return corner;
    return corner < j->parts[m]->corner_count ? j->parts[m]->corners[corner] : UINT32_MAX;
}

// The same, but only for the corner that represents the vertex. All corners of a vertex have the same influences.
static bool speaks_for(const joined *j, size_t m, uint32_t corner, size_t *vertex)
{
    if (corner >= j->meshes[m]->mNumVertices)
        return false;
    *vertex = vertex_of(j, m, corner);
    return !j->shape || j->spokesmen[*vertex] == ((uint64_t)m << 32 | corner);
}

static bool choose_spokesmen(joined *j)
{
    if (!j->shape)
        return true;
    j->spokesmen = malloc((j->shape->vertex_count + 1) * sizeof *j->spokesmen);
    for (size_t m = j->mesh_count; j->spokesmen && m-- > 0;)
        for (size_t c = j->parts[m]->corner_count; c-- > 0;)
            j->spokesmen[j->parts[m]->corners[c]] = (uint64_t)m << 32 | c;  // the first corner is written last and wins
    return j->spokesmen;
}

static size_t corner_count(const struct aiMesh *mesh)
{
    size_t corners = 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
        corners += mesh->mFaces[f].mNumIndices >= 3 ? mesh->mFaces[f].mNumIndices : 0;
    return corners;
}

static bool read_faces(const importer *i, const joined *j, snag__rig_body *body)
{
    size_t faces = 0, corners = 0;
    for (size_t m = 0; m < j->mesh_count; m++) {
        faces += j->meshes[m]->mNumFaces;
        corners += corner_count(j->meshes[m]);
    }
    body->sizes = malloc((faces + 1) * sizeof *body->sizes);
    body->polygon_numbers = malloc((faces + 1) * sizeof *body->polygon_numbers);
    body->corners = malloc((corners + 1) * sizeof *body->corners);
    if (!body->sizes || !body->polygon_numbers || !body->corners)
        return false;
    uint32_t *corner = body->corners;
    for (size_t m = 0; m < j->mesh_count; m++)
        for (unsigned f = 0; f < j->meshes[m]->mNumFaces; f++) {
            const struct aiFace *face = &j->meshes[m]->mFaces[f];
            size_t number = body->face_count++;
            if (face->mNumIndices < 3) {
                i->rig->skipped++;
                continue;
            }
            body->polygon_numbers[body->polygon_count] = (uint32_t)number;
            body->sizes[body->polygon_count++] = face->mNumIndices;
            for (unsigned k = 0; k < face->mNumIndices; k++)
                *corner++ = vertex_of(j, m, face->mIndices[k]);
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

// In assimp morph targets are whole meshes; we store the offsets.
static void read_target(const joined *j, size_t m, size_t target, double *offsets)
{
    const struct aiMesh *mesh = j->meshes[m];
    const struct aiAnimMesh *moved = mesh->mAnimMeshes[target];
    size_t v;
    if (!moved->mVertices || moved->mNumVertices != mesh->mNumVertices)
        return;
    for (unsigned c = 0; c < mesh->mNumVertices; c++) {
        if (!speaks_for(j, m, c, &v))
            continue;
        offsets[3 * v] = (double)moved->mVertices[c].x - (double)mesh->mVertices[c].x;
        offsets[3 * v + 1] = (double)moved->mVertices[c].y - (double)mesh->mVertices[c].y;
        offsets[3 * v + 2] = (double)moved->mVertices[c].z - (double)mesh->mVertices[c].z;
    }
}

static bool read_targets(const joined *j, snag__rig_body *body)
{
    size_t n = body->vertex_count, count = j->meshes[0]->mNumAnimMeshes;
    if (count == 0)
        return true;
    body->targets = calloc(3 * n * count + 1, sizeof *body->targets);
    body->target_weights = calloc(count, sizeof *body->target_weights);
    if (!body->targets || !body->target_weights)
        return false;
    body->target_count = count;
    for (size_t t = 0; t < count; t++) {
        body->target_weights[t] = (double)j->meshes[0]->mAnimMeshes[t]->mWeight;
        for (size_t m = 0; m < j->mesh_count; m++)
            if (t < j->meshes[m]->mNumAnimMeshes)
                read_target(j, m, t, body->targets + 3 * n * t);
    }
    return true;
}

// Counts the joints of each vertex, and stores them if `body->joints` is set. Returns the largest count.
static size_t read_weights(const joined *j, uint32_t *counts, snag__rig_body *body)
{
    size_t most = 0, first_joint = 0, v;
    memset(counts, 0, body->vertex_count * sizeof *counts);
    for (size_t m = 0; m < j->mesh_count; first_joint += j->meshes[m++]->mNumBones)
        for (unsigned b = 0; b < j->meshes[m]->mNumBones; b++)
            for (unsigned w = 0; w < j->meshes[m]->mBones[b]->mNumWeights; w++) {
                const struct aiVertexWeight *weight = &j->meshes[m]->mBones[b]->mWeights[w];
                if (!speaks_for(j, m, weight->mVertexId, &v))
                    continue;
                size_t at = v * body->influence_count + counts[v]++;
                most = counts[v] > most ? counts[v] : most;
                if (!body->joints)
                    continue;
                body->joints[at] = (uint32_t)(first_joint + b);
                body->weights[at] = (double)weight->mWeight;
            }
    return most;
}

// Each body with bones has its own skin.
static bool read_skin(const importer *i, const joined *j, snag__rig_body *body)
{
    size_t bones = 0;
    for (size_t m = 0; m < j->mesh_count; m++)
        bones += j->meshes[m]->mNumBones;
    if (bones == 0)
        return true;
    snag__rig_skin *skin = &i->rig->skins[i->rig->skin_count];
    body->skin = (uint32_t)i->rig->skin_count++;
    skin->joints = malloc((bones + 1) * sizeof *skin->joints);
    skin->inverses = malloc((bones + 1) * 16 * sizeof *skin->inverses);
    uint32_t *counts = malloc((body->vertex_count + 1) * sizeof *counts);
    bool made = skin->joints && skin->inverses && counts;
    for (size_t m = 0; m < j->mesh_count && made; m++)
        for (unsigned b = 0; b < j->meshes[m]->mNumBones; b++) {
            skin->joints[skin->joint_count] = node_named(i, &j->meshes[m]->mBones[b]->mName);
            copy_matrix(&j->meshes[m]->mBones[b]->mOffsetMatrix, skin->inverses + 16 * skin->joint_count++);
        }
    if (made) {
        body->influence_count = read_weights(j, counts, body);
        size_t slots = body->vertex_count * body->influence_count + 1;
        body->joints = calloc(slots, sizeof *body->joints);
        body->weights = calloc(slots, sizeof *body->weights);
        made = body->joints && body->weights;
    }
    if (made)
        read_weights(j, counts, body);
    free(counts);
    return made;
}

static bool read_body(importer *i, uint32_t node, joined *j)
{
    const struct aiMesh *mesh = j->meshes[0];
    snag__rig_body *body = &i->rig->bodies[i->rig->body_count++];
    body->node = node;
    body->skin = SNAG__RIG_NONE;
    // A matched shape lists its vertices; otherwise they are corners.
    body->keeps_numbers = j->shape;
    i->rig->unnumbered += !body->keeps_numbers;
    body->vertex_count = j->shape ? j->shape->vertex_count : mesh->mNumVertices;
    body->positions = malloc((body->vertex_count + 1) * 3 * sizeof *body->positions);
    const struct aiString *name = i->nodes[node]->mName.length ? &i->nodes[node]->mName : &mesh->mName;
    if (!body->positions || !copy_name(name, &body->name))
        return false;
    if (j->shape)
        memcpy(body->positions, j->shape->positions, 3 * body->vertex_count * sizeof *body->positions);
    else
        copy_points(mesh->mVertices, mesh->mNumVertices, body->positions);
    bool read = choose_spokesmen(j) && read_targets(j, body) && read_faces(i, j, body) && read_skin(i, j, body);
    free(j->spokesmen);
    return read;
}

// Finds the part of the file for each mesh.
static bool find_parts(importer *i)
{
    const struct aiScene *scene = i->scene;
    size_t most = 0;
    i->parts = calloc((size_t)scene->mNumMeshes + 1, sizeof *i->parts);
    for (unsigned m = 0; m < scene->mNumMeshes; m++)
        most = scene->mMeshes[m]->mNumVertices > most ? scene->mMeshes[m]->mNumVertices : most;
    double *corners = malloc((most + 1) * 3 * sizeof *corners);
    bool made = i->parts && corners;
    for (unsigned m = 0; m < scene->mNumMeshes && made; m++) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        copy_points(mesh->mVertices, mesh->mNumVertices, corners);
        i->parts[m] =
            snag__shapes_find(&i->shapes, (snag__word){mesh->mName.data, mesh->mName.length}, corners, mesh->mNumVertices);
    }
    free(corners);
    return made;
}

// Meshes of one node that are parts of one shape become one body again: a COLLADA file has one part per material.
static bool read_bodies_of(importer *i, uint32_t node, const struct aiMesh **meshes, const snag__shape_part **parts)
{
    const struct aiNode *source = i->nodes[node];
    size_t count = 0;
    for (unsigned m = 0; m <= source->mNumMeshes; m++) {
        bool more = m < source->mNumMeshes && source->mMeshes[m] < i->scene->mNumMeshes;
        const struct aiMesh *mesh = more ? i->scene->mMeshes[source->mMeshes[m]] : NULL;
        const snag__shape_part *part = more ? i->parts[source->mMeshes[m]] : NULL;
        if (count > 0 && !(part && parts[0] && part->shape == parts[0]->shape)) {
            joined j = {meshes, count, parts, parts[0] ? &i->shapes.shapes[parts[0]->shape] : NULL, NULL};
            if (!read_body(i, node, &j))
                return false;
            count = 0;
        }
        if (mesh && mesh->mNumFaces) {
            meshes[count] = mesh;
            parts[count++] = part;
        }
    }
    return true;
}

static snag_status read_bodies(importer *i)
{
    size_t count = 0;
    assert(i->nodes);  // the root is already there
    for (size_t n = 0; n < i->rig->node_count; n++)
        count += i->nodes[n]->mNumMeshes;
    i->rig->bodies = calloc(count + 1, sizeof *i->rig->bodies);
    i->rig->skins = calloc(count + 1, sizeof *i->rig->skins);
    const struct aiMesh **meshes = malloc((count + 1) * sizeof *meshes);
    const snag__shape_part **parts = malloc((count + 1) * sizeof *parts);
    bool read = i->rig->bodies && i->rig->skins && meshes && parts && find_parts(i);
    for (size_t n = 0; n < i->rig->node_count && read; n++)
        read = read_bodies_of(i, (uint32_t)n, meshes, parts);
    free(meshes);
    free(parts);
    return read ? SNAG_OK : no_memory(i);
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

// An animated node uses translation, rotation and scale; components without keys keep the values of the file.
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

// The node name may end in "*" and the mesh number.
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
    // A rate of a few dozen is a frame rate; one in the thousands, or 1, is only a unit of time.
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

// ---- the file ----

bool snag__assimp_reads(const char *ending)
{
    return aiIsExtensionSupported(ending) == AI_TRUE;
}

static const struct aiScene *import(const snag__source *source, bool beside)
{
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (!settings)
        return NULL;
    // Without this, materials split meshes, and FBX pivots become extra nodes that hide the animation.
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_READ_MATERIALS, 0);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    // Keep the coordinates of the file, whichever axis is up.
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    bool packed = snag__path_is_gzip(source->name);
    const char *dot = packed ? snag__path_has_ending(source->name, ".fbx") ? ".fbx" : ".dae" : strrchr(source->name, '.');
    const struct aiScene *scene = NULL;
    if (beside && !packed)
        scene = aiImportFileExWithProperties(source->name, 0, NULL, settings);
    else if (source->size <= UINT32_MAX)
        scene = aiImportFileFromMemoryWithProperties(source->data, (unsigned)source->size, 0, dot ? dot + 1 : "", settings);
    aiReleasePropertyStore(settings);
    return scene;
}

static snag_status read_shapes(importer *i)
{
    const snag__source *source = i->source;
    bool fbx = snag__path_has_ending(source->name, ".fbx"), collada = snag__path_has_ending(source->name, ".dae");
    bool read = true;
    if (fbx)
        read = snag__read_fbx_shapes(source->data, source->size, &i->shapes);
    else if (collada)
        read = snag__read_collada_shapes(source->data, source->size, &i->shapes);
    return read ? SNAG_OK : no_memory(i);
}

snag_status snag__read_assimp(const snag__source *source, bool beside, snag__rig *rig)
{
    importer i = {.source = source, .rig = rig};
    if (source->size == 0)  // assimp would end the program
        return fail(&i, SNAG_ERROR_FORMAT, "is empty");
    i.scene = import(source, beside);
    if (!i.scene || !i.scene->mRootNode) {
        const char *words = aiGetErrorString();
        snag_status status =
            strstr(words, "bad_alloc") ? no_memory(&i) : fail(&i, SNAG_ERROR_FORMAT, words[0] ? words : "cannot be read");
        aiReleaseImport(i.scene);
        return status;
    }
    snag_status status = read_shapes(&i);
    if (status == SNAG_OK)
        status = read_nodes(&i);
    if (status == SNAG_OK)
        status = read_bodies(&i);
    if (status == SNAG_OK)
        status = read_animations(&i);
    aiReleaseImport(i.scene);
    snag__shapes_free(&i.shapes);
    free(i.parts);
    free(i.nodes);
    return status;
}

#endif

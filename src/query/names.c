// Names of methods, questions, backends and kinds of contacts.
#include "gpu/gpu.h"
#include "query/method.h"

#include <string.h>

static const char *const method_names[SNAG_METHOD_COUNT] = {"auto", "brute",  "hash",       "regions",
                                                            "kdop", "active", "regularity", "spheres"};

static const char *const question_names[SNAG_QUESTION_COUNT] = {"intersections", "proximities", "penetrations",
                                                                "impacts",       "distance",    "overlaps"};

const char *snag_method_name(snag_method method)
{
    return (unsigned)method < SNAG_METHOD_COUNT ? method_names[method] : "unknown";
}

const char *snag_question_name(snag_question question)
{
    return (unsigned)question < SNAG_QUESTION_COUNT ? question_names[question] : "unknown";
}

static bool find_name(const char *name, const char *const *names, int count, int *index)
{
    for (int i = 0; name != NULL && i < count; i++)
        if (strcmp(name, names[i]) == 0) {
            *index = i;
            return true;
        }
    return false;
}

bool snag_method_from_name(const char *name, snag_method *method)
{
    int index;
    if (!find_name(name, method_names, SNAG_METHOD_COUNT, &index))
        return false;
    if (method != NULL)
        *method = (snag_method)index;
    return true;
}

bool snag_question_from_name(const char *name, snag_question *question)
{
    int index;
    if (!find_name(name, question_names, SNAG_QUESTION_COUNT, &index))
        return false;
    if (question != NULL)
        *question = (snag_question)index;
    return true;
}

static const char *const backend_names[SNAG_BACKEND_COUNT] = {"cpu", "gl"};

const char *snag_backend_name(snag_backend backend)
{
    return (unsigned)backend < SNAG_BACKEND_COUNT ? backend_names[backend] : "unknown";
}

bool snag_backend_from_name(const char *name, snag_backend *backend)
{
    int index;
    if (!find_name(name, backend_names, SNAG_BACKEND_COUNT, &index))
        return false;
    if (backend != NULL)
        *backend = (snag_backend)index;
    return true;
}

bool snag_backend_built_in(snag_backend backend)
{
    return backend == SNAG_BACKEND_CPU || (backend == SNAG_BACKEND_GL && snag__gpu_gl() != NULL);
}

const char *snag_contact_kind_name(snag_contact_kind kind)
{
    static const char *const names[SNAG_CONTACT_KIND_COUNT] = {"crossing",    "touching",    "coplanar",  "vertex-vertex",
                                                               "vertex-edge", "vertex-face", "edge-edge", "inside",
                                                               "unresolved",  "through",     "overlap"};
    return (unsigned)kind < SNAG_CONTACT_KIND_COUNT ? names[kind] : "unknown";
}

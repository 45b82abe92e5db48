// A driver that fails at any of the calls is answered by a status and words, and leaves nothing behind. The backend calls
// through a table of pointers: each in turn is made to lead to a function that fails.
#include "gpu/gpu.h"
#include "helpers/failing_allocator.h"
#include "helpers/test.h"

#include <string.h>

#ifdef SNAG_HAS_GL
#include "gpu/gl_functions.h"

// The test is linked with --wrap=snag__gl_load (cmake/tests.cmake): the functions that the backend has found are then ours to spoil.
const char *__real_snag__gl_load(snag__gl_functions *functions);
const char *__wrap_snag__gl_load(snag__gl_functions *functions);

typedef void function(void);
static snag__gl_functions *loaded;
static struct {
    bool set;
    size_t offset;
    function *to;
} spoilt;

const char *__wrap_snag__gl_load(snag__gl_functions *functions)
{
    const char *missing = __real_snag__gl_load(functions);
    loaded = functions;
    if (spoilt.set && spoilt.to == NULL)
        return "glSomething";
    if (spoilt.set)
        memcpy((char *)functions + spoilt.offset, &spoilt.to, sizeof spoilt.to);
    return missing;
}

static unsigned bind_no_api(unsigned api)
{
    return (void)api, 0;
}
// Names that only look alike.
static const char *no_extensions(void *display, int name)
{
    return (void)display, (void)name, "xEGL_MESA_platform_surfaceless EGL_MESA_platform_surfaceless_2";
}
static const char *half_of_them(void *display, int name)
{
    return (void)display, (void)name, "EGL_MESA_platform_surfaceless";
}
static const char *no_surfaceless(void *display, int name)
{
    return (void)name, display == NULL ? "EGL_EXT_platform_base EGL_MESA_platform_surfaceless" : NULL;
}
static void *no_display(unsigned platform, void *native, const int *attributes)
{
    return (void)platform, (void)native, (void)attributes, NULL;
}
static unsigned not_initialised(void *display, int *major, int *minor)
{
    return (void)display, (void)major, (void)minor, 0;
}
static unsigned no_config(void *display, const int *wanted, void **configs, int size, int *count)
{
    return (void)display, (void)wanted, (void)configs, (void)size, (void)count, 0;
}
static unsigned none_of_the_configs(void *display, const int *wanted, void **configs, int size, int *count)
{
    return (void)display, (void)wanted, (void)configs, (void)size, *count = 0, 1;
}
static void *no_context(void *display, void *config, void *share, const int *version)
{
    return (void)display, (void)config, (void)share, (void)version, NULL;
}
static unsigned not_current(void *display, void *draw, void *read, void *context)
{
    return (void)display, (void)draw, (void)read, context == NULL;  // giving back works
}
static void not_compiled(unsigned shader, unsigned name, int *good)
{
    (void)shader, (void)name, *good = 0;
}
static void not_linked(unsigned program, unsigned name, int *good)
{
    (void)program, (void)name, *good = 0;
}
static unsigned incomplete(unsigned target)
{
    return (void)target, 0;
}
static unsigned some_error(void)
{
    return 0x0500;
}

static snag_status open_gl(failing_allocator *memory, size_t fail_at, snag__gpu **gpu, snag__gpu_error *error)
{
    snag_allocator allocator = failing_allocator_start(memory, fail_at);
    return snag__gpu_gl()->open(&allocator, gpu, error);
}

static bool has_driver(void)
{
    failing_allocator memory;
    snag__gpu *gpu = NULL;
    snag__gpu_error error = {""};
    if (snag__gpu_gl() == NULL || open_gl(&memory, 0, &gpu, &error) != SNAG_OK) {
        print_message("left out: no OpenGL here: %s\n", error.message);
        return false;
    }
    snag__gpu_gl()->close(gpu);
    return true;
}

static void assert_does_not_open(const char *words)
{
    failing_allocator memory;
    snag__gpu *gpu = (snag__gpu *)1;
    snag__gpu_error error = {""};
    assert_int_equal(open_gl(&memory, 0, &gpu, &error), SNAG_ERROR_UNSUPPORTED);
    assert_null(gpu);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    failing_allocator_assert_clean(&memory);
}

// Has the function's pointer lead to `replacement` while the words are looked for.
#define ASSERT_REFUSED(name, replacement, words)                                                                                   \
    do {                                                                                                                           \
        spoilt.set = true;                                                                                                         \
        spoilt.offset = offsetof(snag__gl_functions, name);                                                                        \
        spoilt.to = (function *)(replacement);                                                                                     \
        assert_does_not_open(words);                                                                                               \
        spoilt.set = false;                                                                                                        \
    } while (0)

static void a_driver_that_lacks_something_is_told(void **state)
{
    (void)state;
    if (!has_driver())
        skip();
    ASSERT_REFUSED(eglQueryString, no_extensions, "without a window");
    ASSERT_REFUSED(eglQueryString, half_of_them, "without a window");
    ASSERT_REFUSED(eglQueryString, no_surfaceless, "without a surface");
    ASSERT_REFUSED(eglGetPlatformDisplayEXT, no_display, "no driver answers");
    ASSERT_REFUSED(eglInitialize, not_initialised, "no driver answers");
    ASSERT_REFUSED(eglBindAPI, bind_no_api, "no desktop OpenGL");
    ASSERT_REFUSED(eglChooseConfig, no_config, "no desktop OpenGL");
    ASSERT_REFUSED(eglChooseConfig, none_of_the_configs, "no desktop OpenGL");
    ASSERT_REFUSED(eglCreateContext, no_context, "version 3.3");
    ASSERT_REFUSED(eglMakeCurrent, not_current, "cannot be used");
    ASSERT_REFUSED(glGetShaderiv, not_compiled, "does not compile");
    ASSERT_REFUSED(glGetProgramiv, not_linked, "do not link");
    ASSERT_REFUSED(glCheckFramebufferStatus, incomplete, "not complete");
    ASSERT_REFUSED(glGetError, some_error, "refuses");
    ASSERT_REFUSED(glGetError, NULL, "missing: glSomething");
    assert_true(has_driver());
}

static void a_driver_that_fails_later_is_told_too(void **state)
{
    (void)state;
    if (!has_driver())
        skip();
    static const float corners[3][3] = {{-0.5f, -0.5f, 0.1f}, {0.5f, -0.5f, 0.2f}, {0, 0.5f, -0.1f}};
    static const uint32_t list[] = {0};
    snag__gpu_triangles triangles = {.corners = corners, .count = 1};
    triangles.lists[0] = list;
    triangles.list_counts[0] = 1;
    failing_allocator memory;
    snag__gpu *gpu = NULL;
    snag__gpu_error error = {""};
    uint8_t met = 0;
    size_t queries = 0;
    assert_int_equal(open_gl(&memory, 0, &gpu, &error), SNAG_OK);
    const snag__gpu_backend *gl = snag__gpu_gl();
    assert_int_equal(gl->octants(gpu, &triangles, &met, &queries, &error), SNAG_OK);
    assert_int_equal(met, 1);

    __typeof__(loaded->glGetError) get_error = loaded->glGetError;
    loaded->glGetError = some_error;
    assert_int_equal(gl->octants(gpu, &triangles, &met, &queries, &error), SNAG_ERROR_UNSUPPORTED);
    loaded->glGetError = get_error;
    assert_non_null(strstr(error.message, "drawing failed"));

    __typeof__(loaded->eglBindAPI) bind = loaded->eglBindAPI;
    loaded->eglBindAPI = bind_no_api;
    assert_int_equal(gl->octants(gpu, &triangles, &met, &queries, &error), SNAG_ERROR_UNSUPPORTED);
    loaded->eglBindAPI = bind;
    assert_non_null(strstr(error.message, "cannot be used"));

    memory.fail_at = memory.calls + 1;
    assert_int_equal(gl->octants(gpu, &triangles, &met, &queries, &error), SNAG_ERROR_MEMORY);
    assert_int_equal(gl->octants(gpu, &triangles, &met, &queries, &error), SNAG_OK);
    assert_int_equal(met, 1);
    gl->close(gpu);
    gl->close(NULL);
    failing_allocator_assert_clean(&memory);

    assert_int_equal(open_gl(&memory, 1, &gpu, &error), SNAG_ERROR_MEMORY);
    assert_null(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_that_lacks_something_is_told),
        cmocka_unit_test(a_driver_that_fails_later_is_told_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 77;  // CTest: left out, this build has no OpenGL
}

#endif

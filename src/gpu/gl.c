// Overlap of triangles and boxes by occlusion queries.
// Rodriguez, Franquesa: A new sphere-tree generation method to speed up the collision detection pipeline, 2005, section 4.
//
// Each axis has a view limited to the box, and a query whether it shows any fragment of the triangles. Plain rasterisation misses
// triangles between its samples: those thinner or smaller than a pixel, or seen edge-on. Here no triangle that touches the box
// is missed, in any view:
//
// - across: a pixel that a triangle touches has its centre inside the triangle, or within half a pixel's diagonal (0.71) of one
//   of its edges. Each triangle is drawn together with its edges as bars of half width 0.8 pixels that go on for as much
//   beyond their ends; an edge seen as a point is a square.
// - in depth: the part of a triangle within a pixel has depths that differ from the one at its centre by the slopes of the
//   plane times half a pixel at most, and lies between the nearest and the farthest corner. A fragment counts if this interval,
//   widened by the error of its computation, meets the box. Small or steep triangles count by their corners alone.
//
// So each view may see too much, but never too little, and an octant is met if all three views see something.
// Differs: in the paper each view may see too little, and one view that sees something is enough. That is the plain rule, Algorithm 1
// of the paper. Its depth buffer is left out: the paper clears it after drawing the occluder, so that it hides nothing.
#ifdef SNAG_HAS_GL

#include "gpu/gpu.h"

#include "base/platform.h"
#include "gpu/gl_functions.h"

#include <stdio.h>
#include <string.h>

#define PIXELS 64  // of a view along each side: 256 take four times as long in software, and save 1 node in 1,000
#define WORD_OF(number) #number
#define WORD(macro) WORD_OF(macro)

enum { VIEWS = 3, QUERIES = 8 * VIEWS };

struct snag__gpu {
    snag__gl_functions f;
    snag_allocator allocator;
    EGLDisplay display;
    EGLContext context;
    uint64_t process;  // in which the context was created
    GLuint programs[2];  // of the complete rule, and of the plain one
    GLuint vertices, corners, indices, framebuffer, colour, queries[QUERIES];
    struct {
        GLint scale, offset, axis;
    } uniforms[2];
};

static const char vertex_source[] = "#version 330 core\n"
                                    "layout(location = 0) in vec3 corner;\n"
                                    "uniform vec3 scale, offset;\n"
                                    "uniform int axis;\n"
                                    "out vec3 at;\n"
                                    "void main() {\n"
                                    "    vec3 p = corner * scale + offset;\n"
                                    "    at = axis == 0 ? p.yzx : axis == 1 ? p.zxy : p;\n"
                                    "    gl_Position = vec4(at.xy, 0.0, 1.0);\n"
                                    "}\n";

// The plain rule: near and far plane of the view clip triangles to the box.
static const char plain_vertex_source[] = "#version 330 core\n"
                                          "layout(location = 0) in vec3 corner;\n"
                                          "uniform vec3 scale, offset;\n"
                                          "uniform int axis;\n"
                                          "void main() {\n"
                                          "    vec3 p = corner * scale + offset;\n"
                                          "    gl_Position = vec4(axis == 0 ? p.yzx : axis == 1 ? p.zxy : p, 1.0);\n"
                                          "}\n";

static const char plain_fragment_source[] = "#version 330 core\n"
                                            "out vec4 colour;\n"
                                            "void main() { colour = vec4(1.0); }\n";

static const char geometry_source[] =
    "#version 330 core\n"
    "layout(triangles) in;\n"
    "layout(triangle_strip, max_vertices = 15) out;\n"
    "in vec3 at[3];\n"
    "flat out vec2 slope, range;\n"
    "flat out vec3 base;\n"
    "flat out float slack;\n"
    "const float pixel = 2.0 / " WORD(
        PIXELS) ".0, width = 0.8 * pixel;\n"
                "float largest(vec3 p) { return max(max(abs(p.x), abs(p.y)), abs(p.z)); }\n"
                "vec2 slope_of, range_of; vec3 base_of; float slack_of;\n"
                "void put(vec2 p) {\n"
                "    slope = slope_of; range = range_of; base = base_of; slack = slack_of;\n"
                "    gl_Position = vec4(p, 0.0, 1.0);\n"
                "    EmitVertex();\n"
                "}\n"
                "void bar(vec2 a, vec2 b) {\n"
                "    vec2 way = b - a;\n"
                "    float reach = length(way);\n"
                "    vec2 along = reach > 1e-6 ? way * (width / reach) : vec2(width, 0.0);\n"
                "    vec2 beside = vec2(-along.y, along.x);\n"
                "    put(a - along - beside); put(a - along + beside); put(b + along - beside); put(b + along + beside);\n"
                "    EndPrimitive();\n"
                "}\n"
                "void main() {\n"
                "    vec3 a = at[0], u = at[1] - a, v = at[2] - a;\n"
                "    float size = max(largest(vec3(u.xy, 0.0)), largest(vec3(v.xy, 0.0)));\n"
                "    float reach = max(max(largest(at[0]), largest(at[1])), largest(at[2]));\n"
                "    float area = u.x * v.y - u.y * v.x;\n"
                "    float low = min(min(at[0].z, at[1].z), at[2].z), high = max(max(at[0].z, at[1].z), at[2].z);\n"
                "    float error = reach * 4e-6 + 1e-6;\n"
                "    range_of = vec2(low - error, high + error);\n"
                "    base_of = a;\n"
                "    if (size > 4.0 * pixel && abs(area) > 1e-3 * size * size) {\n"
                "        slope_of = vec2(u.z * v.y - v.z * u.y, v.z * u.x - u.z * v.x) / area;\n"
                "        slack_of = (abs(slope_of.x) + abs(slope_of.y)) * 0.51 * pixel\n"
                "            + error * (1.0 + abs(slope_of.x) + abs(slope_of.y)) * (1.0 + (2.0 + reach) * size / abs(area));\n"
                "    } else {\n"
                "        slope_of = vec2(0.0);\n"
                "        slack_of = high - low + error;\n"  // the interval is that of the corners
                "    }\n"
                "    put(at[0].xy); put(at[1].xy); put(at[2].xy);\n"
                "    EndPrimitive();\n"
                "    bar(at[0].xy, at[1].xy);\n"
                "    bar(at[1].xy, at[2].xy);\n"
                "    bar(at[2].xy, at[0].xy);\n"
                "}\n";

static const char fragment_source[] =
    "#version 330 core\n"
    "flat in vec2 slope, range;\n"
    "flat in vec3 base;\n"
    "flat in float slack;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    vec2 here = gl_FragCoord.xy * (2.0 / " WORD(
        PIXELS) ".0) - 1.0;\n"
                "    float depth = base.z + dot(slope, here - base.xy);\n"
                "    float low = max(depth - slack, range.x), high = min(depth + slack, range.y);\n"
                "    if (low > 1.0 || high < -1.0) discard;\n"
                "    colour = vec4(1.0);\n"
                "}\n";

static snag_status fail(snag__gpu_error *error, const char *what, const char *why)
{
    snprintf(error->message, sizeof error->message, "OpenGL: %s%s%s", what, why[0] != 0 ? ": " : "", why);
    return SNAG_ERROR_UNSUPPORTED;
}

// ---- the context: ours while we draw, then the caller's again ----

typedef struct callers {
    EGLenum api;
    EGLDisplay display;
    EGLContext context;
    EGLSurface draw, read;
} callers;

static bool take_context(const snag__gpu *gpu, callers *before)
{
    before->api = gpu->f.eglQueryAPI();
    if (!gpu->f.eglBindAPI(EGL_OPENGL_API))
        return false;
    before->display = gpu->f.eglGetCurrentDisplay();
    before->context = gpu->f.eglGetCurrentContext();
    before->draw = gpu->f.eglGetCurrentSurface(EGL_DRAW);
    before->read = gpu->f.eglGetCurrentSurface(EGL_READ);
    if (gpu->f.eglMakeCurrent(gpu->display, EGL_NO_SURFACE, EGL_NO_SURFACE, gpu->context))
        return true;
    gpu->f.eglBindAPI(before->api);
    return false;
}

static void give_back(const snag__gpu *gpu, const callers *before)
{
    if (before->context != EGL_NO_CONTEXT)
        gpu->f.eglMakeCurrent(before->display, before->draw, before->read, before->context);
    else
        gpu->f.eglMakeCurrent(gpu->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    gpu->f.eglBindAPI(before->api);
}

static bool has_extension(const char *all, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = all; at != NULL && (at = strstr(at, name)) != NULL; at += length)
        if ((at == all || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return true;
    return false;
}

static snag_status open_display(snag__gpu *gpu, snag__gpu_error *error)
{
    const char *missing = snag__gl_load(&gpu->f);
    if (missing != NULL)
        return fail(error, "no driver here has all that is needed; missing", missing);
    const char *client = gpu->f.eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!has_extension(client, "EGL_MESA_platform_surfaceless") || !has_extension(client, "EGL_EXT_platform_base"))
        return fail(error, "EGL cannot draw without a window on this machine", "no driver offers EGL_MESA_platform_surfaceless");
    gpu->display = gpu->f.eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (gpu->display == EGL_NO_DISPLAY || !gpu->f.eglInitialize(gpu->display, NULL, NULL))
        return fail(error, "no driver answers", "");
    if (!has_extension(gpu->f.eglQueryString(gpu->display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context"))
        return fail(error, "the driver has no contexts without a surface", "");
    return SNAG_OK;
}

static snag_status open_context(snag__gpu *gpu, snag__gpu_error *error)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint version[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    EGLenum api = gpu->f.eglQueryAPI();
    if (!gpu->f.eglBindAPI(EGL_OPENGL_API) || !gpu->f.eglChooseConfig(gpu->display, wanted, &config, 1, &count) || count < 1)
        return fail(error, "the driver has no desktop OpenGL", "");
    gpu->context = gpu->f.eglCreateContext(gpu->display, config, EGL_NO_CONTEXT, version);
    gpu->f.eglBindAPI(api);
    return gpu->context != EGL_NO_CONTEXT ? SNAG_OK : fail(error, "the driver makes no context of version 3.3", "");
}

// ---- program and targets ----

static GLuint compile(const snag__gpu *gpu, GLenum stage, const char *source, snag__gpu_error *error)
{
    GLuint shader = gpu->f.glCreateShader(stage);
    GLint good = 0;
    gpu->f.glShaderSource(shader, 1, &source, NULL);
    gpu->f.glCompileShader(shader);
    gpu->f.glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        return shader;
    char log[100] = "";
    gpu->f.glGetShaderInfoLog(shader, sizeof log, NULL, log);
    fail(error, "a shader does not compile", log);
    gpu->f.glDeleteShader(shader);
    return 0;
}

static snag_status make_program(snag__gpu *gpu, bool plain, snag__gpu_error *error)
{
    static const struct {
        GLenum stage;
        const char *source[2];  // complete, plain
    } stages[] = {{GL_VERTEX_SHADER, {vertex_source, plain_vertex_source}},
                  {GL_GEOMETRY_SHADER, {geometry_source, NULL}},
                  {GL_FRAGMENT_SHADER, {fragment_source, plain_fragment_source}}};
    GLuint program = gpu->programs[plain] = gpu->f.glCreateProgram();
    GLint good = 1;
    for (size_t i = 0; i < sizeof stages / sizeof *stages && good; i++) {
        if (stages[i].source[plain] == NULL)
            continue;
        GLuint shader = compile(gpu, stages[i].stage, stages[i].source[plain], error);
        good = shader != 0;
        if (!good)
            break;
        gpu->f.glAttachShader(program, shader);
        gpu->f.glDeleteShader(shader);
    }
    if (!good)
        return SNAG_ERROR_UNSUPPORTED;
    gpu->f.glLinkProgram(program);
    gpu->f.glGetProgramiv(program, GL_LINK_STATUS, &good);
    if (!good)
        return fail(error, "the shaders do not link", "");
    gpu->uniforms[plain].scale = gpu->f.glGetUniformLocation(program, "scale");
    gpu->uniforms[plain].offset = gpu->f.glGetUniformLocation(program, "offset");
    gpu->uniforms[plain].axis = gpu->f.glGetUniformLocation(program, "axis");
    return SNAG_OK;
}

// Nobody else uses the context, so this state persists.
static snag_status make_targets(snag__gpu *gpu, snag__gpu_error *error)
{
    gpu->f.glGenQueries(QUERIES, gpu->queries);
    gpu->f.glGenVertexArrays(1, &gpu->vertices);
    gpu->f.glGenBuffers(1, &gpu->corners);
    gpu->f.glGenBuffers(1, &gpu->indices);
    gpu->f.glGenRenderbuffers(1, &gpu->colour);
    gpu->f.glGenFramebuffers(1, &gpu->framebuffer);
    gpu->f.glBindRenderbuffer(GL_RENDERBUFFER, gpu->colour);
    gpu->f.glRenderbufferStorage(GL_RENDERBUFFER, GL_R8, PIXELS, PIXELS);
    gpu->f.glBindFramebuffer(GL_FRAMEBUFFER, gpu->framebuffer);
    gpu->f.glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, gpu->colour);
    if (gpu->f.glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return fail(error, "the framebuffer is not complete", "");
    gpu->f.glViewport(0, 0, PIXELS, PIXELS);
    gpu->f.glDisable(GL_CULL_FACE);
    gpu->f.glDisable(GL_DEPTH_TEST);
    gpu->f.glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    gpu->f.glBindVertexArray(gpu->vertices);
    gpu->f.glBindBuffer(GL_ARRAY_BUFFER, gpu->corners);
    gpu->f.glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->indices);
    gpu->f.glEnableVertexAttribArray(0);
    gpu->f.glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    return gpu->f.glGetError() == GL_NO_ERROR ? SNAG_OK : fail(error, "the driver refuses what drawing needs", "");
}

// Others in the process may use the display, so only our context is destroyed, and all its objects with it.
static void gl_close(snag__gpu *gpu)
{
    if (gpu == NULL)
        return;
    // After a fork the driver's threads exist only in the parent, so the child cannot destroy the context.
    if (gpu->context != EGL_NO_CONTEXT && gpu->process == snag__process_id())
        gpu->f.eglDestroyContext(gpu->display, gpu->context);
    snag_allocator allocator = gpu->allocator;
    snag__release(&allocator, gpu, 1, sizeof *gpu);
}

static snag_status gl_open(const snag_allocator *allocator, snag__gpu **gpu, snag__gpu_error *error)
{
    *gpu = NULL;
    snag__gpu *made = snag__allocate(allocator, 1, sizeof *made);
    if (made == NULL)
        return SNAG_ERROR_MEMORY;
    *made = (snag__gpu){.allocator = *allocator, .context = EGL_NO_CONTEXT, .process = snag__process_id()};
    snag_status status = open_display(made, error);
    if (status == SNAG_OK)
        status = open_context(made, error);
    callers before;
    if (status == SNAG_OK && !take_context(made, &before))
        status = fail(error, "the context cannot be used", "");
    else if (status == SNAG_OK) {
        status = make_program(made, false, error);
        if (status == SNAG_OK)
            status = make_program(made, true, error);
        if (status == SNAG_OK)
            status = make_targets(made, error);
        give_back(made, &before);
    }
    if (status != SNAG_OK) {
        gl_close(made);
        return status;
    }
    *gpu = made;
    return SNAG_OK;
}

// ---- queries ----

// Uploads the corners, and the lists of all octants one after the other as corner indices.
static snag_status upload(const snag__gpu *gpu, const snag__gpu_triangles *t)
{
    size_t total = 0;
    for (int o = 0; o < 8; o++)
        total += t->list_counts[o];
    gpu->f.glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(t->count * 3 * sizeof *t->corners), t->corners, GL_STREAM_DRAW);
    uint32_t *indices = snag__allocate(&gpu->allocator, 3 * total + 1, sizeof *indices);
    if (indices == NULL)
        return SNAG_ERROR_MEMORY;
    size_t next = 0;
    for (int o = 0; o < 8; o++)
        for (uint32_t i = 0; i < t->list_counts[o]; i++)
            for (uint32_t c = 0; c < 3; c++) {
                SNAG__ASSERT(t->lists[o][i] < t->count);
                indices[next++] = 3 * t->lists[o][i] + c;
            }
    SNAG__ASSERT(next == 3 * total);
    gpu->f.glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(next * sizeof *indices), indices, GL_STREAM_DRAW);
    snag__release(&gpu->allocator, indices, 3 * total + 1, sizeof *indices);
    return SNAG_OK;
}

// Limits the views to an octant.
static void choose_octant(const snag__gpu *gpu, const snag__gpu_triangles *t, int octant)
{
    GLfloat scale[3], offset[3];
    for (int k = 0; k < 3; k++) {
        bool cut = (t->cut >> k & 1) != 0, upper = (octant >> k & 1) != 0;
        scale[k] = cut ? 2 : 1;
        offset[k] = !cut ? 0.0f : upper ? -1.0f : 1.0f;
    }
    gpu->f.glUniform3fv(gpu->uniforms[t->plain].scale, 1, scale);
    gpu->f.glUniform3fv(gpu->uniforms[t->plain].offset, 1, offset);
}

static void look_at(const snag__gpu *gpu, const snag__gpu_triangles *t, int octant, size_t first)
{
    choose_octant(gpu, t, octant);
    // OpenGL takes an offset into the buffer as a pointer.
    uintptr_t bytes = first * 3 * sizeof(uint32_t);
    const void *start;
    memcpy(&start, &bytes, sizeof start);
    for (int axis = 0; axis < VIEWS; axis++) {
        gpu->f.glUniform1i(gpu->uniforms[0].axis, axis);
        gpu->f.glBeginQuery(GL_ANY_SAMPLES_PASSED, gpu->queries[VIEWS * octant + axis]);
        gpu->f.glDrawElements(GL_TRIANGLES, (GLsizei)(3 * t->list_counts[octant]), GL_UNSIGNED_INT, start);
        gpu->f.glEndQuery(GL_ANY_SAMPLES_PASSED);
    }
}

static snag_status draw_and_count(snag__gpu *gpu, const snag__gpu_triangles *t, uint8_t *met, size_t *queries,
                                  snag__gpu_error *error)
{
    snag_status status = upload(gpu, t);
    if (status != SNAG_OK)
        return status;
    size_t first = 0;
    for (int o = 0; o < 8; o++) {
        if (t->list_counts[o] == 0)
            continue;
        look_at(gpu, t, o, first);
        *queries += VIEWS;
        first += t->list_counts[o];
    }
    // All queries are issued before the first result is read.
    for (int o = 0; o < 8; o++) {
        GLuint seen = t->list_counts[o] > 0;
        for (int axis = 0; axis < VIEWS && seen; axis++)
            gpu->f.glGetQueryObjectuiv(gpu->queries[VIEWS * o + axis], GL_QUERY_RESULT, &seen);
        *met |= (uint8_t)((seen != 0) << o);
    }
    return gpu->f.glGetError() == GL_NO_ERROR ? SNAG_OK : fail(error, "drawing failed", "");
}

// Algorithm 1 of the paper: query after query, until one of the three views shows a fragment.
static snag_status draw_plainly(const snag__gpu *gpu, const snag__gpu_triangles *t, uint8_t *met, size_t *queries,
                                snag__gpu_error *error)
{
    gpu->f.glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(t->count * 3 * sizeof *t->corners), t->corners, GL_STREAM_DRAW);
    for (int o = 0; o < 8; o++) {
        if ((o & ~t->cut) != 0)
            continue;
        GLuint seen = 0;
        choose_octant(gpu, t, o);
        for (int axis = 0; axis < VIEWS && !seen; axis++) {
            gpu->f.glUniform1i(gpu->uniforms[1].axis, axis);
            gpu->f.glBeginQuery(GL_ANY_SAMPLES_PASSED, gpu->queries[0]);
            gpu->f.glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(3 * t->count));
            gpu->f.glEndQuery(GL_ANY_SAMPLES_PASSED);
            gpu->f.glGetQueryObjectuiv(gpu->queries[0], GL_QUERY_RESULT, &seen);
            ++*queries;
        }
        *met |= (uint8_t)((seen != 0) << o);
    }
    return gpu->f.glGetError() == GL_NO_ERROR ? SNAG_OK : fail(error, "drawing failed", "");
}

static snag_status gl_octants(snag__gpu *gpu, const snag__gpu_triangles *triangles, uint8_t *met, size_t *queries,
                              snag__gpu_error *error)
{
    callers before;
    *met = 0;
    if (gpu->process != snag__process_id())
        return fail(error, "the context is that of the parent process", "after a fork ask by the backend cpu, or in a new world");
    if (!take_context(gpu, &before))
        return fail(error, "the context cannot be used", "");
    gpu->f.glUseProgram(gpu->programs[triangles->plain]);
    snag_status status =
        triangles->plain ? draw_plainly(gpu, triangles, met, queries, error) : draw_and_count(gpu, triangles, met, queries, error);
    give_back(gpu, &before);
    return status;
}

const snag__gpu_backend *snag__gpu_gl(void)
{
    static const snag__gpu_backend backend = {gl_open, gl_close, gl_octants};
    return &backend;
}

#else

#include "gpu/gpu.h"

const snag__gpu_backend *snag__gpu_gl(void)
{
    return NULL;
}

#endif

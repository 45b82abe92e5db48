// Functions of EGL and OpenGL, found at run time: the library links to neither, so it runs where they are missing.
#ifndef SNAG_GPU_GL_FUNCTIONS_H
#define SNAG_GPU_GL_FUNCTIONS_H

#include <stdbool.h>

#define EGL_NO_X11
#include <EGL/egl.h>
// After egl.h, which they are meant to go with.
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

// F(type, name) for each function that gl.c calls.
#define SNAG__EGL_FUNCTIONS(F)                                                                                                     \
    F(PFNEGLBINDAPIPROC, eglBindAPI)                                                                                               \
    F(PFNEGLCHOOSECONFIGPROC, eglChooseConfig)                                                                                     \
    F(PFNEGLCREATECONTEXTPROC, eglCreateContext)                                                                                   \
    F(PFNEGLDESTROYCONTEXTPROC, eglDestroyContext)                                                                                 \
    F(PFNEGLGETCURRENTCONTEXTPROC, eglGetCurrentContext)                                                                           \
    F(PFNEGLGETCURRENTDISPLAYPROC, eglGetCurrentDisplay)                                                                           \
    F(PFNEGLGETCURRENTSURFACEPROC, eglGetCurrentSurface)                                                                           \
    F(PFNEGLGETPLATFORMDISPLAYEXTPROC, eglGetPlatformDisplayEXT)                                                                   \
    F(PFNEGLINITIALIZEPROC, eglInitialize)                                                                                         \
    F(PFNEGLMAKECURRENTPROC, eglMakeCurrent)                                                                                       \
    F(PFNEGLQUERYAPIPROC, eglQueryAPI)                                                                                             \
    F(PFNEGLQUERYSTRINGPROC, eglQueryString)
#define SNAG__GL_FUNCTIONS(F)                                                                                                      \
    F(PFNGLATTACHSHADERPROC, glAttachShader)                                                                                       \
    F(PFNGLBEGINQUERYPROC, glBeginQuery)                                                                                           \
    F(PFNGLBINDBUFFERPROC, glBindBuffer)                                                                                           \
    F(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer)                                                                                 \
    F(PFNGLBINDRENDERBUFFERPROC, glBindRenderbuffer)                                                                               \
    F(PFNGLBINDVERTEXARRAYPROC, glBindVertexArray)                                                                                 \
    F(PFNGLBUFFERDATAPROC, glBufferData)                                                                                           \
    F(PFNGLCHECKFRAMEBUFFERSTATUSPROC, glCheckFramebufferStatus)                                                                   \
    F(PFNGLCOLORMASKPROC, glColorMask)                                                                                             \
    F(PFNGLCOMPILESHADERPROC, glCompileShader)                                                                                     \
    F(PFNGLCREATEPROGRAMPROC, glCreateProgram)                                                                                     \
    F(PFNGLCREATESHADERPROC, glCreateShader)                                                                                       \
    F(PFNGLDELETESHADERPROC, glDeleteShader)                                                                                       \
    F(PFNGLDISABLEPROC, glDisable)                                                                                                 \
    F(PFNGLDRAWARRAYSPROC, glDrawArrays)                                                                                           \
    F(PFNGLDRAWELEMENTSPROC, glDrawElements)                                                                                       \
    F(PFNGLENABLEVERTEXATTRIBARRAYPROC, glEnableVertexAttribArray)                                                                 \
    F(PFNGLENDQUERYPROC, glEndQuery)                                                                                               \
    F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, glFramebufferRenderbuffer)                                                                 \
    F(PFNGLGENBUFFERSPROC, glGenBuffers)                                                                                           \
    F(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers)                                                                                 \
    F(PFNGLGENQUERIESPROC, glGenQueries)                                                                                           \
    F(PFNGLGENRENDERBUFFERSPROC, glGenRenderbuffers)                                                                               \
    F(PFNGLGENVERTEXARRAYSPROC, glGenVertexArrays)                                                                                 \
    F(PFNGLGETERRORPROC, glGetError)                                                                                               \
    F(PFNGLGETPROGRAMIVPROC, glGetProgramiv)                                                                                       \
    F(PFNGLGETQUERYOBJECTUIVPROC, glGetQueryObjectuiv)                                                                             \
    F(PFNGLGETSHADERINFOLOGPROC, glGetShaderInfoLog)                                                                               \
    F(PFNGLGETSHADERIVPROC, glGetShaderiv)                                                                                         \
    F(PFNGLGETUNIFORMLOCATIONPROC, glGetUniformLocation)                                                                           \
    F(PFNGLLINKPROGRAMPROC, glLinkProgram)                                                                                         \
    F(PFNGLRENDERBUFFERSTORAGEPROC, glRenderbufferStorage)                                                                         \
    F(PFNGLSHADERSOURCEPROC, glShaderSource)                                                                                       \
    F(PFNGLUNIFORM1IPROC, glUniform1i)                                                                                             \
    F(PFNGLUNIFORM3FVPROC, glUniform3fv)                                                                                           \
    F(PFNGLUSEPROGRAMPROC, glUseProgram)                                                                                           \
    F(PFNGLVERTEXATTRIBPOINTERPROC, glVertexAttribPointer)                                                                         \
    F(PFNGLVIEWPORTPROC, glViewport)

#define SNAG__GL_MEMBER(type, name) type name;
typedef struct snag__gl_functions {
    SNAG__EGL_FUNCTIONS(SNAG__GL_MEMBER)
    SNAG__GL_FUNCTIONS(SNAG__GL_MEMBER)
} snag__gl_functions;
#undef SNAG__GL_MEMBER

// Loads libEGL and finds all functions. NULL, or the name of what is missing.
const char *snag__gl_load(snag__gl_functions *functions);

#endif

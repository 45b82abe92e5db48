// Finds the functions of EGL and OpenGL in the driver's libraries.
#ifdef SNAG_HAS_GL

#include "gpu/gl_functions.h"

#include "base/platform.h"

#include <stddef.h>

typedef void function(void);

// EGL itself comes from its library; since EGL 1.5 it hands out the functions of OpenGL too, core ones included.
const char *snag__gl_load(snag__gl_functions *functions)
{
    snag__library *egl = snag__library_open("libEGL.so.1");
    if (egl == NULL)
        return "libEGL.so.1";
    PFNEGLGETPROCADDRESSPROC find = (PFNEGLGETPROCADDRESSPROC)snag__library_function(egl, "eglGetProcAddress");
    if (find == NULL)
        return "eglGetProcAddress";
#define FIND(type, name)                                                                                                           \
    {                                                                                                                              \
        function *found = snag__library_function(egl, #name);                                                                      \
        functions->name = (type)(found != NULL ? found : find(#name));                                                             \
        if (functions->name == NULL)                                                                                               \
            return #name;                                                                                                          \
    }
    SNAG__EGL_FUNCTIONS(FIND)
    SNAG__GL_FUNCTIONS(FIND)
#undef FIND
    return NULL;
}

#endif

// ISO C wants a declaration in every file.
typedef int snag__gl_functions_file;

// Shared by all headers: status codes, memory, log and task callbacks, positions.
// C17 and C++ clean; libc types only.
#ifndef SNAG_BASE_H
#define SNAG_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAG_VERSION_MAJOR 0
#define SNAG_VERSION_MINOR 2
#define SNAG_VERSION_PATCH 0
#define SNAG_VERSION "0.2.0"

// The build of the library defines SNAG_BUILDING. On Windows a program may define SNAG_SHARED when it links to the DLL, which saves a
// jump at each call (the CMake target does so); without it the same program links to the static library and to the DLL alike.
#if defined(_WIN32)
#if defined(SNAG_BUILDING)
#define SNAG_API __declspec(dllexport)
#elif defined(SNAG_SHARED)
#define SNAG_API __declspec(dllimport)
#else
#define SNAG_API
#endif
#elif defined(__GNUC__)
#define SNAG_API __attribute__((visibility("default")))
#else
#define SNAG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Every call that can fail returns one of these. The numbers are part of the ABI.
typedef enum snag_status {
    SNAG_OK = 0,
    SNAG_ERROR_ARGUMENT = 1,  // a null pointer, an unknown enum value, a number out of its range
    SNAG_ERROR_MEMORY = 2,  // the allocator returned NULL
    SNAG_ERROR_SIZE = 3,  // a count that overflows an index or a size
    SNAG_ERROR_INDEX = 4,  // an element names a vertex that does not exist
    SNAG_ERROR_NOT_FINITE = 5,  // a coordinate is NaN or infinite
    SNAG_ERROR_BODY = 6,  // a body id that is null, of a removed body, or of another world
    SNAG_ERROR_MISMATCH = 7,  // positions or a cache that do not fit the mesh they are for
    SNAG_ERROR_UNSUPPORTED = 8,  // this method cannot answer this question; this file format is not known
    SNAG_ERROR_FILE = 9,  // a file that cannot be opened, read or written
    SNAG_ERROR_FORMAT = 10,  // a file whose contents are damaged
    SNAG_ERROR_BUSY = 11,  // called from within one of its own callbacks, or by a second thread: call it when that call is over
    SNAG_ERROR_LIMIT = 12,  // reading a file takes more memory or time than the caller allows, or its callback said stop
    SNAG_ERROR_STALE = 13,  // what was kept from an earlier call, such as a set of candidates, no longer holds: make it again
} snag_status;

// The name of a status in lower case, such as "not finite". Never NULL.
SNAG_API const char *snag_status_name(snag_status status);

// The version of the library that is running, such as "0.2.0".
SNAG_API const char *snag_version(void);

// Every def begins with a cookie that its default function sets: it identifies the kind of def and the version of its layout.
// A def that was zeroed, never initialised, or filled in by a program built against another version is refused with
// SNAG_ERROR_ARGUMENT and a message that names the default function to call. Do not set cookies yourself.
#define SNAG_COOKIE(kind) (0x534e0200u | (uint32_t)(kind))

// Where memory comes from. `allocate` may return NULL at any time: the call in progress then fails with SNAG_ERROR_MEMORY and changes
// nothing. `release` gets the size that was asked for. Both run on the thread that made the call, never on worker threads, and must
// not call the object whose memory they provide.
typedef struct snag_allocator {
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *memory, size_t size);
    void *context;
} snag_allocator;

// Debug: a tree was rebuilt. Info: `auto` changed to another method. Warning: an ask met triangles without area or tetrahedra without
// volume; written once, and again when there are more.
typedef enum snag_log_level { SNAG_LOG_DEBUG = 0, SNAG_LOG_INFO = 1, SNAG_LOG_WARNING = 2 } snag_log_level;

// Receives log messages. Without one nothing is ever printed. `write` runs on the thread that called the world, while that call is
// in progress: it must not call the world. The message is one line without a line end, valid during the call of `write` only.
typedef struct snag_log {
    void (*write)(void *context, snag_log_level level, const char *message);
    void *context;
} snag_log;

// Runs the parallel tasks of a call. `run` calls task(task_context, i) once for each i in 0..count-1, in any order, on as many threads
// as it likes, and returns when all are done. Without one the world has threads of its own. Tasks compute in the default
// floating-point environment and restore that of the thread.
typedef struct snag_tasks {
    void (*run)(void *context, uint32_t count, void (*task)(void *task_context, uint32_t index), void *task_context);
    void *context;
} snag_tasks;

// Type of the coordinates in a view of positions.
typedef enum snag_scalar { SNAG_F32 = 0, SNAG_F64 = 1 } snag_scalar;

// A view of vertex positions that the caller owns; it is only read during the call it is given to.
typedef struct snag_positions {
    const void *data;  // x of the first vertex; y and z follow it
    size_t count;  // vertices
    size_t stride;  // bytes from one vertex to the next
    snag_scalar scalar;  // float or double
} snag_positions;

static inline snag_positions snag_positions_f32(const float *xyz, size_t count)
{
    snag_positions positions = {xyz, count, 3 * sizeof(float), SNAG_F32};
    return positions;
}

static inline snag_positions snag_positions_f64(const double *xyz, size_t count)
{
    snag_positions positions = {xyz, count, 3 * sizeof(double), SNAG_F64};
    return positions;
}

#ifdef __cplusplus
}
#endif

#endif

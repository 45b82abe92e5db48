#include "snag/base.h"

const char *snag_status_name(snag_status status)
{
    switch (status) {
    case SNAG_OK: return "ok";
    case SNAG_ERROR_ARGUMENT: return "bad argument";
    case SNAG_ERROR_MEMORY: return "out of memory";
    case SNAG_ERROR_SIZE: return "too large";
    case SNAG_ERROR_INDEX: return "index out of range";
    case SNAG_ERROR_NOT_FINITE: return "not finite";
    case SNAG_ERROR_BODY: return "no such body";
    case SNAG_ERROR_MISMATCH: return "mismatch";
    case SNAG_ERROR_UNSUPPORTED: return "not supported";
    case SNAG_ERROR_FILE: return "file error";
    case SNAG_ERROR_FORMAT: return "damaged file";
    case SNAG_ERROR_BUSY: return "busy";
    case SNAG_ERROR_LIMIT: return "over a limit";
    case SNAG_ERROR_STALE: return "stale";
    }
    return "unknown status";
}

const char *snag_version(void)
{
    return SNAG_VERSION;
}

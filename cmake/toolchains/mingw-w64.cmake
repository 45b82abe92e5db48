# Windows by mingw-w64; tests run under wine (packages: script/packages, group windows). Programs carry the compiler's libraries in
# themselves, so that they run where mingw-w64 is not installed.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} /usr/x86_64-w64-mingw32/lib/pkgconfig)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static-libgcc -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic")
# Debian keeps wine's loader off PATH.
find_program(SNAG_WINE NAMES wine64 wine PATHS /usr/lib/wine)
if(SNAG_WINE)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${SNAG_WINE})
endif()

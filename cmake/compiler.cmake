# Flags of the compilers: GCC, Clang, Apple Clang, mingw-w64, clang-cl.
# clang-cl takes most of Clang's options behind /clang: only.
set(clang_prefix "")
if(CMAKE_C_COMPILER_ID MATCHES "Clang" AND CMAKE_C_SIMULATE_ID STREQUAL "MSVC")
    set(clang_prefix "/clang:")
endif()
if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    message(WARNING "snag is built by GCC and Clang; ${CMAKE_C_COMPILER_ID} has not been tried")
endif()

# The same bits for every instruction set: no fused multiply-add behind our back.
add_compile_options(${clang_prefix}-ffp-contract=off)
if(clang_prefix)
    add_compile_options(/W3)
    add_compile_definitions(_CRT_SECURE_NO_WARNINGS=1 _CRT_NONSTDC_NO_WARNINGS=1)
else()
    add_compile_options(-Wall -Wextra)
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wshadow>)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
    # Where it has taken a function's parameters apart, GCC 11 looks for the bounds of an array at another one.
    add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wno-stringop-overflow> $<$<COMPILE_LANGUAGE:C>:-Wno-stringop-overread>)
endif()
# s390x alone computes floats as doubles under ISO C; error bounds and equal bytes want floats.
include(CheckCSourceCompiles)
check_c_source_compiles("#include <float.h>
                         _Static_assert(FLT_EVAL_METHOD == 0, \"floats are not floats\");
                         int main(void) { return 0; }" SNAG_FLOATS_ARE_FLOATS)
if(NOT SNAG_FLOATS_ARE_FLOATS)
    add_compile_options(-fexcess-precision=fast)
endif()
if(MINGW)
    # printf of C99, with %zu, instead of that of Windows.
    add_compile_definitions(__USE_MINGW_ANSI_STDIO=1)
    # Its warnings are about the printf of Windows; those about ours come from the builds for other systems.
    add_compile_options(-Wno-format -Wno-format-extra-args)
endif()

# The mathematical library where it is one of its own.
set(math_links "")
if(NOT WIN32)
    set(math_links m)
endif()
# What installed programs and libraries call their own folder.
set(own_folder "$ORIGIN")
if(APPLE)
    set(own_folder "@loader_path")
endif()

# The libraries and the tool. A source file put into a layer's folder is built; nothing else needs to be told.

# ---- core: src/<layer>/*.c, kernels (*_kernel.c) once per instruction set ----
set(layers base geom mesh bound method world response gpu)
set(core_sources "")
set(kernel_sources "")
foreach(layer IN LISTS layers)
    file(GLOB layer_sources CONFIGURE_DEPENDS src/${layer}/*.c)
    foreach(source IN LISTS layer_sources)
        if(source MATCHES "_kernel\\.c$")
            list(APPEND kernel_sources ${source})
        else()
            list(APPEND core_sources ${source})
        endif()
    endforeach()
endforeach()

set(SNAG_LEVELS "v2;v3;v4" CACHE STRING "Levels of x86-64 that get wide kernels, such as v2;v3")
set(isa_names scalar)
set(isa_flags_scalar "-DSNAG_KERNEL_SCALAR=1")
set(isa_definitions "")
if(SNAG_SIMD AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    foreach(level IN LISTS SNAG_LEVELS)
        list(APPEND isa_names ${level})
        set(isa_flags_${level} "-march=x86-64-${level}")
        string(TOUPPER ${level} level_upper)
        list(APPEND isa_definitions SNAG_HAS_${level_upper}=1)
    endforeach()
    # Kernels use whole 512-bit vectors; without this the compiler keeps to 256.
    list(APPEND isa_flags_v4 "-mprefer-vector-width=512")
elseif(SNAG_SIMD AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND isa_names neon)
    list(APPEND isa_definitions SNAG_HAS_NEON=1)
endif()

set(kernel_objects "")
foreach(isa IN LISTS isa_names)
    if(kernel_sources)
        add_library(snag_kernels_${isa} OBJECT ${kernel_sources})
        target_include_directories(snag_kernels_${isa} PRIVATE include src)
        target_compile_definitions(snag_kernels_${isa} PRIVATE SNAG_KERNEL_ISA=${isa})
        # Vectors wider than the set's registers are passed between static functions only: their ABI concerns nobody.
        target_compile_options(snag_kernels_${isa} PRIVATE ${isa_flags_${isa}} -Wno-psabi)
        # Loops over lanes must be unrolled, which -O2 leaves undone: half the speed.
        target_compile_options(snag_kernels_${isa} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
        list(APPEND kernel_objects $<TARGET_OBJECTS:snag_kernels_${isa}>)
    endif()
endforeach()

# Objects are made once; the library exports the public functions only, and tests link the objects to look inside.
add_library(snag_objects OBJECT ${core_sources})
target_include_directories(snag_objects PUBLIC include PRIVATE src)
target_compile_definitions(snag_objects PRIVATE ${isa_definitions})

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# The OpenGL backend: functions of OpenGL and EGL through libepoxy. Libraries by their names alone, so that an installed
# static library does not name a path of the machine it was built on.
set(gl_links "")
if(SNAG_GL)
    find_package(PkgConfig QUIET)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(SNAG_GL_LIBRARY QUIET epoxy)
        pkg_check_modules(SNAG_GL_EGL QUIET egl)  # for its headers
    endif()
    if(SNAG_GL_LIBRARY_FOUND AND SNAG_GL_EGL_FOUND)
        set_source_files_properties(src/gpu/gl.c PROPERTIES COMPILE_DEFINITIONS SNAG_HAS_GL=1
                                    INCLUDE_DIRECTORIES "${SNAG_GL_LIBRARY_INCLUDE_DIRS}")
        set(gl_links ${SNAG_GL_LIBRARY_LIBRARIES} ${CMAKE_DL_LIBS})
    endif()
endif()

add_library(snag $<TARGET_OBJECTS:snag_objects> ${kernel_objects})
add_library(snag::snag ALIAS snag)
target_include_directories(snag PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                       $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(snag PRIVATE m Threads::Threads ${gl_links})
set_target_properties(snag PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# What tests, benches and fuzzers link: the same objects, with internal symbols in reach.
add_library(snag_inside STATIC $<TARGET_OBJECTS:snag_objects> ${kernel_objects})
target_include_directories(snag_inside PUBLIC include src)
target_compile_definitions(snag_inside PUBLIC ${isa_definitions})
target_link_libraries(snag_inside PUBLIC m Threads::Threads ${gl_links})

# ---- around the core: public headers only ----
# Objects are made once here too: NAME is the library for users, NAME_inside the same linked with the inside of the core, so
# that there is one core in a test, bench or fuzzer.
function(snag_around name folder)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    add_library(${name}_objects OBJECT ${sources})
    target_include_directories(${name}_objects PRIVATE include)
    add_library(${name} $<TARGET_OBJECTS:${name}_objects>)
    add_library(snag::${name} ALIAS ${name})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${name} PUBLIC snag PRIVATE m)
    set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    add_library(${name}_inside STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${name}_objects>)
    target_include_directories(${name}_inside PUBLIC include ${folder})
    target_link_libraries(${name}_inside PUBLIC snag_inside m)
endfunction()
snag_around(snag_io io)

# By its name, so that an installed library does not name a path of the machine it was built on.
if(SNAG_ASSIMP)
    find_path(ASSIMP_INCLUDE assimp/cimport.h)
    find_library(ASSIMP_LIBRARY assimp)
endif()
if(SNAG_ASSIMP AND ASSIMP_INCLUDE AND ASSIMP_LIBRARY)
    target_compile_definitions(snag_io_objects PRIVATE SNAG_ASSIMP=1)
    target_compile_definitions(snag_io_inside PUBLIC SNAG_ASSIMP=1)
    target_link_libraries(snag_io PRIVATE assimp)
    target_link_libraries(snag_io_inside PUBLIC assimp)
    set(io_private_links "-lassimp -lm")
else()
    message(STATUS "Without assimp: FBX, COLLADA and 3MF are not read")
    set(io_private_links "-lm")
endif()
snag_around(snag_sim sim)

# What the tool, benches and tests measure and judge with: scenes posed by arithmetic, and the papers' own ways.
file(GLOB bench_shared CONFIGURE_DEPENDS bench/*.c sim/posed/*.c)
list(FILTER bench_shared EXCLUDE REGEX "/bench_[^/]*\\.c$")
add_library(snag_bench_objects OBJECT ${bench_shared})
target_include_directories(snag_bench_objects PRIVATE include bench sim/posed)

include(cmake/page.cmake)

# The tool: its parts without main are for the tests of cli too.
file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.c$")
if(cli_sources)
    add_library(snag_cli_objects OBJECT ${cli_sources})
    target_include_directories(snag_cli_objects PRIVATE include bench sim/posed)
    add_executable(snag_tool cli/main.c $<TARGET_OBJECTS:snag_cli_objects> $<TARGET_OBJECTS:snag_bench_objects>)
    target_link_libraries(snag_cli_objects PRIVATE snag_page)
    target_link_libraries(snag_tool PRIVATE snag snag_io snag_sim snag_page m)
    set_target_properties(snag_tool PROPERTIES OUTPUT_NAME snag)
    # Pages of results say how they were made.
    string(TOUPPER ${CMAKE_BUILD_TYPE} build_type)
    set_source_files_properties(cli/machine.c PROPERTIES COMPILE_DEFINITIONS
                                "SNAG_BUILD_FLAGS=\"${CMAKE_BUILD_TYPE} ${CMAKE_C_FLAGS_${build_type}}\"")
endif()

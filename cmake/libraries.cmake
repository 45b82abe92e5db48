# The libraries and the tool. A source file put into a layer's folder is built; nothing else needs to be told.

# ---- core: src/<layer>/*.c, kernels (*_kernel.c) once per instruction set ----
set(layers base geom mesh bound probe query method world response gpu)
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

# Counters of lines and branches. Threads count too. Nothing is inlined and as little as possible optimised, so that the branches
# counted are those written; kernels get -O1, without which their tests take minutes.
set(coverage_flags "")
set(kernel_coverage_flags "")
if(SNAG_COVERAGE)
    set(coverage_flags --coverage -fprofile-update=atomic -Dalways_inline=unused -O0)
    set(kernel_coverage_flags ${coverage_flags} -O1 -fno-inline -fno-ssa-phiopt)
    add_link_options(--coverage)
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
        target_compile_options(snag_kernels_${isa} PRIVATE ${kernel_coverage_flags})
        list(APPEND kernel_objects $<TARGET_OBJECTS:snag_kernels_${isa}>)
    endif()
endforeach()

# Objects are made once; the library exports the public functions only, and tests link the objects to look inside.
add_library(snag_objects OBJECT ${core_sources})
target_include_directories(snag_objects PUBLIC include PRIVATE src)
target_compile_definitions(snag_objects PRIVATE SNAG_BUILDING=1 ${isa_definitions})
target_compile_options(snag_objects PRIVATE ${coverage_flags})

set(THREADS_PREFER_PTHREAD_FLAG ON)
set(thread_links "")
set(inside_definitions "")
if(SNAG_THREADS)
    find_package(Threads)
    if(NOT Threads_FOUND)
        message(WARNING "No threads on this system: the library will do all work on the calling thread (SNAG_THREADS=OFF says so)")
    endif()
endif()
if(SNAG_THREADS AND Threads_FOUND)
    set(thread_links Threads::Threads)
else()
    list(APPEND inside_definitions SNAG_NO_THREADS=1)
    target_compile_definitions(snag_objects PRIVATE SNAG_NO_THREADS=1)
endif()

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
        set(gl_links ${SNAG_GL_LIBRARY_LIBRARIES})
    endif()
endif()

add_library(snag $<TARGET_OBJECTS:snag_objects> ${kernel_objects})
add_library(snag::snag ALIAS snag)
target_include_directories(snag PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                       $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(snag PRIVATE m ${thread_links} ${CMAKE_DL_LIBS} ${gl_links})
set_target_properties(snag PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# What tests, benches and fuzzers link: the same objects, with internal symbols in reach.
set(inside_type STATIC)
if(SNAG_SHARED_INSIDE)
    set(inside_type SHARED)
endif()
add_library(snag_inside ${inside_type} $<TARGET_OBJECTS:snag_objects> ${kernel_objects})
target_include_directories(snag_inside PUBLIC include src)
target_compile_definitions(snag_inside PUBLIC ${isa_definitions} ${inside_definitions})
target_link_libraries(snag_inside PUBLIC m ${thread_links} ${CMAKE_DL_LIBS} ${gl_links})

# ---- around the core: public headers only ----
# Objects are made once here too: NAME is the library for users, NAME_inside the same linked with the inside of the core, so
# that there is one core in a test, bench or fuzzer.
function(snag_around name folder)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    add_library(${name}_objects OBJECT ${sources})
    target_include_directories(${name}_objects PRIVATE include)
    target_compile_definitions(${name}_objects PRIVATE SNAG_BUILDING=1)
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

# Libraries by their names, so that an installed library does not name a path of the machine it was built on.
find_package(ZLIB REQUIRED)
target_include_directories(snag_io_objects PRIVATE ${ZLIB_INCLUDE_DIRS})
target_link_libraries(snag_io PRIVATE z)
target_link_libraries(snag_io_inside PUBLIC z)
set(io_private_links "-lz -lm")

if(SNAG_ASSIMP)
    find_path(ASSIMP_INCLUDE assimp/cimport.h)
    find_library(ASSIMP_LIBRARY assimp)
endif()
if(SNAG_ASSIMP AND ASSIMP_INCLUDE AND ASSIMP_LIBRARY)
    target_compile_definitions(snag_io_objects PRIVATE SNAG_ASSIMP=1)
    target_compile_definitions(snag_io_inside PUBLIC SNAG_ASSIMP=1)
    target_link_libraries(snag_io PRIVATE assimp)
    target_link_libraries(snag_io_inside PUBLIC assimp)
    set(io_private_links "-lassimp ${io_private_links}")
else()
    message(STATUS "Without assimp: FBX and COLLADA are not read")
endif()
snag_around(snag_sim sim)

# What the Python package loads beside them. It links to no Python, and is of no use without the package.
if(BUILD_SHARED_LIBS AND NOT SNAG_SANITIZE)
    add_library(snag_python SHARED python/native/snag_python.c)
    target_include_directories(snag_python PRIVATE include)
    target_link_libraries(snag_python PRIVATE ${thread_links})
    # It has no header: Python finds its functions by name.
    target_compile_options(snag_python PRIVATE -Wno-missing-prototypes)
endif()

# What lab, benches and tests measure and judge with: scenes posed by arithmetic, and the papers' own ways.
file(GLOB papers_sources CONFIGURE_DEPENDS lab/papers/*.c sim/posed/*.c)
add_library(snag_papers_objects OBJECT EXCLUDE_FROM_ALL ${papers_sources})
target_include_directories(snag_papers_objects PRIVATE include)
# Scenes that benches and tests read from files, or that are tangled on purpose.
file(GLOB bench_shared CONFIGURE_DEPENDS bench/*.c)
list(FILTER bench_shared EXCLUDE REGEX "/bench_[^/]*\\.c$")
add_library(snag_bench_objects OBJECT EXCLUDE_FROM_ALL ${bench_shared})
target_include_directories(snag_bench_objects PRIVATE include bench sim/posed)

include(cmake/page.cmake)

# The tool: its parts without main are for the tests of cli too.
file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c)
list(FILTER cli_sources EXCLUDE REGEX "/main\\.c$")
if(cli_sources)
    add_library(snag_cli_objects OBJECT ${cli_sources})
    target_include_directories(snag_cli_objects PRIVATE include)
    add_executable(snag_tool cli/main.c $<TARGET_OBJECTS:snag_cli_objects>)
    target_link_libraries(snag_cli_objects PRIVATE snag_page)
    target_link_libraries(snag_tool PRIVATE snag snag_io snag_sim snag_page m)
    set_target_properties(snag_tool PROPERTIES OUTPUT_NAME snag)
endif()

# ---- lab: snag-bench and snag-repro, which `snag bench` and `snag repro` start ----
file(GLOB lab_sources CONFIGURE_DEPENDS lab/*.c)
list(FILTER lab_sources EXCLUDE REGEX "/main_[^/]*\\.c$")
add_library(snag_lab_objects OBJECT EXCLUDE_FROM_ALL ${lab_sources})
target_include_directories(snag_lab_objects PRIVATE include)
# Pages of results say how they were made.
string(TOUPPER ${CMAKE_BUILD_TYPE} build_type)
set_source_files_properties(lab/machine.c PROPERTIES COMPILE_DEFINITIONS
                            "SNAG_BUILD_FLAGS=\"${CMAKE_BUILD_TYPE} ${CMAKE_C_FLAGS_${build_type}}\"")
if(SNAG_LAB)
    add_custom_target(snag_lab)
    foreach(verb IN ITEMS bench repro)
        add_executable(snag_lab_${verb} lab/main_${verb}.c $<TARGET_OBJECTS:snag_lab_objects> $<TARGET_OBJECTS:snag_papers_objects>
                       $<TARGET_OBJECTS:snag_cli_objects>)
        target_link_libraries(snag_lab_${verb} PRIVATE snag snag_io snag_sim snag_page m)
        # Beside the tool, which looks there first.
        set_target_properties(snag_lab_${verb} PROPERTIES OUTPUT_NAME snag-${verb})
        add_dependencies(snag_lab snag_lab_${verb})
    endforeach()
endif()

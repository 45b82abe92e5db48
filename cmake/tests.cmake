# Each test/<layer>/test_*.c is a program of its own under CTest, named <layer>/<what>. Tests look inside the core.
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_library(GMP_LIBRARY gmp REQUIRED)

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS test/*/test_*.c)
file(GLOB helper_sources CONFIGURE_DEPENDS test/helpers/*.c)
add_library(snag_test_helpers STATIC ${helper_sources})
target_include_directories(snag_test_helpers PUBLIC test)
# Scenes and the papers' own ways, which tests take as a second witness.
target_sources(snag_test_helpers PRIVATE $<TARGET_OBJECTS:snag_bench_objects>)
target_include_directories(snag_test_helpers PUBLIC bench)
target_link_libraries(snag_test_helpers PUBLIC snag_inside PkgConfig::CMOCKA ${GMP_LIBRARY} m)

# The tool's parts without its main, for the tests of cli.
if(cli_sources)
    add_library(snag_cli_inside STATIC $<TARGET_OBJECTS:snag_cli_objects>)
    target_include_directories(snag_cli_inside PUBLIC cli)
    target_link_libraries(snag_cli_inside PUBLIC snag_io_inside snag_sim_inside snag_test_helpers snag_page)
endif()

# Threads that wait sleep, instead of taking the processor from other tests.
set(test_environment "OMP_WAIT_POLICY=passive;SNAG_DATA=${CMAKE_CURRENT_SOURCE_DIR}/../shared/data;SNAG_SOURCE=${CMAKE_CURRENT_SOURCE_DIR}")
if(TARGET snag_tool)
    list(APPEND test_environment "SNAG_TOOL=$<TARGET_FILE:snag_tool>")
endif()
foreach(source IN LISTS test_sources)
    cmake_path(GET source STEM stem)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME layer)
    string(REGEX REPLACE "^test_" "" what ${stem})
    set(target ${stem}_${layer})
    add_executable(${target} ${source})
    target_link_libraries(${target} PRIVATE snag_test_helpers snag_io_inside snag_sim_inside)
    # Readers, writers and the tool take no allocator: their tests refuse memory through test/helpers/failing_malloc.c.
    if(layer MATCHES "^(io|cli)$")
        target_link_options(${target} PRIVATE "LINKER:--wrap=malloc,--wrap=calloc,--wrap=realloc,--undefined=__wrap_malloc")
    endif()
    if(layer STREQUAL "cli")
        target_link_libraries(${target} PRIVATE snag_cli_inside)
        add_dependencies(${target} snag_tool)
    endif()
    add_test(NAME ${layer}/${what} COMMAND ${target})
    set_tests_properties(${layer}/${what} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT 600)
    # What brings threads of its own also runs under ThreadSanitizer.
    if(what MATCHES "threads")
        set_tests_properties(${layer}/${what} PROPERTIES LABELS threads)
    endif()
endforeach()

# Programs that a user would write, linked against the public library alone, compiled and run.
foreach(example IN ITEMS hello.c hello.cpp response.c)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/${example})
        string(REPLACE "." "_" target example_${example})
        add_executable(${target} examples/${example})
        target_link_libraries(${target} PRIVATE snag m)
        add_test(NAME examples/${example} COMMAND ${target})
    endif()
endforeach()

# Shell tests of scripts, layers and the installed package.
file(GLOB shell_tests CONFIGURE_DEPENDS test/*/test_*.sh)
foreach(source IN LISTS shell_tests)
    cmake_path(GET source STEM stem)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME layer)
    string(REGEX REPLACE "^test_" "" what ${stem})
    add_test(NAME ${layer}/${what} COMMAND bash ${source} ${CMAKE_CURRENT_BINARY_DIR} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set_tests_properties(${layer}/${what} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT 600
                         SKIP_RETURN_CODE 77)
endforeach()

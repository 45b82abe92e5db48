# The tool, and what lab, benches and tests share.

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
if(SNAG_TOOL AND cli_sources)
    add_library(snag_cli_objects OBJECT ${cli_sources})
    target_include_directories(snag_cli_objects PRIVATE include)
    add_executable(snag_tool cli/main.c $<TARGET_OBJECTS:snag_cli_objects>)
    target_link_libraries(snag_cli_objects PRIVATE snag_page)
    if(WIN32)
        # A shared snag_io keeps its copy to itself; a static one has it already, and then nothing is taken from here.
        add_library(snag_system STATIC common/system_windows.c)
        target_link_libraries(snag_page INTERFACE snag_system)
    endif()
    target_link_libraries(snag_tool PRIVATE snag snag_io snag_sim snag_page ${math_links})
    set_target_properties(snag_tool PROPERTIES OUTPUT_NAME snag)
endif()

# ---- lab: snag-bench and snag-repro, which `snag bench` and `snag repro` start ----
file(GLOB lab_sources CONFIGURE_DEPENDS lab/*.c)
list(FILTER lab_sources EXCLUDE REGEX "/main_[^/]*\\.c$")
add_library(snag_lab_objects OBJECT EXCLUDE_FROM_ALL ${lab_sources})
target_include_directories(snag_lab_objects PRIVATE include)
# Pages of results say how they were made.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
set_source_files_properties(lab/machine.c PROPERTIES COMPILE_DEFINITIONS
                            "SNAG_BUILD_FLAGS=\"${CMAKE_BUILD_TYPE} ${CMAKE_C_FLAGS_${build_type}}\"")
if(SNAG_LAB)
    add_custom_target(snag_lab)
    foreach(verb IN ITEMS bench repro)
        add_executable(snag_lab_${verb} lab/main_${verb}.c $<TARGET_OBJECTS:snag_lab_objects> $<TARGET_OBJECTS:snag_papers_objects>
                       $<TARGET_OBJECTS:snag_cli_objects>)
        target_link_libraries(snag_lab_${verb} PRIVATE snag snag_io snag_sim snag_page ${math_links})
        # Beside the tool, which looks there first.
        set_target_properties(snag_lab_${verb} PROPERTIES OUTPUT_NAME snag-${verb})
        add_dependencies(snag_lab snag_lab_${verb})
    endforeach()
    # Counts what ranks would exchange, by itself.
    add_executable(snag_lab_scale lab/main_scale.c)
    target_link_libraries(snag_lab_scale PRIVATE snag_io snag ${math_links})
    set_target_properties(snag_lab_scale PROPERTIES OUTPUT_NAME snag-scale)
    add_dependencies(snag_lab snag_lab_scale)
endif()

# libsnag_mpi, snag-mpi and their tests: one world over many ranks. Only where MPI and Zoltan are found (script/mpi installs them).
find_package(MPI COMPONENTS C)
# Debian's package of Zoltan has no pkg-config file, and its CMake package does not work.
find_path(ZOLTAN_INCLUDE zoltan.h PATH_SUFFIXES trilinos)
find_library(ZOLTAN_LIBRARY NAMES trilinos_zoltan zoltan)
if(NOT MPI_C_FOUND OR NOT ZOLTAN_INCLUDE OR NOT ZOLTAN_LIBRARY)
    message(FATAL_ERROR "SNAG_MPI needs MPI and Zoltan; on Debian: libopenmpi-dev openmpi-bin libtrilinos-zoltan-dev (script/mpi installs them)")
endif()

file(GLOB mpi_sources CONFIGURE_DEPENDS mpi/*.c)
list(FILTER mpi_sources EXCLUDE REGEX "/(main_mpi|check_ranks|bench_ranks)\\.c$")
add_library(snag_mpi ${mpi_sources})
add_library(snag::snag_mpi ALIAS snag_mpi)
target_include_directories(snag_mpi PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> PRIVATE ${ZOLTAN_INCLUDE})
target_compile_definitions(snag_mpi PRIVATE _POSIX_C_SOURCE=200809L)
target_link_libraries(snag_mpi PUBLIC snag PRIVATE MPI::MPI_C ${ZOLTAN_LIBRARY} m)
set_target_properties(snag_mpi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                      INSTALL_RPATH "$ORIGIN")
install(TARGETS snag_mpi)

if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/mpi/main_mpi.c)
    add_executable(snag_mpi_tool mpi/main_mpi.c mpi/check_ranks.c $<TARGET_OBJECTS:snag_cli_objects>)
    target_link_libraries(snag_mpi_tool PRIVATE snag_mpi snag snag_io snag_sim snag_page MPI::MPI_C m)
    target_include_directories(snag_mpi_tool PRIVATE include)
    file(RELATIVE_PATH mpi_to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(snag_mpi_tool PROPERTIES OUTPUT_NAME snag-mpi INSTALL_RPATH "$ORIGIN/${mpi_to_libraries}")
    install(TARGETS snag_mpi_tool)
endif()

# Run by script/mpi test, on several numbers of ranks.
file(GLOB mpi_tests CONFIGURE_DEPENDS test/mpi/*.c)
foreach(source IN LISTS mpi_tests)
    get_filename_component(stem ${source} NAME_WE)
    add_executable(mpi_${stem} ${source})
    target_link_libraries(mpi_${stem} PRIVATE snag_mpi snag MPI::MPI_C m)
endforeach()
foreach(example IN ITEMS mpi_cloth)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/${example}.c)
        add_executable(example_${example} examples/${example}.c)
        target_link_libraries(example_${example} PRIVATE snag_mpi snag_sim snag MPI::MPI_C m)
    endif()
endforeach()

# Not run by a test: what an ask over ranks costs (docs/design/scale.md).
add_executable(bench_mpi_ranks mpi/bench_ranks.c)
target_link_libraries(bench_mpi_ranks PRIVATE snag_mpi snag MPI::MPI_C m)

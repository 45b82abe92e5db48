# Each bench/bench_*.c and bench/peers/cgal_*.cpp is a program of its own; cmake/peers.cmake makes one of the other peers.
# Peers are built where their package is installed.
# The other files of bench/ are scenes that programs share; the papers' own ways are in lab/papers.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/bench_*.c)
foreach(source IN LISTS bench_sources)
    get_filename_component(stem ${source} NAME_WE)
    add_executable(${stem} ${source} $<TARGET_OBJECTS:snag_bench_objects> $<TARGET_OBJECTS:snag_papers_objects>)
    target_link_libraries(${stem} PRIVATE snag_io_inside snag_sim_inside m)
    target_include_directories(${stem} PRIVATE bench lab/papers sim/posed)
endforeach()

find_package(CGAL QUIET)
if(CGAL_FOUND)
    file(GLOB cgal_sources CONFIGURE_DEPENDS bench/peers/cgal_*.cpp)
    foreach(source IN LISTS cgal_sources)
        get_filename_component(stem ${source} NAME_WE)
        add_executable(${stem} ${source})
        target_link_libraries(${stem} PRIVATE CGAL::CGAL snag_io_inside m)
        target_include_directories(${stem} PRIVATE bench lab/papers sim/posed)
    endforeach()
endif()

include(cmake/peers.cmake)

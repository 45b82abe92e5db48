# bench_peers: snag beside other libraries. Each adapter bench/peers/peer_NAME*.cpp is built where its library is
# installed; the program says which it lacks.
add_executable(bench_peers bench/peers/bench_peers.c bench/peers/peers.c bench/peers/refit.c bench/peers/proximity_check.c
               bench/peers/peer_rows.c bench/peers/tet_bench.c
               cli/json.c lab/machine.c lab/page.c cli/progress.c cli/words.c $<TARGET_OBJECTS:snag_bench_objects>
               $<TARGET_OBJECTS:snag_papers_objects>)
target_include_directories(bench_peers PRIVATE bench lab/papers sim/posed)
target_link_libraries(bench_peers PRIVATE snag_io_inside snag_sim_inside m)

# An adapter is compiled by itself, so that no library's flags reach another's or ours. For the common processor, as the
# libraries are: a wider one would change the layout of what Eigen aligns (and the times by a few percent).
function(snag_peer name)
    string(TOUPPER ${name} upper)
    file(GLOB sources CONFIGURE_DEPENDS bench/peers/peer_${name}.cpp bench/peers/peer_${name}_*.cpp)
    add_library(snag_peer_${name} OBJECT ${sources})
    target_link_libraries(snag_peer_${name} PRIVATE snag_inside ${ARGN})
    target_sources(bench_peers PRIVATE $<TARGET_OBJECTS:snag_peer_${name}>)
    target_link_libraries(bench_peers PRIVATE ${ARGN})
    target_compile_definitions(bench_peers PRIVATE SNAG_PEER_${upper}=1)
endfunction()

find_package(embree 3 QUIET)
if(embree_FOUND)
    snag_peer(embree embree)
    # Points and rays, snag beside Embree.
    add_executable(bench_queries bench/peers/embree_queries.cpp)
    target_link_libraries(bench_queries PRIVATE snag_inside embree m)
endif()

find_package(CGAL QUIET)
if(CGAL_FOUND)
    snag_peer(cgal CGAL::CGAL)
    # TBB, which comes with Embree, lets CGAL use threads. Where it is not for building with (its library alone came with
    # something else), CGAL's search still makes a target, without headers.
    find_package(TBB QUIET)
    if(TARGET TBB::tbb)
        get_target_property(tbb_headers TBB::tbb INTERFACE_INCLUDE_DIRECTORIES)
    endif()
    if(tbb_headers)
        target_link_libraries(snag_peer_cgal PRIVATE TBB::tbb)
        target_compile_definitions(snag_peer_cgal PRIVATE CGAL_LINKED_WITH_TBB)
        target_link_libraries(bench_peers PRIVATE TBB::tbb)
    endif()
endif()

# Their folders and libraries only: the flags of some ask for another C++ than ours.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    foreach(name IN ITEMS fcl bullet gts)
        pkg_check_modules(peer_${name} QUIET ${name})
        if(peer_${name}_FOUND)
            snag_peer(${name} ${peer_${name}_LINK_LIBRARIES})
            target_include_directories(snag_peer_${name} SYSTEM PRIVATE ${peer_${name}_INCLUDE_DIRS})
        endif()
    endforeach()
endif()

# bench_regions compares with FCL's distance.
if(TARGET snag_peer_fcl)
    target_sources(bench_regions PRIVATE $<TARGET_OBJECTS:snag_peer_fcl>)
    target_link_libraries(bench_regions PRIVATE ${peer_fcl_LINK_LIBRARIES})
    target_compile_definitions(bench_regions PRIVATE SNAG_PEER_FCL=1)
endif()

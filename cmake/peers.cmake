# bench_peers: snag beside other libraries. Each adapter bench/peers/peer_NAME.cpp is built where its library is
# installed; the program says which it lacks.
set(peer_sources bench/peers/bench_peers.c bench/peers/peers.c cli/json.c ${bench_shared})
set(peer_links "")
set(peer_definitions "")

function(snag_peer name)
    string(TOUPPER ${name} upper)
    set(peer_sources ${peer_sources} bench/peers/peer_${name}.cpp PARENT_SCOPE)
    set(peer_links ${peer_links} ${ARGN} PARENT_SCOPE)
    set(peer_definitions ${peer_definitions} SNAG_PEER_${upper}=1 PARENT_SCOPE)
endfunction()

find_package(embree 3 QUIET)
if(embree_FOUND)
    snag_peer(embree embree)
endif()

add_executable(bench_peers ${peer_sources})
target_include_directories(bench_peers PRIVATE bench)
target_compile_definitions(bench_peers PRIVATE ${peer_definitions})
target_link_libraries(bench_peers PRIVATE ${peer_links} snag_io_inside snag_sim_inside m)

# What `cmake --install` puts where: headers, libraries, the tool, pkg-config files and a CMake package.
# Everything installed finds its neighbours by relative paths, so the whole may be moved.
include(CMakePackageConfigHelpers)

foreach(library IN LISTS snag_libraries)
    set_target_properties(${library} PROPERTIES INSTALL_RPATH "${own_folder}")
endforeach()
install(TARGETS ${snag_libraries} EXPORT snagTargets)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/snag)
if(TARGET snag_python)
    # Of no use without the package, which is packed by python/tools: cmake --install ... --component python
    install(TARGETS snag_python LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT python EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY include/snag DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN mpi.h EXCLUDE)
if(SNAG_MPI)
    install(FILES include/snag/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/snag)
endif()

if(TARGET snag_tool)
    file(RELATIVE_PATH tool_to_libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(snag_tool PROPERTIES INSTALL_RPATH "${own_folder}/${tool_to_libraries}")
    install(TARGETS snag_tool)
endif()
# The tool looks for them there: ../libexec/snag from its own folder.
if(SNAG_LAB)
    set(lab_folder ${CMAKE_INSTALL_LIBEXECDIR}/snag)
    file(RELATIVE_PATH lab_to_libraries ${CMAKE_INSTALL_PREFIX}/${lab_folder} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(snag_lab_bench snag_lab_repro PROPERTIES INSTALL_RPATH "${own_folder}/${lab_to_libraries}")
    install(TARGETS snag_lab_bench snag_lab_repro DESTINATION ${lab_folder})
endif()

# ---- pkg-config ----
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
function(snag_pkg_config name description requires private_links)
    configure_file(cmake/library.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
# What a static library needs at link time; a shared one has it already.
set(core_private_links "")
foreach(library IN LISTS math_links CMAKE_DL_LIBS)
    string(APPEND core_private_links " -l${library}")
endforeach()
if(thread_links)
    string(APPEND core_private_links " -pthread")
endif()
snag_pkg_config(snag "${PROJECT_DESCRIPTION}" "" "${core_private_links}")
if(TARGET snag_io)
    set(io_private_links "")
    foreach(library IN LISTS io_links math_links)
        string(APPEND io_private_links " -l${library}")
    endforeach()
    snag_pkg_config(snag_io "Readers and writers of meshes and animation caches for snag" "snag" "${io_private_links}")
endif()
if(TARGET snag_sim)
    snag_pkg_config(snag_sim "A small deformable-body simulator for snag" "snag" "${core_private_links}")
endif()

# ---- CMake package: find_package(snag), targets snag::snag, snag::snag_io, snag::snag_sim ----
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/snag)
install(EXPORT snagTargets NAMESPACE snag:: DESTINATION ${package_folder})
configure_package_config_file(cmake/snagConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/snagConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 a new minor version may change anything; the SONAME says the same.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/snagConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/snagConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/snagConfigVersion.cmake
        DESTINATION ${package_folder})

# ---- manual pages and shell completions, made by the tool itself from its table of options ----
if(TARGET snag_tool AND NOT CMAKE_CROSSCOMPILING)
    set(manual_folder ${CMAKE_CURRENT_BINARY_DIR}/manual)
    add_custom_command(OUTPUT ${manual_folder}/made
        COMMAND ${CMAKE_COMMAND} -E make_directory ${manual_folder}/man1
        COMMAND snag_tool manual --all ${manual_folder}/man1
        COMMAND snag_tool completion bash > ${manual_folder}/snag
        COMMAND snag_tool completion zsh > ${manual_folder}/_snag
        COMMAND snag_tool completion fish > ${manual_folder}/snag.fish
        COMMAND ${CMAKE_COMMAND} -E touch ${manual_folder}/made
        DEPENDS snag_tool COMMENT "Manual pages and completions" VERBATIM)
    add_custom_target(snag_manual ALL DEPENDS ${manual_folder}/made)
    install(DIRECTORY ${manual_folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES ${manual_folder}/snag DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${manual_folder}/_snag DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${manual_folder}/snag.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# Builds what is installed, and no tests: ninja snag_installed.
add_custom_target(snag_installed DEPENDS ${snag_libraries})
foreach(target IN ITEMS snag_tool snag_manual)
    if(TARGET ${target})
        add_dependencies(snag_installed ${target})
    endif()
endforeach()
if(SNAG_LAB)
    add_dependencies(snag_installed snag_lab_bench snag_lab_repro)
endif()

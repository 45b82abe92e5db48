# The report page: web/ bundled into one file by esbuild, then into a C array that the tool carries. `npm ci` in web/ (which
# script/build runs) puts esbuild and three there; nothing is fetched here. Without them the tool is built all the
# same, and says at --report what is missing.
add_library(snag_page INTERFACE)
find_program(NODE_PROGRAM NAMES node nodejs)
set(web_folder ${CMAKE_CURRENT_SOURCE_DIR}/web)
if(NODE_PROGRAM AND EXISTS ${web_folder}/node_modules/esbuild AND EXISTS ${web_folder}/node_modules/three)
    file(GLOB web_sources CONFIGURE_DEPENDS ${web_folder}/src/*)
    set(page_source ${CMAKE_CURRENT_BINARY_DIR}/report_page.c)
    add_custom_command(OUTPUT ${page_source}
                       COMMAND ${NODE_PROGRAM} ${web_folder}/build.mjs ${page_source}
                       DEPENDS ${web_sources} ${web_folder}/build.mjs ${web_folder}/package-lock.json
                       COMMENT "Bundling the report page" VERBATIM)
    add_library(snag_page_bytes STATIC ${page_source})
    target_compile_options(snag_page_bytes PRIVATE -Wno-overlength-strings)
    target_link_libraries(snag_page INTERFACE snag_page_bytes ZLIB::ZLIB)
    target_compile_definitions(snag_page INTERFACE SNAG_REPORT=1)
else()
    message(STATUS "Without the report page: run `npm ci` in web/")
endif()

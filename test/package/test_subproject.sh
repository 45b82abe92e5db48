#!/usr/bin/env bash
# snag as a part of another project, from a folder with spaces in its name: by add_subdirectory and by FetchContent from a local folder.
# Only the library is made, the project's own libraries stay static, nothing of snag is installed with it, and no C++ is needed.
# usage: test_subproject.sh BUILD_FOLDER [gcc | clang | mingw]...      the compilers, of which each builds both ways; default: that of the build
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: test_subproject.sh BUILD_FOLDER [COMPILER]...}" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_subproject: $*" >&2; exit 1; }

# The files of a checkout, without builds, where a project would keep them.
project="$work/a project"
mkdir -p "$project/third party/snag"
(cd "$source" && cp -r CMakeLists.txt LICENSE cmake common examples include io sim src "$project/third party/snag")
cp "$source/examples/hello.c" "$project/hello.c"
echo 'int helper(void); int helper(void) { return 7; }' >"$project/helper.c"
cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
if(BY_FETCH)
    include(FetchContent)
    FetchContent_Declare(snag SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}/third party/snag")
    FetchContent_MakeAvailable(snag)
else()
    add_subdirectory("third party/snag" snag)
endif()
add_library(helper helper.c)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE helper snag::snag)
install(TARGETS hello)
foreach(target IN ITEMS helper snag)
    get_target_property(type ${target} TYPE)
    message(STATUS "type of ${target}: ${type}")
endforeach()
foreach(target IN ITEMS snag_io snag_sim snag_tool snag_python)
    if(TARGET ${target})
        message(FATAL_ERROR "${target} is made although nobody asked for it")
    endif()
endforeach()
foreach(name IN ITEMS BUILD_SHARED_LIBS CMAKE_CXX_COMPILER CMAKE_BUILD_TYPE CMAKE_EXPORT_COMPILE_COMMANDS)
    if(${name})
        message(FATAL_ERROR "${name} is set by the subproject: ${${name}}")
    endif()
endforeach()
END

# configure FOLDER OPTION...
configure() {
    cmake -S "$project" -B "$work/$1" "${generator[@]}" -DSNAG_SIMD=OFF -DSNAG_GL=OFF "${@:2}" >"$work/log" 2>&1 || fail "$(tail -n 30 "$work/log")"
    grep -q "type of helper: STATIC_LIBRARY" "$work/log" || fail "the project's own library does not stay static: $(grep "type of" "$work/log")"
}
run_hello() { # FOLDER
    case $1 in
        mingw*) export WINEPREFIX=${WINEPREFIX:-$work/wine} WINEDEBUG=-all
                PATH=$PATH:/usr/lib/wine wine64 "$work/$1/hello.exe" | tr -d '\r' >"$work/output" ;;
        *) "$work/$1/hello" >"$work/output" ;;
    esac
    grep -q "crossing: ground triangle 0, dart triangle 0" "$work/output" || fail "$1: hello says: $(cat "$work/output")"
}
try() { # NAME, and options that choose the compiler
    name=$1
    shift
    generator=(-G Ninja)
    configure "$name" "$@"
    grep -q "type of snag: STATIC_LIBRARY" "$work/log" || fail "snag is not static, though the project asks for nothing else"
    cmake --build "$work/$name" >"$work/log" 2>&1 || fail "$(tail -n 30 "$work/log")"
    grep -i "warning" "$work/log" | grep -v -i "ccache" | head -n 3 | grep . && fail "warnings in a project that uses snag"
    cmake --install "$work/$name" --prefix "$work/$name-installed" >/dev/null
    installed=$(cd "$work/$name-installed" && find . -type f | sed 's/\.exe$//' | sort | tr '\n' ' ')
    [ "$installed" = "./bin/hello " ] || fail "installed with the project: $installed"
    run_hello "$name"
    # FetchContent, with Make. By default it is configured only, since the sources are the same.
    generator=(-G "Unix Makefiles")
    configure "$name-fetch" -DBY_FETCH=ON "$@"
    if [ $all = 1 ]; then
        cmake --build "$work/$name-fetch" --parallel "$(nproc)" >"$work/log" 2>&1 || fail "$(tail -n 30 "$work/log")"
        run_hello "$name-fetch"
    fi
    echo "test_subproject: $name"
}

all=0
if [ $# = 0 ]; then try default "-DCMAKE_C_COMPILER=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")"; fi
[ $# = 0 ] || all=1
for compiler in "$@"; do
    case $compiler in
        mingw) try mingw "-DCMAKE_TOOLCHAIN_FILE=$source/cmake/toolchains/mingw-w64.cmake" ;;
        *) try "$compiler" "-DCMAKE_C_COMPILER=$compiler" ;;
    esac
done

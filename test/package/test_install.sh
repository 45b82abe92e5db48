#!/usr/bin/env bash
# Installs the build into a fresh folder, moves it, and uses it as a stranger would: through pkg-config and through
# find_package. Also: every header stands alone in C and C++, and the libraries export the public functions only.
# usage: test_install.sh BUILD_FOLDER [gcc | clang]      the user's compiler; default: that of the build
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: test_install.sh BUILD_FOLDER}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "test_install: $*" >&2; exit 1; }
setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

case ${2:-} in
    "") cc=$(setting CMAKE_C_COMPILER) cxx=$(setting CMAKE_CXX_COMPILER) ;;
    gcc) cc=gcc cxx=g++ ;;
    clang) cc=clang cxx=clang++ ;;
    *) fail "unknown compiler $2" ;;
esac
sanitize=$(setting SNAG_SANITIZE)
flags=(-Wall -Wextra -Werror)
# A program that uses a library with sanitizers needs their run-time too.
[ -z "$sanitize" ] || flags+=("-fsanitize=$sanitize")

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || fail "$(cat "$work/install.log")"
# What is installed may be moved.
prefix=$work/second
mv "$work/first" "$prefix"
if grep -rIl "$build\|$work" "$prefix" | grep .; then fail "installed files name the folder they were built or installed in"; fi

library_folder=$(dirname "$(find "$prefix" -name 'libsnag.*' | head -n 1)")
export PKG_CONFIG_PATH=$library_folder/pkgconfig
export LD_LIBRARY_PATH=$library_folder

# ---- exported symbols and SONAME ----
version=$(sed -n 's/^#define SNAG_VERSION "\(.*\)"/\1/p' "$prefix/include/snag/base.h")
for library in "$library_folder"/libsnag*.so; do
    [ -e "$library" ] || break # a static build
    others=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^snag_[a-z0-9]' || true)
    [ -z "$others" ] || fail "$(basename "$library") exports $others"
    nm -D --defined-only "$library" | grep ' T snag_' >/dev/null || fail "$(basename "$library") exports nothing"
    soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    [ "$soname" = "$(basename "$library").${version%.*}" ] || fail "$(basename "$library") has SONAME $soname, version $version"
done

# ---- headers ----
for header in "$prefix"/include/snag/*.h; do
    name=snag/$(basename "$header")
    echo "#include \"$name\"" | "$cc" -std=c17 -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -x c - ||
        fail "$name does not stand alone in C"
    echo "#include \"$name\"" | "$cxx" -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -x c++ - ||
        fail "$name does not stand alone in C++"
done

# ---- pkg-config ----
cat >"$work/expected" <<'END'
crossing: ground triangle 0, dart triangle 0, at (0.25, 0.25, 0)
touching: ground triangle 0, dart triangle 1, at (-0.5, -0.5, 0)
crossing: ground triangle 0, dart triangle 2, at (-0.5, -0.5, 0)
crossing: ground triangle 1, dart triangle 0, at (0, 0.5, 0)
crossing: ground triangle 1, dart triangle 1, at (-0.5, -0.5, 0)
touching: ground triangle 1, dart triangle 2, at (-0.5, -0.5, 0)
END
run() { # PROGRAM
    "$1" >"$work/output" || fail "$1 ended with $?"
    diff "$work/expected" "$work/output" || fail "$1 prints something else"
}
static=()
[ -e "$library_folder/libsnag.so" ] || static=(--static)
read -ra options <<<"$(pkg-config "${static[@]}" --cflags --libs snag)"
"$cc" -std=c17 "${flags[@]}" "$source/examples/hello.c" "${options[@]}" -o "$work/hello_c"
run "$work/hello_c"
"$cxx" -std=c++17 "${flags[@]}" "$source/examples/hello.cpp" "${options[@]}" -o "$work/hello_cpp"
run "$work/hello_cpp"
[ "$(pkg-config --modversion snag)" = "$version" ] || fail "snag.pc has another version than base.h"

libraries=(snag)
for library in io sim; do
    [ ! -e "$library_folder/pkgconfig/snag_$library.pc" ] || libraries+=("snag_$library")
done
# A function of each library in one program.
{
    printf '#include "snag/snag.h"\n#include "snag/io.h"\n#include "snag/sim.h"\n#include <stdio.h>\nint main(void)\n{\n'
    for library in "${libraries[@]}"; do
        case $library in
            snag) echo '    puts(snag_version());' ;;
            snag_io) echo '    puts(snag_io_is_mesh("a.obj") ? "reads" : "does not read");' ;;
            snag_sim) echo '    snag_sim_destroy(NULL);' ;;
        esac
    done
    printf '    return 0;\n}\n'
} >"$work/every.c"
read -ra options <<<"$(pkg-config "${static[@]}" --cflags --libs "${libraries[@]}")"
"$cc" -std=c17 "${flags[@]}" "$work/every.c" "${options[@]}" -o "$work/every"
"$work/every" >/dev/null || fail "a program with all libraries ended with $?"

# ---- what the libraries need, and the license ----
for library in "$library_folder"/libsnag*.so; do
    [ -e "$library" ] || break
    if readelf -d "$library" | grep -E 'NEEDED.*(epoxy|EGL|libGL|stdc\+\+)'; then fail "$(basename "$library") cannot be loaded where there is no OpenGL"; fi
done
cmp -s "$source/LICENSE" "$prefix/share/licenses/snag/LICENSE" || fail "the license is not installed"
# The static library beside the shared one, by its file and what pkg-config says it needs.
if [ -e "$library_folder/libsnag.so" ] && [ -e "$library_folder/libsnag.a" ] && [ -z "$sanitize" ]; then
    read -ra options <<<"$(pkg-config --static --libs-only-l snag | sed 's/-lsnag//') $(pkg-config --cflags snag)"
    "$cc" -std=c17 "${flags[@]}" "$source/examples/hello.c" "$library_folder/libsnag.a" "${options[@]}" -o "$work/hello_static"
    readelf -d "$work/hello_static" | grep 'NEEDED.*libsnag' && fail "a program with the static library needs the shared one"
    run "$work/hello_static"
    components="COMPONENTS static io sim"
    static_user='add_executable(hello_static "'$source'/examples/hello.c")
target_link_libraries(hello_static PRIVATE snag::snag_static)
add_executable(every_static "'$work'/every.c")
target_link_libraries(every_static PRIVATE snag::snag_io_static snag::snag_sim_static)'
fi

# ---- find_package ----
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C CXX)
find_package(snag ${version%.*} REQUIRED ${components:-})
add_executable(hello_c "$source/examples/hello.c")
target_link_libraries(hello_c PRIVATE snag::snag)
add_executable(hello_cpp "$source/examples/hello.cpp")
target_link_libraries(hello_cpp PRIVATE snag::snag)
add_executable(every "$work/every.c")
target_link_libraries(every PRIVATE $(printf 'snag::%s ' "${libraries[@]}"))
${static_user:-}
END
cmake -G Ninja -S "$work/user" -B "$work/user/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_C_FLAGS="${flags[*]}" -DCMAKE_CXX_FLAGS="${flags[*]}" >"$work/user.log" 2>&1 &&
    cmake --build "$work/user/build" >>"$work/user.log" 2>&1 || fail "$(cat "$work/user.log")"
run "$work/user/build/hello_c"
run "$work/user/build/hello_cpp"
[ -z "${static_user:-}" ] || run "$work/user/build/hello_static"
"$work/user/build/every" >/dev/null || fail "a program with all libraries ended with $?"

# ---- the tool finds its libraries by itself ----
unset LD_LIBRARY_PATH
tool=$prefix/bin/snag
[ ! -e "$tool" ] || "$tool" --version >/dev/null || fail "the installed tool does not run"
if [ "$(setting SNAG_LAB)" = ON ]; then
    "$tool" bench tets --scene A --threads 1 --json | grep '"rows"' >/dev/null || fail "the installed tool does not find or run snag-bench"
    "$prefix/libexec/snag/snag-repro" --version >/dev/null || fail "the installed snag-repro does not run"
else
    [ ! -e "$prefix/libexec/snag" ] || fail "programs of the lab are installed without SNAG_LAB"
fi

# ---- manual pages and completions ----
for page in snag snag-check snag-info; do
    [ ! -e "$tool" ] || [ -s "$prefix/share/man/man1/$page.1" ] || fail "there is no manual page $page(1)"
done
for completion in bash-completion/completions/snag zsh/site-functions/_snag fish/vendor_completions.d/snag.fish; do
    [ ! -e "$tool" ] || [ -s "$prefix/share/$completion" ] || fail "there is no $completion"
done
echo "test_install: ${libraries[*]} $version work when installed (${cc##*/})"

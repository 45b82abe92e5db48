#!/usr/bin/env bash
# Installs the build for Windows into a folder with a space in its name and uses it as a stranger would, by mingw-w64, through pkg-config
# (shared and static) and find_package; the programs and the tool run under wine. script/platforms runs this; it is no test of script/test.
# usage: install_windows.sh [BUILD_FOLDER]      default: build-windows
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$source/build-windows}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "install_windows: $*" >&2; exit 1; }
export WINEPREFIX=${WINEPREFIX:-$work/wine} WINEDEBUG=-all
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
prefix="$work/Program Files/snag"

cmake --install "$build" --prefix "$prefix" >"$work/log" || fail "$(cat "$work/log")"
[ -f "$prefix/bin/libsnag.dll" ] || fail "there is no bin/libsnag.dll: $(cd "$prefix" && find . -name '*.dll')"

run() { # PROGRAM
    cp "$prefix"/bin/*.dll "$(dirname "$1")/"
    "$wine" "$1" | tr -d '\r' >"$work/output" || fail "$(basename "$1") ended with ${PIPESTATUS[0]}"
    grep -q "crossing: ground triangle 0, dart triangle 0" "$work/output" || fail "$(basename "$1") says: $(cat "$work/output")"
}

# ---- pkg-config ----
export PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"
mkdir "$work/shared"
# pkg-config quotes the space for the shell.
eval "x86_64-w64-mingw32-gcc-posix -std=c17 -Wall -Wextra -Werror '$source/examples/hello.c' $(pkg-config --cflags --libs snag) -o '$work/shared/hello.exe'"
x86_64-w64-mingw32-objdump -p "$work/shared/hello.exe" | grep 'DLL Name: libsnag.dll' >/dev/null || fail "hello.exe does not use the shared library"
run "$work/shared/hello.exe"

# ---- find_package ----
mkdir "$work/user"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(snag REQUIRED)
add_executable(hello "$source/examples/hello.c")
target_link_libraries(hello PRIVATE snag::snag)
END
cmake -G Ninja -S "$work/user" -B "$work/user/build" "-DCMAKE_TOOLCHAIN_FILE=$source/cmake/toolchains/mingw-w64.cmake" -Dsnag_DIR="$prefix/lib/cmake/snag" \
    >"$work/log" 2>&1 && cmake --build "$work/user/build" >>"$work/log" 2>&1 || fail "$(cat "$work/log")"
run "$work/user/build/hello.exe"

# ---- the tool ----
"$wine" "$prefix/bin/snag.exe" --version | tr -d '\r' | grep "^snag [0-9]" >/dev/null || fail "the installed tool does not run"
echo "install_windows: works when installed"

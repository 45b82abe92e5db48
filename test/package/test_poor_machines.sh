#!/usr/bin/env bash
# snag on machines that lack something: one processor, no threads, no home folder and no environment, an installation that nobody may write,
# and, where qemu-user is installed, processors without the wider instruction sets. The contacts are the same everywhere, byte for byte.
# usage: test_poor_machines.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "${1:?usage: test_poor_machines.sh BUILD_FOLDER}" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
chmod 755 "$work"
fail() { echo "test_poor_machines: $*" >&2; exit 1; }
tool=$build/snag
[ -x "$tool" ] || { echo "test_poor_machines: skipped, there is no tool in $build" >&2; exit 77; }
sanitized=$(sed -n 's/^SNAG_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt")

# Two wavy sheets that cross: enough triangles for several threads.
awk 'BEGIN {
    n = 60
    for (s = 0; s < 2; s++) for (i = 0; i <= n; i++) for (j = 0; j <= n; j++) printf "v %.9g %.9g %.9g\n", i / n, j / n, 0.01 + s / 64 + 0.05 * sin(s ? 20 * i / n : 17 * j / n)
    for (s = 0; s < 2; s++) for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
        a = s * (n + 1) ^ 2 + i * (n + 1) + j + 1
        print "f", a, a + 1, a + n + 2
        print "f", a, a + n + 2, a + n + 1
    }
}' >"$work/waves.obj"
"$tool" check -q "$work/waves.obj" --threads 1 --pairs "$work/expected.csv" >"$work/said" || [ $? = 1 ] || fail "does not run at all"
[ "$(wc -l <"$work/expected.csv")" -gt 1000 ] || fail "the scene has too few contacts"

# same WHAT COMMAND...: the command, followed by a check of the scene, finds what is expected. The output is written to the folder `out`.
out=$work
same() {
    local what=$1 status=0
    shift
    rm -f "$out/got.csv"
    "$@" check -q "$work/waves.obj" --pairs "$out/got.csv" >"$work/said" 2>&1 || status=$?
    [ $status = 1 ] || fail "$what: ended with $status: $(cat "$work/said")"
    cmp "$work/expected.csv" "$out/got.csv" || fail "$what: other contacts"
}

# ---- one processor ----
first=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')
same "one processor" taskset -c "$first" "$tool"
taskset -c "$first" "$tool" info "$work/waves.obj" --json | grep '"threads": 1,' >/dev/null || fail "one processor: does not begin with one thread"
same "seven threads on one processor" taskset -c "$first" bash -c '"$0" "$@" --threads 7' "$tool"

# ---- no threads ----
# A thread's stack is as large as the limit of the main one: larger than the memory that there may be, so that none can begin.
if [ -z "$sanitized" ]; then
    cat >"$work/threads.c" <<'END'
#include <pthread.h>
static void *work(void *nothing) { return nothing; }
int main(void) { pthread_t thread; return pthread_create(&thread, 0, work, 0) == 0; }
END
    cc "$work/threads.c" -pthread -o "$work/threads"
    limited='ulimit -s 3000000 && ulimit -v 2500000 && exec "$@"'
    if bash -c "$limited" limited "$work/threads"; then
        same "no threads" bash -c "$limited --threads 4" limited "$tool"
    else
        echo "test_poor_machines: threads cannot be forbidden here; left out"
    fi
fi

# ---- no home folder, no environment ----
same "no environment" env -i "$tool"
same "no home folder" env HOME=/nonexistent XDG_CACHE_HOME=/nonexistent TMPDIR=/nonexistent "$tool"

# ---- an installation that nobody may write ----
cmake --install "$build" --prefix "$work/installed" >"$work/said" || fail "$(cat "$work/said")"
chmod -R a-w,a+rX "$work/installed"
before=$(cd "$work/installed" && find . -type f -exec cksum {} + | sort)
mkdir "$work/out"
out=$work/out
as=()
# For root nothing is read-only.
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=65534 --regid=65534 --clear-groups) && chown 65534 "$out"; fi
same "read-only installation" env HOME=/nonexistent "${as[@]}" "$work/installed/bin/snag"
[ "$before" = "$(cd "$work/installed" && find . -type f -exec cksum {} + | sort)" ] || fail "the installation has changed"
status=0
"${as[@]}" "$work/installed/bin/snag" check -q "$work/waves.obj" --pairs "$work/installed/got.csv" >"$work/said" 2>&1 || status=$?
[ $status = 2 ] || fail "writing into a read-only folder ended with $status"
grep -q "got.csv: .*[Pp]ermission denied" "$work/said" || fail "writing into a read-only folder says: $(cat "$work/said")"
out=$work

# ---- processors without the wider instruction sets ----
processors=none
if [ "$(uname -m)" = x86_64 ] && [ -z "$sanitized" ] && command -v qemu-x86_64 >/dev/null; then
    processors=""
    for pair in core2duo:scalar Nehalem:x86-64-v2 Haswell:x86-64-v3; do
        emulator=(qemu-x86_64 -cpu "${pair%:*}")
        "${emulator[@]}" "$tool" info "$work/waves.obj" --json 2>/dev/null | grep "\"instruction_set\": \"${pair#*:}\"" >/dev/null ||
            fail "a ${pair%:*} does not use ${pair#*:}"
        same "a ${pair%:*}" "${emulator[@]}" "$tool"
        processors+=" ${pair#*:}"
    done
fi
echo "test_poor_machines: the same contacts with one processor, no threads, no home, read-only; emulated processors:${processors/none/ none, qemu-user is not installed}"

#!/usr/bin/env bash
# script/abi sees a change that breaks programs, and lets one pass that does not.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_abi: $*" >&2; exit 1; }

# make NAME STRUCT EXTRA: a library with a struct and a function that takes it
make() {
    printf '%s\n' "typedef struct thing { $2 } thing;" 'int take(const thing *t);' 'int take(const thing *t) { return (int)t->b; }' "$3" >"$work/$1.c"
    cc -g -shared -fPIC -Wl,-soname,libthing.so.1 "$work/$1.c" -o "$work/$1.so"
}
make released "int a; double b;" ""
make same "int a; double b;" ""
make more "int a; double b;" "int another(void); int another(void) { return 1; }"
make larger "int a; double b; double c;" ""
make reordered "double b; int a;" ""
make fewer "int a; double b;" "int take_2(void); int take_2(void) { return 1; }"
sed -i 's/take(/taken(/g' "$work/fewer.c" && cc -g -shared -fPIC -Wl,-soname,libthing.so.1 "$work/fewer.c" -o "$work/fewer.so"

for good in same more; do
    "$source/script/abi" compare "$work/released.so" "$work/$good.so" >"$work/output" 2>&1 || fail "complains of $good: $(cat "$work/output")"
done
for bad in larger reordered fewer; do
    if "$source/script/abi" compare "$work/released.so" "$work/$bad.so" >"$work/output" 2>&1; then fail "does not see $bad"; fi
    grep -q "the ABI has changed" "$work/output" || fail "$bad: says $(cat "$work/output")"
done
echo "test_abi: changes that break programs are seen"

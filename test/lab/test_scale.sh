#!/usr/bin/env bash
# snag-scale counts what it must: one cut through a flat sheet has the ghosts that a hand counts, and bad words are refused.
set -euo pipefail
build=$1
[ -x "$build/snag-scale" ] || exit 77  # a build without the lab
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_scale: $*" >&2; exit 1; }

# A strip of 20 x 1 cells in the plane. The cut passes through the middle cell, whose 2 triangles reach both parts with almost no reach; the
# 4 triangles beside them come along as neighbours. So 6 of 40 are in both parts.
{
    for y in 0 1; do for x in $(seq 0 20); do echo "v $x $y 0"; done; done
    for x in $(seq 1 20); do echo "f $x $((x + 1)) $((x + 21))"; echo "f $((x + 1)) $((x + 22)) $((x + 21))"; done
} >"$work/strip.obj"
line=$("$build/snag-scale" --parts 2 --distance 1e-9 --margin 1e-9 "$work/strip.obj" | tail -1)
read -r parts triangles ghosts _ <<<"$line"
[ "$parts" = 2 ] && [ "$triangles" = 20 ] || fail "not two parts of 20: $line"
[ "$ghosts" = 15.00 ] || fail "ghosts: $line"
wide=$("$build/snag-scale" --parts 2 --distance 1e-9 --margin 100 "$work/strip.obj" | tail -1)
[[ $wide == *100.00* ]] || fail "a reach beyond everything makes every triangle a ghost: $wide"
"$build/snag-scale" --parts 2,4 sheet 0.01 >/dev/null

refused() {
    local code=0
    "$build/snag-scale" "${@:2}" >"$work/out" 2>&1 || code=$?
    [ $code = 2 ] || fail "$*: exit code $code"
    grep -q -- "$1" "$work/out" || fail "${*:2}: $(cat "$work/out")"
}
refused "usage"
refused "above 0" --distance -1 sheet 1
refused "above 0" sheet none
refused "numbers from 2" --parts 0 sheet 1
refused "no option --part" --part 2 sheet 1
refused "absent.obj" absent.obj
refused "too few triangles" sheet 1e-9
refused "more parts than triangles" --parts 100 "$work/strip.obj"
echo "test_scale: counts and refusals are right"

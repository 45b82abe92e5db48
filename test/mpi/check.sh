#!/usr/bin/env bash
# snag-mpi check gives what snag check gives, byte for byte apart from times, on 1 to 4 ranks.
# usage: check.sh BUILD_FOLDER      (called by script/mpi test, which sets up mpirun)
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$0")/../.."
without_times() { sed -E 's/"ms": [0-9.e+-]+/"ms": 0/g' "$1"; }

$build/snag demo --frames 12 --out "$folder/demo" >/dev/null 2>&1 || true
scene=$folder/demo
[ -d "$scene" ] || { echo "check.sh: snag demo made no scene" >&2; exit 1; }
for question in intersections proximities impacts distance; do
    options=(--question $question --method kdop --threads 1 --frames 4:11 --json)
    [ $question = distance ] && options=(--question distance --method regions --threads 1 --frames 4:6 --json)
    code=0; $build/snag check "${options[@]}" --pairs "$folder/one.csv" "$scene" >"$folder/one.json" 2>"$folder/one.txt" || code=$?
    [ $code -le 1 ] || { cat "$folder/one.txt"; exit 1; }
    for n in 1 2 4; do
        mpi=0; timeout 300 mpirun -n $n $build/snag-mpi check "${options[@]}" --pairs "$folder/many.csv" "$scene" >"$folder/many.json" 2>"$folder/many.txt" || mpi=$?
        [ $mpi = $code ] || { echo "check.sh: $question on $n ranks: exit code $mpi, expected $code" >&2; cat "$folder/many.txt" >&2; exit 1; }
        cmp "$folder/one.csv" "$folder/many.csv"
        cmp <(without_times "$folder/one.json") <(without_times "$folder/many.json")
    done
done
# Errors are told once, by rank 0.
code=0; timeout 100 mpirun -n 3 $build/snag-mpi check "$folder/nowhere.obj" >/dev/null 2>"$folder/error.txt" || code=$?
[ $code = 2 ] || { echo "check.sh: a missing file: exit code $code" >&2; exit 1; }
[ "$(grep -c nowhere.obj "$folder/error.txt")" = 1 ] || { echo "check.sh: not one message:" >&2; cat "$folder/error.txt" >&2; exit 1; }
echo "snag-mpi check: same bytes as snag check"

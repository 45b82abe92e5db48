#!/usr/bin/env bash
# `snag check --stream`: the rows of --pairs are those of a run that keeps all contacts, but for the place; what needs all contacts is refused.
# usage: test_stream.sh BUILD_FOLDER
set -euo pipefail
snag=$(cd "$1" && pwd)/snag
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "test_stream.sh: $*" >&2; exit 1; }
anyhow() { "$@" || [ $? = 1 ] || fail "failed: $*"; }
without_place() { awk -F, -v OFS=, 'NR > 1 { $15 = "" } { print }' "$1"; }
# What --json has without places and their measures.
counts() { sed -E '/^  "places": \[/,/^  \]/d; s/, "(ms|places)": [0-9.e+-]+//g; s/, "(depth|length)": .*\}/}/' "$1"; }
# Checks with and without --stream; the answer must not be empty.
compare() {
    local what=$1 one=0 two=0
    shift
    "$snag" check "$@" -q --json --pairs one.csv >one.json || one=$?
    "$snag" check "$@" -q --json --pairs two.csv --stream --scratch . >two.json || two=$?
    [ $one = 1 ] && [ $two = 1 ] || fail "$what: exit codes $one and $two, expected 1"
    cmp <(without_place one.csv) two.csv || fail "$what: rows differ"
    diff <(counts one.json) <(counts two.json) || fail "$what: counts differ"
    ! grep '"places"' two.json || fail "$what: places of contacts that were not kept"
}

"$snag" demo --frames 9 --size 0.3 --out demo -q >/dev/null
# Two sheets of quads that cross along a line, so that pairs of triangles become pairs of faces.
awk 'BEGIN {
    n = 60
    print "o level"; for (i = 0; i <= n; i++) for (k = 0; k <= n; k++) print "v", i, k, 0.1 * sin(i)
    print "o steep"; for (i = 0; i <= n; i++) for (k = 0; k <= n; k++) print "v", i + 0.3, 0.5 * n + 0.4 * sin(k), k - 0.5 * n + 0.2
    for (o = 0; o < 2; o++) {
        print "o", o ? "steep" : "level"
        for (i = 0; i < n; i++) for (k = 0; k < n; k++) {
            at = o * (n + 1) * (n + 1) + i * (n + 1) + k + 1
            print "f", at, at + 1, at + n + 2, at + n + 1
        }
    }
}' >quads.obj

compare "quads" quads.obj
compare "quads near each other" quads.obj --question proximities --distance 0.3
compare "every pair" quads.obj --question proximities --distance 0.2 --every-pair
compare "a sequence" demo --question proximities --distance 0.05
mkdir moving
for frame in 0 1 2; do awk -v by=$frame '$1 == "v" && NR < 3723 { $4 += 0.3 * by } { print }' quads.obj >moving/sheets_$frame.obj; done
compare "impacts" moving --sequence --question impacts
compare "a sequence that intersects" moving --sequence
compare "another method" quads.obj --method hash
compare "one thread" quads.obj --threads 1
anyhow "$snag" check quads.obj --pairs two.csv --stream >two.txt
grep -F "level" two.txt >/dev/null || fail "the text does not name the bodies: $(cat two.txt)"

# Clean is clean.
"$snag" check demo -q --stream --pairs clean.csv || fail "a clean sequence"
[ "$(wc -l <clean.csv)" = 1 ] || fail "rows of a clean sequence"

refuse() {
    local why=$1 got=0
    shift
    "$snag" check "$@" >out.txt 2>&1 || got=$?
    [ $got = 2 ] || fail "exit code $got, expected 2: $*"
    grep -F -e "$why" out.txt >/dev/null || fail "expected '$why', got: $(cat out.txt)"
    [ ! -e made.csv ] || fail "a refused check left a table: $*"
}
stream=(quads.obj --stream --pairs made.csv)
refuse "needs --pairs" quads.obj --stream
refuse "give --stream too" quads.obj --pairs made.csv --scratch .
refuse "only --pairs, text and --json" "${stream[@]}" --report report.html
refuse "only --pairs, text and --json" "${stream[@]}" --glb places.glb
refuse "only --pairs, text and --json" "${stream[@]}" --jsonl
refuse "--ignore-initial" "${stream[@]}" --ignore-initial
refuse "--accept" "${stream[@]}" --accept known.txt
refuse "--max-depth" "${stream[@]}" --max-depth 1
refuse "is short" "${stream[@]}" --question distance
refuse "drop --part and --jobs" "${stream[@]}" --jobs 2
refuse "--scratch: " "${stream[@]}" --scratch missing-folder
[ ! -e report.html ] && [ ! -e places.glb ] && [ ! -e known.txt ] || fail "a refused check left a file"

#!/usr/bin/env bash
# Parts, jobs and batches of `snag check`: the joined outputs are those of one run, byte for byte apart from times; kills, restarts, bad parts; and the
# recipes of docs/guide/scale.md.
# usage: test_parts.sh BUILD_FOLDER
set -euo pipefail
snag=$(cd "$1" && pwd)/snag
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "test_parts.sh: $*" >&2; exit 1; }
same() { cmp <(sed -E 's/"ms": [0-9.e+-]+/"ms": 0/g' "$1") <(sed -E 's/"ms": [0-9.e+-]+/"ms": 0/g' "$2") || fail "$3"; }
# Runs a command that must end with this code.
code() { local want=$1 got=0; shift; "$@" || got=$?; [ $got = "$want" ] || fail "exit code $got, expected $want: $*"; }
anyhow() { "$@" || [ $? = 1 ] || fail "failed: $*"; }

"$snag" demo --frames 9 --size 0.3 --out demo -q >/dev/null

for question in intersections proximities impacts distance; do
    check=(check demo --question $question --threads 1 -q)
    anyhow "$snag" "${check[@]}" --json --pairs one.csv >one.json
    anyhow "$snag" "${check[@]}" --jsonl >one.jsonl
    anyhow "$snag" "${check[@]}" >one.txt
    for parts in 1 2 3 7 12; do
        rm -rf out
        for part in $(seq $parts -1 1); do anyhow "$snag" "${check[@]}" --part $part/$parts --parts out; done
        anyhow "$snag" merge out -q --threads 1 --json --pairs many.csv >many.json
        cmp one.csv many.csv || fail "$question in $parts parts: CSV"
        same one.json many.json "$question in $parts parts: JSON"
        anyhow "$snag" merge out -q --threads 1 --jsonl >many.jsonl
        same one.jsonl many.jsonl "$question in $parts parts: JSON lines"
        [ $parts = 3 ] || continue
        anyhow "$snag" merge out -q --threads 1 >many.txt
        cmp <(sed -E 's/[0-9.]+ (ms|s)\b//g' one.txt) <(sed -E 's/[0-9.]+ (ms|s)\b//g' many.txt) || fail "$question: text"
    done
    anyhow "$snag" "${check[@]}" --jobs 3 --json --pairs many.csv >many.json
    cmp one.csv many.csv || fail "$question by 3 jobs: CSV"
    same one.json many.json "$question by 3 jobs: JSON"
done
check=(check demo --question impacts --threads 1 -q)
anyhow "$snag" "${check[@]}" --json --pairs one.csv >one.json

# The report has the same frames and contacts.
anyhow "$snag" "${check[@]}" --report one.html >/dev/null
rm -rf out
for part in 1 2; do anyhow "$snag" "${check[@]}" --part $part/2 --parts out; done
if [ -s one.html ]; then
    anyhow "$snag" merge out -q --threads 1 --report many.html >/dev/null
    # Times of frames are part of a report, and it is compressed: the same to within a few bytes.
    difference=$(($(wc -c <one.html) - $(wc -c <many.html)))
    [ ${difference#-} -lt 200 ] || fail "reports differ by $difference bytes"
fi

# A finished part is not searched again; one that was killed is.
before=$(stat -c %Y-%i out/part-0001-of-0002.answers)
anyhow "$snag" check demo --question impacts --threads 1 --part 1/2 --parts out 2>note.txt
grep -q "was finished before" note.txt || fail "a finished part was searched again"
[ "$before" = "$(stat -c %Y-%i out/part-0001-of-0002.answers)" ] || fail "a finished part was written again"
rm -rf out
for part in 1 2 3; do
    "$snag" "${check[@]}" --part $part/3 --parts out & pid=$!
    sleep 0.0$part
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
done
[ ! -e out/part-0003-of-0003.answers ] || [ "$(tail -c 24 out/part-0003-of-0003.answers | head -c 8)" = snagdone ] || fail "a killed part looks finished"
for part in 1 2 3; do anyhow "$snag" "${check[@]}" --part $part/3 --parts out; done
anyhow "$snag" merge out -q --threads 1 --json --pairs many.csv >many.json
cmp one.csv many.csv && same one.json many.json "after kills"

# Bad parts: one message, exit code 2, nothing written.
bad() { # EXPECTED WORDS
    rm -f bad.csv
    code 2 "$snag" merge out -q --pairs bad.csv >bad.txt 2>error.txt
    [ "$(wc -l <error.txt)" = 1 ] || { cat error.txt >&2; fail "not one message ($1)"; }
    grep -q "$1" error.txt || { cat error.txt >&2; fail "expected \"$1\""; }
    [ ! -e bad.csv ] && [ ! -s bad.txt ] || fail "something was written ($1)"
}
cp -r out good
mv out/part-0002-of-0003.answers out/part-0002-of-0003.partial; bad "not finished"
rm out/part-0002-of-0003.partial; bad "part 2 of 3 is missing"
cp good/part-0002-of-0003.answers out/
printf X | dd of=out/part-0002-of-0003.answers bs=1 seek=600 conv=notrunc 2>/dev/null; bad "part-0002-of-0003.answers: damaged"
cp good/part-0001-of-0003.answers out/part-0002-of-0003.answers; bad "says another part"
rm out/part-0002-of-0003.answers
anyhow "$snag" check demo --question impacts --separation 0.01 --threads 1 -q --part 2/3 --parts out; bad "another check"
rm -rf out; cp -r good out; touch demo/*.pc2; bad "other input files"
echo nonsense >out/part-0001-of-0003.answers; bad "not the file of a part"
mkdir nothing; code 2 "$snag" merge nothing -q 2>error.txt; grep -q "no parts" error.txt || fail "an empty folder"
for wrong in 0/3 4/3 2 x/y 1/0 1/3x; do code 2 "$snag" check demo -q --part $wrong --parts out 2>/dev/null; done
code 2 "$snag" check demo -q --part 1/2 2>/dev/null
code 2 "$snag" check demo -q --part 1/2 --parts out --first 2>/dev/null
code 2 "$snag" check demo -q --jobs 2 --part 1/2 --parts out 2>/dev/null

# ---- recipes ----
rm -rf out; anyhow "$snag" "${check[@]}" --json >one.json
if command -v parallel >/dev/null; then
    parallel --will-cite --jobs 2 "$snag check demo --question impacts --threads 1 -q --part {}/4 --parts out || test \$? = 1" ::: 1 2 3 4
    anyhow "$snag" merge out -q --threads 1 --json >many.json; same one.json many.json "GNU parallel"
fi
# A Slurm job array sets these for each task; arrays may count from any number on.
rm -rf out
for task in 10 12 14; do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=3 anyhow "$snag" "${check[@]}" --part slurm --parts out
done
anyhow "$snag" merge out -q --threads 1 --json >many.json; same one.json many.json "Slurm"
code 2 "$snag" "${check[@]}" --part slurm --parts out 2>/dev/null
rm -rf out
cat >Makefile <<'MAKE'
N = 4
all: $(patsubst %,part-%,1 2 3 4)
	$(SNAG) merge out -q --threads 1 --json >many.json || test $$? = 1
part-%:
	$(SNAG) check demo --question impacts --threads 1 -q --part $*/$(N) --parts out || test $$? = 1
MAKE
if command -v make >/dev/null; then make -s -j2 SNAG="$snag"; same one.json many.json "make -j"; fi
# Watching: a part that comes late.
rm -rf out
anyhow "$snag" "${check[@]}" --part 1/2 --parts out
(sleep 1; "$snag" "${check[@]}" --part 2/2 --parts out || true) &
anyhow timeout 60 "$snag" merge out --watch -q --threads 1 --json >many.json 2>watch.txt; wait
same one.json many.json "watch"; grep -q "2 of 2 finished" watch.txt || fail "watch said nothing"

# ---- batches ----
mkdir -p assets/deep
cp demo/mesh_00.obj assets/a.obj; cp demo/mesh_00.obj assets/deep/b.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 1 2 3\nf 4 5 6\n' >assets/crossing.obj
printf 'v 0 0\nf 1 2 9\n' >assets/bad.obj
for jobs in 1 3; do
    code 1 "$snag" check --batch assets --jobs $jobs --summary page.html -q >lines.txt
    [ "$(wc -l <lines.txt)" = 5 ] || { cat lines.txt; fail "batch: lines"; }
    grep -q "^error .*bad.obj" lines.txt && grep -q "^contacts  *1 .*crossing.obj" lines.txt || { cat lines.txt; fail "batch: results"; }
    grep -m 1 "<tr class" page.html | grep crossing >/dev/null || fail "batch: the worst is not first"
done
printf '# list\nassets/a.obj\n\nassets/deep/b.obj\n' >list.txt
anyhow "$snag" check --batch list.txt --json -q >lines.json
[ "$(grep -c '"file"' lines.json)" = 2 ] || fail "batch: list"
printf 'assets/bad.obj\n' >list.txt; code 2 "$snag" check --batch list.txt -q >/dev/null
code 2 "$snag" check --batch nowhere -q 2>/dev/null
code 2 "$snag" check --batch assets --pairs x.csv -q 2>/dev/null
echo "parts, jobs, recipes and batches: as one run"

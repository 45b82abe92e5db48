#!/usr/bin/env bash
# docs/adding-a-method.md and docs/adding-a-question.md are complete: their edits, and no others, are applied to a copy of the core,
# which is built and asked. The method of the first page must find what `brute` finds, byte for byte.
# usage: test_adding.sh BUILD_FOLDER
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: test_adding.sh BUILD_FOLDER}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_adding: $*" >&2; exit 1; }
setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# Only include/ and src/ may be edited; CMake looks at the other folders, but nothing of them is built.
cp -r "$source/include" "$source/src" "$work"
for other in CMakeLists.txt cmake bench cli common io lab sim web; do
    [ ! -e "$source/$other" ] || ln -s "$source/$other" "$work/$other"
done

# Splits a page into edits: N.file, N.where (before, after or new), N.anchor and N.text in the folder given.
split_page() { # PAGE FOLDER
    mkdir -p "$2"
    awk -v folder="$2" '
    function begin(file, where, anchor) {
        n++
        printf "%s", file > (folder "/" n ".file")
        printf "%s", where > (folder "/" n ".where")
        printf "%s", anchor > (folder "/" n ".anchor")
        waiting = 1
    }
    /^In `[^`]*`, (before|after) `.*`:$/ {
        split($0, part, "`")
        where = index($0, "`, before `") ? "before" : "after"
        anchor = $0
        sub(/^In `[^`]*`, (before|after) `/, "", anchor)
        sub(/`:$/, "", anchor)
        begin(part[2], where, anchor)
        next
    }
    /^File `[^`]*`:$/ { split($0, part, "`"); begin(part[2], "new", ""); next }
    /^```/ { if (inside) { inside = waiting = 0; next } inside = 1; next }
    inside && waiting { print > (folder "/" n ".text") }
    ' "$1"
}

# Writes the text of an edit before or after its anchor, which must be there exactly once.
apply() { # FOLDER N
    local file where anchor
    file=$(cat "$1/$2.file") where=$(cat "$1/$2.where") anchor=$(cat "$1/$2.anchor")
    [ -s "$1/$2.text" ] || fail "$file: the page has no text for this edit"
    case $file in include/* | src/*) ;; *) fail "$file: the page edits what is not the core" ;; esac
    if [ "$where" = new ]; then
        [ ! -e "$work/$file" ] || fail "$file: is there already"
        cp "$1/$2.text" "$work/$file"
        return
    fi
    [ -e "$work/$file" ] || fail "$file: the page names a file that is not there"
    ANCHOR=$anchor awk -v where="$where" -v text_file="$1/$2.text" '
    BEGIN {
        anchor = ENVIRON["ANCHOR"]
        while ((getline line < text_file) > 0) text = text line "\n"
    }
    {
        at = index($0, anchor)
        if (at == 0) { print; next }
        seen++
        if (index(substr($0, at + length(anchor)), anchor)) seen++
        head = substr($0, 1, at - 1 + (where == "after" ? length(anchor) : 0))
        print head
        printf "%s", text
        print substr($0, length(head) + 1)
    }
    END { exit seen == 1 ? 0 : 1 }' "$work/$file" >"$work/edited" || fail "$file: \`$anchor\` is not there exactly once"
    mv "$work/edited" "$work/$file"
}

edits=0
for page in adding-a-method adding-a-question; do
    split_page "$source/docs/$page.md" "$work/$page"
    count=$(find "$work/$page" -name '*.file' | wc -l)
    [ "$count" -gt 4 ] || fail "docs/$page.md: only $count edits were recognised"
    for ((n = 1; n <= count; n++)); do apply "$work/$page" $n; done
    edits=$((edits + count))
done

cat >"$work/ask.c" <<'END'
#include "snag/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, VERTICES = (N + 1) * (N + 1), TRIANGLES = 2 * N * N };

static void fail(const char *what)
{
    printf("%s\n", what);
    exit(1);
}

// A sheet that is folded onto itself, or lies flat across the other one. They share one point.
static snag_body_id add_sheet(snag_world *world, bool folded)
{
    static double x[VERTICES][3];
    static uint32_t triangles[TRIANGLES][3];
    uint32_t count = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        double s = (double)(v % (N + 1)) / N, t = (double)(v / (N + 1)) / N;
        double fold[3] = {cos(5 * s) * (1 - 0.4 * s), t, sin(5 * s) * (1 - 0.6 * s)}, flat[3] = {2 * s - 0.9, t, 0.1 + 0.03 * t};
        memcpy(x[v], folded ? fold : flat, sizeof x[v]);
    }
    memcpy(x[5], (const double[3]){0.5, 0.25, 3}, sizeof x[5]);
    for (uint32_t v = 0; v < VERTICES; v++)
        if (v % (N + 1) < N && v / (N + 1) < N) {
            memcpy(triangles[count++], (const uint32_t[3]){v, v + 1, v + N + 2}, sizeof *triangles);
            memcpy(triangles[count++], (const uint32_t[3]){v, v + N + 2, v + N + 1}, sizeof *triangles);
        }
    snag_body_def def = snag_default_body_def();
    def.positions = snag_positions_f64(&x[0][0], VERTICES);
    def.triangles = &triangles[0][0];
    def.triangle_count = TRIANGLES;
    snag_body_id body;
    if (snag_world_add(world, &def, &body) != SNAG_OK)
        fail(snag_world_message(world));
    return body;
}

static snag_answer ask_by(snag_world *world, snag_question question, snag_method method, const snag_method_options *options)
{
    snag_question_def def = snag_default_question_def(question);
    def.method = method;
    def.options = options;
    const snag_answer *answer;
    if (snag_world_ask(world, &def, &answer) != SNAG_OK)
        fail(snag_world_message(world));
    return *answer;
}

static void compare(snag_world *world, const snag_method_options *options)
{
    static snag_contact kept[8 * TRIANGLES];
    snag_answer brute = ask_by(world, SNAG_INTERSECTIONS, SNAG_METHOD_BRUTE, NULL);
    size_t count = brute.count;
    if (count < 50 || count > sizeof kept / sizeof *kept)
        fail("the scene has too few or too many contacts to compare");
    memcpy(kept, brute.contacts, count * sizeof *kept);
    snag_answer toy = ask_by(world, SNAG_INTERSECTIONS, SNAG_METHOD_EVERYTHING, options);
    if (toy.method != SNAG_METHOD_EVERYTHING || !toy.complete)
        fail("everything did not answer");
    if (toy.count != count || memcmp(toy.contacts, kept, count * sizeof *kept) != 0)
        fail("everything and brute differ");
    printf("%zu contacts, the same by everything and by brute, of %zu candidates\n", count, toy.statistics->candidates);
}

static void expect_refusal(snag_world *world, snag_question question, snag_method method, const snag_method_options *options)
{
    snag_question_def def = snag_default_question_def(question);
    def.method = method;
    def.options = options;
    const snag_answer *answer;
    if (snag_world_ask(world, &def, &answer) == SNAG_OK)
        fail("what should be refused is answered");
}

int main(void)
{
    snag_world_def def = snag_default_world_def();
    def.threads = 2;
    snag_world *world;
    if (snag_world_create(&def, &world) != SNAG_OK)
        fail("there is no world");
    snag_body_id folded = add_sheet(world, true), flat = add_sheet(world, false);

    snag_method method;
    if (!snag_method_from_name("everything", &method) || method != SNAG_METHOD_EVERYTHING)
        fail("everything has no name");
    compare(world, NULL);
    snag_everything_options options = snag_default_everything_options();
    options.block = 7;
    compare(world, &options.head);
    options.block = 1u << 20;
    expect_refusal(world, SNAG_INTERSECTIONS, SNAG_METHOD_EVERYTHING, &options.head);
    options.block = 7;
    expect_refusal(world, SNAG_INTERSECTIONS, SNAG_METHOD_KDOP, &options.head);
    expect_refusal(world, SNAG_PROXIMITIES, SNAG_METHOD_EVERYTHING, NULL);
    if (snag_method_auto(SNAG_INTERSECTIONS) != SNAG_METHOD_KDOP)
        fail("auto takes another method than before");

    snag_answer same = ask_by(world, SNAG_COINCIDENCES, SNAG_METHOD_AUTO, NULL);
    if (same.count != 1 || same.method != SNAG_METHOD_BRUTE || strstr(same.reason, "pairs vertices") == NULL)
        fail("coincidences are answered wrong");
    const snag_contact *c = &same.contacts[0];
    if (c->body_a.index != folded.index || c->body_b.index != flat.index || c->a.kind != SNAG_VERTEX || c->a.index != 5 ||
        c->b.index != 5 || c->point_a[2] != 3)
        fail("the coincidence is another one");
    snag_question question;
    if (!snag_question_from_name("coincidences", &question) || question != SNAG_COINCIDENCES)
        fail("coincidences have no name");
    snag_world_destroy(world);
    return 0;
}
END

cmake -G Ninja -S "$work" -B "$work/build" -DCMAKE_C_COMPILER="$(setting CMAKE_C_COMPILER)" \
    -DCMAKE_CXX_COMPILER="$(setting CMAKE_CXX_COMPILER)" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DSNAG_SIMD=OFF \
    -DSNAG_GL=OFF -DSNAG_ASSIMP=OFF -DBUILD_SHARED_LIBS=OFF >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target libsnag.a >>"$work/log" 2>&1 || fail "$(grep -n 'error\|Error' "$work/log" | head -n 20 || true)"
if grep -q 'warning:.*\(everything\|coincidences\)' "$work/log"; then fail "$(grep 'warning:' "$work/log")"; fi
"$(setting CMAKE_C_COMPILER)" -std=c17 -O1 -Wall -Wextra -Werror -I"$work/include" "$work/ask.c" "$work/build/libsnag.a" -lm -lpthread \
    -o "$work/ask" || fail "the program does not build"
"$work/ask" || fail "the program says what is wrong"
echo "test_adding: $edits edits of two pages make a method and a question"

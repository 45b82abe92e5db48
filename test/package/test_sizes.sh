#!/usr/bin/env bash
# Sizes stay readable: no function over 80 lines in src, no file over 800, at least 250 asserts in src, a question of at most 22 fields.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_sizes: $*" >&2; exit 1; }

# Names every violation in a project; its output is empty if there is none. usage: violations PROJECT LEAST_ASSERTS
violations() (
    cd "$1"
    folders=()
    for folder in src include io sim cli lab mpi python/snag web/src npm/src; do [ ! -d "$folder" ] || folders+=("$folder"); done
    mapfile -t files < <(find "${folders[@]}" -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.py' -o -name '*.js' -o -name '*.mjs' \) ! -name _layout.py | sort)
    # _layout.py is generated. Functions open and close with a brace in the first column (clang-format).
    awk 'FNR == 1 { start = 0 }
         FNR == 801 { print FILENAME ": over 800 lines" }
         FILENAME !~ /^src\// { next }
         /^\{/ { start = FNR }
         /^\}/ && start { if (FNR - start + 1 > 80) print FILENAME ":" start ": a function of " FNR - start + 1 " lines"; start = 0 }
        ' "${files[@]}"
    asserts=$(grep -rho --include='*.[ch]' 'SNAG__ASSERT(' src | wc -l)
    [ "$asserts" -ge "$2" ] || echo "src: $asserts asserts, expected at least $2"
    # A field is a declared name: every comma adds one, a function pointer counts once.
    awk '/^typedef struct snag_question_def \{/ { inside = 1; next }
         /^\} snag_question_def;/ { inside = 0 }
         inside { sub(/\/\/.*/, ""); gsub(/\([^()]*\)\([^()]*\)/, "f"); fields += gsub(/[,;]/, "") }
         END { if (fields == 0 || fields > 22) print "include/snag/question.h: snag_question_def has " fields + 0 " fields" }
        ' include/snag/question.h
)

found=$(violations "$source" 250)
[ -z "$found" ] || fail "$found"

# A small project with each kind of violation: all are named.
mkdir -p "$work/src/base" "$work/include/snag" "$work/io"
lines() { for ((i = 0; i < $1; i++)); do echo "    x++;"; done; }
field() { for ((i = 0; i < $1; i++)); do echo "    int a$i;  // a, b; c"; done; }
question() { { echo 'typedef struct snag_question_def {'; field "$1"; echo '} snag_question_def;'; } >"$work/include/snag/question.h"; }
must_name() { case $(violations "$work" "$2") in *"$1"*) ;; *) fail "does not see: $1" ;; esac; }
question 22
{ echo 'void f(void)'; echo '{'; lines 78; echo '}'; echo 'SNAG__ASSERT(a);'; } >"$work/src/base/a.c"
[ -z "$(violations "$work" 1)" ] || fail "complains of a project without violations: $(violations "$work" 1)"
must_name "src: 1 asserts, expected at least 2" 2
question 23
must_name "snag_question_def has 23 fields" 1
{ echo 'void f(void)'; echo '{'; lines 79; echo '}'; } >"$work/src/base/a.c"
must_name "src/base/a.c:2: a function of 81 lines" 0
lines 801 >"$work/io/b.c"
must_name "io/b.c: over 800 lines" 0
echo "test_sizes: clean, and all violations would be seen"

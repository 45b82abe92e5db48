#!/usr/bin/env bash
# Pages keep their promises: links lead somewhere, tables have at most seven columns, files and functions that the reading tour names
# are there, pages that sources refer to are there, and the README shows examples/hello.c as it is.
# usage: test_docs.sh [BUILD_FOLDER [PROJECT_FOLDER]]
set -euo pipefail
cd "${2:-$(dirname "$0")/../..}"
faults=0
fault() { echo "$*"; faults=$((faults + 1)); }

mapfile -t pages < <(find . -name '*.md' -not -path '*/node_modules/*' -not -path './build*' -not -path './.*/*' -not -path './*-out/*' | sort)
[ ${#pages[@]} -gt 20 ] || fault "only ${#pages[@]} pages were found"

# ---- links ----
# Anchors of a page: headings in lower case, without punctuation, with hyphens for spaces.
anchors() { # PAGE
    awk '/^```/ { code = !code } !code && /^#+ /' "$1" | sed -E 's/^#+ //; s/[^[:alnum:] _-]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]'
}
links=0
for page in "${pages[@]}"; do
    folder=$(dirname "$page")
    while IFS= read -r link; do
        links=$((links + 1))
        case $link in http://* | https://* | mailto:*) continue ;; esac
        file=${link%%#*}
        target=$folder/$file
        [ -n "$file" ] || target=$page
        [ -e "$target" ] || { fault "$page: the link $link leads nowhere"; continue; }
        case $link in *#*) [[ $target != *.md ]] || anchors "$target" | grep -xF -- "${link#*#}" >/dev/null || fault "$page: $link: there is no such heading" ;; esac
    done < <(awk '/^```/ { code = !code; next } !code' "$page" | sed 's/`[^`]*`//g' | grep -oE '\]\([^)[:space:]]+\)' | sed 's/^](//; s/)$//' || true)
done
[ "$links" -gt 50 ] || fault "only $links links were found"

# ---- tables ----
for page in "${pages[@]}"; do
    while IFS= read -r line; do fault "$page:$line"; done < <(awk '
        /^```/ { code = !code }
        !code && /^ *\|/ {
            row = $0
            gsub(/\\\|/, "", row)
            gsub(/`[^`]*`/, "", row)
            columns = gsub(/\|/, "", row) - 1
            if (columns > 7) print NR ": a table of " columns " columns"
        }' "$page")
done

# ---- the reading tour ----
stops=0
has_function() { # FILE FUNCTION: whether it is defined or called there
    [ -e "$1" ] || { fault "docs/architecture.md: $1 is not there"; return; }
    grep -qE "(^|[^[:alnum:]_])$2\(" "$1" || fault "docs/architecture.md: $1 has no $2()"
}
tour() { awk '/^## A reading tour/ { inside = 1; next } /^## / { inside = 0 } inside' docs/architecture.md; }
while IFS='`' read -r _ file _ function _; do
    stops=$((stops + 1))
    has_function "$file" "$function"
done < <(tour | grep -E '^\| [0-9]+ \| `')
[ $stops = 10 ] || fault "docs/architecture.md: the tour has $stops stops, not 10"
while IFS='`' read -r _ file _ function _; do has_function "$file" "$function"; done < <(tour | grep -oE '`src/[a-z0-9_/.]+` \(`[a-z0-9_]+`\)')
while IFS='`' read -r _ function _ file _; do has_function "$file" "$function"; done < <(tour | grep -oE '`[a-z0-9_]+` of `src/[a-z0-9_/.]+`')

# ---- files that pages name, pages that sources name ----
for page in docs/architecture.md docs/adding-a-method.md docs/adding-a-question.md docs/design/*.md docs/methods/*.md; do
    while IFS= read -r file; do
        [[ $file == src/method/everything.c || $file == src/query/coincidences.c ]] || compgen -G "$file" >/dev/null || fault "$page: there is no $file"
    done < <(grep -oE '`(src|include|test|lab|sim|bench|script)/[A-Za-z0-9_/.*-]+`' "$page" | tr -d '`' | sort -u)
done
while IFS=: read -r file page; do
    [ -e "$page" ] || fault "$file names $page, which is not there"
done < <(grep -roE --include='*.[ch]' --include='*.cpp' --include='*.js' --include='*.txt' 'docs/[A-Za-z0-9_/-]+\.md' include src io sim cli lab common bench test fuzz web/src 2>/dev/null | sort -u)

# ---- the README's example ----
diff <(awk '/^<!-- examples\/hello.c -->/ { inside = 1 } inside && /^```$/ { exit } inside && !/^<!--/ && !/^```/' README.md) examples/hello.c ||
    fault "README.md: the example is not examples/hello.c"


# ---- snippets of the guide are parts of examples/step.c ----
# Lines are compared without their indentation.
awk '
    FNR == NR { sub(/^[ \t]+/, ""); program = program $0 "\n"; next }
    /^```c$/ { inside = 1; first = FNR; text = "\n"; next }
    /^```$/ && inside { inside = 0; count++; if (!index("\n" program, text)) { print "docs/guide/embedding.md:" first ": this is not in examples/step.c"; bad = 1 } next }
    inside { sub(/^[ \t]+/, ""); text = text $0 "\n" }
    END { exit bad || count < 8 }' examples/step.c docs/guide/embedding.md || fault "docs/guide/embedding.md: snippets differ from examples/step.c"

# ---- the summary of the results ----
# A claim ends with its first sentence, whatever the next one begins with.
summary=$(awk -f script/lib/results-summary.awk - /dev/null <<'END'
### Somebody 2004: a title (kdop, active)
**holds**: Tab. 1b: calls are constant. 12 of them. Rule: none.
**does not hold**: Table 3: faster than k-DOPs. 100 new pairs take 1.35 ms. Rule: none.
**does not hold**: Table 1: the number hardly matters (Fig. 2 too). 3.4 times as many. Rule: none.
**does not hold**: Tab. 2b: calls are linear. They are not. Rule: none.
END
)
for line in '1. Table 3: faster than k-DOPs. (a title)' '2. Table 1: the number hardly matters (Fig. 2 too). (a title)' '3. Tab. 2b: calls are linear. (a title)'; do
    grep -xF -- "$line" <<<"$summary" >/dev/null || fault "script/lib/results-summary.awk does not print: $line"
done
grep -F '**1 of 4 claims' <<<"$summary" >/dev/null || fault "script/lib/results-summary.awk counts wrongly"
# The summary on the page is that of the evidence below it.
results=docs/notebook/results.md
diff <(sed -n '3,/^Everything below/p' $results) \
    <(awk -f script/lib/results-summary.awk <(sed -n '/^## The five papers/,/^## Other libraries/p' $results) <(sed -n '/^## Other libraries/,$p' $results)) ||
    fault "$results: its summary is not that of its evidence"

[ $faults = 0 ] || { echo "test_docs: $faults faults" >&2; exit 1; }
echo "test_docs: ${#pages[@]} pages, $links links"

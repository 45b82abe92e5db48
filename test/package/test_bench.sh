#!/usr/bin/env bash
# script/bench says what is wrong with a request, and ends with 2 before it installs or builds anything.
set -euo pipefail

# refuses WORDS ARGUMENT...
refuses() {
    local words=$1 said code=0
    shift
    said=$(script/bench "$@" 2>&1) || code=$?
    [ $code = 2 ] || { echo "script/bench $* ended with $code, not 2"; exit 1; }
    grep -qF -- "$words" <<<"$said" || { echo "script/bench $* does not say \"$words\" but: $said"; exit 1; }
}
refuses "unknown option --fast" --fast
refuses "--out needs a folder" --out
file=$(mktemp)
trap 'rm -f "$file"' EXIT
refuses "cannot write there" --quick --out "$file"
refuses "cannot write there" --out "$file/below"
refuses "--compare needs a file" --compare
refuses "no-such-file.json: cannot read" --compare no-such-file.json

# script/results too.
said=$(script/results --repro "$file.none" 2>&1) && { echo "script/results without results ended with 0"; exit 1; }
grep -q 'repro.md: not found; run: snag repro' <<<"$said" || { echo "script/results says: $said"; exit 1; }
script/bench --help | grep '^usage: script/bench' >/dev/null

#!/usr/bin/env bash
# Every verdict of `snag repro` can fail: each rule of lab/verdicts.h is fed numbers for which it holds and numbers for which it does not,
# each is used by an experiment, and no experiment judges without a rule.
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "test_rules: $*" >&2; exit 1; }

rules=$(grep -oE '^page_ruling rule_[a-z_]+' lab/verdicts.h | cut -d' ' -f2)
[ "$(wc -l <<<"$rules")" -ge 30 ] || fail "lab/verdicts.h has fewer rules than claims"
tests=$(cat test/lab/test_verdicts.c)
experiments=$(cat lab/repro_*.c lab/verdicts.c)
for rule in $rules; do
    [ "$rule" = rule_skipped ] && continue
    for kind in holds fails; do
        grep -qE "$kind\($rule\(" <<<"$tests" || fail "no test for which $rule $kind"
    done
    uses=$(grep -cE "[^a-z_]$rule\(" <<<"$experiments")
    [ "$uses" -ge 2 ] || fail "no experiment uses $rule"
done

# A judgement that no rule made could not be tested.
if grep -nE 'page_verdict\(|\.judgement *= *PAGE|PAGE_HOLDS *:|PAGE_FAILS *:' lab/repro_*.c; then
    fail "an experiment judges without a rule"
fi
# Each ruling on the page was made by a rule.
joined=$(cat lab/repro_*.c | tr -s '\n ' '  ')
rulings=$(grep -oE 'page_ruled\( *[^,]+, &[a-z_]+' <<<"$joined" | sed 's/.*&//' | sort -u)
for ruling in $rulings; do
    grep -qE "page_ruling [^;]*$ruling = [^;]*rule_" <<<"$joined" || fail "$ruling has no rule"
done
[ "$(grep -cE 'page_ruled\(' <<<"$(cat lab/repro_*.c)")" -ge 30 ] || fail "fewer verdicts than claims"
echo "every rule can hold and fail: $(wc -l <<<"$rules") rules"

#!/usr/bin/env bash
# The report page in a browser: see check_page.mjs. And what the tool does when a report cannot be written.
set -euo pipefail
build=$1
fail() { echo "test_report: $*" >&2; exit 1; }
skip() { echo "test_report: skipped: $*" >&2; exit 77; }

# The page is the same in every build; what C writes into it is also tested without a browser.
grep -q '^SNAG_SANITIZE:STRING=$' "$build/CMakeCache.txt" || skip "the page is tested in the release build"
grep -q '^SNAG_SIMD:BOOL=OFF' "$build/CMakeCache.txt" && skip "the page is tested in the release build"
[ -f "$build/report_page.c" ] || skip "the tool was built without the page"
command -v chromium >/dev/null || skip "chromium is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$work/one.obj"

# A full disk: nothing is left, and what was there stays.
echo old >"$work/report.html"
code=0
(trap '' XFSZ; ulimit -f 64; exec "$SNAG_TOOL" check "$work/one.obj" --report "$work/report.html" >/dev/null 2>"$work/said") || code=$?
[ $code = 2 ] || fail "a full disk ended with $code"
grep -q 'report.html: cannot write' "$work/said" || fail "a full disk said: $(cat "$work/said")"
[ "$(cat "$work/report.html")" = old ] || fail "a full disk changed the old report"
[ "$(ls "$work")" = "$(printf 'one.obj\nreport.html\nsaid')" ] || fail "a full disk left: $(ls "$work")"

node test/web/check_page.mjs "$SNAG_TOOL"
node test/web/check_places.mjs "$SNAG_TOOL"
node test/web/check_clicks.mjs "$SNAG_TOOL"
exec node test/web/check_fix.mjs "$SNAG_TOOL"

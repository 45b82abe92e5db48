#!/usr/bin/env bash
# The pages of `snag repro` and `snag bench page` in a browser: see check_results.mjs.
set -euo pipefail
build=$1
skip() { echo "test_results: skipped: $*" >&2; exit 77; }

# The pages are the same in every build; what C writes into them is also tested without a browser.
grep -q '^SNAG_SANITIZE:STRING=$' "$build/CMakeCache.txt" || skip "the pages are tested in the release build"
grep -q '^SNAG_SIMD:BOOL=OFF' "$build/CMakeCache.txt" && skip "the pages are tested in the release build"
command -v chromium >/dev/null || skip "chromium is not installed"
[ -d web/node_modules/playwright-core ] || skip "playwright-core is not installed (npm ci in web/)"
exec node test/web/check_results.mjs "$SNAG_TOOL"

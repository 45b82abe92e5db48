#!/usr/bin/env bash
# script/release names each thing that is missing, changes nothing without --make, and the version is in one place: raising it there alone is
# noticed wherever it is repeated.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_release: $*" >&2; exit 1; }
git -C "$source" rev-parse >/dev/null 2>&1 || { echo "test_release: skipped, the sources are not in git" >&2; exit 77; }

version=$(sed -n 's/^#define SNAG_VERSION "\(.*\)"/\1/p' "$source/include/snag/base.h")
mkdir "$work/project"
(cd "$source" && git ls-files -z CHANGELOG.md CITATION.cff SECURITY.md .github include packaging script test/package | tar --null --ignore-failed-read -T - -cf -) |
    tar -C "$work/project" -xf -
cd "$work/project"
git init -q
commit() { git add -A && git -c user.name=test -c user.email=test@test commit -q -m "$1"; }
sed -i "s/^## $version .*/## $version (2030-01-02)/" CHANGELOG.md
commit "all"

script/release >"$work/output" 2>&1 || fail "is not ready though nothing is missing: $(cat "$work/output")"
grep -q "^ready for $version$" "$work/output" || fail "does not say that it is ready"
[ -z "$(git status --porcelain)$(git tag)" ] || fail "changes something without --make"

must_name() { # TEXT, after the project was spoilt; it is restored
    if script/release >"$work/output" 2>&1; then fail "does not see: $1"; fi
    grep -qF -- "$1" "$work/output" || fail "expected: $1; got: $(cat "$work/output")"
    git reset -q --hard && git clean -qfd
}
echo "int x;" >>include/snag/base.h
must_name "there are changes that are not committed"
sed -i "s/^## $version .*/## $version (not yet released)/" CHANGELOG.md
must_name "CHANGELOG.md has no line"
sed -i 's/^#define SNAG_VERSION ".*"/#define SNAG_VERSION "7.8.9"/' include/snag/base.h
must_name "CITATION.cff names another version"
sed -i "s/^version: .*/version: 7.8.9/" CITATION.cff
must_name "CITATION.cff names another version"
git tag "v$version"
must_name "the tag v$version exists"
if script/release --now >/dev/null 2>&1; then fail "takes an unknown option"; fi
echo "test_release: what is missing is named"

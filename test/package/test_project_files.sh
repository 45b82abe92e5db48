#!/usr/bin/env bash
# The version is in one place: what repeats it agrees, and the files that an open project has say what they must.
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "test_project_files: $*" >&2; exit 1; }

version=$(sed -n 's/^#define SNAG_VERSION "\(.*\)"/\1/p' include/snag/base.h)
[ "$(sed -n 's/^version: //p' CITATION.cff)" = "$version" ] || fail "CITATION.cff names another version than base.h ($version)"
grep -q "^| ${version%.*} | yes |$" SECURITY.md || fail "SECURITY.md does not say that ${version%.*} gets fixes"
grep -q "^## $version" CHANGELOG.md || fail "CHANGELOG.md has no section for $version"
for author in Volino Teschner Kimmerle Rodriguez Madera; do
    grep -q "family-names: $author" CITATION.cff || fail "CITATION.cff does not name the paper of $author"
done
# CI has no steps of its own: what it runs can be run anywhere.
runs=$(sed -n 's/^ *- run: //p' .github/workflows/test.yml | grep -v '^apt-get' || true)
[ -n "$runs" ] || fail "the workflow runs nothing"
while read -r command; do
    case $command in script/*) [ -x "${command%% *}" ] || fail "$command does not exist" ;; *) fail "the workflow runs $command itself" ;; esac
done <<<"$runs"
echo "test_project_files: version $version, workflow and citation agree"

#!/usr/bin/env bash
# The version is in one place: what repeats it agrees, and the files that an open project has say what they must.
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "test_project_files: $*" >&2; exit 1; }

version=$(sed -n 's/^#define SNAG_VERSION "\(.*\)"/\1/p' include/snag/base.h)
[ "$(sed -n 's/^version: //p' CITATION.cff)" = "$version" ] || fail "CITATION.cff names another version than base.h ($version)"
grep -q "^| ${version%.*} | yes |$" SECURITY.md || fail "SECURITY.md does not say that ${version%.*} gets fixes"
grep -q "^## $version" CHANGELOG.md || fail "CHANGELOG.md has no section for $version"
grep -q "^Package: libsnag${version%.*}$" packaging/debian/control || fail "packaging/debian/control has no package libsnag${version%.*}"
[ -f "packaging/debian/libsnag${version%.*}.install" ] || fail "there is no packaging/debian/libsnag${version%.*}.install"
grep -q "\"version-semver\": \"$version\"" packaging/vcpkg/vcpkg.json || fail "packaging/vcpkg/vcpkg.json names another version than base.h ($version)"
if [ -d npm ]; then grep -q "\"version\": \"$version\"" npm/package.json || fail "npm/package.json names another version than base.h ($version)"; fi
if [ -d blender ]; then
    grep -q "^version = \"$version\"" blender/snag_contacts/blender_manifest.toml || fail "blender_manifest.toml names another version than base.h ($version)"
fi
# Everywhere else it is read from base.h.
others=$(git grep -lF "$version" -- ':!CHANGELOG.md' ':!CITATION.cff' ':!packaging/vcpkg/vcpkg.json' ':!include/snag/base.h' ':!docs' ':!*package-lock.json' ':!*.svg' \
    ':!python/snag/_layout.py' ':!test/package' ':!npm/package.json' ':!npm/types' ':!blender/snag_contacts/blender_manifest.toml' 2>/dev/null || true)
[ -z "$others" ] || fail "the version is repeated in $others"
for author in Volino Teschner Kimmerle Rodriguez Madera; do
    grep -q "family-names: $author" CITATION.cff || fail "CITATION.cff does not name the paper of $author"
done
# CI has no steps of its own: what it runs can be run anywhere.
runs=$(sed -n 's/^ *- run: //p' .github/workflows/test.yml | grep -v '^apt-get' || true)
[ -n "$runs" ] || fail "the workflow runs nothing"
while read -r command; do
    case $command in script/*) [ -x "${command%% *}" ] || fail "$command does not exist" ;; *) fail "the workflow runs $command itself" ;; esac
done <<<"$runs"
# `| grep -q` ends at its first hit, the writer gets SIGPIPE, and pipefail calls that a failure: on a busy machine only.
quiet=$(git grep -nE '\| *grep -[a-zA-Z]*q' -- '*.sh' script .ci ':!test/package/test_project_files.sh' 2>/dev/null | grep -v "||* *grep -a*q 'FAILED'\||| grep" || true)
[ -z "$quiet" ] || fail "grep -q at the end of a pipe may fail by luck; use >/dev/null: $quiet"
echo "test_project_files: version $version, workflow and citation agree"

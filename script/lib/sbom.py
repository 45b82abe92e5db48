"""Prints an SBOM (SPDX 2.3, JSON) of what is packed: its files with check sums, and the software of others that is in them or that they load.

usage: sbom.py FOLDER NAME KIND BUILD_FOLDER      KIND: debian, linux or windows; the time is SOURCE_DATE_EPOCH
"""
import datetime
import hashlib
import json
import os
import re
import sys

SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def digest(path, kind):
    with open(path, "rb") as file:
        return hashlib.new(kind, file.read()).hexdigest()


def files_of(folder):
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(at, name)
            if not os.path.islink(path):
                yield os.path.relpath(path, folder).replace(os.sep, "/"), path


def describe_files(folder):
    return [
        {
            "SPDXID": f"SPDXRef-File-{number}",
            "fileName": "./" + name,
            "checksums": [
                {"algorithm": "SHA1", "checksumValue": digest(path, "sha1")},
                {"algorithm": "SHA256", "checksumValue": digest(path, "sha256")},
            ],
            "licenseConcluded": "NOASSERTION",
            "licenseInfoInFiles": ["NOASSERTION"],
            "copyrightText": "NOASSERTION",
        }
        for number, (name, path) in enumerate(files_of(folder))
    ]


def package(name, version, license_name, comment):
    return {
        "SPDXID": "SPDXRef-Package-" + name,
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_name,
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
        "comment": comment,
    }


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def setting(build, name):
    """A path that CMake has found, or None."""
    found = re.search(rf"^{name}:[A-Z]*=(.*)$", read(build, "CMakeCache.txt"), re.M)
    return None if not found or found.group(1).endswith("NOTFOUND") else found.group(1)


def three_version():
    return json.loads(read(SOURCES, "web", "package-lock.json"))["packages"]["node_modules/three"]["version"]


def parts(kind, build):
    """(package, how it relates to snag) of everything that is not of the project."""
    zlib = re.search(r'#define ZLIB_VERSION "(.*)"', read(setting(build, "ZLIB_INCLUDE_DIR"), "zlib.h")).group(1)
    linked = "STATIC_LINK" if kind == "windows" else "DYNAMIC_LINK"
    yield package("zlib", zlib, "Zlib", "used by snag_io and the tool"), linked
    # A build without Node.js, or without the npm packages, has no page.
    if os.path.exists(os.path.join(build, "report_page.c")):
        yield package("three", three_version(), "MIT", "bundled into the report page that the tool carries"), "CONTAINS"
    assimp = setting(build, "ASSIMP_LIBRARY") if kind == "debian" else None
    if assimp:
        yield package("assimp", os.path.realpath(assimp).split(".so.")[-1], "BSD-3-Clause", "used by snag_io to read FBX and COLLADA"), "DYNAMIC_LINK"
    if kind == "windows":
        yield package("mingw-w64", "NOASSERTION", "ZPL-2.1", "run-time library of the compiler"), "STATIC_LINK"
        yield package("gcc-runtime", "NOASSERTION", "GPL-3.0-or-later WITH GCC-exception-3.1", "libgcc"), "STATIC_LINK"
    else:
        yield package("glibc", "NOASSERTION", "LGPL-2.1-or-later", "the system's C library"), "DYNAMIC_LINK"


def document(folder, name, kind, build):
    files = describe_files(folder)
    version = re.search(r'#define SNAG_VERSION "(.*)"', read(SOURCES, "include", "snag", "base.h")).group(1)
    snag = package("snag", version, "MIT", "the project itself")
    sums = sorted(f["checksums"][0]["checksumValue"] for f in files)
    code = hashlib.sha1("".join(sums).encode()).hexdigest()
    snag.update(filesAnalyzed=True, licenseInfoFromFiles=["NOASSERTION"], packageVerificationCode={"packageVerificationCodeValue": code})
    others = list(parts(kind, build))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", snag["SPDXID"])]
    relations += [(snag["SPDXID"], "CONTAINS", f["SPDXID"]) for f in files]
    relations += [(snag["SPDXID"], relation, p["SPDXID"]) for p, relation in others]
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        # Unique, and the same for the same files.
        "documentNamespace": f"urn:snag:{name}:{code}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: snag-script-package"]},
        "packages": [snag] + [p for p, _ in others],
        "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": relation, "relatedSpdxElement": b} for a, relation, b in relations],
    }


if __name__ == "__main__":
    json.dump(document(*sys.argv[1:]), sys.stdout, indent=1)
    print()

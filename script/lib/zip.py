"""Packs a folder into a zip file whose bytes depend on nothing but the files: sorted names, one time for all.

usage: zip.py PARENT NAME EPOCH OUTPUT      packs PARENT/NAME
"""
import os
import sys
import time
import zipfile


def main():
    parent, name, epoch, output = sys.argv[1:]
    stamp = time.gmtime(int(epoch))[:6]
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for at, folders, names in os.walk(os.path.join(parent, name)):
            folders.sort()
            for each in sorted(names):
                path = os.path.join(at, each)
                entry = zipfile.ZipInfo(os.path.relpath(path, parent).replace(os.sep, "/"), stamp)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.create_system = 3
                entry.external_attr = (0o755 if os.access(path, os.X_OK) else 0o644) << 16
                with open(path, "rb") as file:
                    packed.writestr(entry, file.read(), compresslevel=9)


if __name__ == "__main__":
    main()

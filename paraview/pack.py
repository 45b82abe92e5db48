"""Packs the plugin with the wheel's package beside it. usage: pack.py WHEEL FOLDER"""
import os
import shutil
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
wheel, folder = sys.argv[1:]
target = os.path.join(folder, "snag_contacts")
shutil.rmtree(target, ignore_errors=True)
os.makedirs(os.path.join(target, "bundled"))
shutil.copy(os.path.join(HERE, "snag_contacts.py"), target)
with zipfile.ZipFile(wheel) as packed:
    for entry in packed.infolist():
        if entry.filename.startswith("snag/"):
            path = packed.extract(entry, os.path.join(target, "bundled"))
            os.chmod(path, entry.external_attr >> 16 & 0o777)
print(os.path.join(target, "snag_contacts.py"))

"""Packs the add-on. usage: pack.py WHEEL FOLDER"""
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ADDON = os.path.join(HERE, "snag_contacts")
# What Blender calls a platform.
PLATFORMS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}


def sources():
    for name in sorted(os.listdir(ADDON)):
        if name.endswith((".py", ".toml")):
            with open(os.path.join(ADDON, name)) as file:
                yield name, file.read()


def write(out, name, data, mode=0o644):
    entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    out.writestr(entry, data)


def main():
    wheel, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    version = re.match(r"snag-([^-]+)-", os.path.basename(wheel)).group(1)
    text = dict(sources())
    numbers = ", ".join(version.split("."))
    assert f'"version": ({numbers})' in text["__init__.py"], "the version in bl_info is not that of the wheel"
    assert f'version = "{version}"' in text["blender_manifest.toml"], "the version in blender_manifest.toml is not that of the wheel"

    legacy = os.path.join(folder, f"snag-contacts-{version}-blender-3.4.zip")
    with zipfile.ZipFile(legacy, "w") as out, zipfile.ZipFile(wheel) as packed:
        for name, data in text.items():
            if name.endswith(".py"):
                write(out, f"snag_contacts/{name}", data)
        for entry in packed.infolist():
            if entry.filename.startswith("snag/"):
                write(out, f"snag_contacts/bundled/{entry.filename}", packed.read(entry), entry.external_attr >> 16 & 0o777)

    extension = os.path.join(folder, f"snag-contacts-{version}-extension.zip")
    name = os.path.basename(wheel)
    platform = next(p for machine, p in PLATFORMS.items() if machine in name)
    with zipfile.ZipFile(extension, "w") as out:
        for source, data in text.items():
            if source == "blender_manifest.toml":
                data += f'platforms = ["{platform}"]\nwheels = ["./wheels/{name}"]\n'
            write(out, source, data)
        with open(wheel, "rb") as file:
            write(out, f"wheels/{name}", file.read())
    print(legacy, extension, sep="\n")


main()

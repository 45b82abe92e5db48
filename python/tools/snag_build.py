"""Builds the wheel and the sdist (PEP 517), with nothing but the standard library, CMake and a C compiler.

The wheel holds the package, the shared libraries and the tool. Nothing in it is compiled against Python, so one wheel serves
every Python: py3-none-PLATFORM.
"""
import base64
import gzip
import hashlib
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The C sources: beside the package in the repository, in native-sources/ of an sdist.
SOURCES = os.path.join(HERE, "native-sources") if os.path.isdir(os.path.join(HERE, "native-sources")) else os.path.dirname(HERE)
# What the libraries and the tool are built from. CMake wants to see lab and bench, although nothing of them is built.
NATIVE = ["CMakeLists.txt", "LICENSE", "bench", "cmake", "cli", "common", "include", "io", "lab", "sim", "src", "python/native"]
LIBRARIES = ["snag", "snag_io", "snag_sim", "snag_python"]
# What the wheel may count on: parts of the C library, and zlib, which Python itself needs.
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libz.so.1", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1"}
# Files of an archive get the same time, so that the same sources give the same bytes.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800"))


def version():
    with open(os.path.join(SOURCES, "include", "snag", "base.h")) as header:
        return re.search(r'SNAG_VERSION "(.*?)"', header.read()).group(1)


def project():
    """The few lines of pyproject.toml that metadata is made of."""
    with open(os.path.join(HERE, "pyproject.toml")) as file:
        text = file.read()
    return (re.search(r'^description = "(.*)"', text, flags=re.M).group(1),
            re.search(r'^requires-python = "(.*)"', text, flags=re.M).group(1),
            re.findall(r'^    "(.* :: .*)",', text, flags=re.M),
            re.search(r'^arrays = \["(.*)"\]', text, flags=re.M).group(1))


def metadata():
    description, python, classifiers, numpy = project()
    lines = ["Metadata-Version: 2.1", "Name: snag", f"Version: {version()}", f"Summary: {description}", "License: MIT",
             f"Requires-Python: {python}", "Provides-Extra: arrays", f'Requires-Dist: {numpy} ; extra == "arrays"',
             "Description-Content-Type: text/markdown"]
    lines += [f"Classifier: {c}" for c in classifiers]
    with open(os.path.join(HERE, "README.md")) as readme:
        return "\n".join(lines) + "\n\n" + readme.read()


def package_files():
    folder = os.path.join(HERE, "snag")
    return sorted(name for name in os.listdir(folder) if name.endswith(".py") or name == "py.typed")


# ---- the libraries -------------------------------------------------------------------------------------------------

def run(*command):
    subprocess.run(command, check=True, stdout=sys.stderr)


def build_native(target):
    """Builds libraries and tool and leaves them in target/lib and target/bin. Without assimp and OpenGL, which a wheel cannot
    hold: FBX and COLLADA are not read, and the method spheres has one backend."""
    build = os.environ.get("SNAG_BUILD_FOLDER") or os.path.join(SOURCES, "build-python")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", SOURCES, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DSNAG_GL=OFF", "-DSNAG_ASSIMP=OFF",
        "-DSNAG_LAB=OFF", "-DSNAG_TESTS=OFF", "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_INSTALL_BINDIR=bin",
        "-Wno-dev", "--log-level=WARNING")
    run("cmake", "--build", build, "--parallel", str(os.cpu_count() or 1), "--target", *LIBRARIES, "snag_tool", "snag_manual")
    with tempfile.TemporaryDirectory() as prefix:
        run("cmake", "--install", build, "--prefix", prefix, "--strip")
        run("cmake", "--install", build, "--prefix", prefix, "--strip", "--component", "python")
        os.makedirs(os.path.join(target, "lib"))
        os.makedirs(os.path.join(target, "bin"))
        short = ".".join(version().split(".")[:2])
        for library in LIBRARIES:
            name = f"lib{library}.so" + ("" if library == "snag_python" else f".{short}")
            shutil.copy(os.path.join(prefix, "lib", name), os.path.join(target, "lib", name))
        shutil.copy(os.path.join(prefix, "bin", "snag"), os.path.join(target, "bin", "snag"))


def needs(path):
    """Libraries that an ELF file needs, and the newest version of the C library among its symbols."""
    with open(path, "rb") as file:
        data = file.read()
    order = "<" if data[5] == 1 else ">"
    offset, = struct.unpack_from(order + "Q", data, 40)
    size, count = struct.unpack_from(order + "HH", data, 58)
    sections = [struct.unpack_from(order + "IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    found, newest = set(), 0
    for section in sections:
        if section[1] == 6:  # dynamic
            strings = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 16):
                tag, value = struct.unpack_from(order + "qQ", data, at)
                if tag == 1:
                    found.add(data[strings + value:data.index(b"\0", strings + value)].decode())
        if section[1] == 0x6FFFFFFE:  # versions that are needed
            strings = sections[section[6]][4]
            newest = max([newest] + [int(m) for m in re.findall(rb"GLIBC_2\.(\d+)", data[strings:strings + sections[section[6]][5]])])
    return found, newest


def platform_tag(native):
    """manylinux_2_N where the files need no more than the C library of that version; else the plain platform."""
    own = set(os.listdir(os.path.join(native, "lib")))
    newest, others = 17, set()
    for folder in ("lib", "bin"):
        for name in os.listdir(os.path.join(native, folder)):
            found, version_needed = needs(os.path.join(native, folder, name))
            others |= found - own - SYSTEM
            newest = max(newest, version_needed)
    plain = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if others or not plain.startswith("linux_"):
        return plain
    return f"manylinux_2_{newest}_{plain[len('linux_'):]}"


# ---- the hooks -----------------------------------------------------------------------------------------------------

def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


ENTRY_POINTS = "[console_scripts]\nsnag = snag._tool:main\n"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"snag-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info))
    for name, text in (("METADATA", metadata()), ("entry_points.txt", ENTRY_POINTS),
                       ("WHEEL", "Wheel-Version: 1.0\nGenerator: snag_build\nRoot-Is-Purelib: false\n")):
        with open(os.path.join(metadata_directory, info, name), "w") as out:
            out.write(text)
    return info


def write_wheel(path, tag, files):
    info = f"snag-{version()}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = (metadata().encode(), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: snag_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644)
    files[f"{info}/entry_points.txt"] = (ENTRY_POINTS.encode(), 0o644)
    with open(os.path.join(SOURCES, "LICENSE"), "rb") as text:
        files[f"{info}/LICENSE"] = (text.read(), 0o644)
    record = ""
    for name, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = ((record + f"{info}/RECORD,,\n").encode(), 0o644)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, (data, mode) in sorted(files.items(), key=lambda f: (".dist-info" in f[0], f[0])):
            entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {}
    for name in package_files():
        with open(os.path.join(HERE, "snag", name), "rb") as file:
            files[f"snag/{name}"] = (file.read(), 0o644)
    with tempfile.TemporaryDirectory() as folder:
        native = os.path.join(folder, "native")
        build_native(native)
        tag = f"py3-none-{platform_tag(native)}"
        for place in ("lib", "bin"):
            for name in os.listdir(os.path.join(native, place)):
                with open(os.path.join(native, place, name), "rb") as file:
                    files[f"snag/native/{place}/{name}"] = (file.read(), 0o755)
    name = f"snag-{version()}-{tag}.whl"
    write_wheel(os.path.join(wheel_directory, name), tag, files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    root = f"snag-{version()}"
    files = {"PKG-INFO": metadata().encode()}

    def take(source, target):
        if os.path.isdir(source):
            for name in sorted(os.listdir(source)):
                if name not in ("__pycache__", "node_modules"):
                    take(os.path.join(source, name), f"{target}/{name}")
        else:
            with open(source, "rb") as file:
                files[target] = file.read()

    for name in ("pyproject.toml", "README.md", "snag", "tests", "tools", "examples"):
        if os.path.exists(os.path.join(HERE, name)):
            take(os.path.join(HERE, name), name)
    for name in NATIVE:
        take(os.path.join(SOURCES, *name.split("/")), f"native-sources/{name}")
    name = f"{root}.tar.gz"
    with open(os.path.join(sdist_directory, name), "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=EPOCH) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as out:
        for target, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{root}/{target}")
            entry.size, entry.mtime, entry.mode = len(data), EPOCH, 0o644
            out.addfile(entry, io.BytesIO(data))
    return name


if __name__ == "__main__":  # usage: snag_build.py wheel|sdist FOLDER
    os.makedirs(sys.argv[2], exist_ok=True)
    print((build_wheel if sys.argv[1] == "wheel" else build_sdist)(sys.argv[2]))

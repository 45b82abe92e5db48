"""Writes snag/_layout.py: the structs, enums and functions of the C headers, as ctypes wants them; and native/structs.h, the
list of structs whose sizes the package compares with the library's when it is imported.

The headers are parsed here; sizes, offsets and the values of constants come from the C compiler, so that a mistake of the
parser is an error and not a wrong layout.

usage: make_layout.py [--check]      --check: end with 1 if the files that are there are out of date
"""
import json
import os
import re
import subprocess
import sys
import tempfile

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = os.path.join(os.path.dirname(PACKAGE), "include")
LIBRARY_OF = {"base": "snag", "world": "snag", "question": "snag", "methods": "snag", "lab": "snag", "mesh": "snag",
              "response": "snag", "shapes": "snag", "derivatives": "snag", "candidates": "snag",
              "places": "snag", "filter": "snag", "edit": "snag", "queries": "snag",
              "io": "snag_io", "sim": "snag_sim"}

SCALARS = {"bool": "c_bool", "char": "c_char", "int": "c_int", "float": "c_float", "double": "c_double",
           "size_t": "c_size_t", "int32_t": "c_int32", "uint8_t": "c_uint8", "uint32_t": "c_uint32",
           "uint64_t": "c_uint64"}


class Header:
    def __init__(self):
        self.enums = {}      # name: [constants]
        self.structs = {}    # name: [(field, type, array length or None)]
        self.opaque = set()
        self.functions = {}  # name: (library, result, [arguments])
        self.numbers = []    # macros that are integers


def strip(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return text


def parse(header, name, text):
    header.numbers += re.findall(r"^#define (SNAG_\w+) \d+\s*$", text, flags=re.M)
    text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.M)
    text = re.sub(r"static inline [^{]*\{.*?\n\}", "", text, flags=re.S)
    for kind, body in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", text, flags=re.S):
        header.enums[body] = re.findall(r"\b(SNAG_\w+)\b\s*(?:=|,|$|\s)", kind)
    for body in re.findall(r"(?<!typedef )enum \{(.*?)\};", text, flags=re.S):
        header.numbers += re.findall(r"\b(SNAG_\w+)\b", body)
    for body, struct in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, flags=re.S):
        header.structs[struct] = [field for line in body.split(";") if line.strip() for field in fields(line)]
    header.opaque.update(re.findall(r"typedef struct (\w+) \1;", text))
    header.opaque.update(re.findall(r"^struct (\w+);", text, flags=re.M))
    for result, function, arguments in re.findall(r"SNAG_API ([\w\s*]*?)(\w+)\(((?:[^()]|\([^()]*\))*)\);", text):
        header.functions[function] = (LIBRARY_OF[name], result.strip(), split_arguments(arguments))


def split_arguments(text):
    text = " ".join(text.split())
    if text == "void":
        return []
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    arguments = []
    for part in parts:
        if "(*" in part:
            arguments.append("function")
        else:
            arguments.append(re.sub(r"\w+$", "", part.strip()).strip())
    return arguments


def fields(line):
    line = " ".join(line.split())
    pointer = re.fullmatch(r".*?\(\*(\w+)\)\(.*\)", line)
    if pointer:
        return [(pointer.group(1), "function", None)]
    first, *others = line.split(",")
    match = re.fullmatch(r"(.*?)(\w+)(?:\[(\w+)\])?", first.strip())
    base = match.group(1).strip()
    made = [(match.group(2), base, match.group(3))]
    for other in others:
        match = re.fullmatch(r"(\**)(\w+)(?:\[(\w+)\])?", other.strip())
        made.append((match.group(2), f'{base.rstrip("* ")} {match.group(1)}'.strip(), match.group(3)))
    return made


def ctype(header, text):
    """The ctypes expression for a C type. Enums are ints, pointers addresses; only text that is read is c_char_p."""
    if text == "function":
        return "c_void_p"
    if "*" in text:
        return "c_char_p" if re.fullmatch(r"const char \*", text) else "c_void_p"
    if text == "void":
        return "None"
    if text in SCALARS:
        return SCALARS[text]
    if text in header.enums:
        return "c_int"
    if text in header.structs:
        return text
    raise SystemExit(f"make_layout: {text!r} is a type that this script does not know")


def field_type(header, field, numbers):
    name, text, length = field
    made = ctype(header, text)
    return f"{made} * {numbers.get(length, length)}" if length else made


def measure(header, compiler=(os.environ.get("CC", "cc"),), run=()):
    """What the compiler says: sizes, offsets, values. `run` starts its programs, where they are for another machine."""
    lines = ["#include <stdio.h>"]
    lines += [f'#include "snag/{name}.h"' for name in LIBRARY_OF]
    lines.append('int main(void) { printf("{\\"numbers\\": {");')
    constants = [c for values in header.enums.values() for c in values] + header.numbers
    lines += [f'printf("\\"{c}\\": %lld, ", (long long)({c}));' for c in constants + ["SNAG_COOKIE(0)"]]
    lines.append('printf("\\"\\": 0}, \\"structs\\": {");')
    for struct, members in header.structs.items():
        lines.append(f'printf("\\"{struct}\\": [%zu, [", sizeof({struct}));')
        lines += [f'printf("{", " if i else ""}%zu", offsetof({struct}, {m[0]}));' for i, m in enumerate(members)]
        lines.append('printf("]], ");')
    lines.append('printf("\\"\\": 0}}\\n"); return 0; }')
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w") as out:
            out.write("\n".join(lines))
        subprocess.run([*compiler, "-std=c17", "-I", INCLUDE, source, "-o", program], check=True)
        return json.loads(subprocess.run([*run, program], check=True, capture_output=True).stdout)


def write(header, measured):
    out = ['"""The layout of the C library\'s structs, and its functions. Made by tools/make_layout.py: do not edit."""',
           "from __future__ import annotations", "",
           "import ctypes",
           "from ctypes import c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p",
           "from typing import Any", ""]
    with open(os.path.join(INCLUDE, "snag", "base.h")) as base:
        version = re.search(r'SNAG_VERSION "(.*?)"', base.read()).group(1)
    out += [f'VERSION = "{version}"', ""]
    numbers = measured["numbers"]
    out += [f"{name} = {numbers[name]}" for name in header.numbers]
    out += [f"COOKIE = {numbers['SNAG_COOKIE(0)']:#x}", ""]
    for enum, constants in header.enums.items():
        out.append(f"{enum} = {{")
        out += [f'    "{c}": {numbers[c]},' for c in constants]
        out += ["}", ""]
    for struct, members in header.structs.items():
        size, offsets = measured["structs"][struct]
        out += ["", f"class {struct}(ctypes.Structure):", "    _fields_ = ["]
        out += [f'        ("{m[0]}", {field_type(header, m, numbers)}),' for m in members]
        out += ["    ]", ""]
    out += ["", "# What the compiler says: size, and the offsets of the fields.", "SIZES = {"]
    for struct in header.structs:
        size, offsets = measured["structs"][struct]
        out.append(f"    {struct}: ({size}, {offsets}),")
    out += ["}", "", "# Library, result, arguments.", "FUNCTIONS: dict[str, tuple[str, Any, list[Any]]] = {"]
    for function, (library, result, arguments) in header.functions.items():
        listed = ", ".join(ctype(header, a) for a in arguments)
        out.append(f'    "{function}": ("{library}", {ctype(header, result)}, [{listed}]),')
    out += ["}", ""]
    return "\n".join(out)


def main():
    header = Header()
    for name in LIBRARY_OF:
        with open(os.path.join(INCLUDE, "snag", name + ".h")) as text:
            parse(header, name, strip(text.read()))
    made = {os.path.join(PACKAGE, "snag", "_layout.py"): write(header, measure(header)),
            os.path.join(PACKAGE, "native", "structs.h"): "".join(
                ["// All structs of the public headers. Made by tools/make_layout.py: do not edit.\n"] +
                [f"STRUCT({name})\n" for name in header.structs])}
    for path, text in made.items():
        if "--check" in sys.argv[1:]:
            with open(path) as there:
                if there.read() != text:
                    sys.exit(f"{os.path.relpath(path)} is out of date: run python/tools/make_layout.py")
        else:
            with open(path, "w") as out:
                out.write(text)


if __name__ == "__main__":
    main()

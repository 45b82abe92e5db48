"""Prints the layout of the C library's structs and the values of its enums in the WebAssembly module, as a JavaScript module.

The headers are parsed as for Python; sizes and offsets come from the compiler of the module.
usage: layout.py > layout.js
"""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python", "tools"))
sys.dont_write_bytecode = True
import make_layout  # noqa: E402

SCALARS = {"bool": "u8", "char": "u8", "int": "i32", "float": "f32", "double": "f64", "size_t": "u32", "int32_t": "i32",
           "uint8_t": "u8", "uint32_t": "u32", "uint64_t": "u64"}
STRUCTS = ["snag_world_def", "snag_body_def", "snag_body_id", "snag_body_info", "snag_positions", "snag_question_def", "snag_answer",
           "snag_contact", "snag_element", "snag_pair", "snag_ended_contact", "snag_memory", "snag_mesh_report", "snag_mesh_issue",
           "snag_filter", "snag_sink", "snag_exclusion_def", "snag_excluded_pair", "snag_excluded_sets", "snag_statistics", "snag_kdop_options",
           "snag_hash_options", "snag_regularity_options", "snag_active_options", "snag_spheres_options", "snag_closest_def",
           "snag_closest", "snag_ray", "snag_cast_def", "snag_hit", "snag_hit_lists", "snag_enclosure", "snag_box", "snag_sphere",
           "snag_overlap_def", "snag_overlap", "snag_overlap_lists", "snag_nested", "snag_place", "snag_edit_def", "snag_split_vertex",
           "snag_split_edge", "snag_edit_map", "snag_collect_def", "snag_candidate", "snag_derivative", "snag_derivatives_def",
           "snag_response_def", "snag_response_body", "snag_response_report", "snag_fix_def", "snag_fix_report", "snag_fix_place",
           "snag_io_mesh", "snag_io_body", "snag_io_error", "snag_io_read_options", "snag_io_animation"]
ENUMS = ["snag_status", "snag_isa", "snag_question", "snag_method", "snag_output", "snag_element_kind", "snag_contact_kind",
         "snag_contact_phase", "snag_mesh_issue_kind", "snag_io_split", "snag_side", "snag_candidate_kind", "snag_safe",
         "snag_fix_outcome", "snag_backend"]


def kind(header, text):
    """The kind of a field: a number's, "pointer", or a struct's name."""
    if text == "function" or "*" in text:
        return "pointer"
    return SCALARS.get(text) or ("i32" if text in header.enums else text)


def main():
    header = make_layout.Header()
    for name in make_layout.LIBRARY_OF:
        with open(os.path.join(make_layout.INCLUDE, "snag", name + ".h")) as text:
            make_layout.parse(header, name, make_layout.strip(text.read()))
    run = [os.environ.get("NODE", "node"), os.path.join(HERE, "run.mjs")]
    measured = make_layout.measure(header, ["clang-14", "--target=wasm32-wasi"], run)
    numbers = measured["numbers"]
    structs = {}
    for name in STRUCTS:
        size, offsets = measured["structs"][name]
        structs[name] = {"size": size, "fields": {field: [offset, kind(header, text), int(numbers.get(length, length or 1))]
                                                  for (field, text, length), offset in zip(header.structs[name], offsets)}}
    enums = {name: {c: numbers[c] for c in header.enums[name]} for name in ENUMS}
    with open(os.path.join(make_layout.INCLUDE, "snag", "base.h")) as base:
        version = make_layout.re.search(r'SNAG_VERSION "(.*?)"', base.read()).group(1)
    print("// Made by layout.py: do not edit.")
    print(f"export const VERSION = {json.dumps(version)};")
    print(f"export const ENUMS = {json.dumps(enums, indent=1)};")
    print(f"export const STRUCTS = {json.dumps(structs, indent=None)};")


main()

"""The layout of the C library's structs, and its functions. Made by tools/make_layout.py: do not edit."""
from __future__ import annotations

import ctypes
from ctypes import c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

VERSION = "0.2.0"

SNAG_VERSION_MAJOR = 0
SNAG_VERSION_MINOR = 2
SNAG_VERSION_PATCH = 0
SNAG_DEPTH_MAX = 10
SNAG_REGION_LEVELS = 8
COOKIE = 0x534e0200

snag_status = {
    "SNAG_OK": 0,
    "SNAG_ERROR_ARGUMENT": 1,
    "SNAG_ERROR_MEMORY": 2,
    "SNAG_ERROR_SIZE": 3,
    "SNAG_ERROR_INDEX": 4,
    "SNAG_ERROR_NOT_FINITE": 5,
    "SNAG_ERROR_BODY": 6,
    "SNAG_ERROR_MISMATCH": 7,
    "SNAG_ERROR_UNSUPPORTED": 8,
    "SNAG_ERROR_FILE": 9,
    "SNAG_ERROR_FORMAT": 10,
    "SNAG_ERROR_BUSY": 11,
    "SNAG_ERROR_LIMIT": 12,
    "SNAG_ERROR_STALE": 13,
}

snag_log_level = {
    "SNAG_LOG_DEBUG": 0,
    "SNAG_LOG_INFO": 1,
    "SNAG_LOG_WARNING": 2,
}

snag_scalar = {
    "SNAG_F32": 0,
    "SNAG_F64": 1,
}

snag_isa = {
    "SNAG_ISA_BEST": 0,
    "SNAG_ISA_SCALAR": 1,
    "SNAG_ISA_X86_64_V2": 2,
    "SNAG_ISA_X86_64_V3": 3,
    "SNAG_ISA_X86_64_V4": 4,
    "SNAG_ISA_NEON": 5,
    "SNAG_ISA_SIMD128": 6,
}

snag_question = {
    "SNAG_INTERSECTIONS": 0,
    "SNAG_PROXIMITIES": 1,
    "SNAG_PENETRATIONS": 2,
    "SNAG_IMPACTS": 3,
    "SNAG_DISTANCE": 4,
    "SNAG_OVERLAPS": 5,
    "SNAG_QUESTION_COUNT": 6,
}

snag_method = {
    "SNAG_METHOD_AUTO": 0,
    "SNAG_METHOD_BRUTE": 1,
    "SNAG_METHOD_HASH": 2,
    "SNAG_METHOD_REGIONS": 3,
    "SNAG_METHOD_KDOP": 4,
    "SNAG_METHOD_ACTIVE": 5,
    "SNAG_METHOD_REGULARITY": 6,
    "SNAG_METHOD_SPHERES": 7,
    "SNAG_METHOD_COUNT": 8,
}

snag_element_kind = {
    "SNAG_VERTEX": 0,
    "SNAG_EDGE": 1,
    "SNAG_TRIANGLE": 2,
    "SNAG_TET": 3,
    "SNAG_LEAF": 4,
}

snag_contact_kind = {
    "SNAG_CROSSING": 0,
    "SNAG_TOUCHING": 1,
    "SNAG_COPLANAR": 2,
    "SNAG_VERTEX_VERTEX": 3,
    "SNAG_VERTEX_EDGE": 4,
    "SNAG_VERTEX_FACE": 5,
    "SNAG_EDGE_EDGE": 6,
    "SNAG_INSIDE": 7,
    "SNAG_UNRESOLVED": 8,
    "SNAG_THROUGH": 9,
    "SNAG_OVERLAP": 10,
    "SNAG_CONTACT_KIND_COUNT": 11,
}

snag_contact_phase = {
    "SNAG_PHASE_NONE": 0,
    "SNAG_PHASE_BEGIN": 1,
    "SNAG_PHASE_PERSIST": 2,
}

snag_output = {
    "SNAG_OUTPUT_CONTACTS": 0,
    "SNAG_OUTPUT_PAIRS": 1,
    "SNAG_OUTPUT_COUNT": 2,
    "SNAG_OUTPUT_EARLIEST": 3,
    "SNAG_OUTPUT_FORM_COUNT": 4,
}

snag_backend = {
    "SNAG_BACKEND_CPU": 0,
    "SNAG_BACKEND_GL": 1,
    "SNAG_BACKEND_COUNT": 2,
}

snag_regularity_mode = {
    "SNAG_REGULARITY_CERTIFIED": 0,
    "SNAG_REGULARITY_PAPER": 1,
    "SNAG_REGULARITY_CLASSICAL": 2,
    "SNAG_REGULARITY_MODE_COUNT": 3,
}

snag_regions_rule = {
    "SNAG_REGIONS_EXACT": 0,
    "SNAG_REGIONS_PAPER": 1,
    "SNAG_REGIONS_RULE_COUNT": 2,
}

snag_spheres_rule = {
    "SNAG_SPHERES_COMPLETE": 0,
    "SNAG_SPHERES_PAPER": 1,
    "SNAG_SPHERES_RULE_COUNT": 2,
}

snag_mesh_issue_kind = {
    "SNAG_ISSUE_NON_MANIFOLD_EDGE": 0,
    "SNAG_ISSUE_FLIPPED_EDGE": 1,
    "SNAG_ISSUE_DEGENERATE_TRIANGLE": 2,
    "SNAG_ISSUE_DUPLICATE_TRIANGLE": 3,
    "SNAG_ISSUE_DEGENERATE_TET": 4,
    "SNAG_ISSUE_INVERTED_TET": 5,
    "SNAG_ISSUE_DUPLICATE_TET": 6,
    "SNAG_ISSUE_UNREFERENCED_VERTEX": 7,
    "SNAG_ISSUE_POLYGON_NOT_FLAT": 8,
    "SNAG_ISSUE_POLYGON_CROSSES_ITSELF": 9,
    "SNAG_ISSUE_KIND_COUNT": 10,
}

snag_safe = {
    "SNAG_SAFE_BOUNDS": 0,
    "SNAG_SAFE_HALF_SPACES": 1,
    "SNAG_SAFE_COUNT": 2,
}

snag_fix_outcome = {
    "SNAG_FIX_FREED": 0,
    "SNAG_FIX_HELD": 1,
    "SNAG_FIX_MAX_MOVE": 2,
    "SNAG_FIX_TIME": 3,
    "SNAG_FIX_SHARED": 4,
    "SNAG_FIX_ONE_SIDED": 5,
    "SNAG_FIX_PARTS": 6,
    "SNAG_FIX_THROUGH": 7,
    "SNAG_FIX_THIN": 8,
    "SNAG_FIX_STUCK": 9,
    "SNAG_FIX_OUTCOME_COUNT": 10,
}

snag_candidate_kind = {
    "SNAG_CANDIDATE_VERTEX_TRIANGLE": 0,
    "SNAG_CANDIDATE_EDGE_EDGE": 1,
    "SNAG_CANDIDATE_VERTEX_EDGE": 2,
    "SNAG_CANDIDATE_VERTEX_VERTEX": 3,
    "SNAG_CANDIDATE_KIND_COUNT": 4,
}

snag_side = {
    "SNAG_SIDE_OUTSIDE": 0,
    "SNAG_SIDE_INSIDE": 1,
    "SNAG_SIDE_ON": 2,
    "SNAG_SIDE_NONE": 3,
}

snag_io_split = {
    "SNAG_IO_SPLIT_OBJECTS": 0,
    "SNAG_IO_SPLIT_GROUPS": 1,
    "SNAG_IO_SPLIT_MATERIALS": 2,
    "SNAG_IO_SPLIT_PARTS": 3,
    "SNAG_IO_SPLIT_SHELLS": 4,
    "SNAG_IO_SPLIT_COUNT": 5,
}

snag_sim_response = {
    "SNAG_SIM_RESPONSE_SCENE": 0,
    "SNAG_SIM_RESPONSE_NONE": 1,
    "SNAG_SIM_RESPONSE_CONTACTS": 2,
    "SNAG_SIM_RESPONSE_IMPACTS": 3,
    "SNAG_SIM_RESPONSE_BOUNDS": 4,
    "SNAG_SIM_RESPONSE_HALF_SPACES": 5,
}

snag_sim_takes = {
    "SNAG_SIM_TAKES_NONE": 0,
    "SNAG_SIM_TAKES_SURFACES": 1,
    "SNAG_SIM_TAKES_TETS": 2,
    "SNAG_SIM_TAKES_DRESSED": 3,
}


class snag_allocator(ctypes.Structure):
    _fields_ = [
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("context", c_void_p),
    ]


class snag_log(ctypes.Structure):
    _fields_ = [
        ("write", c_void_p),
        ("context", c_void_p),
    ]


class snag_tasks(ctypes.Structure):
    _fields_ = [
        ("run", c_void_p),
        ("context", c_void_p),
    ]


class snag_positions(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("count", c_size_t),
        ("stride", c_size_t),
        ("scalar", c_int),
    ]


class snag_body_id(ctypes.Structure):
    _fields_ = [
        ("index", c_uint32),
        ("generation", c_uint32),
    ]


class snag_world_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("threads", c_uint32),
        ("isa", c_int),
        ("number", c_uint32),
        ("allocator", snag_allocator),
        ("log", snag_log),
        ("tasks", snag_tasks),
    ]


class snag_body_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("weld", c_bool),
        ("name", c_char_p),
        ("user", c_void_p),
        ("positions", snag_positions),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("tets", c_void_p),
        ("tet_count", c_size_t),
        ("polygon_sizes", c_void_p),
        ("polygon_vertices", c_void_p),
        ("polygon_count", c_size_t),
        ("edges", c_void_p),
        ("edge_count", c_size_t),
        ("points", c_void_p),
        ("point_count", c_size_t),
        ("radius", c_double),
        ("radii", c_void_p),
        ("group", c_uint32),
        ("mask", c_uint32),
        ("vertex_groups", c_void_p),
        ("vertex_masks", c_void_p),
        ("labels", c_void_p),
        ("edge_labels", c_void_p),
        ("point_labels", c_void_p),
        ("rest", snag_positions),
    ]


class snag_surface_block(ctypes.Structure):
    _fields_ = [
        ("minimum", c_double * 3),
        ("maximum", c_double * 3),
        ("first_triangle", c_uint32),
        ("triangle_count", c_uint32),
    ]


class snag_source_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("name", c_char_p),
        ("user", c_void_p),
        ("blocks", c_void_p),
        ("block_count", c_size_t),
        ("read", c_void_p),
        ("close", c_void_p),
        ("context", c_void_p),
    ]


class snag_body_info(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("user", c_void_p),
        ("vertex_count", c_size_t),
        ("triangle_count", c_size_t),
        ("edge_count", c_size_t),
        ("tet_count", c_size_t),
        ("rod_count", c_size_t),
        ("point_count", c_size_t),
        ("triangles", c_void_p),
        ("triangle_faces", c_void_p),
        ("labels", c_void_p),
        ("edges", c_void_p),
        ("tets", c_void_p),
        ("rods", c_void_p),
        ("points", c_void_p),
        ("rod_labels", c_void_p),
        ("point_labels", c_void_p),
        ("radius", c_double),
        ("radii", c_void_p),
    ]


class snag_memory(ctypes.Structure):
    _fields_ = [
        ("bodies", c_size_t),
        ("methods", c_size_t),
        ("answers", c_size_t),
        ("total", c_size_t),
    ]


class snag_element(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("index", c_uint32),
        ("vertex", c_uint32 * 2),
    ]


class snag_contact(ctypes.Structure):
    _fields_ = [
        ("body_a", snag_body_id),
        ("body_b", snag_body_id),
        ("a", snag_element),
        ("b", snag_element),
        ("kind", c_int),
        ("shared", c_uint32),
        ("value", c_double),
        ("t", c_double),
        ("point_a", c_double * 3),
        ("point_b", c_double * 3),
        ("normal", c_double * 3),
        ("weight", c_double * 4),
        ("id", c_uint64),
        ("phase", c_int),
        ("age", c_uint32),
    ]


class snag_pair(ctypes.Structure):
    _fields_ = [
        ("body_a", c_uint32),
        ("body_b", c_uint32),
        ("a", c_uint32),
        ("b", c_uint32),
        ("kind_a", c_uint8),
        ("kind_b", c_uint8),
        ("kind", c_uint8),
        ("shared", c_uint8),
        ("value", c_float),
    ]


class snag_ended_contact(ctypes.Structure):
    _fields_ = [
        ("id", c_uint64),
        ("body_a", snag_body_id),
        ("body_b", snag_body_id),
        ("kind_a", c_int),
        ("kind_b", c_int),
        ("a", c_uint32),
        ("b", c_uint32),
    ]


class snag_filter(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("exclude_rings", c_uint32),
        ("exclude_rest", c_double),
        ("exclusions", c_void_p),
        ("bodies", c_void_p),
        ("context", c_void_p),
    ]


class snag_sink(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("take", c_void_p),
        ("block", c_size_t),
        ("write", c_void_p),
        ("read", c_void_p),
        ("memory", c_size_t),
        ("context", c_void_p),
    ]


class snag_question_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("question", c_int),
        ("method", c_int),
        ("output", c_int),
        ("self", c_bool),
        ("between", c_bool),
        ("distance", c_double),
        ("separation", c_double),
        ("ignore_radius", c_bool),
        ("tolerance", c_double),
        ("until", c_double),
        ("closest", c_uint32),
        ("every_pair", c_bool),
        ("edges", c_bool),
        ("track", c_bool),
        ("filter", c_void_p),
        ("sink", c_void_p),
        ("candidates", c_void_p),
        ("options", c_void_p),
        ("budget_us", c_uint64),
        ("progress", c_void_p),
        ("context", c_void_p),
    ]


class snag_answer(ctypes.Structure):
    _fields_ = [
        ("question", c_int),
        ("method", c_int),
        ("output", c_int),
        ("reason", c_char_p),
        ("contacts", c_void_p),
        ("pairs", c_void_p),
        ("count", c_size_t),
        ("complete", c_bool),
        ("covered", c_double),
        ("earliest", c_double),
        ("culprit", snag_pair),
        ("degenerate", c_size_t),
        ("ratio", c_double),
        ("ratio_low", c_double),
        ("ratio_high", c_double),
        ("ended", c_void_p),
        ("ended_count", c_size_t),
        ("statistics", c_void_p),
    ]


class snag_method_options(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("method", c_int),
        ("lab", c_void_p),
    ]


class snag_kdop_options(ctypes.Structure):
    _fields_ = [
        ("head", snag_method_options),
        ("k", c_uint32),
        ("arity", c_uint32),
        ("lazy", c_double),
    ]


class snag_hash_options(ctypes.Structure):
    _fields_ = [
        ("head", snag_method_options),
        ("cell_size", c_double),
        ("table_size", c_uint32),
    ]


class snag_regularity_options(ctypes.Structure):
    _fields_ = [
        ("head", snag_method_options),
        ("directions", c_uint32),
    ]


class snag_active_options(ctypes.Structure):
    _fields_ = [
        ("head", snag_method_options),
        ("new_pairs", c_uint32),
        ("seed", c_uint64),
        ("target_ratio", c_double),
        ("lazy", c_double),
    ]


class snag_spheres_options(ctypes.Structure):
    _fields_ = [
        ("head", snag_method_options),
        ("depth", c_uint32),
        ("idle", c_uint32),
        ("backend", c_int),
    ]


class snag_statistics(ctypes.Structure):
    _fields_ = [
        ("candidates", c_size_t),
        ("exact", c_size_t),
        ("visited", c_size_t),
        ("tested", c_size_t),
        ("new_pairs", c_uint32),
        ("regions_opened", c_size_t * 8),
        ("region_contacts", c_size_t),
        ("lab", c_void_p),
    ]


class snag_tree_info(ctypes.Structure):
    _fields_ = [
        ("level_count", c_size_t),
        ("node_count", c_size_t),
        ("bytes", c_size_t),
        ("levels_made", c_uint64),
        ("triangles_read", c_uint64),
        ("blocks_read", c_uint64),
    ]


class snag_lab(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("regularity", c_int),
        ("regions", c_int),
        ("epsilon", c_double * 8),
        ("epsilon_count", c_uint32),
        ("vertex_distance", c_double),
        ("lines", c_bool),
        ("pure", c_bool),
        ("candidates", c_bool),
        ("spheres", c_int),
        ("trees", c_bool),
        ("visits", c_bool),
        ("forced", c_bool),
    ]


class snag_region_line(ctypes.Structure):
    _fields_ = [
        ("body_a", snag_body_id),
        ("body_b", snag_body_id),
        ("level", c_uint32),
        ("from", c_double * 3),
        ("to", c_double * 3),
    ]


class snag_tree_sphere(ctypes.Structure):
    _fields_ = [
        ("body", snag_body_id),
        ("depth", c_uint32),
        ("leaf", c_bool),
        ("centre", c_double * 3),
        ("radius", c_double),
    ]


class snag_patch_visit(ctypes.Structure):
    _fields_ = [
        ("body", snag_body_id),
        ("triangle", c_uint32),
        ("level", c_uint32),
        ("patch", c_uint32),
    ]


class snag_lab_results(ctypes.Structure):
    _fields_ = [
        ("epsilon", c_double * 8),
        ("lines", c_void_p),
        ("line_count", c_size_t),
        ("spheres", c_void_p),
        ("sphere_count", c_size_t),
        ("visits", c_void_p),
        ("visit_count", c_size_t),
    ]


class snag_mesh_issue(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("element", snag_element),
        ("other", c_uint32),
    ]


class snag_mesh_report(ctypes.Structure):
    _fields_ = [
        ("counts", c_size_t * 10),
        ("issues", c_void_p),
        ("issue_count", c_size_t),
        ("boundary_edges", c_size_t),
        ("components", c_size_t),
        ("closed", c_bool),
        ("minimum", c_double * 3),
        ("maximum", c_double * 3),
        ("mean_edge", c_double),
    ]


class snag_response_body(ctypes.Structure):
    _fields_ = [
        ("body", snag_body_id),
        ("vertex_count", c_size_t),
        ("positions", c_void_p),
        ("velocities", c_void_p),
        ("inverse_masses", c_void_p),
        ("start", c_void_p),
        ("bounds", c_void_p),
    ]


class snag_response_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("thickness", c_double),
        ("friction", c_double),
        ("dt", c_double),
        ("correction", c_double),
        ("iterations", c_uint32),
        ("spread", c_double),
        ("rings", c_uint32),
        ("ratio", c_double),
        ("seed", c_uint64),
        ("rounds", c_uint32),
        ("method", c_int),
        ("safe", c_int),
        ("reach", c_double),
    ]


class snag_response_report(ctypes.Structure):
    _fields_ = [
        ("contacts", c_size_t),
        ("left_out", c_size_t),
        ("missing", c_double),
        ("remaining", c_double),
        ("largest_move", c_double),
        ("asks", c_uint32),
        ("search_us", c_uint64),
        ("impacts", c_size_t),
        ("merged", c_size_t),
        ("excepted", c_size_t),
        ("fraction", c_double),
        ("held_back", c_size_t),
        ("tangled", c_size_t),
        ("left", c_size_t),
    ]


class snag_fix_place(ctypes.Structure):
    _fields_ = [
        ("body_a", snag_body_id),
        ("body_b", snag_body_id),
        ("centre", c_double * 3),
        ("size", c_double),
        ("depth", c_double),
        ("length", c_double),
        ("contacts", c_size_t),
        ("left", c_size_t),
        ("moved", c_size_t),
        ("largest_move", c_double),
        ("outcome", c_int),
    ]


class snag_fix_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("method", c_int),
        ("max_move", c_double),
        ("rigid", c_void_p),
        ("rigid_count", c_size_t),
        ("single", c_bool),
        ("sheets_yield", c_bool),
        ("budget_us", c_uint64),
        ("progress", c_void_p),
        ("context", c_void_p),
    ]


class snag_fix_report(ctypes.Structure):
    _fields_ = [
        ("contacts", c_size_t),
        ("left", c_size_t),
        ("places", c_void_p),
        ("place_count", c_size_t),
        ("freed", c_size_t),
        ("moved", c_size_t),
        ("largest_move", c_double),
        ("mean_edge", c_double),
        ("largest_edges", c_double),
        ("asks", c_uint32),
        ("search_us", c_uint64),
        ("complete", c_bool),
    ]


class snag_shape(ctypes.Structure):
    _fields_ = [
        ("positions", c_void_p),
        ("vertex_count", c_size_t),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("tets", c_void_p),
        ("tet_count", c_size_t),
    ]


class snag_derivative(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("point_count", c_uint32),
        ("body", c_uint32 * 4),
        ("vertex", c_uint32 * 4),
        ("squared", c_double),
        ("gradient", c_double * 12),
        ("mollifier", c_double),
        ("mollifier_gradient", c_double * 12),
        ("edge_vertex", c_uint32 * 4),
    ]


class snag_derivatives_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("contacts", c_void_p),
        ("pairs", c_void_p),
        ("candidates", c_void_p),
        ("count", c_size_t),
        ("hessians", c_void_p),
        ("mollifier", c_double),
        ("thresholds", c_void_p),
        ("mollifier_hessians", c_void_p),
    ]


class snag_candidate(ctypes.Structure):
    _fields_ = [
        ("body_a", c_uint32),
        ("body_b", c_uint32),
        ("a", c_uint32),
        ("b", c_uint32),
    ]


class snag_collect_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("self", c_bool),
        ("between", c_bool),
        ("distance", c_double),
        ("margin", c_double),
        ("filter", c_void_p),
        ("search_if_stale", c_bool),
    ]


class snag_place(ctypes.Structure):
    _fields_ = [
        ("id", c_uint64),
        ("body_a", snag_body_id),
        ("body_b", snag_body_id),
        ("contacts", c_void_p),
        ("contact_count", c_size_t),
        ("minimum", c_double * 3),
        ("maximum", c_double * 3),
        ("centre", c_double * 3),
        ("size", c_double),
        ("length", c_double),
        ("depth", c_double),
        ("inside", c_double),
        ("worst", c_uint32),
        ("value", c_double),
    ]


class snag_excluded_pair(ctypes.Structure):
    _fields_ = [
        ("body_a", snag_body_id),
        ("body_b", snag_body_id),
        ("a", snag_element),
        ("b", snag_element),
    ]


class snag_excluded_sets(ctypes.Structure):
    _fields_ = [
        ("body_a", snag_body_id),
        ("vertices_a", c_void_p),
        ("count_a", c_size_t),
        ("body_b", snag_body_id),
        ("vertices_b", c_void_p),
        ("count_b", c_size_t),
    ]


class snag_exclusion_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("pairs", c_void_p),
        ("pair_count", c_size_t),
        ("sets", c_void_p),
        ("set_count", c_size_t),
    ]


class snag_split_vertex(ctypes.Structure):
    _fields_ = [
        ("vertex", c_uint32),
        ("elements", c_void_p),
        ("element_count", c_size_t),
    ]


class snag_split_edge(ctypes.Structure):
    _fields_ = [
        ("vertex", c_uint32 * 2),
        ("at", c_double),
    ]


class snag_edit_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("vertices", snag_positions),
        ("vertex_groups", c_void_p),
        ("vertex_masks", c_void_p),
        ("rest", snag_positions),
        ("removed", c_void_p),
        ("removed_count", c_size_t),
        ("split_vertices", c_void_p),
        ("split_vertex_count", c_size_t),
        ("split_edges", c_void_p),
        ("split_edge_count", c_size_t),
        ("rewired", c_void_p),
        ("rewired_vertices", c_void_p),
        ("rewired_count", c_size_t),
        ("added", c_void_p),
        ("added_count", c_size_t),
        ("added_labels", c_void_p),
        ("removed_vertices", c_void_p),
        ("removed_vertex_count", c_size_t),
    ]


class snag_edit_map(ctypes.Structure):
    _fields_ = [
        ("first_vertex", c_size_t),
        ("vertex_count", c_size_t),
        ("first_element", c_size_t),
        ("element_count", c_size_t),
        ("vertex_from", c_void_p),
        ("element_from", c_void_p),
        ("old_edge_count", c_size_t),
        ("old_triangle_count", c_size_t),
        ("edges", c_void_p),
        ("triangles", c_void_p),
    ]


class snag_closest_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("sign", c_bool),
        ("bodies", c_void_p),
        ("body_count", c_size_t),
        ("within", c_double),
        ("budget_us", c_uint64),
        ("progress", c_void_p),
        ("context", c_void_p),
    ]


class snag_closest(ctypes.Structure):
    _fields_ = [
        ("body", snag_body_id),
        ("element", snag_element),
        ("kind", c_int),
        ("side", c_int),
        ("distance", c_double),
        ("weight", c_double * 3),
        ("point", c_double * 3),
    ]


class snag_ray(ctypes.Structure):
    _fields_ = [
        ("origin", c_double * 3),
        ("direction", c_double * 3),
        ("limit", c_double),
    ]


class snag_cast_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("segments", c_bool),
        ("bodies", c_void_p),
        ("body_count", c_size_t),
        ("budget_us", c_uint64),
        ("progress", c_void_p),
        ("context", c_void_p),
    ]


class snag_hit(ctypes.Structure):
    _fields_ = [
        ("body", snag_body_id),
        ("triangle", c_uint32),
        ("facing", c_int32),
        ("t", c_double),
        ("weight", c_double * 3),
        ("point", c_double * 3),
    ]


class snag_hit_lists(ctypes.Structure):
    _fields_ = [
        ("start", c_void_p),
        ("items", c_void_p),
        ("answered", c_size_t),
    ]


class snag_enclosure(ctypes.Structure):
    _fields_ = [
        ("volume", c_bool),
        ("closed", c_bool),
        ("oriented", c_bool),
        ("open_edges", c_size_t),
        ("unbalanced_edges", c_size_t),
    ]


class snag_box(ctypes.Structure):
    _fields_ = [
        ("lo", c_double * 3),
        ("hi", c_double * 3),
    ]


class snag_sphere(ctypes.Structure):
    _fields_ = [
        ("centre", c_double * 3),
        ("radius", c_double),
    ]


class snag_overlap_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("elements", c_bool),
        ("bodies", c_void_p),
        ("body_count", c_size_t),
        ("budget_us", c_uint64),
        ("progress", c_void_p),
        ("context", c_void_p),
    ]


class snag_overlap(ctypes.Structure):
    _fields_ = [
        ("body", snag_body_id),
        ("triangle", c_uint32),
    ]


class snag_overlap_lists(ctypes.Structure):
    _fields_ = [
        ("start", c_void_p),
        ("items", c_void_p),
        ("answered", c_size_t),
    ]


class snag_nested(ctypes.Structure):
    _fields_ = [
        ("inner", snag_body_id),
        ("outer", snag_body_id),
        ("gap", c_double),
        ("depth", c_double),
        ("deepest", c_uint32),
    ]


class snag_io_error(ctypes.Structure):
    _fields_ = [
        ("status", c_int),
        ("message", c_char * 512),
    ]


class snag_io_body(ctypes.Structure):
    _fields_ = [
        ("name", c_void_p),
        ("vertex_count", c_size_t),
        ("positions", c_void_p),
        ("vertex_numbers", c_void_p),
        ("polygon_count", c_size_t),
        ("polygon_sizes", c_void_p),
        ("polygon_vertices", c_void_p),
        ("polygon_numbers", c_void_p),
        ("tet_count", c_size_t),
        ("tets", c_void_p),
        ("tet_numbers", c_void_p),
        ("edge_count", c_size_t),
        ("edges", c_void_p),
        ("point_count", c_size_t),
        ("points", c_void_p),
        ("vertex_labels", c_void_p),
        ("labels", c_void_p),
        ("edge_labels", c_void_p),
        ("point_labels", c_void_p),
        ("instance_length", c_size_t),
    ]


class snag_io_mesh(ctypes.Structure):
    _fields_ = [
        ("bodies", c_void_p),
        ("body_count", c_size_t),
        ("vertex_count", c_size_t),
        ("face_count", c_size_t),
        ("tet_count", c_size_t),
        ("edge_count", c_size_t),
        ("point_count", c_size_t),
        ("skipped", c_size_t),
        ("left_out", c_size_t),
        ("curved", c_size_t),
        ("curved_cut", c_size_t),
        ("labelled", c_bool),
        ("unnumbered", c_size_t),
        ("metres", c_double),
        ("label_names", c_void_p),
        ("label_count", c_size_t),
    ]


class snag_io_read_options(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("most_bytes", c_uint64),
        ("go_on", c_void_p),
        ("context", c_void_p),
        ("isolate", c_bool),
        ("isolate_seconds", c_double),
        ("advice", c_char_p),
        ("split", c_int),
        ("label", c_int),
        ("curved", c_bool),
    ]


class snag_io_animation(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("seconds", c_double),
        ("rate", c_double),
        ("frame_count", c_size_t),
        ("times", c_void_p),
    ]


class snag_io_surface(ctypes.Structure):
    _fields_ = [
        ("positions", snag_positions),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("name", c_char_p),
        ("rgb", c_void_p),
        ("places", c_void_p),
    ]


class snag_io_chunked_info(ctypes.Structure):
    _fields_ = [
        ("triangle_count", c_size_t),
        ("block_count", c_size_t),
        ("file_bytes", c_uint64),
        ("read_bytes", c_uint64),
    ]


class snag_io_grid(ctypes.Structure):
    _fields_ = [
        ("positions", snag_positions),
        ("cells", c_void_p),
        ("cell_count", c_size_t),
        ("corners", c_uint32),
        ("fields", c_void_p),
        ("depths", c_void_p),
    ]


class snag_io_pair(ctypes.Structure):
    _fields_ = [
        ("frame", c_uint64),
        ("body_a", c_char_p),
        ("body_b", c_char_p),
        ("a", c_char_p),
        ("b", c_char_p),
        ("kind", c_char_p),
        ("value", c_double),
        ("t", c_double),
        ("point", c_double * 3),
        ("normal", c_double * 3),
        ("place", c_uint64),
        ("object_a", c_char_p),
        ("object_b", c_char_p),
        ("label_a", c_char_p),
        ("label_b", c_char_p),
    ]


class snag_sim_body(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("positions", c_void_p),
        ("vertex_count", c_size_t),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("tets", c_void_p),
        ("tet_count", c_size_t),
        ("moves", c_bool),
        ("edits", c_uint64),
    ]


class snag_sim_model(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("positions", c_void_p),
        ("vertex_count", c_size_t),
        ("triangles", c_void_p),
        ("triangle_count", c_size_t),
        ("tets", c_void_p),
        ("tet_count", c_size_t),
    ]


class snag_sim_def(ctypes.Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("scene", c_char_p),
        ("size", c_double),
        ("seed", c_uint64),
        ("response", c_int),
        ("method", c_int),
        ("response_ratio", c_double),
        ("new_pairs", c_uint32),
        ("threads", c_uint32),
        ("step_seconds", c_double),
        ("adaptive", c_bool),
        ("tear", c_double),
        ("models", c_void_p),
        ("model_count", c_size_t),
        ("message", c_void_p),
        ("message_size", c_size_t),
    ]


class snag_sim_report(ctypes.Structure):
    _fields_ = [
        ("step", c_uint64),
        ("time", c_double),
        ("substeps", c_uint32),
        ("cuts", c_uint32),
        ("contacts", c_size_t),
        ("missing", c_double),
        ("splits", c_size_t),
        ("merged", c_size_t),
        ("fraction", c_double),
        ("ratio", c_double),
        ("kinetic", c_double),
        ("height", c_double),
        ("elastic", c_double),
        ("solve_ms", c_double),
        ("detect_ms", c_double),
        ("respond_ms", c_double),
        ("step_ms", c_double),
    ]


class snag_sim_depth(ctypes.Structure):
    _fields_ = [
        ("inside", c_size_t),
        ("worst", c_double),
        ("mean", c_double),
        ("crossing", c_size_t),
    ]


# What the compiler says: size, and the offsets of the fields.
SIZES = {
    snag_allocator: (24, [0, 8, 16]),
    snag_log: (16, [0, 8]),
    snag_tasks: (16, [0, 8]),
    snag_positions: (32, [0, 8, 16, 24]),
    snag_body_id: (8, [0, 4]),
    snag_world_def: (72, [0, 4, 8, 12, 16, 40, 56]),
    snag_body_def: (240, [0, 4, 8, 16, 24, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 164, 168, 176, 184, 192, 200, 208]),
    snag_surface_block: (56, [0, 24, 48, 52]),
    snag_source_def: (64, [0, 8, 16, 24, 32, 40, 48, 56]),
    snag_body_info: (152, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144]),
    snag_memory: (32, [0, 8, 16, 24]),
    snag_element: (16, [0, 4, 8]),
    snag_contact: (192, [0, 8, 16, 32, 48, 52, 56, 64, 72, 96, 120, 144, 176, 184, 188]),
    snag_pair: (24, [0, 4, 8, 12, 16, 17, 18, 19, 20]),
    snag_ended_contact: (40, [0, 8, 16, 24, 28, 32, 36]),
    snag_filter: (40, [0, 4, 8, 16, 24, 32]),
    snag_sink: (56, [0, 8, 16, 24, 32, 40, 48]),
    snag_question_def: (128, [0, 4, 8, 12, 16, 17, 24, 32, 40, 48, 56, 64, 68, 69, 70, 72, 80, 88, 96, 104, 112, 120]),
    snag_answer: (152, [0, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 96, 104, 112, 120, 128, 136, 144]),
    snag_method_options: (16, [0, 4, 8]),
    snag_kdop_options: (32, [0, 16, 20, 24]),
    snag_hash_options: (32, [0, 16, 24]),
    snag_regularity_options: (24, [0, 16]),
    snag_active_options: (48, [0, 16, 24, 32, 40]),
    snag_spheres_options: (32, [0, 16, 20, 24]),
    snag_statistics: (120, [0, 8, 16, 24, 32, 40, 104, 112]),
    snag_tree_info: (48, [0, 8, 16, 24, 32, 40]),
    snag_lab: (112, [0, 4, 8, 16, 80, 88, 96, 97, 98, 100, 104, 105, 106]),
    snag_region_line: (72, [0, 8, 16, 24, 48]),
    snag_tree_sphere: (48, [0, 8, 12, 16, 40]),
    snag_patch_visit: (20, [0, 8, 12, 16]),
    snag_lab_results: (112, [0, 64, 72, 80, 88, 96, 104]),
    snag_mesh_issue: (24, [0, 4, 20]),
    snag_mesh_report: (176, [0, 80, 88, 96, 104, 112, 120, 144, 168]),
    snag_response_body: (56, [0, 8, 16, 24, 32, 40, 48]),
    snag_response_def: (104, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 84, 88, 96]),
    snag_response_report: (112, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104]),
    snag_fix_place: (104, [0, 8, 16, 40, 48, 56, 64, 72, 80, 88, 96]),
    snag_fix_def: (64, [0, 4, 8, 16, 24, 32, 33, 40, 48, 56]),
    snag_fix_report: (96, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88]),
    snag_shape: (48, [0, 8, 16, 24, 32, 40]),
    snag_derivative: (264, [0, 4, 8, 24, 40, 48, 144, 152, 248]),
    snag_derivatives_def: (72, [0, 8, 16, 24, 32, 40, 48, 56, 64]),
    snag_candidate: (16, [0, 4, 8, 12]),
    snag_collect_def: (40, [0, 4, 5, 8, 16, 24, 32]),
    snag_place: (160, [0, 8, 16, 24, 32, 40, 64, 88, 112, 120, 128, 136, 144, 152]),
    snag_excluded_pair: (48, [0, 8, 16, 32]),
    snag_excluded_sets: (48, [0, 8, 16, 24, 32, 40]),
    snag_exclusion_def: (40, [0, 8, 16, 24, 32]),
    snag_split_vertex: (24, [0, 8, 16]),
    snag_split_edge: (16, [0, 8]),
    snag_edit_def: (200, [0, 8, 40, 48, 56, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192]),
    snag_edit_map: (80, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72]),
    snag_closest_def: (56, [0, 4, 8, 16, 24, 32, 40, 48]),
    snag_closest: (88, [0, 8, 24, 28, 32, 40, 64]),
    snag_ray: (56, [0, 24, 48]),
    snag_cast_def: (48, [0, 4, 8, 16, 24, 32, 40]),
    snag_hit: (72, [0, 8, 12, 16, 24, 48]),
    snag_hit_lists: (24, [0, 8, 16]),
    snag_enclosure: (24, [0, 1, 2, 8, 16]),
    snag_box: (48, [0, 24]),
    snag_sphere: (32, [0, 24]),
    snag_overlap_def: (48, [0, 4, 8, 16, 24, 32, 40]),
    snag_overlap: (12, [0, 8]),
    snag_overlap_lists: (24, [0, 8, 16]),
    snag_nested: (40, [0, 8, 16, 24, 32]),
    snag_io_error: (516, [0, 4]),
    snag_io_body: (160, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152]),
    snag_io_mesh: (128, [0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120]),
    snag_io_read_options: (72, [0, 8, 16, 24, 32, 40, 48, 56, 60, 64]),
    snag_io_animation: (40, [0, 8, 16, 24, 32]),
    snag_io_surface: (72, [0, 32, 40, 48, 56, 64]),
    snag_io_chunked_info: (32, [0, 8, 16, 24]),
    snag_io_grid: (72, [0, 32, 40, 48, 56, 64]),
    snag_io_pair: (152, [0, 8, 16, 24, 32, 40, 48, 56, 64, 88, 112, 120, 128, 136, 144]),
    snag_sim_body: (72, [0, 8, 16, 24, 32, 40, 48, 56, 64]),
    snag_sim_model: (56, [0, 8, 16, 24, 32, 40, 48]),
    snag_sim_def: (112, [0, 8, 16, 24, 32, 36, 40, 48, 52, 56, 64, 72, 80, 88, 96, 104]),
    snag_sim_report: (128, [0, 8, 16, 20, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120]),
    snag_sim_depth: (32, [0, 8, 16, 24]),
}

# Library, result, arguments.
FUNCTIONS: dict[str, tuple[str, Any, list[Any]]] = {
    "snag_status_name": ("snag", c_char_p, [c_int]),
    "snag_version": ("snag", c_char_p, []),
    "snag_default_world_def": ("snag", snag_world_def, []),
    "snag_world_create": ("snag", c_int, [c_void_p, c_void_p]),
    "snag_world_destroy": ("snag", None, [c_void_p]),
    "snag_world_message": ("snag", c_char_p, [c_void_p]),
    "snag_world_is_busy": ("snag", c_bool, [c_void_p]),
    "snag_world_threads": ("snag", c_uint32, [c_void_p]),
    "snag_world_isa": ("snag", c_int, [c_void_p]),
    "snag_isa_name": ("snag", c_char_p, [c_int]),
    "snag_world_run": ("snag", None, [c_void_p, c_uint32, c_void_p, c_void_p]),
    "snag_default_body_def": ("snag", snag_body_def, []),
    "snag_world_add": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_world_remove": ("snag", c_int, [c_void_p, snag_body_id]),
    "snag_world_begin_step": ("snag", c_int, [c_void_p]),
    "snag_world_move": ("snag", c_int, [c_void_p, snag_body_id, snag_positions]),
    "snag_world_teleport": ("snag", c_int, [c_void_p, snag_body_id, snag_positions]),
    "snag_default_source_def": ("snag", snag_source_def, []),
    "snag_world_add_source": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_world_body": ("snag", c_int, [c_void_p, snag_body_id, c_void_p]),
    "snag_world_label": ("snag", c_uint32, [c_void_p, snag_body_id, c_void_p]),
    "snag_world_body_count": ("snag", c_size_t, [c_void_p]),
    "snag_world_memory": ("snag", c_int, [c_void_p, c_void_p]),
    "snag_question_name": ("snag", c_char_p, [c_int]),
    "snag_method_name": ("snag", c_char_p, [c_int]),
    "snag_question_from_name": ("snag", c_bool, [c_char_p, c_void_p]),
    "snag_method_from_name": ("snag", c_bool, [c_char_p, c_void_p]),
    "snag_method_answers": ("snag", c_bool, [c_int, c_int]),
    "snag_method_finds_self": ("snag", c_bool, [c_int, c_int]),
    "snag_method_auto": ("snag", c_int, [c_int]),
    "snag_contact_kind_name": ("snag", c_char_p, [c_int]),
    "snag_default_filter": ("snag", snag_filter, []),
    "snag_default_sink": ("snag", snag_sink, []),
    "snag_default_question_def": ("snag", snag_question_def, [c_int]),
    "snag_world_ask": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_default_method_options": ("snag", snag_method_options, [c_int]),
    "snag_backend_name": ("snag", c_char_p, [c_int]),
    "snag_backend_from_name": ("snag", c_bool, [c_char_p, c_void_p]),
    "snag_backend_built_in": ("snag", c_bool, [c_int]),
    "snag_default_kdop_options": ("snag", snag_kdop_options, []),
    "snag_default_hash_options": ("snag", snag_hash_options, []),
    "snag_default_regularity_options": ("snag", snag_regularity_options, []),
    "snag_default_active_options": ("snag", snag_active_options, []),
    "snag_default_spheres_options": ("snag", snag_spheres_options, []),
    "snag_world_tree": ("snag", c_int, [c_void_p, snag_body_id, c_void_p]),
    "snag_default_lab": ("snag", snag_lab, []),
    "snag_mesh_issue_name": ("snag", c_char_p, [c_int]),
    "snag_world_check": ("snag", c_int, [c_void_p, snag_body_id, c_void_p]),
    "snag_mesh_weld": ("snag", c_int, [snag_positions, c_void_p, c_void_p]),
    "snag_response_create": ("snag", c_int, [c_void_p, c_void_p]),
    "snag_response_destroy": ("snag", None, [c_void_p]),
    "snag_response_message": ("snag", c_char_p, [c_void_p]),
    "snag_default_response_def": ("snag", snag_response_def, []),
    "snag_response_apply": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_response_advance": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_response_bounds": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t]),
    "snag_response_truncate": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_response_untangle": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_fix_outcome_name": ("snag", c_char_p, [c_int]),
    "snag_fix_outcome_sentence": ("snag", c_char_p, [c_int]),
    "snag_default_fix_def": ("snag", snag_fix_def, []),
    "snag_response_fix": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_shape_free": ("snag", None, [c_void_p]),
    "snag_shape_sheet": ("snag", c_int, [c_uint32, c_uint32, c_double, c_double, c_void_p]),
    "snag_shape_icosphere": ("snag", c_int, [c_uint32, c_double, c_void_p]),
    "snag_shape_sphere": ("snag", c_int, [c_uint32, c_uint32, c_double, c_void_p]),
    "snag_shape_torus": ("snag", c_int, [c_uint32, c_uint32, c_double, c_double, c_void_p]),
    "snag_shape_box": ("snag", c_int, [c_uint32, c_double, c_double, c_double, c_void_p]),
    "snag_shape_cylinder": ("snag", c_int, [c_uint32, c_uint32, c_double, c_double, c_void_p]),
    "snag_shape_block": ("snag", c_int, [c_uint32, c_uint32, c_uint32, c_double, c_void_p]),
    "snag_shape_transform": ("snag", None, [c_void_p, c_double, c_double, c_double, c_double]),
    "snag_squared_distance": ("snag", c_int, [c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "snag_edge_mollifier": ("snag", c_int, [c_void_p, c_double, c_void_p, c_void_p, c_void_p]),
    "snag_default_derivatives_def": ("snag", snag_derivatives_def, []),
    "snag_world_derivatives": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_default_collect_def": ("snag", snag_collect_def, []),
    "snag_world_collect": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_candidates_create": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "snag_candidates_empty": ("snag", c_int, [c_void_p, c_void_p]),
    "snag_candidates_destroy": ("snag", None, [c_void_p]),
    "snag_candidates_count": ("snag", c_size_t, [c_void_p]),
    "snag_candidates_list": ("snag", c_void_p, [c_void_p, c_int, c_void_p]),
    "snag_candidates_bytes": ("snag", c_size_t, [c_void_p]),
    "snag_candidates_are_complete": ("snag", c_bool, [c_void_p]),
    "snag_candidates_check": ("snag", c_int, [c_void_p, c_void_p, c_bool]),
    "snag_candidates_filter": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_candidates_merge": ("snag", c_int, [c_void_p, c_void_p]),
    "snag_answer_places": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "snag_default_exclusion_def": ("snag", snag_exclusion_def, []),
    "snag_world_exclude": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_world_drop_exclusions": ("snag", c_int, [c_void_p, c_void_p]),
    "snag_default_edit_def": ("snag", snag_edit_def, []),
    "snag_world_edit": ("snag", c_int, [c_void_p, snag_body_id, c_void_p, c_void_p]),
    "snag_side_name": ("snag", c_char_p, [c_int]),
    "snag_default_closest_def": ("snag", snag_closest_def, []),
    "snag_world_closest": ("snag", c_int, [c_void_p, c_void_p, snag_positions, c_void_p, c_void_p]),
    "snag_default_cast_def": ("snag", snag_cast_def, []),
    "snag_world_cast": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_world_cast_any": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_world_cast_all": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_world_contains": ("snag", c_int, [c_void_p, snag_body_id, snag_positions, c_void_p]),
    "snag_world_winding": ("snag", c_int, [c_void_p, snag_body_id, snag_positions, c_void_p]),
    "snag_world_enclosure": ("snag", c_int, [c_void_p, snag_body_id, c_void_p]),
    "snag_default_overlap_def": ("snag", snag_overlap_def, []),
    "snag_world_overlap_boxes": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_world_overlap_spheres": ("snag", c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_world_nested": ("snag", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_io_default_read_options": ("snag_io", snag_io_read_options, []),
    "snag_io_read_mesh": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_read_mesh_with": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "snag_io_parse_mesh": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_parse_mesh_with": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "snag_io_mesh_free": ("snag_io", None, [c_void_p]),
    "snag_io_is_mesh": ("snag_io", c_bool, [c_char_p]),
    "snag_io_is_cache": ("snag_io", c_bool, [c_char_p]),
    "snag_io_is_companion": ("snag_io", c_bool, [c_char_p]),
    "snag_io_mesh_endings": ("snag_io", c_char_p, []),
    "snag_io_cache_endings": ("snag_io", c_char_p, []),
    "snag_io_add_body": ("snag_io", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_io_body_def": ("snag_io", snag_body_def, [c_void_p]),
    "snag_io_cache_open": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_cache_close": ("snag_io", None, [c_void_p]),
    "snag_io_cache_vertex_count": ("snag_io", c_size_t, [c_void_p]),
    "snag_io_cache_frame_count": ("snag_io", c_size_t, [c_void_p]),
    "snag_io_cache_held_count": ("snag_io", c_size_t, [c_void_p]),
    "snag_io_cache_read": ("snag_io", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_cache_open_memory": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_is_motion": ("snag_io", c_bool, [c_char_p]),
    "snag_io_motion_open": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_motion_open_with": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "snag_io_motion_open_memory": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_motion_close": ("snag_io", None, [c_void_p]),
    "snag_io_motion_mesh": ("snag_io", c_void_p, [c_void_p]),
    "snag_io_motion_animation_count": ("snag_io", c_size_t, [c_void_p]),
    "snag_io_motion_animation": ("snag_io", snag_io_animation, [c_void_p, c_size_t]),
    "snag_io_motion_pose": ("snag_io", c_int, [c_void_p, c_size_t, c_double, c_void_p]),
    "snag_io_motion_positions": ("snag_io", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_sequence": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "snag_io_paths_free": ("snag_io", None, [c_void_p, c_size_t]),
    "snag_io_utf8": ("snag_io", c_size_t, [c_char_p, c_void_p]),
    "snag_io_write_mesh": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_write_obj": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p]),
    "snag_io_write_ply": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p]),
    "snag_io_chunked_write": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "snag_io_chunked_open": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_chunked_close": ("snag_io", None, [c_void_p]),
    "snag_io_chunked_describe": ("snag_io", snag_io_chunked_info, [c_void_p]),
    "snag_io_chunked_read": ("snag_io", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_chunked_number": ("snag_io", c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_chunked_source": ("snag_io", snag_source_def, [c_void_p]),
    "snag_io_file_create": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_file_write": ("snag_io", c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_io_file_close": ("snag_io", c_int, [c_void_p, c_bool, c_void_p]),
    "snag_io_write_glb": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p]),
    "snag_io_write_vtu": ("snag_io", c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "snag_io_write_pvd": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "snag_io_pc2_create": ("snag_io", c_int, [c_char_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_pc2_write": ("snag_io", c_int, [c_void_p, snag_positions, c_void_p]),
    "snag_io_pc2_close": ("snag_io", c_int, [c_void_p, c_bool, c_void_p]),
    "snag_io_pairs_create": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_pairs_set_safe": ("snag_io", None, [c_void_p, c_bool]),
    "snag_io_pairs_set_labelled": ("snag_io", None, [c_void_p, c_bool]),
    "snag_io_pairs_write": ("snag_io", c_int, [c_void_p, c_void_p, c_void_p]),
    "snag_io_pairs_close": ("snag_io", c_int, [c_void_p, c_bool, c_void_p]),
    "snag_io_json_read": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_json_parse": ("snag_io", c_int, [c_char_p, c_char_p, c_size_t, c_void_p, c_void_p]),
    "snag_io_json_free": ("snag_io", None, [c_void_p]),
    "snag_io_json_member": ("snag_io", c_uint32, [c_void_p, c_uint32, c_char_p]),
    "snag_io_json_is_array": ("snag_io", c_bool, [c_void_p, c_uint32]),
    "snag_io_json_first": ("snag_io", c_uint32, [c_void_p, c_uint32]),
    "snag_io_json_next": ("snag_io", c_uint32, [c_void_p, c_uint32, c_uint32]),
    "snag_io_json_name": ("snag_io", c_char_p, [c_void_p, c_uint32, c_uint32]),
    "snag_io_json_text": ("snag_io", c_char_p, [c_void_p, c_uint32]),
    "snag_io_json_number": ("snag_io", c_double, [c_void_p, c_uint32, c_double]),
    "snag_io_scratch_create": ("snag_io", c_int, [c_char_p, c_void_p, c_void_p]),
    "snag_io_scratch_write": ("snag_io", c_bool, [c_void_p, c_uint64, c_void_p, c_size_t]),
    "snag_io_scratch_read": ("snag_io", c_bool, [c_void_p, c_uint64, c_void_p, c_size_t]),
    "snag_io_scratch_destroy": ("snag_io", None, [c_void_p]),
    "snag_default_sim_def": ("snag_sim", snag_sim_def, []),
    "snag_sim_scene_name": ("snag_sim", c_char_p, [c_size_t]),
    "snag_sim_scene_words": ("snag_sim", c_char_p, [c_size_t]),
    "snag_sim_scene_steps": ("snag_sim", c_uint32, [c_size_t]),
    "snag_sim_scene_edits": ("snag_sim", c_bool, [c_size_t]),
    "snag_sim_scene_takes": ("snag_sim", c_int, [c_size_t]),
    "snag_sim_create": ("snag_sim", c_int, [c_void_p, c_void_p]),
    "snag_sim_destroy": ("snag_sim", None, [c_void_p]),
    "snag_sim_step": ("snag_sim", c_int, [c_void_p]),
    "snag_sim_message": ("snag_sim", c_char_p, [c_void_p]),
    "snag_sim_body_count": ("snag_sim", c_size_t, [c_void_p]),
    "snag_sim_body_at": ("snag_sim", snag_sim_body, [c_void_p, c_size_t]),
    "snag_sim_last_step": ("snag_sim", snag_sim_report, [c_void_p]),
    "snag_sim_measure": ("snag_sim", c_int, [c_void_p, c_double, c_void_p]),
    "snag_sim_thickness": ("snag_sim", c_double, [c_void_p]),
    "snag_sim_mean_edge": ("snag_sim", c_double, [c_void_p]),
}

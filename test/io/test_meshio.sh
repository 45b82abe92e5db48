#!/usr/bin/env bash
# Files that meshio and netCDF4 write: the same mesh in every format gives the same contacts, and time steps are played.
# usage: test_meshio.sh BUILD_FOLDER
set -euo pipefail
tool=$(realpath "$1")/snag
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3
if ! $python -c 'import meshio, netCDF4, h5py' 2>/dev/null; then
    echo "left out: python3-meshio, python3-netcdf4 or python3-h5py is not installed"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
$python "$here/make_results.py" "$folder" >/dev/null
cd "$folder"

faults=0
expect() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || { echo "$1: $3 instead of $2"; faults=$((faults + 1)); }
}
contacts() { "$tool" check --json "$@" 2>/dev/null | $python -c 'import json, sys; r = json.load(sys.stdin); print(r["contacts_total"], *(f["contacts"] for f in r["frames"]))'; }

# The vertices of the mesh are those of the needle and of two hexahedra: 2 within cells, 6 edges through.
for file in still*.vtu still*.vtk still*.msh still*.mesh still*.inp still*.bdf still*.e still*.med still*.xdmf; do
    expect "$file" "8 8" "$(contacts "$file" || true)"
done
for file in moving_*.exo moving.xdmf; do
    expect "$file" "8 0 0 8" "$(contacts "$file" || true)"
    # Five steps between 0 and 2 in the frames of a rate.
    expect "$file at 2 frames a second" 5 "$("$tool" check --json --fps 2 "$file" 2>/dev/null | grep -c '"frame":')"
done
expect "names of blocks" 2 "$("$tool" info moving_0.exo | grep -cE '^(bar|needle) ')"
"$tool" check --pairs moving.csv moving_3.exo >/dev/null 2>&1 || true
expect "numbers of elements" yes "$(grep -q 'needle,k30' moving.csv && grep -q 'bar,k10' moving.csv && echo yes)"
expect "impacts between steps" 1 "$("$tool" check --question impacts --json moving_0.exo 2>/dev/null | grep -c '"earliest": 0\.' | sed 's/^[1-9][0-9]*$/1/')"
# Cells of second order: needles stand in what lies between the corners and the curve.
for kind in tetra10:4 hexahedron20:6; do
    for file in "${kind%:*}".*; do
        expect "$file by its corners" 0 "$(contacts --question intersections "$file" | cut -d' ' -f1)"
        expect "$file at its mid-nodes" "${kind#*:}" \
            "$("$tool" check --curved --question intersections --json "$file" 2>/dev/null | grep -c '"centre"')"
    done
done
# Damaged HDF5 is a message: the library reads it in a process of its own.
for bytes in 100 1000 5000 12000; do
    head -c $bytes still.med >cut.med
    code=0
    "$tool" check cut.med >/dev/null 2>words || code=$?
    expect "the first $bytes bytes of a MED file" 2 $code
    grep -q 'cut.med: ' words || expect "its message" "one that names the file" "$(cat words)"
done
[ $faults = 0 ] || exit 1
echo "all files read alike"

#!/usr/bin/env bash
# The project keeps to its layers, and the check would notice if it did not: each made-up violation is named, by file and
# line, and nothing else is.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
check=$source/script/check-layers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_layers: $*" >&2; exit 1; }

"$check" "$source" || fail "the project does not keep to its layers"

# A small project that does.
write() { mkdir -p "$work/$(dirname "$1")"; printf '%s\n' "${@:2}" >"$work/$1"; }
restore() {
    rm -rf "${work:?}"/*
    write include/snag/base.h '#include <stdint.h>'
    write include/snag/io.h '#include "snag/base.h"'
    write include/snag/sim.h '#include <snag/base.h>'
    write src/base/memory.h '#include "snag/base.h"'
    write src/geom/geom.h '#include "base/memory.h"'
    write src/mesh/mesh.h '#include "geom/geom.h"' '#include <math.h>'
    write src/world/world.c '#include "mesh/mesh.h"' '  #  include  "base/memory.h"  // why not'
    write io/text.h '#include "snag/io.h"'
    write io/obj.c '#include "text.h"' '#include <stdio.h>'
    write sim/cloth.c '#include "snag/sim.h"'
    write cli/main.c '#include "snag/io.h"' '#include "snag/sim.h"'
    write test/mesh/test_mesh.c '#include "mesh/mesh.h"' '#include "io/text.h"'
}
restore
"$check" "$work" || fail "complains of a project without violations"

# must_name FILE:LINE TEXT, after the project was spoilt
must_name() {
    if output=$("$check" "$work"); then fail "does not see $1 $2"; fi
    case $output in *"$1: "*"$2"*) ;; *) fail "expected $1 $2, got: $output" ;; esac
    [ "$(tail -n 1 <<<"$output")" = "check-layers: violations: 1" ] || fail "sees more than one violation: $output"
    restore
}
write src/geom/bad.c '#include "geom/geom.h"' '#include "mesh/mesh.h"'
must_name src/geom/bad.c:2 "src/geom may not include src/mesh/mesh.h"
write io/bad.c '#include "base/memory.h"'
must_name io/bad.c:1 "io may not include src/base/memory.h"
write cli/bad.c '' '# include <mesh/mesh.h>'
must_name cli/bad.c:2 "cli may not include src/mesh/mesh.h"
write cli/bad.c '#include "../src/./geom/../base/memory.h"'
must_name cli/bad.c:1 "cli may not include src/base/memory.h"
write sim/bad.c '#include "../io/text.h"'
must_name sim/bad.c:1 "sim may not include io/text.h"
write io/bad.c '#include "snag/sim.h"'
must_name io/bad.c:1 "io may not include include/snag/sim.h"
write src/world/bad.c '#include "snag/io.h"'
must_name src/world/bad.c:1 "src/world may not include include/snag/io.h"
write include/snag/bad.h '#include "base/memory.h"'
must_name include/snag/bad.h:1 "include/snag may not include src/base/memory.h"
write include/snag/bad.h '#include <stdio.h>'
must_name include/snag/bad.h:1 "only stdbool.h"
write src/base/bad.c '#include <unistd.h>'
must_name src/base/bad.c:1 "<unistd.h> is a header of the system: use base/platform.h"
write cli/bad.c '#ifndef _WIN32' '#include <unistd.h>' '#endif' '#include <sys/stat.h>'
must_name cli/bad.c:4 "<sys/stat.h> is a header of POSIX: use common/system.h"
write src/base/bad.c '#include "base/nowhere.h"'
must_name src/base/bad.c:1 '"base/nowhere.h" does not exist'
write src/extra/new.c ''
must_name src/extra/new.c:1 '"src/extra" is not a layer'
echo "test_layers: clean, and all violations would be seen"

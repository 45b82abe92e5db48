# Names functions, structs and enums of public headers that no comment describes. A comment describes all declarations that follow it
# without an empty line between.
FNR == 1 { described = 0 }
/^\/\// { described = 1; next }
/^[ \t]*$/ || /^#/ { described = 0; next }
/^SNAG_API / && !described { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); print FILENAME ":" FNR ": " name "() has no description" }
/^typedef (struct|enum) / && !described { print FILENAME ":" FNR ": " $3 " has no description" }

# Splits Markdown tables of more than seven columns into several that repeat the columns which tell rows apart.
# usage: awk -f script/lib/narrow-tables.awk PAGE.md
function trim(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
# Cells of a row, with an escaped bar kept.
function cells_of(line, out,    n, i, part) {
    gsub(/\\\|/, "\001", line)
    sub(/^ *\|/, "", line); sub(/\| *$/, "", line)
    n = split(line, part, "|")
    for (i = 1; i <= n; i++) { out[i] = trim(part[i]); gsub(/\001/, "\\|", out[i]) }
    return n
}
function group_of(name) { return index(name, ": ") ? substr(name, 1, index(name, ": ") - 1) : name }
# Whether rows differ in columns 1 and `other` (0: in column 1 alone).
function tells(other,    seen, r, key) {
    delete seen
    for (r = 3; r <= rows; r++) {
        key = cell[r, 1] SUBSEP (other ? cell[r, other] : "")
        if (key in seen) return 0
        seen[key] = 1
    }
    return 1
}
function print_part(key, count, part,    r, c, line) {
    for (r = 1; r <= rows; r++) {
        line = "| " cell[r, 1] " |"
        if (key) line = line " " cell[r, key] " |"
        for (c = 1; c <= count; c++) line = line " " cell[r, part[c]] " |"
        print line
    }
}
function flush_table(    r, c, n, key, leading, count, part, room, from, to, first) {
    if (rows == 0) return
    if (columns <= 7) { for (r = 1; r <= rows; r++) print raw[r]; rows = 0; return }
    for (leading = 1; leading < columns && group_of(cell[1, leading + 1]) == cell[1, leading + 1]; leading++) ;
    key = 0
    if (!tells(0)) for (c = leading; c >= 2; c--) if (tells(c)) { key = c; break }
    room = 7 - (key ? 2 : 1)
    count = 0; first = 1
    for (from = 2; from <= columns; from = to + 1) {
        for (to = from; to < columns && group_of(cell[1, to + 1]) == group_of(cell[1, from]) && group_of(cell[1, from]) != cell[1, from]; to++) ;
        if (from == key) continue
        if (count > 0 && count + to - from + 1 > room) {
            if (!first) print ""
            print_part(key, count, part); count = 0; first = 0
        }
        for (c = from; c <= to; c++) {
            if (count == room) { if (!first) print ""; print_part(key, count, part); count = 0; first = 0 }
            part[++count] = c
        }
    }
    if (count > 0) { if (!first) print ""; print_part(key, count, part) }
    rows = 0
}
/^```/ { code = !code }
!code && /^ *\|/ {
    rows++
    raw[rows] = $0
    n = cells_of($0, parts)
    if (rows == 1) columns = n
    for (i = 1; i <= n; i++) cell[rows, i] = parts[i]
    next
}
{ flush_table(); print }
END { flush_table() }

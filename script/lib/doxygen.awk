# Our comments in Doxygen's words: "// ..." before a declaration is its description, one after a member is the member's. Words that Doxygen
# would take as commands, links or HTML stay plain.
function plain(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/@/, "\\@", text)
    gsub(/</, "\\<", text)
    gsub(/>/, "\\>", text)
    gsub(/#/, "\\#", text)
    return text
}
/^[ \t]*\/\// {
    match($0, /^[ \t]*\/\//)
    print substr($0, 1, RLENGTH) "/" plain(substr($0, RLENGTH + 1))
    next
}
/[;,{}a-z0-9_)] +\/\/ / && !/"[^"]*\/\/[^"]*"/ {
    at = index($0, "// ")
    print substr($0, 1, at - 1) "///<" plain(substr($0, at + 2))
    next
}
{ print }

# The first screen of docs/notebook/results.md, from the verdicts of repro.md and bench.md: what was proven, what did not hold, and a
# bar for each paper. Reads both files; prints Markdown.
FNR == 1 { file++ }
/^### / && file == 1 { paper = $0; sub(/^### /, "", paper); order[++papers] = paper }
/^\*\*holds\*\*: / { if (file == 1) { good[paper]++; all_good++ } else { peers = peers "\n- " first_sentence($0) } }
/^\*\*does not hold\*\*: / {
    if (file == 1) { bad[paper]++; all_bad++; broken = broken "\n" all_bad ". " first_sentence($0) " (" short(paper) ")" }
    else peers = peers "\n- does not hold: " first_sentence($0)
}
# A claim: all before the first full stop that ends a sentence. The next one may begin with a number ("k-DOPs. 100 new pairs"), and
# "Tab. 1b: ..." ends none.
function first_sentence(line,   from, at) {
    sub(/^\*\*[a-z ]+\*\*: /, "", line)
    for (from = 1; (at = match(substr(line, from), /[A-Za-z0-9%)]\. [A-Z0-9]/)) > 0; from += at + 1)
        if (substr(line, 1, from + at) !~ /(^|[ (])(Tab|Fig|Sec|Eq|No|vs)\.$/)
            return substr(line, 1, from + at)
    return line
}
function short(name,   parts) { split(name, parts, ":"); sub(/ *\([a-z, -]+\)$/, "", parts[2]); sub(/^ */, "", parts[2]); return parts[2] }
function repeated(sign, n,   made) { while (n-- > 0) made = made sign; return made }
END {
    printf "**%d of %d claims of the five papers hold here.** Each was measured again, the paper's way beside ours, and judged by a rule that was written down first", all_good, all_good + all_bad
    print " (`snag repro all`)."
    print ""
    print "```"
    for (i = 1; i <= papers; i++)
        if (good[order[i]] + bad[order[i]] > 0)
            printf "%-52.52s %s%s %d of %d\n", short(order[i]), repeated("█", good[order[i]]), repeated("░", bad[order[i]]), good[order[i]], good[order[i]] + bad[order[i]]
    print "```"
    if (broken != "") printf "\nThese %d do not hold:\n%s\n", all_bad, broken
    if (peers != "") printf "\nBeside other libraries (`script/bench`):\n%s\n", peers
    print "\nEverything below is the evidence: every claim with its rule, its measurements and its tables."
}

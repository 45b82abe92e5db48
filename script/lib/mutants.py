"""Makes mutants of C sources: copies of a file that differ from it in one token or lack one statement.

Works on tokens, not on a syntax tree: what does not compile is counted and dropped by script/mutate. Kept out are
preprocessor lines, asserts, prefetches, and the sizes of declared arrays, since a change there cannot change an answer.
"""
import bisect
import collections
import re

TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<number>(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?)|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfF]*)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<mark>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)",
    re.S | re.M)

Token = collections.namedtuple("Token", "kind text start end")
# One change: text[start:end] becomes `now`. `line` counts from 1, `column` too.
Mutant = collections.namedtuple("Mutant", "file line column kind was now start end")

COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
             "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "++": "--", "--": "++",
             "<<=": ">>=", ">>=": "<<="}
BOOLEANS = {"&&": "||", "||": "&&", "true": "false", "false": "true"}
# Wide code compares and chooses by functions.
CALLS = [("_lt", "_le"), ("_le", "_lt"), ("_min", "_max"), ("_max", "_min")]
LIBRARY_CALLS = {"fmin": "fmax", "fmax": "fmin", "fminf": "fmaxf", "fmaxf": "fminf", "floor": "ceil", "ceil": "floor"}
# A name before `*`, `&`, `-`, `+` or `[` that does not end an operand.
NO_OPERANDS = {"return", "else", "do", "case", "goto", "sizeof", "const", "void", "char", "int", "float", "double", "bool",
               "size_t", "unsigned", "struct", "static", "inline", "restrict", "short", "long", "enum", "signed", "volatile"}
HARMLESS = re.compile(r"assert\w*|static_assert|_Static_assert|__builtin_prefetch|snag__prefetch\w*|\w*[Ff]etch\w*")


def tokens_of(text):
    result = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "space":
            result.append(Token(match.lastgroup, match.group(), match.start(), match.end()))
    return result


def matching(tokens):
    """For each bracket its partner."""
    partner, open_ones = {}, []
    closing = {")": "(", "]": "[", "}": "{"}
    for i, token in enumerate(tokens):
        if token.text in "([{" and token.kind == "mark":
            open_ones.append(i)
        elif token.text in closing and token.kind == "mark" and open_ones:
            partner[i] = open_ones.pop()
            partner[partner[i]] = i
    return partner


def is_type(name):
    return name in NO_OPERANDS or name.endswith("_t") or re.fullmatch(r"snag_\w+_(id|def)|wide\w*", name) is not None


def ends_operand(tokens, i):
    """Whether an operator after token i has token i as its left side."""
    token = tokens[i]
    if token.kind == "name":
        return not is_type(token.text)
    return token.kind in ("number", "text") or token.text in (")", "]")


def is_cast(tokens, partner, i):
    """Whether the bracket that closes at i holds a type: (double)x."""
    inside = tokens[partner[i] + 1:i] if tokens[i].text == ")" and i in partner else []
    return bool(inside) and all(t.text == "*" or (t.kind == "name" and is_type(t.text)) for t in inside)


def number_changes(text):
    hexadecimal = text[:2] in ("0x", "0X")
    body = text.rstrip("uUlL" if hexadecimal and "p" not in text.lower() else "uUlLfF")
    suffix = text[len(body):]
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|\d+", body):
        value = int(body, 0) if not re.fullmatch(r"0\d+", body) else int(body, 8)
        return [f"{value + 1}{suffix}"] + ([f"{value - 1}{suffix}"] if value > 0 else [])
    value = float.fromhex(body) if hexadecimal else float(body)
    if value == 0:
        return ["1.0" + suffix]
    return [f"{(2 * value)!r}{suffix}", f"{(value / 2)!r}{suffix}"]


class File:
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.tokens = tokens_of(text)
        self.partner = matching(self.tokens)
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.found = []
        self.functions = self.find_functions()

    def line_of(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def find_functions(self):
        """First and last token of each function body, in order."""
        bodies, i = [], 0
        while i < len(self.tokens):
            if self.tokens[i].text == "{" and i in self.partner:
                if i > 0 and self.tokens[i - 1].text == ")":
                    bodies.append((i, self.partner[i]))
                i = self.partner[i]
            i += 1
        return bodies

    def function_lines(self, line):
        """The lines of the function around `line`, or None outside of functions."""
        for first, last in self.functions:
            low, high = self.line_of(self.tokens[first].start) - 1, self.line_of(self.tokens[last].start)
            if low <= line <= high:
                return low, high
        return None

    def add(self, kind, start, end, now):
        line = self.line_of(start)
        self.found.append(Mutant(self.name, line, start - self.line_starts[line - 1] + 1, kind,
                                 " ".join(self.text[start:end].split()), now, start, end))

    def replace(self, kind, i, now):
        self.add(kind, self.tokens[i].start, self.tokens[i].end, now)

    def mutants(self):
        for first, last in self.functions:
            self.change_tokens(first + 1, last)
            self.remove_statements(first + 1, last)
        # Tables and enumerations outside of functions.
        inside = set()
        for first, last in self.functions:
            inside.update(range(first, last + 1))
        skipped = self.harmless_tokens(0, len(self.tokens))
        for i, token in enumerate(self.tokens):
            if i not in inside and i not in skipped and token.kind == "number":
                self.change_number(i)
        return sorted(set(self.found), key=lambda m: (m.start, m.end, m.now))

    def harmless_tokens(self, first, last):
        """Tokens of calls that cannot change an answer, and of the sizes of declared arrays and bit fields."""
        skipped = set()
        for i in range(first, last):
            token = self.tokens[i]
            following = self.tokens[i + 1].text if i + 1 < len(self.tokens) else ""
            if token.kind == "name" and following == "(" and HARMLESS.fullmatch(token.text):
                skipped.update(range(i, self.partner.get(i + 1, i) + 1))
            if token.text == "[" and i in self.partner and self.is_declarator(i):
                skipped.update(range(i, self.partner[i] + 1))
        return skipped

    def is_declarator(self, i):
        """Whether the bracket at i gives a size: `float x[3]`, `x[3][3]`, `(*x)[3]` after a type."""
        before = i - 1
        while before > 0 and self.tokens[before].text == "]" and before in self.partner:
            before = self.partner[before] - 1
        if self.tokens[before].text == ")" and before in self.partner:
            start = self.partner[before]
            return self.tokens[start + 1].text == "*" and self.tokens[start - 1].kind == "name"
        if self.tokens[before].kind != "name" or before == 0:
            return False
        before -= 1
        while before > 0 and self.tokens[before].text == "*":
            before -= 1
        if self.tokens[before].text == ",":  # int a[2], b[2];
            return self.starts_with_type(before)
        previous = self.tokens[before]
        return previous.kind == "name" and previous.text not in ("return", "else", "do", "case", "sizeof", "goto")

    def starts_with_type(self, i):
        """Whether the statement around i begins with two names in a row, as declarations do."""
        depth = 0
        while i > 0:
            text = self.tokens[i].text
            if text in ")]" and self.tokens[i].kind == "mark" and i in self.partner:
                i = self.partner[i]
            elif text in "([" and self.tokens[i].kind == "mark":
                depth += 1
                break
            elif text in ";{}" and self.tokens[i].kind == "mark":
                break
            i -= 1
        a, b = self.tokens[i + 1], self.tokens[i + 2]
        return depth == 0 and a.kind == "name" and (b.kind == "name" or b.text == "*") and a.text != "return"

    def change_number(self, i):
        for now in number_changes(self.tokens[i].text):
            self.replace("constant", i, now)

    def change_tokens(self, first, last):
        skipped = self.harmless_tokens(first, last)
        for i in range(first, last):
            if i in skipped:
                continue
            token = self.tokens[i]
            if token.kind == "number":
                self.change_number(i)
            elif token.kind == "name":
                self.change_name(i)
            elif token.kind == "mark":
                self.change_mark(i)

    def change_name(self, i):
        text, following = self.tokens[i].text, self.tokens[i + 1].text
        if text in BOOLEANS:
            self.replace("boolean", i, BOOLEANS[text])
        elif following == "(" and text in LIBRARY_CALLS:
            self.replace("comparison", i, LIBRARY_CALLS[text])
        elif following == "(" and text.startswith("snag__"):
            for end, other in CALLS:
                if text.endswith(end):
                    self.replace("comparison", i, text[:-len(end)] + other)
        elif text in ("if", "while") and following == "(":
            close = self.partner[i + 1]
            start, end = self.tokens[i + 1].end, self.tokens[close].start
            self.add("boolean", start, end, f"!({self.text[start:end]})")

    def change_mark(self, i):
        text = self.tokens[i].text
        if text in COMPARISONS:
            for now in COMPARISONS[text]:
                self.replace("comparison", i, now)
        elif text in BOOLEANS:
            self.replace("boolean", i, BOOLEANS[text])
        elif text in ("!", "~"):
            self.replace("boolean" if text == "!" else "operator", i, "")
        elif text == "[" and ends_operand(self.tokens, i - 1) and self.tokens[self.partner[i] - 1].kind != "number":
            start, end = self.tokens[i].end, self.tokens[self.partner[i]].start
            self.add("index", start, end, f"({self.text[start:end]}) + 1")
        elif text in OPERATORS:
            self.change_operator(i, text)

    def change_operator(self, i, text):
        binary = ends_operand(self.tokens, i - 1) and not is_cast(self.tokens, self.partner, i - 1)
        if text in ("+", "-", "*", "&") and not binary:
            if text == "-":
                self.replace("sign", i, "")
            return
        if text == "*" and self.is_pointer(i):
            return
        self.replace("operator", i, OPERATORS[text])

    def is_pointer(self, i):
        """Whether `*` at i stands in a declaration: `box *b = ...`, at the beginning of a statement."""
        before = i - 2
        while before >= 0 and self.tokens[before].text in ("const", "struct", "static"):
            before -= 1
        return (before < 0 or self.tokens[before].text in ("{", "}", ";", "(", ",")) and \
            self.tokens[i - 1].kind == "name" and self.tokens[i + 1].kind == "name" and \
            self.tokens[i + 2].text in ("=", ";", ",", ")", "[") and self.tokens[before].text != "(" or \
            self.tokens[i + 1].text in (")", "*", "const")

    def remove_statements(self, first, last):
        """Simple statements without what they do: an assignment, a call, break, continue, an early return."""
        skipped = self.harmless_tokens(first, last)
        start, i = first, first
        while i < last:
            text, kind = self.tokens[i].text, self.tokens[i].kind
            if kind == "mark" and text in "([" and i in self.partner:
                # A condition ends with the bracket of if, for or while: a statement begins after it.
                controls = self.tokens[i - 1].text in ("if", "for", "while", "switch") and text == "("
                i = self.partner[i]
                if controls:
                    start = i + 1
            elif kind == "mark" and text == "{" and self.tokens[i - 1].text in ("=", ")", ",") and \
                    not (self.tokens[i - 1].text == ")" and start == i):
                i = self.partner[i]  # an initialiser is part of its statement
            elif kind == "mark" and text in "{}":
                start = i + 1
            elif kind == "name" and text in ("else", "do"):
                start = i + 1
            elif kind == "mark" and text == ":" and self.tokens[start].text in ("case", "default"):
                start = i + 1
            elif kind == "mark" and text == ";":
                if start not in skipped and self.can_be_removed(start, i, last):
                    self.add("statement", self.tokens[start].start, self.tokens[i].end, ";")
                start = i + 1
            i += 1

    def can_be_removed(self, start, end, last):
        a = self.tokens[start]
        if start == end or a.text in ("case", "default", "goto", "typedef", "static", "const", "enum", "struct"):
            return False
        if a.text == "return":
            return end + 1 != last  # without the last one a function has no value
        if a.text in ("break", "continue"):
            return True
        if a.kind == "name" and (self.tokens[start + 1].kind == "name" or is_type(a.text)):
            return False  # a declaration
        if a.kind == "name" and self.tokens[start + 1].text == "*" and self.tokens[start + 2].kind == "name":
            return False
        return True


def mutants_of(name, text):
    file = File(name, text)
    return file, file.mutants()

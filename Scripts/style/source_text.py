"""Reads comments, string literals and test names from Swift and C files."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The next place at which the meaning of a character may change.
INTERESTING = re.compile(r'//|/\*|#*"|\'|`[^`\n]+`')


@dataclass(frozen=True)
class Text:
    """A piece of text and the line that it begins on."""

    place: str
    text: str


@dataclass(frozen=True)
class Token:
    """A comment, a string literal or a backticked name, from `start` to `end` in its file."""

    kind: str
    start: int
    end: int
    text: str


def tokens(source, is_swift):
    """Yields the comments, string literals and backticked names of a file in order."""
    position = 0
    while found := INTERESTING.search(source, position):
        start, mark = found.start(), found.group()
        if mark == "//":
            end = source.find("\n", start)
            end = len(source) if end < 0 else end
            text = re.sub(r"^//+!?<?\s?", "", source[start:end])
            yield Token("comment", start, end, text.rstrip())
        elif mark == "/*":
            end = block_end(source, start, is_swift)
            lines = source[start + 2 : end - 2].strip("*<").split("\n")
            yield Token("comment", start, end, " ".join(line.strip(" *") for line in lines).strip())
        elif mark.endswith('"') and (is_swift or mark == '"'):
            end, text = string_end(source, start, mark, is_swift)
            yield Token("string", start, end, text)
        elif mark.startswith("`") and is_swift:
            end = found.end()
            yield Token("name", start, end, mark[1:-1])
        elif mark == "'" and not is_swift:
            end = re.compile(r"'(\\.|[^'\\\n])*'?").match(source, start).end()
        else:
            end = found.end()
        position = end


def block_end(source, start, is_nesting):
    """Returns the end of a block comment; Swift's can contain others."""
    depth, position = 0, start
    for found in re.compile(r"/\*|\*/").finditer(source, start):
        if found.group() == "*/":
            depth -= 1
        elif depth == 0 or is_nesting:
            depth += 1
        position = found.end()
        if depth == 0:
            return position
    return len(source)


def string_end(source, start, mark, is_swift):
    """Returns the end of a string literal and the text inside, interpolations as written."""
    hashes = len(mark) - 1
    quotes = '"""' if is_swift and source.startswith('"""', start + hashes) else '"'
    escape, close = "\\" + "#" * hashes, quotes + "#" * hashes
    first = position = start + hashes + len(quotes)
    while position < len(source):
        if source.startswith(escape, position):
            position += len(escape)
            if is_swift and source.startswith("(", position):
                position = interpolation_end(source, position)
            else:
                position += 1
        elif source.startswith(close, position):
            return position + len(close), source[first:position]
        elif source[position] == "\n" and quotes == '"':
            break
        else:
            position += 1
    return position, source[first:position]


def interpolation_end(source, start):
    """Returns the end of the parentheses that begin at `start`, strings inside included."""
    depth, position = 0, start
    while position < len(source):
        if source[position] == '"':
            position, _ = string_end(source, position, '"', True)
            continue
        depth += {"(": 1, ")": -1}.get(source[position], 0)
        position += 1
        if depth == 0:
            break
    return position


def files(root, folders):
    """Yields path, text and language of every Swift and C file of the repository in these folders."""
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout.split("\n")
    for name in sorted(set(names)):
        path = Path(root, name)
        if name.endswith((".swift", ".c", ".h")) and not name.endswith(".pb.swift") and path.exists():
            yield name, path.read_text(errors="replace"), name.endswith(".swift")


def comments(name, source, is_swift):
    """Yields comments; lines of comments that follow each other count as one."""
    start = end = None
    parts = []
    for token in tokens(source, is_swift):
        if token.kind != "comment" or token.text.startswith("MARK:") or "swift-format-ignore" in token.text:
            continue
        if parts and source[end : token.start].strip() == "" and source.count("\n", end, token.start) <= 1:
            parts.append(token.text)
        else:
            if parts:
                yield Text(place(name, source, start), join(parts))
            start, parts = token.start, [token.text]
        end = token.end
    if parts:
        yield Text(place(name, source, start), join(parts))


def messages(name, source, is_swift):
    """Yields string literals that read like sentences: the messages, help texts and warnings."""
    start = end = None
    parts = []
    for token in tokens(source, is_swift):
        if token.kind != "string":
            continue
        if parts and source[end : token.start].strip() in ("", "+"):
            parts.append(token.text)
        else:
            if is_sentence(parts):
                yield Text(place(name, source, start), "".join(parts))
            start, parts = token.start, [token.text]
        end = token.end
    if is_sentence(parts):
        yield Text(place(name, source, start), "".join(parts))


def is_sentence(parts):
    """Returns whether the parts of a literal are words for people: no SQL, markup or code."""
    text = re.sub(r"\\\([^)]*\)", "x", "".join(parts)).strip()
    words = re.findall(r"(?<![\w.])[a-z]{2,}(?![\w(.]\w)", text)
    is_code = re.search(r"[{};<>=|$]|^\W*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA|WITH)\b|_\w+_", text)
    return len(words) >= 4 and not is_code


def test_names(name, source, is_swift):
    """Yields backticked names of functions: the names of tests."""
    for token in tokens(source, is_swift):
        if token.kind == "name" and " " in token.text and source[: token.start].rstrip().endswith("func"):
            yield Text(place(name, source, token.start), token.text)


def place(name, source, offset):
    """Returns the file and line of an offset."""
    return f"{name}:{source.count(chr(10), 0, offset) + 1}"


def join(parts):
    """Returns lines of a comment as one text."""
    return re.sub(r"\s+", " ", " ".join(parts)).strip()

"""Writes the pages of Documentation, and the pages that they link to, as a DocC catalogue.

    catalogue.py FOLDER.docc

Links between pages become links of DocC, with the anchor of the heading. A link to another file of the repository
becomes its text, because the site does not contain the file.
"""

import os
import re
import shutil
import sys
import unicodedata

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")
PICTURES = (".png", ".svg", ".jpg", ".jpeg")


def page_name(path):
    """Returns the name of a page: Documentation/Tour.md is Tour, Reports/README.md is Reports."""
    parts = os.path.splitext(path)[0].split("/")
    if parts[0] == "Documentation" and len(parts) > 1:
        parts = parts[1:]
    if parts[-1] == "README" and len(parts) > 1:
        parts = parts[:-1]
    return "-".join(parts)


def prose_lines(text):
    """Yields each line, and whether it is outside of code blocks."""
    fence = False
    for line in text.split("\n"):
        if FENCE.match(line):
            fence = not fence
            yield line, False
        else:
            yield line, not fence and not line.startswith("    ")


def slug(heading):
    """Returns the anchor of a heading as GitHub makes it."""
    heading = heading.replace("`", "").strip().lower()
    return "".join(c for c in heading if c.isalnum() or c in "-_ ").replace(" ", "-")


def fragment(heading):
    """Returns the anchor of a heading as DocC makes it: without punctuation, words joined by hyphens."""
    words = re.sub(r"[\s\-–—]+", "-", heading.strip())
    return "".join(c for c in words if c == "-" or not unicodedata.category(c).startswith("P") and c != "`")


class Catalogue:
    def __init__(self, folder):
        self.folder = folder
        self.texts = {}
        self.faults = []

    def collect(self, path):
        """Reads a page and all pages that it links to."""
        if path in self.texts:
            return
        with open(path, encoding="utf-8") as file:
            self.texts[path] = file.read()
        for line, is_prose in prose_lines(self.texts[path]):
            for link in LINK.finditer(line) if is_prose else []:
                target, _ = self.target(path, link[3])
                if target and target.endswith(".md") and os.path.isfile(target):
                    self.collect(target)

    def target(self, path, link):
        """Returns the file and the anchor of a link; no file for a link that leaves the repository."""
        if "://" in link or link.startswith("mailto:"):
            return None, ""
        file, _, anchor = link.partition("#")
        if not file:
            return path, anchor
        file = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if os.path.isdir(file) and os.path.isfile(f"{file}/README.md"):
            file += "/README.md"
        return file, anchor

    def heading(self, path, anchor):
        """Returns the heading with an anchor; None if the page has no such heading."""
        for line, is_prose in prose_lines(self.texts[path]):
            if is_prose and line.startswith("#") and slug(line.lstrip("#")) == anchor:
                return line.lstrip("#").strip()
        return None

    def link(self, path, link):
        """Returns a link in the form of DocC."""
        is_picture, text, address = link.groups()
        target, anchor = self.target(path, address)
        if target is None:
            return link[0]
        if not os.path.exists(target):
            self.faults.append(f"{path}: the link to {address} has no target")
            return text
        if is_picture:
            if not target.endswith(PICTURES):
                return text
            name = target.replace("/", "-")
            shutil.copyfile(target, f"{self.folder}/{name}")
            return f"![{text}]({name})"
        if target not in self.texts:
            return text
        if not anchor:
            return f"[{text}](doc:{page_name(target)})"
        heading = self.heading(target, anchor)
        if heading is None:
            self.faults.append(f"{path}: {target} has no heading for #{anchor}")
            return text
        return f"[{text}](doc:{page_name(target)}#{fragment(heading)})"

    def write(self):
        for path, text in self.texts.items():
            lines = [
                LINK.sub(lambda link: self.link(path, link), line) if is_prose else line
                for line, is_prose in prose_lines(text)
            ]
            self.write_page(page_name(path), "\n".join(lines))

    def write_page(self, name, text):
        with open(f"{self.folder}/{name}.md", "w", encoding="utf-8") as file:
            file.write(text)

    def write_root(self, pages):
        links = "".join(f"- <doc:{page_name(path)}>\n" for path in pages)
        others = sorted(page_name(path) for path in self.texts if path not in pages)
        more = "".join(f"- <doc:{name}>\n" for name in others)
        self.write_page(
            "PerfKit",
            "# PerfKit\n\n@Metadata {\n  @TechnologyRoot\n}\n\n"
            "Measure whether a change improved a program, and which code caused it.\n\n"
            f"## Topics\n\n### Pages\n\n{links}\n### Decisions and reports\n\n{more}",
        )


def main():
    folder = sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    catalogue = Catalogue(folder)
    names = sorted(name for name in os.listdir("Documentation") if name.endswith(".md"))
    # The tour comes first, the style guide is for contributors.
    names.sort(key=lambda name: (name != "Tour.md", name == "StyleGuide.md", name))
    pages = [f"Documentation/{name}" for name in names]
    for path in pages + ["Documentation/Decisions/README.md", "Sources/README.md"]:
        catalogue.collect(path)
    catalogue.write()
    catalogue.write_root(pages + ["Sources/README.md"])
    for fault in catalogue.faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if catalogue.faults else 0)


main()

"""Checks the links of a site that DocC made, and exits with 1 if a page or an anchor is missing.

    links.py SITE

DocC stores a page as JSON in data/ and as an HTML file that shows the JSON. A link is an entry of `references`
with a `url`.
"""

import json
import os
import sys


def anchors(value):
    """Yields all anchors of headings in a page."""
    if isinstance(value, dict):
        if isinstance(value.get("anchor"), str):
            yield value["anchor"].lower()
        for member in value.values():
            yield from anchors(member)
    elif isinstance(value, list):
        for element in value:
            yield from anchors(element)


def pages_of(site):
    """Returns the pages by their address."""
    pages = {}
    for folder, _, names in os.walk(f"{site}/data"):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".json"):
                with open(path, encoding="utf-8") as file:
                    pages["/" + os.path.relpath(path, f"{site}/data")[: -len(".json")]] = json.load(file)
    return pages


def main():
    site = sys.argv[1]
    pages = pages_of(site)
    headings = {address: set(anchors(page)) for address, page in pages.items()}
    links, faults = 0, []
    for address, page in sorted(pages.items()):
        if not os.path.isfile(f"{site}{address}/index.html"):
            faults.append(f"{address} has no HTML file")
        for reference in page.get("references", {}).values():
            url = reference.get("url")
            if not isinstance(url, str) or not url.startswith("/"):
                continue
            links += 1
            target, _, anchor = url.lower().partition("#")
            if target not in pages:
                faults.append(f"{address} links to {url}, which does not exist")
            elif anchor and anchor not in headings[target]:
                faults.append(f"{address} links to {url}, which has no such heading")
    for fault in faults:
        print(f"documentation: {fault}", file=sys.stderr)
    print(f"{len(pages)} pages, {links} links between them, {len(faults)} faults", file=sys.stderr)
    sys.exit(1 if faults or not links else 0)


main()

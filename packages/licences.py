"""Prints the licences, as texts, of the works of others that a released program is made of.

usage: cargo metadata ... | licences.py

Of a crate that MIT is offered for, the text of MIT is enough; of others all texts are printed. The
same input gives the same bytes.
"""

import json
import pathlib
import re
import sys

BEGINNINGS = ("licen", "copying", "notice", "copyright", "unlicense")

# What is linked beside crates.
OTHERS = """\
Rust's standard library, MIT OR Apache-2.0: Copyright (c) The Rust Project Contributors.
musl, the C library of programs for *-linux-musl, MIT: Copyright (c) 2005-2020 Rich Felker, et al.
glibc, the C library of static programs for *-linux-gnu, LGPL-2.1-or-later: its source is that of
the system that built the program.
"""


def command(document):
    """The package of the command."""
    own = set(document["workspace_members"])
    return next(p for p in document["packages"] if p["id"] in own and p["name"] == "nearfar")


def edges(document, id):
    """Ids of what a package is compiled with, but for its tests."""
    node = next(node for node in document["resolve"]["nodes"] if node["id"] == id)
    return [
        edge["pkg"]
        for edge in node["deps"]
        if {kind["kind"] for kind in edge["dep_kinds"]} != {"dev"}
    ]


def parts_of_command(document):
    """All crates of which the command is made, itself too, by name and version."""
    packages = {package["id"]: package for package in document["packages"]}
    seen, queue = set(), [command(document)["id"]]
    while queue:
        id = queue.pop()
        if id not in seen:
            seen.add(id)
            queue += edges(document, id)
    return sorted((packages[id] for id in seen), key=lambda p: (p["name"], p["version"]))


def texts(package):
    """The texts that are needed of a crate's files, in the order of their names."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(
        file
        for file in folder.iterdir()
        if file.is_file() and file.name.lower().startswith(BEGINNINGS)
    )
    if re.fullmatch(r"[^()]*\bMIT\b[^()]*", package["license"]) and "AND" not in package["license"]:
        files = [file for file in files if "mit" in file.name.lower()] or files
    for file in files:
        text = file.read_text(encoding="utf-8", errors="replace").strip()
        yield "\n".join(line.rstrip() for line in text.splitlines())


def within(crates):
    """What our crates contain of others: a folder with a licence of its own, and its text."""
    for crate in crates:
        folder = pathlib.Path(crate["manifest_path"]).parent
        for file in sorted(folder.glob("*/OFL.txt")):
            text = file.read_text(encoding="utf-8").strip()
            yield f"{crate['name']}/{file.parent.name}", text


def main():
    document = json.load(sys.stdin)
    own = set(document["workspace_members"])
    parts = parts_of_command(document)
    crates = [package for package in parts if package["id"] not in own]
    contained = list(within(package for package in parts if package["id"] in own))
    needed = {text: [name] for name, text in contained}
    for crate in crates:
        for text in texts(crate):
            needed.setdefault(text, []).append(f"{crate['name']} {crate['version']}")
    print("Programs of nearfar contain these works of others.\n")
    print(OTHERS)
    for name, text in contained:
        print(f"{name}, OFL-1.1: {text.splitlines()[0]}")
    for crate in crates:
        authors = "; ".join(crate["authors"])
        print(f"{crate['name']} {crate['version']}, {crate['license']}: {authors}".rstrip(": "))
    for text, names in needed.items():
        print(f"\n{'=' * 80}\n{', '.join(names)}\n{'-' * 80}\n{text}")
    without = [crate["name"] for crate in crates if not list(texts(crate))]
    if without:
        print(f"\n{'=' * 80}\nWithout a text of their own, under the licence named above:")
        print(", ".join(without))


if __name__ == "__main__":
    main()

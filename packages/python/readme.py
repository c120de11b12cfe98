"""README.md as registries show it: its links are paths in the repository, and a registry shows the
page alone. Here they lead to the repository that Cargo.toml names, at this version's tag.

usage: readme.py           writes description.markdown beside this script, for pyproject.toml
       readme.py FOLDER    changes README.md of the checkout in this folder, and those of its crates
"""

import os
import posixpath
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
REPOSITORY = PACKAGE.parent.parent

LINK = re.compile(r"(?<=\]\()(?!#|[a-z]+:)[^)\s]+")
"""The target of a link that is a path."""

PICTURE = re.compile(r'(?<=[ ]src=")(?![a-z]+:)[^"]+|(?<=srcset=")(?![a-z]+:)[^"]+')
"""The path of a picture."""

HOST = "../../"
"""With it begin paths of the host's own pages and badges: a page there is below blob/main."""


def absolute(page, repository, tag, folder="."):
    """A page of this folder of the repository, with the address of each path."""

    def address(kind, path):
        path = posixpath.normpath(posixpath.join(folder, path))
        if path.startswith(HOST):
            return f"{repository}/{path[len(HOST):]}"
        return f"{repository}/{kind}/{tag}/{path}"

    page = LINK.sub(lambda link: address("blob", link[0]), page)
    return PICTURE.sub(lambda picture: address("raw", picture[0]), page)


def text(root=REPOSITORY, folder="."):
    """README.md of a folder of a checkout, for registries."""
    facts = (root / "Cargo.toml").read_text(encoding="utf-8")
    facts = dict(re.findall(r'^(repository|version) = "(.*)"$', facts, re.M))
    page = (root / folder / "README.md").read_text(encoding="utf-8")
    return absolute(page, facts["repository"], "v" + facts["version"], folder)


def write(file=PACKAGE / "description.markdown", page=None):
    """Writes a page, this checkout's own by default, whole or not at all."""
    draft = file.with_name(f".{os.getpid()}.draft")
    draft.write_text(text() if page is None else page, encoding="utf-8")
    draft.replace(file)


def main():
    if len(sys.argv) == 1:
        return write()
    root = Path(sys.argv[1])
    for file in [root / "README.md", *sorted(root.glob("crates/*/README.md"))]:
        write(file, text(root, file.parent.relative_to(root).as_posix()))


if __name__ == "__main__":
    main()

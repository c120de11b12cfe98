"""README.md as registries show it: its links are paths in the repository, and a registry shows the
page alone. Here they lead to the repository that Cargo.toml names, at this version's tag.

usage: readme.py [FILE]    from anywhere; writes FILE, or description.markdown beside this script,
                           where pyproject.toml looks for it
"""

import os
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
REPOSITORY = PACKAGE.parent.parent

LINK = re.compile(r"(?<=\]\()(?!#|[a-z]+:)[^)\s]+")
"""The target of a link that is a path."""

PICTURE = re.compile(r'(?<=[ ]src=")(?![a-z]+:)[^"]+|(?<=srcset=")(?![a-z]+:)[^"]+')
"""The path of a picture."""


def absolute(page, repository, tag):
    """The page, with the address of each path."""
    page = LINK.sub(lambda link: f"{repository}/blob/{tag}/{link[0]}", page)
    return PICTURE.sub(lambda picture: f"{repository}/raw/{tag}/{picture[0]}", page)


def text(root=REPOSITORY):
    """README.md of a checkout, for registries."""
    facts = (root / "Cargo.toml").read_text(encoding="utf-8")
    facts = dict(re.findall(r'^(repository|version) = "(.*)"$', facts, re.M))
    page = (root / "README.md").read_text(encoding="utf-8")
    return absolute(page, facts["repository"], "v" + facts["version"])


def write(file=PACKAGE / "description.markdown"):
    """Writes it, whole or not at all."""
    draft = file.with_name(f".{os.getpid()}.draft")
    draft.write_text(text(), encoding="utf-8")
    draft.replace(file)


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:2]))

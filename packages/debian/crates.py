"""Writes packages/debian/README.md's table of crates that Debian lacks.

usage: crates.py METADATA SUITE=PACKAGES... --write README CONTROL FOLDER
METADATA: what `cargo metadata` prints. PACKAGES: Debian's list of packages of that suite. CONTROL
gets the packages of crates that the command is built from. FOLDER gets a tree for `dpkg-deb` of
each crate that the last suite lacks, as Rust's registry has it.

Debian compiles with its own crates. A crate that we need and Debian has in a version that fits
ends the search: Debian brings its dependencies. One that Debian lacks would have to be packaged,
and its dependencies are looked for in turn.
"""

import json
import os
import re
import shutil
import sys

NUMBER = re.compile(r"\d+")
NAME = re.compile(r"librust-([a-z0-9.-]+?)(?:-[\d.]+)?(?:\+([a-z0-9.-]+))?-dev")


def numbers(version):
    """The three numbers of a version, of Debian or of cargo; None where it has none."""
    version = re.split(r"[-+~]", version.split(":")[-1])[0]
    parts = version.split(".")
    if not all(NUMBER.fullmatch(part) for part in parts):
        return None
    return tuple(int(part) for part in (parts + ["0", "0"])[:3])


def upper(operator, given):
    """The first version that a requirement with these given numbers no longer allows."""
    if operator == "~" or operator == "=":
        fixed = len(given) if operator == "=" else min(len(given), 2)
    else:
        leading = next((i for i, number in enumerate(given) if number), len(given) - 1)
        fixed = leading + 1
    bound = list(given[:fixed])
    bound[-1] += 1
    return tuple(bound + [0, 0])[:3]


def fits(version, requirement):
    """Whether cargo takes this version for the requirement."""
    for part in requirement.split(","):
        operator, text = re.fullmatch(r"\s*(\^|~|=|>=|>|<=|<|)\s*([^ ]*)\s*", part).groups()
        given = [int(n) for n in re.split(r"[-+]", text)[0].split(".") if NUMBER.fullmatch(n)]
        if not given:  # *
            continue
        bound = tuple(given + [0, 0])[:3]
        if "*" in text:
            operator = "="
        if operator in ("", "^", "~", "="):
            good = bound <= version < upper(operator or "^", given)
        else:
            good = {
                ">=": version >= bound,
                ">": version > bound,
                "<=": version <= bound,
                "<": version < bound,
            }[operator]
        if not good:
            return False
    return True


def debian_name(crate):
    return crate.lower().replace("_", "-")


def read_packages(path):
    """Debian's crates: for each name its versions, each with its features."""
    crates = {}
    with open(path, encoding="utf-8") as file:
        for stanza in file.read().split("\n\n"):
            if not stanza.startswith("Package: librust-"):
                continue
            fields = dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.M))
            version = numbers(fields["Version"])
            for name in [fields["Package"], *fields.get("Provides", "").split(", ")]:
                found = NAME.match(name)
                if found and version:
                    features = crates.setdefault(found[1], {}).setdefault(version, set())
                    features.add(found[2] or "")
    return crates


def lacks(debian, needed, wanted):
    """What Debian lacks of a dependency, in words; empty where it has it."""
    versions = debian.get(debian_name(needed["name"]), {})
    if not versions:
        return "not there"
    fitting = [version for version in versions if fits(version, needed["req"])]
    if not fitting:
        newest = ".".join(str(number) for number in max(versions))
        return f"has {newest}, not {needed['req'].lstrip('^')}"
    missing = wanted - versions[max(fitting)]
    if missing:
        return "without feature " + ", ".join(sorted(missing))
    return ""


class Metadata:
    """What cargo resolved for Linux, with or without the optional needs of our own crates."""

    def __init__(self, path, optional):
        self.optional = optional
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        self.packages = {package["id"]: package for package in document["packages"]}
        self.nodes = {node["id"]: node for node in document["resolve"]["nodes"]}
        self.own = set(document["workspace_members"])
        self.command = next(
            id for id in self.own if self.packages[id]["name"] == "nearfar"
        )

    def needed_by(self, id, dev):
        """Each dependency of a package: its id, and how the package asks for it."""
        asked = self.packages[id]["dependencies"]
        for edge in self.nodes[id]["deps"]:
            kinds = {kind["kind"] for kind in edge["dep_kinds"]}
            if not dev and kinds == {"dev"}:
                continue
            name = self.packages[edge["pkg"]]["name"]
            fitting = [d for d in asked if d["name"] == name and (dev or d["kind"] != "dev")]
            version = numbers(self.packages[edge["pkg"]]["version"])
            fitting = [d for d in fitting if fits(version, d["req"])] or fitting
            if fitting[0]["optional"] and id in self.own and not self.optional:
                continue
            yield edge["pkg"], fitting[0]

    def closure(self, dev):
        """Ids of all packages that the command is made of; dev: and the tests of own crates."""
        seen, queue = set(), [self.command]
        while queue:
            id = queue.pop()
            if id not in seen:
                seen.add(id)
                queue += [need for need, _ in self.needed_by(id, dev and id in self.own)]
        return seen


def search(metadata, debian, dev):
    """Crates to package: for each id why, and who needs it."""
    missing, seen, queue = {}, set(), [metadata.command]
    while queue:
        id = queue.pop()
        if id in seen:
            continue
        seen.add(id)
        for need, asked in metadata.needed_by(id, dev and id in metadata.own):
            if need in metadata.own:
                queue.append(need)
                continue
            wanted = {debian_name(feature) for feature in asked["features"]}
            why = lacks(debian, asked, wanted)
            if why:
                missing.setdefault(need, (why, set()))[1].add(metadata.packages[id]["name"])
                queue.append(need)
    return missing


def table(metadata, everything, suites):
    """The figures and rows, as Markdown."""
    yield f"| packages | in all | of others | {' | '.join(f'not in {name}' for name in suites)} |"
    yield "|---|" + "---|" * (2 + len(suites))
    rows = [
        ("of Debian's package, without PNG", metadata, False),
        ("of a release", everything, False),
        ("of a release, with its tests", everything, True),
    ]
    for title, document, dev in rows:
        ids = document.closure(dev)
        counts = [len(search(document, debian, dev)) for debian in suites.values()]
        lacking = " | ".join(str(count) for count in counts)
        yield f"| {title} | {len(ids)} | {len(ids - document.own)} | {lacking} |"
    others = len(set(everything.packages) - everything.own)
    every = len(everything.packages)
    yield f"| with the lab and `xtask` | {every} | {others} |" + " |" * len(suites)
    yield ""
    yield "| crate | needed by | " + " | ".join(suites) + " |"
    yield "|---|---|" + "---|" * len(suites)
    found = {name: search(metadata, debian, False) for name, debian in suites.items()}
    lines = {}
    for lacking in found.values():
        for id, (_, needers) in lacking.items():
            lines.setdefault(id, set()).update(needers)
    for id, needers in sorted(lines.items(), key=lambda line: metadata.packages[line[0]]["name"]):
        package = metadata.packages[id]
        cells = [lacking.get(id, ("has it",))[0] for lacking in found.values()]
        names = ", ".join(sorted(needers)[:2]) + (", ..." if len(needers) > 2 else "")
        yield f"| {package['name']} {package['version']} | {names} | {' | '.join(cells)} |"


def debian_dependency(asked):
    """Debian's packages for a dependency: one for each feature in one series of versions. Over
    several series there is no name for a feature; the package itself has all, as a rule.
    """
    name, oldest = debian_name(asked["name"]), min(numbers_of(asked["req"]))
    least = ".".join(str(number) for number in oldest)
    if not asked["req"].startswith("^"):
        return [f"librust-{name}-dev (>= {least})"]
    series = f"{oldest[0]}" if oldest[0] else f"0.{oldest[1]}"
    at_least = f" (>= {least})" if any(oldest[series.count(".") + 1 :]) else ""
    features = {debian_name(feature) for feature in asked["features"]}
    if asked["uses_default_features"]:
        features.add("default")
    plus = [f"+{feature}" for feature in sorted(features)] or [""]
    return [f"librust-{name}-{series}{feature}-dev{at_least}" for feature in plus]


def numbers_of(requirement):
    for part in requirement.split(","):
        text = part.strip().lstrip("^~=><")
        given = [int(n) for n in text.split(".") if NUMBER.fullmatch(n)]
        yield tuple((given + [0, 0])[:3])


def build_depends(metadata):
    """What Debian's package is built from, a line each."""
    lines = set()
    for id in metadata.closure(False) & metadata.own:
        for need, asked in metadata.needed_by(id, False):
            if need not in metadata.own:
                lines.update(debian_dependency(asked))
    return [f" {line}," for line in sorted(lines)]


def write_packages(metadata, missing, folder):
    """A tree of files for a package of each of these crates, by which the rest can be built."""
    for id in missing:
        package = metadata.packages[id]
        name, version = debian_name(package["name"]), package["version"]
        asked = [
            asked
            for needer in metadata.closure(False)
            for need, asked in metadata.needed_by(needer, False)
            if need == id
        ]
        own = f"librust-{name}-{version}-dev"
        names = {one.split(" ")[0] for each in asked for one in debian_dependency(each)}
        needs = [one for _, need in metadata.needed_by(id, False) for one in debian_dependency(need)]
        tree = os.path.join(folder, name + "-" + version)
        registry = os.path.join(tree, "usr/share/cargo/registry", f"{package['name']}-{version}")
        shutil.copytree(os.path.dirname(package["manifest_path"]), registry)
        with open(os.path.join(registry, ".cargo-checksum.json"), "w", encoding="utf-8") as file:
            json.dump({"files": {}}, file)
        # dh-cargo-built-using reads each crate's licence there.
        about = os.path.join(tree, "usr/share/doc", own)
        os.makedirs(about)
        with open(os.path.join(about, "copyright"), "w", encoding="utf-8") as file:
            file.write(
                "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
                f"Files: *\nCopyright: {', '.join(package['authors']) or package['name']}\n"
                f"License: {(package['license'] or 'unknown').replace(' OR ', ' or ')}\n"
            )
        os.mkdir(os.path.join(tree, "DEBIAN"))
        with open(os.path.join(tree, "DEBIAN/control"), "w", encoding="utf-8") as file:
            file.write(
                f"Package: {own}\nVersion: {version}-0\nArchitecture: all\n"
                f"Maintainer: {package['name']} <no@address.invalid>\n"
                f"Provides: {', '.join(f'{one} (= {version}-0)' for one in sorted(names - {own}))}\n"
                f"Depends: {', '.join(sorted(set(needs))) or 'cargo'}\n"
                f"Description: {package['name']} {version} of Rust's registry, which Debian lacks\n"
            )


def write(path, begin, end, lines):
    """Puts lines between two others."""
    with open(path, encoding="utf-8") as file:
        head, rest = file.read().split(begin)
    text = "\n".join([begin, *lines, end])
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + text + rest.split(end)[1])


def main():
    at = sys.argv.index("--write")
    metadata, everything = (Metadata(sys.argv[1], optional) for optional in (False, True))
    suites = dict(argument.split("=", 1) for argument in sys.argv[2:at])
    suites = {name: read_packages(path) for name, path in suites.items()}
    readme, control, folder = sys.argv[at + 1 :]
    lines = ["", *table(metadata, everything, suites), ""]
    write(readme, "<!-- crates: begin -->", "<!-- crates: end -->", lines)
    write(control, "# crates: begin", "# crates: end", build_depends(metadata))
    newest = list(suites.values())[-1]
    write_packages(metadata, search(metadata, newest, False), folder)


main()

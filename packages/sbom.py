"""Prints what a released program is made of: an SBOM in CycloneDX 1.5.

usage: cargo metadata ... | sbom.py Cargo.lock COMMIT

Each crate has its version, licence, checksum and needs. The same input gives the same bytes.
"""

import json
import pathlib
import re
import sys
import uuid

from licences import command, edges, parts_of_command


def checksums(lock):
    """The checksum of each crate of the registry, by name and version."""
    found = {}
    for entry in pathlib.Path(lock).read_text(encoding="utf-8").split("[[package]]")[1:]:
        fields = dict(re.findall(r'^(name|version|checksum) = "(.*)"$', entry, re.M))
        if "checksum" in fields:
            found[fields["name"], fields["version"]] = fields["checksum"]
    return found


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, sums, kind="library"):
    """A crate, as CycloneDX names its facts."""
    described = {
        "type": kind,
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "purl": reference(package),
    }
    if package["authors"]:
        described["author"] = ", ".join(package["authors"])
    if package["description"]:
        described["description"] = package["description"].strip()
    # Old crates write OR as a slash.
    described["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    sum = sums.get((package["name"], package["version"]))
    if sum:
        described["hashes"] = [{"alg": "SHA-256", "content": sum}]
    if package["repository"]:
        described["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return described


def main():
    document, sums = json.load(sys.stdin), checksums(sys.argv[1])
    packages = {package["id"]: package for package in document["packages"]}
    root = command(document)
    parts = [package for package in parts_of_command(document) if package["id"] != root["id"]]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, f"{reference(root)}#{sys.argv[2]}")
    needs = [
        {
            "ref": reference(package),
            "dependsOn": sorted({reference(packages[id]) for id in edges(document, package["id"])}),
        }
        for package in [root, *parts]
    ]
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": component(root, sums, "application")
            | {"properties": [{"name": "nearfar:commit", "value": sys.argv[2]}]}
        },
        "components": [component(package, sums) for package in parts],
        "dependencies": needs,
    }
    json.dump(bom, sys.stdout, indent=1, ensure_ascii=False)
    print()


main()

"""README.md as registries show it: each of its links leads to a file of the repository."""

import re
import sys
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent
sys.path.insert(0, str(PACKAGE))

import readme  # noqa: E402

ADDRESS = "https://host/owner/nearfar"


class Readme(unittest.TestCase):
    def test_all_that_is_named_is_in_the_repository(self):
        files = [REPOSITORY / "README.md", *REPOSITORY.glob("crates/*/README.md")]
        self.assertGreater(len(files), 3)
        for file in files:
            folder = file.parent.relative_to(REPOSITORY).as_posix()
            page = readme.absolute(file.read_text(encoding="utf-8"), ADDRESS, "v1", folder)
            links = re.findall(r"\]\((.*?)\)", page)
            pictures = re.findall(r"(?:src|srcset)=[\"'](.*?)[\"']", page)
            for kind, found in ("blob", links), ("raw", pictures):
                for address in found:
                    if address.startswith(f"{ADDRESS}/releases/"):
                        continue
                    address = re.sub(r"/actions/workflows/(.*\.yml)(/badge\.svg)?$",
                                     rf"/{kind}/v1/.github/workflows/\1", address)
                    start, _, path = address.partition(f"/{kind}/v1/")
                    self.assertEqual(start, ADDRESS, address)
                    self.assertTrue((REPOSITORY / path.partition("#")[0]).exists(), address)

    def test_other_addresses_stay(self):
        page = '[a](https://kernel.org/x) [b](#limits) <img src="https://host/a.svg"> [c] (d)'
        self.assertEqual(readme.absolute(page, ADDRESS, "v1"), page)

    def test_paths_get_addresses(self):
        page = '[a](docs/a.md#b) <img alt="" src="docs/c.svg"> <source srcset="d.svg">'
        self.assertEqual(
            readme.absolute(page, ADDRESS, "v1"),
            f'[a]({ADDRESS}/blob/v1/docs/a.md#b) <img alt="" src="{ADDRESS}/raw/v1/docs/c.svg"> '
            f'<source srcset="{ADDRESS}/raw/v1/d.svg">',
        )

    def test_paths_of_other_folders_and_of_the_host(self):
        page = "[a](../../docs/a.md) [b](b.md)"
        self.assertEqual(
            readme.absolute(page, ADDRESS, "v1", "crates/c"),
            f"[a]({ADDRESS}/blob/v1/docs/a.md) [b]({ADDRESS}/blob/v1/crates/c/b.md)",
        )
        page = readme.absolute("[a](../../releases/latest)", ADDRESS, "v1")
        self.assertEqual(page, f"[a]({ADDRESS}/releases/latest)")

    def test_badges_are_the_hosts(self):
        page = "[![ci](../../actions/workflows/ci.yml/badge.svg)](../../actions/workflows/ci.yml)"
        workflow = f"{ADDRESS}/actions/workflows/ci.yml"
        self.assertEqual(
            readme.absolute(page, ADDRESS, "v1"), f"[![ci]({workflow}/badge.svg)]({workflow})"
        )

    def test_packages_have_the_licence_of_the_command(self):
        files = "crates/cli/Cargo.toml", "crates/view/Cargo.toml", "packages/nearfar.yaml"
        licences = [
            re.search(r'^license(?: = "|: )([^"\n]*)', (REPOSITORY / file).read_text("utf-8"), re.M)
            for file in (*files, "pyproject.toml")
        ]
        self.assertEqual({licence[1] for licence in licences}, {licences[0][1]})

    def test_a_checkouts_page_names_its_own_repository(self):
        facts = (REPOSITORY / "Cargo.toml").read_text(encoding="utf-8")
        named = re.search(r'^repository = "(.*)"$', facts, re.M)[1]
        self.assertIn(f"]({named}/blob/v", readme.text())


if __name__ == "__main__":
    unittest.main()

"""The links of all .md files lead somewhere: relative ones to a file that is there, those with #… to a heading in it. And
another page links to each page of docs/guide and docs/recipes."""

import pathlib
import re
import subprocess
import unittest

from folder_case import FolderCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = re.compile(r"^(```+|~~~+).*?^\1[^\n]*$|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r'\]\(\s*<?([^)\s>]+)[^)]*\)|^\[[^\]]+\]:\s*(\S+)|<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"', re.MULTILINE)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
FENCE = re.compile(r"^(```+|~~~+).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//")


def tracked_pages(root):
    """The .md files that git tracks, or all that are not below build/ where there is no repository."""
    done = subprocess.run(["git", "-C", root, "ls-files", "-z", "*.md"], capture_output=True, text=True, check=False)
    if done.stdout:
        return [root / name for name in done.stdout.split("\0") if name]
    return [path for path in root.rglob("*.md") if path.relative_to(root).parts[0] != "build"]


def anchors(text):
    """The names that GitHub gives to the headings: lower case, no punctuation, - for a blank, -1 for a second one."""
    names = {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        count = names.get(name, 0)
        names[name] = count + 1
        if count:
            names[f"{name}-{count}"] = 1
    return set(names)


def links(text):
    """The relative targets in `text`, outside of code."""
    found = ("".join(groups) for groups in LINK.findall(CODE.sub("", text)))
    return [target for target in found if not OUTSIDE.match(target)]


def problems_of(root, pages):
    """What is wrong with the links of `pages`, a line each."""
    problems, linked = [], set()
    for page in pages:
        for target in links(page.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                problems.append(f"{page.relative_to(root)}: no file {target}")
                continue
            if file != page:
                linked.add(file)
            if anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                problems.append(f"{page.relative_to(root)}: no heading {target}")
    for page in pages:
        if page.parent in (root / "docs" / "guide", root / "docs" / "recipes") and page not in linked:
            problems.append(f"{page.relative_to(root)}: no page links to it")
    return problems


class LinksTest(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        pages = tracked_pages(ROOT)
        self.assertGreater(len(pages), 10)
        self.assertEqual(problems_of(ROOT, pages), [])


class FaultsTest(FolderCase):
    """Files made here."""

    def setUp(self):
        super().setUp()
        self.root = self.folder
        (self.root / "docs" / "guide").mkdir(parents=True)

    def problems(self, **texts):
        pages = []
        for name, text in texts.items():
            pages.append(self.root / ("README.md" if name == "readme" else f"docs/guide/{name}.md"))
            pages[-1].write_text(text, encoding="utf-8")
        return problems_of(self.root, pages)

    def test_good_links(self):
        self.assertEqual(self.problems(
            readme="[a](docs/guide/a.md#what---verify-prints) [b](#why) [c](https://example.org/x#y)\n## Why\n"
                   "`[d](none.md)`\n```sh\n# not a heading\n[e](none.md)\n```\n[two\nlines](docs/guide/a.md#why-1)\n",
            a="# What `--verify` prints\n## Why?\n## Why?\n[up](../../README.md)"), [])

    def test_a_dead_file_is_found(self):
        self.assertEqual(self.problems(readme="![x](docs/x.png)"), ["README.md: no file docs/x.png"])
        self.assertEqual(self.problems(readme='<img src="docs/y.png" width="3">'), ["README.md: no file docs/y.png"])
        self.assertEqual(self.problems(readme="[z]: docs/z.md"), ["README.md: no file docs/z.md"])

    def test_a_dead_anchor_is_found(self):
        self.assertEqual(self.problems(readme="[x](docs/guide/a.md#no)\n```\n# no\n```", a="# Yes"),
                         ["README.md: no heading docs/guide/a.md#no"])
        self.assertEqual(self.problems(readme="[x](#no)\n```\n# no\n```"), ["README.md: no heading #no"])

    def test_a_page_without_a_link_to_it_is_found(self):
        self.assertEqual(self.problems(readme="# x", a="[itself](a.md) [too](#y)\n# y"), ["docs/guide/a.md: no page links to it"])


if __name__ == "__main__":
    unittest.main()

"""The folders of src/ and include/ include each other only along the arrows of arrows.txt, and these lead down the
picture of CONTRIBUTING.md. It fails where an arrow is missing or unused, and on a cycle.

arrows.txt has one line per folder, `cpu -> problem geometry`. The files of one folder may include each other; a folder
and its sub-folders have separate lines. A header may have a line of its own, `cuda/runtime/names.hpp ->`: it is then a node of
the graph, and not part of its folder.

The picture is in the block after <!-- house -->, a line per floor: `cpu    cuda`, from the top down. A sub-folder
belongs to the folder that it is in unless the picture has it. `base → include` within a line is an arrow, too.
"""

import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARROWS = pathlib.Path(__file__).with_name("arrows.txt").read_text()
SUFFIXES = (".hpp", ".cpp", ".cuh", ".cu")
HOUSE = re.compile(r"^<!-- house -->\n```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
ROOMS_END = 60  # the column where the text of a floor begins
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def drawn_arrows(text):
    """The targets of each node in the lines of `text`, and what is wrong with the lines."""
    arrows, problems = {}, []
    for line in text.splitlines():
        node, arrow, targets = line.partition("->")
        if not arrow or len(node.split()) != 1:
            problems.append(f"not an arrow: {line}")
        elif node.strip() in arrows:
            problems.append(f"two lines for {node.strip()}")
        else:
            arrows[node.strip()] = targets.split()
    return arrows, problems


def house_problems(text, arrows):
    """What differs between the picture in `text` and the arrows, one line each."""
    places = {}  # the floor of each room, and its place on it
    for floor, line in enumerate("".join(HOUSE.findall(text)).splitlines()):
        for place, room in enumerate(re.findall(r"[\w/]+", line[:ROOMS_END])):
            places[room] = floor, place, "→" in line

    def room_of(node):
        return next((name for name in (node, *map(str, pathlib.PurePosixPath(node).parents)) if name in places), None)

    problems = [f"no room for {node}" for node in arrows if room_of(node) is None]
    problems += [f"a room for {room}, which has no arrows" for room in places if room not in map(room_of, arrows)]
    for node, targets in arrows.items():
        for target in targets:
            a, b = room_of(node), room_of(target)
            if a and b and a != b and not (places[a][0] < places[b][0] or places[a][:2] < places[b][:2] and places[a][2]):
                problems.append(f"{node} -> {target} leads up the house")
    return problems


def source_files(root):
    """Every source file by the path that #include names: `geometry/grid.hpp`, `kann/search.hpp`."""
    return {str(path.relative_to(root / top)): path for top in ("src", "include")
            for path in sorted((root / top).rglob("*")) if path.suffix in SUFFIXES}


def folder_of(name):
    folder = str(pathlib.PurePosixPath(name).parent)
    return "include" if folder == "kann" else folder


def used_arrows(files, headers):
    """(node, node) of the includes that leave a node: one file of each. `headers` are nodes of their own."""
    used = {}
    for name, path in files.items():
        node = name if name in headers else folder_of(name)
        for included in INCLUDE.findall(path.read_text()):
            target = included if included in headers else folder_of(included)
            # A folder needs no arrow to the headers that lie in it.
            if included in files and target != node and (node in headers or folder_of(included) != node):
                used.setdefault((node, target), f"{name} includes {included}")
    return used


def cycle_of(edges):
    """The nodes of one cycle, the first one repeated at the end; empty if there is none."""
    finished, path = set(), []

    def visit(node):
        if node in path:
            return [*path[path.index(node):], node]
        if node not in finished:
            path.append(node)
            for target in edges.get(node, []):
                if cycle := visit(target):
                    return cycle
            path.pop()
            finished.add(node)
        return []

    return next((cycle for node in edges if (cycle := visit(node))), [])


def problems_of(root, text):
    """What differs between the includes under `root` and the arrows in `text`, one line each."""
    arrows, problems = drawn_arrows(text)
    if problems:
        return problems
    files = source_files(root)
    headers = arrows.keys() & files.keys()
    folders = set(map(folder_of, files))
    used = used_arrows(files, headers)
    drawn = {(node, target) for node, targets in arrows.items() for target in targets}
    problems = [f"no line for {folder}" for folder in sorted(folders - arrows.keys())]
    problems += [f"a line for {node}, which does not exist" for node in sorted(arrows.keys() - folders - headers)]
    problems += [f"no arrow {node} -> {target}: {used[node, target]}" for node, target in sorted(used.keys() - drawn)]
    problems += [f"no include uses {node} -> {target}" for node, target in sorted(drawn - used.keys())]
    inside = {node: [header for header in headers if folder_of(header) == node] for node in folders}
    cycle = cycle_of({node: [*targets, *inside.get(node, [])] for node, targets in arrows.items()})
    return problems + (["cycle: " + " -> ".join(cycle)] if cycle else [])


class ArrowsTest(unittest.TestCase):
    def test_the_includes_follow_the_arrows(self):
        self.assertEqual(problems_of(ROOT, ARROWS), [])

    def test_the_arrows_lead_down_the_house(self):
        arrows, _ = drawn_arrows(ARROWS)
        self.assertEqual(house_problems((ROOT / "CONTRIBUTING.md").read_text(), arrows), [])


class CheckTest(unittest.TestCase):
    """The check itself, on a made-up tree: include/kann, base, cpu and cpu/vector."""

    FILES = {
        "include/kann/a.hpp": "#include <vector>\n",
        "src/base/b.hpp": '#include "kann/a.hpp"\n',
        "src/cpu/c.cpp": '#include "cpu/vector/v.hpp"\n#include "cpu/names.hpp"\n#include "base/b.hpp"\n',
        "src/cpu/names.hpp": "",
        "src/cpu/vector/v.hpp": '#include "cpu/names.hpp"\n',
    }
    ARROWS = ["include ->", "base -> include", "cpu -> base cpu/vector", "cpu/vector -> cpu/names.hpp",
              "cpu/names.hpp ->"]

    def problems(self, files=None, arrows=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {**self.FILES, **(files or {})}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            return problems_of(pathlib.Path(folder), "\n".join(arrows or self.ARROWS))

    def test_accepts_a_tree_that_follows_the_arrows(self):
        self.assertEqual(self.problems(), [])

    def test_reports_an_include_without_an_arrow(self):
        self.assertEqual(self.problems({"src/base/d.cu": '  #  include "cpu/vector/v.hpp"\n'}),
                         ["no arrow base -> cpu/vector: base/d.cu includes cpu/vector/v.hpp"])

    def test_reports_a_public_header_that_includes_the_library(self):
        self.assertEqual(self.problems({"include/kann/e.hpp": '#include "base/b.hpp"\n'}),
                         ["no arrow include -> base: kann/e.hpp includes base/b.hpp"])

    def test_reports_a_folder_without_a_line(self):
        self.assertEqual(self.problems({"src/new/n.cpp": ""}), ["no line for new"])

    def test_reports_a_line_without_a_folder(self):
        self.assertEqual(self.problems(arrows=[*self.ARROWS, "old ->"]), ["a line for old, which does not exist"])

    def test_reports_an_arrow_that_no_include_uses(self):
        self.assertEqual(self.problems(arrows=[*self.ARROWS[1:], "include -> base"])[0],
                         "no include uses include -> base")

    def test_reports_a_cycle(self):
        arrows = [*self.ARROWS[:3], "cpu/vector -> cpu"]
        self.assertEqual(self.problems(arrows=arrows), ["cycle: cpu -> cpu/vector -> cpu"])

    def test_reports_a_cycle_through_a_header_with_a_line(self):
        arrows = [*self.ARROWS[:4], "cpu/names.hpp -> cpu/vector"]
        self.assertIn("cycle: cpu/vector -> cpu/names.hpp -> cpu/vector",
                      self.problems({"src/cpu/names.hpp": '#include "cpu/vector/v.hpp"\n'}, arrows))

    def test_reports_lines_that_it_cannot_read(self):
        self.assertEqual(self.problems(arrows=["cpu base"]), ["not an arrow: cpu base"])
        self.assertEqual(self.problems(arrows=["cpu ->", "cpu -> base"]), ["two lines for cpu"])

    def test_reports_rooms_that_are_missing_and_arrows_that_lead_up(self):
        house = "<!-- house -->\n```\n" + f"{'cpu → gpu':60}both\n   ↓\n{'base   io':60}neither\n```\n"
        arrows = {"cpu": ["cpu/vector", "gpu", "base"], "cpu/vector": ["base"], "gpu": [], "base": [], "io": []}
        self.assertEqual(house_problems(house, arrows), [])
        self.assertEqual(house_problems(house, {**arrows, "new": []}), ["no room for new"])
        self.assertEqual(house_problems(house, {**arrows, "base": ["cpu"], "io": ["base"]}),
                         ["base -> cpu leads up the house", "io -> base leads up the house"])
        del arrows["gpu"]
        self.assertEqual(house_problems(house, arrows), ["a room for gpu, which has no arrows"])


if __name__ == "__main__":
    unittest.main()

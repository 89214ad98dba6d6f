"""No recipe goes unseen: the pages of docs/recipes are those below, docs/guide/README.md links each, and each has a test whose
classes CTest runs, as it does those of guide_test.py."""

import pathlib
import re
import unittest

PAGES = ["accuracy-gate", "attributes", "batch", "catalogues", "change", "clusters", "elevation", "graphs", "outliers"]
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class PagesTest(unittest.TestCase):
    def test_the_pages_are_these(self):
        self.assertEqual(sorted(path.stem for path in (ROOT / "docs" / "recipes").glob("*.md")), PAGES)

    def test_the_guide_links_each(self):
        links = re.findall(r"\]\(\.\./recipes/([\w-]+)\.md\)", (ROOT / "docs" / "guide" / "README.md").read_text("utf-8"))
        self.assertEqual(sorted(links), PAGES)

    def test_ctest_runs_the_classes_of_each(self):
        lists = (HERE / "CMakeLists.txt").read_text(encoding="utf-8")
        run = re.findall(r"^recipe_test\((\S+) ([^)]+)\)", lists, re.MULTILINE)
        self.assertEqual(sorted(page for page, _ in run if page != "guide"), [page.replace("-", "_") for page in PAGES])
        for page, classes in run:
            source = (HERE / f"{page}_test.py").read_text(encoding="utf-8")
            cases = [name for name in re.findall(r"^class (\w+)\(", source, re.MULTILINE) if not name.endswith("Case")]
            self.assertEqual(sorted(classes.split()), sorted(cases), page)


if __name__ == "__main__":
    unittest.main()

"""Pages of --html need nothing but themselves, are well-formed, and fit a narrow and a wide window of a browser:
pages_in_browser_test.py PROGRAM. The last needs Chromium."""

import base64
import html.parser
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WITHOUT_END = {"meta", "br", "img", "rect", "path"}
# The frame has the width of the window, whose least width differs among browsers
FRAME = """<!doctype html><iframe id=f src="{page}" width={width} height=900></iframe><p id=r></p><script>
onload = () => {{ const d = document.getElementById("f").contentDocument, e = d.documentElement
  document.getElementById("r").textContent = ["found", e.clientWidth, e.scrollWidth, d.images.length,
    [...d.images].every(i => i.naturalWidth > 0), getComputedStyle(d.body).backgroundColor].join(" ") }}</script>"""


class Parser(html.parser.HTMLParser):
    """Refuses tags without their end, and what would be fetched."""

    def __init__(self):
        super().__init__()
        self.open, self.pictures = [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("src", "href"):
                kind, _, content = value.partition(",")
                assert kind == "data:image/png;base64", value[:80]
                self.pictures.append(base64.b64decode(content, validate=True))
        assert tag not in ("script", "link", "iframe"), tag
        if tag not in WITHOUT_END and tag not in ("html", "body", "p"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("html", "body", "p"):  # whose ends HTML leaves to the writer
            return
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_startendtag(self, tag, attributes):
        assert tag in WITHOUT_END, tag


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        numbers = random.Random(5)
        long_name = "a_name_that_is_much_longer_than_a_narrow_window_is_wide_" * 2 + ".xyz"
        for name, points in (("p.xyz", 400), (long_name, 300)):
            rows = [" ".join(f"{numbers.random():.6f}" for _ in range(3)) for _ in range(points)]
            (cls.folder / name).write_text("\n".join(rows) + "\n")
        (cls.folder / "jobs.txt").write_text(f"p.xyz\t{long_name}\np.xyz\tnope.xyz\n")
        cls.run_kann(0, "--data", "p.xyz", "--query", long_name, "-k", "40", "--html", "run.html", "--verify")
        cls.run_kann(3, "--data", "nope<&.xyz", "--html", "failed.html")
        cls.run_kann(3, "--jobs", "jobs.txt", "--output", "out/", "--html", "batch.html")

    @classmethod
    def run_kann(cls, exit_code, *arguments):
        run = subprocess.run([PROGRAM, *arguments], cwd=cls.folder, capture_output=True, text=True)
        assert run.returncode == exit_code, run.stderr

    def test_are_whole(self):
        for name, pictures in (("run.html", 1), ("failed.html", 0), ("batch.html", 0)):
            with self.subTest(name):
                text = (self.folder / name).read_text("utf-8")
                parser = Parser()
                parser.feed(text)
                parser.close()
                self.assertEqual(parser.open, [])
                self.assertEqual(len(parser.pictures), pictures)
                self.assertTrue(all(picture.startswith(b"\x89PNG\r\n") for picture in parser.pictures))
                self.assertEqual(set(re.findall(r"https?://[^\"' <]+", text)) - {"http://www.w3.org/2000/svg"}, set())

    @unittest.skipUnless(BROWSER, "there is no Chromium")
    def test_fit_the_window(self):
        for name, pictures in (("run.html", 1), ("failed.html", 0), ("batch.html", 0)):
            for width in (400, 1400):
                for scheme, background in ((1, "rgb(255, 255, 255)"), (0, "rgb(20, 23, 27)")):
                    with self.subTest(name, width=width, scheme=scheme):
                        (self.folder / "frame.html").write_text(FRAME.format(page=name, width=width))
                        run = subprocess.run(
                            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                             f"--blink-settings=preferredColorScheme={scheme}", f"--user-data-dir={self.folder}/profile",
                             "--virtual-time-budget=9000", "--dump-dom", f"file://{self.folder}/frame.html"],
                            capture_output=True, text=True, timeout=120)
                        found = re.search(r'<p id="r">found (\d+) (\d+) (\d+) (\w+) (.*?)</p>', run.stdout)
                        self.assertTrue(found, run.stderr[-500:])
                        self.assertLessEqual(int(found[2]), int(found[1]))
                        self.assertEqual(int(found[3]), pictures)
                        self.assertEqual((found[4], found[5]), ("true", background))


if __name__ == "__main__":
    unittest.main()

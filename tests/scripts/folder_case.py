"""What tests of scripts share: a folder for each test, with programs that stand for others."""

import pathlib
import tempfile
import unittest


class FolderCase(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="a folder ")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()

    def path(self, name):
        return str(self.folder / name)

    def program(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

#!/usr/bin/env python3
"""No file hides, in its anonymous namespace, a name that a header declares in the namespace around it. The files of a
folder are compiled together (cmake/KannUnity.cmake), so that the files after it would silently mean
what it hides the name with.
"""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANONYMOUS = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
NO_FUNCTION = "return|using|namespace|template|TEST|INSTANTIATE|KANN|HWY|EXPECT"
DECLARED = [re.compile(rf"^(?![ }}#/])(?!{NO_FUNCTION})[^\n(=;]*?[ &*>](\w+)\(", re.MULTILINE),
            re.compile(r"^(?:struct|class|enum class) (\w+)", re.MULTILINE),
            re.compile(r"^(?:inline |constexpr |const |static )+[^\n(=;{]*?[ &*](\w+)(?: =|\{|\[)", re.MULTILINE)]


def declared(text):
    return {name for pattern in DECLARED for name in pattern.findall(text)}


def hidden_names(folder):
    """(file, name, header) of each name that a file hides, in all files under the folder."""
    of_headers = collections.defaultdict(dict)  # namespace → name → header
    of_files = []                               # (namespace, file, names)
    for path in sorted(folder.rglob("*.?pp")):
        text = path.read_text()
        namespace = next(iter(re.findall(r"^namespace (kann[\w:]*)", text, re.MULTILINE)), "")
        if path.suffix == ".hpp":
            of_headers[namespace].update(dict.fromkeys(declared(ANONYMOUS.sub("", text)), path.name))
        else:
            of_files.append((namespace, path, {name for part in ANONYMOUS.findall(text) for name in declared(part)}))
    for namespace, path, names in of_files:
        while namespace:
            for name in sorted(names & of_headers[namespace].keys()):
                yield path.name, name, of_headers[namespace][name]
            namespace = namespace.rpartition("::")[0]


class NamesTest(unittest.TestCase):
    def test_no_file_hides_a_name_of_a_header(self):
        for folder in ("src", "tests"):
            with self.subTest(folder):
                self.assertEqual([], list(hidden_names(ROOT / folder)))

    def test_finds_what_is_hidden(self):
        text = "namespace kann::io {\nnamespace {\n\nint size_of(int x) { return x; }\n\n}  // namespace\n}\n"
        self.assertEqual({"size_of"}, {name for part in ANONYMOUS.findall(text) for name in declared(part)})
        self.assertEqual({"size_of"}, declared("namespace kann::io {\n\nint size_of(long x);\n"))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The static library defines in the namespace kann only what its public headers declare. Everything else is in
namespaces inside kann, so that it cannot clash with names in a program that links the library.

  symbols_test.py LIBRARY INCLUDE_FOLDER
"""

import pathlib
import re
import subprocess
import sys


def defined_in_kann(library):
    """The first name after kann:: in every external symbol that the library defines."""
    lines = subprocess.run(["nm", "-C", "--defined-only", "--extern-only", library], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines()
    symbols = (line.split(" ", 2)[2] for line in lines if re.match(r"[0-9a-f]+ \w ", line))
    own = (re.match(r"(?:(?:typeinfo|vtable|typeinfo name|guard variable) for )?kann::(\w+)(::)?", symbol)
           for symbol in symbols)
    return {match.group(1) for match in own if match}


def public_names(folder):
    text = "".join(path.read_text() for path in pathlib.Path(folder).glob("kann/*.hpp"))
    return set(re.findall(r"\b\w+\b", re.sub(r"//.*", "", text)))


def namespaces(source):
    """The namespaces inside kann that the source files use."""
    texts = (path.read_text() for path in pathlib.Path(source).rglob("*.?pp"))
    return {name for text in texts for name in re.findall(r"^namespace kann::(\w+)", text, re.MULTILINE)} | {"detail"}


def main():
    library, include = sys.argv[1:]
    source = pathlib.Path(include).parent / "src"
    found = defined_in_kann(library)
    leaked = found - public_names(include) - namespaces(source)
    if leaked:
        sys.exit("symbols_test: the library defines kann::" + ", kann::".join(sorted(leaked)) +
                 ", which no public header declares")
    if not {"search", "search_self", "read_points"} <= found:
        sys.exit(f"symbols_test: nm found too little: {sorted(found)}")


if __name__ == "__main__":
    main()

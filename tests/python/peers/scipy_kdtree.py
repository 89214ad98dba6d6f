#!/usr/bin/env python3
"""Runs the tests that scipy has of its KDTree on kann.KDTree: its file as installed, but for the numbers of coordinates, which
are three in place of four and more, and loops over p. Tests of other distances and of the nodes of a tree are skipped.

Usage: scipy_kdtree.py [OPTION OF PYTEST…]"""

import pathlib
import re
import sys
import tempfile

import kann
import pytest
import scipy.spatial


class KDTree(kann.KDTree):
    def __getattr__(self, name):
        pytest.skip(f"nodes: {name}") if name in ("tree", "size", "indices", "_build_weights") else object.__getattribute__(self, name)


class cKDTree(KDTree):
    pass


kann._kdtree._check = lambda eps, p: pytest.skip(f"not Euclidean: p = {p}") if p != 2 else None
scipy.spatial.KDTree, scipy.spatial.cKDTree = KDTree, cKDTree
source = (pathlib.Path(scipy.spatial.__file__).parent / "tests" / "test_kdtree.py").read_text(encoding="utf-8")
for pattern, becomes in ((r"\b([mk] = )(?:4|5|10)$", r"\g<1>3"), (r"rand\((\w+), ?4\)", r"rand(\1, 3)"), (r"for p in \[.*\]:", "for p in [2]:")):
    source = re.sub(pattern, becomes, source, flags=re.MULTILINE)
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "test_kdtree.py"
    file.write_text(source, encoding="utf-8")
    sys.exit(pytest.main([str(file), "-q", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore", *sys.argv[1:]]))

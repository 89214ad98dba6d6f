#!/usr/bin/env python3
"""Runs tests, as installed, of what searches with scipy's tree, with kann.KDTree in its place: interpolation among scattered
points in scipy, catalogues of astropy, weights of libpysal. Points of more than three coordinates go to the tree of scipy.

Usage: scipy_trees.py [OPTION OF PYTEST…]"""

import importlib.util
import sys

import kann
import numpy
import pytest
import scipy.interpolate
import scipy.spatial

Theirs = scipy.spatial.KDTree


class KDTree(kann.KDTree):
    def __new__(cls, data=((0,),), *arguments, **options):
        return object.__new__(cls) if numpy.shape(data)[-1] <= 3 else Theirs(data, *arguments, **options)


scipy.spatial.KDTree = scipy.spatial.cKDTree = scipy.interpolate._ndgriddata.cKDTree = scipy.interpolate._rbfinterp.KDTree = KDTree
suites = ("scipy.interpolate.tests.test_ndgriddata", "scipy.interpolate.tests.test_rbfinterp", "astropy.coordinates.tests.test_matching",
          "libpysal.weights.tests.test_distance")
found = [suite for suite in suites if importlib.util.find_spec(suite.partition(".")[0])]
print("Not installed:", ", ".join(set(suites) - set(found)) or "none")
sys.exit(pytest.main(["--pyargs", *found, "-q", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore", *sys.argv[1:]]))
